import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../../infra/functions.ts';
import { localMessageOf } from '../../infra/local/local-error.ts';
import { measureCold } from './cold.ts';
import { measureCosts } from './costs.ts';
import { measureHttp } from './http.ts';
import { parseOptions, usage } from './options.ts';
import { measurePages } from './pages.ts';
import { svgOf } from './plot.ts';
import { markdownOf, terminalText, verdict, type Setting } from './report.ts';
import type { Measure, Section } from './section.ts';
import { measureStart } from './start.ts';
import { measureWarm } from './warm.ts';
import { measureWriters } from './writers.ts';

/** The chapters of the report, in order. */
const chapters: { name: string; measure: Measure }[] = [
  { name: 'cold', measure: measureCold },
  { name: 'warm', measure: measureWarm },
  { name: 'costs', measure: measureCosts },
  { name: 'pages', measure: measurePages },
  { name: 'writers', measure: measureWriters },
  { name: 'http', measure: measureHttp },
  { name: 'start', measure: measureStart },
];

/** `npm run bench`. @throws LocalError for a mistake in the arguments; whatever a chapter throws */
async function bench(args: string[]): Promise<void> {
  const names = chapters.map(({ name }) => name);
  const { quick, only, out, help } = parseOptions(args, names);
  if (help) {
    process.stdout.write(usage(names));
    return;
  }
  const sections: Section[] = [];
  const files = new Map<string, string>();
  for (const { name, measure } of chapters) {
    if (only && !only.includes(name)) continue;
    const section = await measure({ quick, progress: (text) => process.stderr.write(`${name}: ${text}\n`) });
    process.stdout.write(terminalText(section));
    sections.push(section);
    // At once: a plot that cannot be drawn is told before the next chapter takes its time.
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

try {
  await bench(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${localMessageOf(error)}\n`);
  process.exit(1);
}
