import { formatAs } from '../../../infra/release/format-as.ts';

/**
 * Rows of a table. A column of numbers is aligned to the right; with `areAmounts` all columns but the first
 * are.
 */
export interface Rows {
  columns: string[];
  rows: (string | number)[][];
  areAmounts?: boolean;
}

const textOf = (cell: string | number) =>
  typeof cell === 'number' ? cell.toLocaleString('en', { maximumFractionDigits: 3 }) : cell;

/** True for each column that holds numbers alone. */
const numeric = ({ columns, rows }: Rows) =>
  columns.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'));

export function markdownTable(table: Rows): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    line(table.columns),
    line(numeric(table).map((isNumeric, at) => (isNumeric || (table.areAmounts && at > 0) ? '--:' : '---'))),
    ...table.rows.map((row) => line(row.map(textOf))),
  ].join('\n');
}

/** Joins paragraphs, headings and tables, and formats them as this project's pages. */
export const markdownDocument = (parts: readonly string[]): Promise<string> =>
  formatAs('page.md', parts.join('\n\n'));

/**
 * Replaces the parts of a page that a command writes: each stands between two markers with its name. @throws
 * Error for a part without its markers
 */
export function withParts(
  text: string,
  { page, command, parts }: { page: string; command: string; parts: Readonly<Record<string, string>> },
): Promise<string> {
  let result = text;
  for (const [name, part] of Object.entries(parts)) {
    const [begin, end] = [`<!-- ${name}: written by "${command}" -->`, `<!-- end of ${name} -->`];
    const [before, rest] = result.split(begin);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined)
      throw new Error(`${page} lacks the markers ${begin} and ${end}: put them back`);
    result = [before, begin, '\n\n', part, '\n\n', end, after].join('');
  }
  return markdownDocument([result]);
}
