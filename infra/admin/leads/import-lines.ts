import { counted } from '../output.ts';
import type { ImportReport } from './import-leads.ts';

type RefusedLine = ImportReport['refused'][number];

/** The report for people. Leads that were there already come first, since they matter least. */
export function importLines({ total, created, alreadyThere, refused, stopped }: ImportReport): string[] {
  const done = created.length + alreadyThere.length + refused.length;
  return [
    ...inOrder(alreadyThere).map(
      (line) => `${nameOfLines(line)}: is there already: ${line.id} ${whyThere(line.field)}`,
    ),
    ...inOrder(refused).map((line) => `${nameOfLines(line)}: ${line.message}`),
    ...(stopped === undefined
      ? []
      : [
          `${stopped} after ${counted(done)} of ${counted(total)} lines. Run it again: it goes on where it was.`,
        ]),
    `${leads(created.length)} created, ${counted(alreadyThere.length)} ${was(alreadyThere.length)} there already, ` +
      `${counted(refused.length)} ${refused.length === 1 ? 'line' : 'lines'} ${was(refused.length)} refused.`,
  ];
}

const was = (count: number) => (count === 1 ? 'was' : 'were');
const leads = (count: number) => `${counted(count)} ${count === 1 ? 'lead' : 'leads'} ${was(count)}`;

const inOrder = <P extends Pick<RefusedLine, 'line'>>(lines: readonly P[]): P[] =>
  lines.toSorted((one, other) => one.line - other.line);

/** Name of a line in the file, with its row in a spreadsheet if that differs. */
const nameOfLines = ({ line, end, number }: Pick<RefusedLine, 'line' | 'end' | 'number'>) =>
  (end === line ? `line ${line}` : `lines ${line} to ${end}`) +
  (line === number ? '' : ` (row ${number} of the spreadsheet)`);

const whyThere = (field: string) => (field === 'importKey' ? 'has all of it' : `has this ${field}`);

/** The report for scripts. */
export const importJson = ({ stopped, ...report }: ImportReport) => ({
  ...report,
  refused: inOrder(report.refused),
  stopped: stopped ?? null,
});
