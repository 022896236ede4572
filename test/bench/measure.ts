import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../../infra/functions.ts';
import { measureCold } from './cold.ts';
import { measureCosts } from './costs.ts';
import { measureFairness } from './fairness.ts';
import { measureHttp } from './http.ts';
import { chapterNames, type BenchOptions } from './options.ts';
import { measurePages } from './pages.ts';
import { measurePipeline } from './pipeline.ts';
import { svgOf } from './plot.ts';
import { markdownOf, terminalText, verdict, type Setting } from './report.ts';
import type { Measure, Section } from './section.ts';
import { measureStart } from './start.ts';
import { measureWarm } from './warm.ts';
import { measureWriters } from './writers.ts';

const chapters: Record<(typeof chapterNames)[number], Measure> = {
  cold: measureCold,
  warm: measureWarm,
  costs: measureCosts,
  pages: measurePages,
  pipeline: measurePipeline,
  writers: measureWriters,
  http: measureHttp,
  fairness: measureFairness,
  start: measureStart,
};

/** Measures the chosen chapters, prints them, and writes the report. @throws whatever a chapter throws */
export async function measure({ quick, only, out }: Omit<BenchOptions, 'help'>): Promise<void> {
  const sections: Section[] = [];
  const files = new Map<string, string>();
  for (const name of chapterNames) {
    if (only && !only.includes(name)) continue;
    const section = await chapters[name]({
      quick,
      progress: (text) => process.stderr.write(`${name}: ${text}\n`),
    });
    process.stdout.write(terminalText(section));
    sections.push(section);
    // Drawn at once, so that a plot that cannot be drawn fails before the next chapter takes its time.
    for (const plot of section.plots) files.set(`performance/${plot.name}.svg`, svgOf(plot));
  }
  files.set('performance.md', await markdownOf(settingOf(quick), sections));
  const folder = out ?? (quick || only ? undefined : join(root, 'docs'));
  if (folder !== undefined) write(folder, files);
  process.stdout.write(`\n${verdict(sections)}\n`);
}

const settingOf = (quick: boolean): Setting => ({
  date: new Date().toISOString().slice(0, 10),
  version: process.versions.node,
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? 'an unknown CPU',
  quick,
});

function write(folder: string, files: Map<string, string>): void {
  for (const [name, text] of files) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  process.stdout.write(`\nThe report is ${join(folder, 'performance.md')}\n`);
}
