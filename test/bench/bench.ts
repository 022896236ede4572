import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { root } from '../../infra/root.ts';
import { localMessageOf } from '../../infra/local/local-error.ts';
import { markdownDocument, markdownTable, withParts } from '../support/docs/markdown.ts';
import type { Budget, Chapter, Run } from './chapter.ts';
import { measureCold } from './cold.ts';
import { chapterNames, parseOptions, usage } from './options.ts';
import { measureReceptionist } from './receptionist.ts';
import { measureStart } from './start.ts';
import { measureWarm } from './warm.ts';
import { measureWebhooks } from './webhooks.ts';
import { measureWriters } from './writers.ts';

const chapters: Record<(typeof chapterNames)[number], (run: Run) => Promise<Chapter>> = {
  cold: measureCold,
  warm: measureWarm,
  receptionist: measureReceptionist,
  writers: measureWriters,
  webhooks: measureWebhooks,
  start: measureStart,
};

const page = 'docs/scale.md';

/**
 * Runs `npm run bench`: measures the chosen chapters, prints each, and writes each into the page. @throws
 * LocalError for a mistake in the arguments, and whatever a chapter throws
 */
async function bench(args: string[]): Promise<void> {
  const { quick, only = chapterNames, help } = parseOptions(args);
  if (help) {
    process.stdout.write(usage);
    return;
  }
  for (const name of chapterNames.filter((one) => only.includes(one))) {
    const progress = (text: string) => process.stderr.write(`${name}: ${text}\n`);
    const text = textOf(await chapters[name]({ quick, progress }));
    process.stdout.write(`\n${await markdownDocument([text])}`);
    if (quick) continue;
    const file = join(root, page);
    const parts = { [name]: text };
    writeFileSync(
      file,
      await withParts(readFileSync(file, 'utf8'), { page, command: 'npm run bench', parts }),
    );
  }
}

function textOf({ title, about, table, budgets }: Chapter): string {
  const date = new Date().toISOString().slice(0, 10);
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown CPU'}`;
  return [
    `### ${title}`,
    about,
    `Measured on ${date} with Node.js ${process.versions.node} on ${machine}.`,
    ...(table ? [markdownTable(table)] : []),
    ...(budgets.length > 0
      ? [markdownTable({ columns: ['Budget', 'At most', 'Measured', ''], rows: budgets.map(rowOf) })]
      : []),
  ].join('\n\n');
}

const rowOf = ({ what, limit, measured, unit = '' }: Budget) => [
  what,
  `${limit}${unit}`,
  `${measured.toFixed(limit < 10 ? 2 : 0)}${unit}`,
  measured <= limit ? 'met' : 'MISSED',
];

try {
  await bench(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${localMessageOf(error)}\n`);
  process.exit(1);
}
