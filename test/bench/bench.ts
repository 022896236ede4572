import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { root } from '../../infra/functions.ts';
import { localMessageOf } from '../../infra/local/local-error.ts';
import { measureCold } from './cold.ts';
import { measureCosts } from './costs.ts';
import { chapterNames, parseOptions, usage } from './options.ts';
import { measurePages } from './pages.ts';
import { measureReceptionist } from './receptionist.ts';
import { chapterText, reportText, verdict, type Setting } from './report.ts';
import type { Measure, Section } from './section.ts';
import { measureStart } from './start.ts';
import { measureWarm } from './warm.ts';
import { measureWebhooks } from './webhooks.ts';
import { measureWriters } from './writers.ts';

const chapters: Record<(typeof chapterNames)[number], Measure> = {
  cold: measureCold,
  warm: measureWarm,
  receptionist: measureReceptionist,
  costs: measureCosts,
  pages: measurePages,
  writers: measureWriters,
  webhooks: measureWebhooks,
  start: measureStart,
};

/**
 * Runs `npm run bench`: measures the chosen chapters, prints them, and writes the report. @throws LocalError
 * for a mistake in the arguments, and whatever a chapter throws
 */
async function bench(args: string[]): Promise<void> {
  const { quick, only, out, help } = parseOptions(args, chapterNames);
  if (help) {
    process.stdout.write(usage(chapterNames));
    return;
  }
  const sections: Section[] = [];
  for (const name of chapterNames) {
    if (only && !only.includes(name)) continue;
    const progress = (text: string) => process.stderr.write(`${name}: ${text}\n`);
    const section = await chapters[name]({ quick, progress });
    process.stdout.write(`\n${await chapterText(section)}`);
    sections.push(section);
  }
  const file = out ?? (quick || only ? undefined : join(root, 'docs/performance.md'));
  if (file !== undefined) {
    writeFileSync(file, await reportText(settingOf(quick), sections));
    process.stdout.write(`\nThe report is ${file}\n`);
  }
  process.stdout.write(`\n${verdict(sections)}\n`);
}

const settingOf = (quick: boolean): Setting => ({
  date: new Date().toISOString().slice(0, 10),
  version: process.versions.node,
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? 'an unknown CPU',
  quick,
});

try {
  await bench(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${localMessageOf(error)}\n`);
  process.exit(1);
}
