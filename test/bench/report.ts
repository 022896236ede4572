import { markdownDocument, markdownTable, numeric, textOf } from '../support/markdown.ts';
import type { Budget, Section, Table } from './section.ts';

/** Machine, date and versions of a run. */
export interface Setting {
  /** Date such as `2026-11-02`. */
  date: string;
  /** Version of Node.js. */
  version: string;
  cores: number;
  cpu: string;
  quick: boolean;
}

/** Maximum of columns of a line in the terminal. */
const maxColumns = 110;

/** Formats a chapter for the terminal, in lines of at most 110 columns. */
export function terminalText({ title, about, budgets, tables }: Section): string {
  const parts = [
    `${title}\n${'='.repeat(title.length)}`,
    ...about.map((paragraph) => wrapped(paragraph, maxColumns).join('\n')),
    ...(budgets.length > 0 ? [aligned(tableOf(budgets))] : []),
    ...tables.map((table) => `${wrapped(table.caption, maxColumns).join('\n')}\n\n${aligned(table)}`),
  ];
  return `\n${parts.join('\n\n')}\n`;
}

/**
 * Formats the whole report as Markdown, as this project's files are formatted. Its plots are in the folder
 * `performance`.
 */
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

/** Says in one line how many budgets are met, and which are missed. */
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

/** Aligns a table in columns. A cell that is too long continues on the next line. */
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
 * Widths of columns, from their content. If they are too wide, their names are broken between words, and then
 * the widest column shrinks.
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

/** Breaks a text into lines, between words if possible. */
function wrapped(text: string, width: number): string[] {
  const lines = text.match(new RegExp(`\\S.{0,${width - 1}}(?=\\s|$)|\\S{${width}}`, 'g')) ?? [''];
  return lines.map((line) => line.trimEnd());
}
