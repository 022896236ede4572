import { markdownDocument, markdownTable, numeric, textOf } from '../support/markdown.ts';
import type { Budget, Section, Table } from './section.ts';

/** What a run was made on, and how. */
export interface Setting {
  /** As `2026-11-02`. */
  date: string;
  /** Of Node.js. */
  version: string;
  cores: number;
  cpu: string;
  quick: boolean;
}

/** What fits a line of the terminal. */
const maxColumns = 110;

/** A chapter for the terminal, in lines of at most 110 columns. */
export function terminalText({ title, about, budgets, tables }: Section): string {
  const parts = [
    `${title}\n${'='.repeat(title.length)}`,
    ...about.map((paragraph) => wrapped(paragraph, maxColumns).join('\n')),
    ...(budgets.length > 0 ? [aligned(tableOf(budgets))] : []),
    ...tables.map((table) => `${wrapped(table.caption, maxColumns).join('\n')}\n\n${aligned(table)}`),
  ];
  return `\n${parts.join('\n\n')}\n`;
}

/** The whole report as Markdown, formatted as this project's files are; its plots are in the folder `performance`. */
export function markdownOf(setting: Setting, sections: readonly Section[]): Promise<string> {
  const { date, version, cores, cpu, quick } = setting;
  const budgets = sections.flatMap((section) => section.budgets);
  const parts = [
    '# Performance',
    `Measured by \`npm run bench\` on ${date} with Node.js ${version} on ${cores} cores of ${cpu}.`,
    ...(quick ? ['This was a quick run, with smaller sizes and fewer repetitions.'] : []),
    ...(budgets.length > 0 ? ['## Budgets', verdict(sections), markdownTable(tableOf(budgets))] : []),
    ...sections.flatMap(({ title, about, tables, plots }) => [
      `## ${title}`,
      ...about,
      ...tables.flatMap((table) => [`${table.caption}:`, markdownTable(table)]),
      ...plots.map(({ name, caption }) => `![${caption}](performance/${name}.svg)`),
    ]),
  ];
  return markdownDocument(parts);
}

/** How many of the budgets are met, and which are missed, in one line. */
export function verdict(sections: readonly Section[]): string {
  const budgets = sections.flatMap((section) => section.budgets);
  const missed = budgets.filter(({ met }) => !met).map(({ what }) => what);
  const count = `${budgets.length - missed.length} of ${budgets.length} budgets are met`;
  return missed.length === 0 ? `${count}.` : `${count}; missed: ${missed.join('; ')}.`;
}

const tableOf = (budgets: readonly Budget[]): Table => ({
  caption: 'Budgets',
  columns: ['Budget', 'Limit', 'Measured', ''],
  rows: budgets.map(({ what, limit, measured, met }) => [what, limit, measured, met ? 'met' : 'MISSED']),
});

/** In columns of a width each; what is too long for its column goes on below. */
function aligned(table: Table): string {
  const isNumeric = numeric(table);
  const rows = table.rows.map((row) => row.map(textOf));
  const widths = widthsOf([table.columns, ...rows]);
  const lines = (cells: string[]) => {
    const columns = cells.map((cell, at) => wrapped(cell, widths[at]!));
    const height = Math.max(...columns.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) =>
      columns
        .map((column, at) => {
          const text = column[line] ?? '';
          return isNumeric[at] ? text.padStart(widths[at]!) : text.padEnd(widths[at]!);
        })
        .join(gap)
        .trimEnd(),
    );
  };
  const rule = widths.map((width) => '-'.repeat(width)).join(gap);
  return [...lines(table.columns), rule, ...rows.flatMap(lines)].join('\n');
}

const gap = '  ';

/**
 * As wide as what is in the columns. Where that is too much, their names are broken between words; then the widest
 * column gives way.
 */
function widthsOf([names = [], ...rows]: string[][]): number[] {
  const widest = (heads: string[]) =>
    heads.map((head, at) => Math.max(1, head.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const sum = (widths: number[]) => widths.reduce((total, width) => total + width + gap.length, -gap.length);
  const whole = widest(names);
  if (sum(whole) <= maxColumns) return whole;
  const widths = widest(names.map(longestWord));
  while (sum(widths) > maxColumns) widths[widths.indexOf(Math.max(...widths))]!--;
  return widths;
}

const longestWord = (text: string) =>
  text.split(' ').reduce((longest, word) => (word.length > longest.length ? word : longest), '');

/** The lines of a text, broken between words where that is possible. */
function wrapped(text: string, width: number): string[] {
  const lines = text.match(new RegExp(`\\S.{0,${width - 1}}(?=\\s|$)|\\S{${width}}`, 'g')) ?? [''];
  return lines.map((line) => line.trimEnd());
}
