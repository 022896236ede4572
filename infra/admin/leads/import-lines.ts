import { counted } from '../output.ts';
import type { ImportReport } from './import-leads.ts';

type Place = ImportReport['refused'][number];

/** What became of a file's lines, for a person: those that were there first, as they matter least. */
export function importLines({ total, created, alreadyThere, refused, stopped }: ImportReport): string[] {
  const done = created.length + alreadyThere.length + refused.length;
  return [
    ...inOrder(alreadyThere).map(
      (line) => `${placeOf(line)}: is there already: ${line.id} ${whyThere(line.field)}`,
    ),
    ...inOrder(refused).map((line) => `${placeOf(line)}: ${line.message}`),
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

const inOrder = <P extends Pick<Place, 'line'>>(places: readonly P[]): P[] =>
  places.toSorted((one, other) => one.line - other.line);

/** Where a line is, also as a spreadsheet counts where that differs. */
const placeOf = ({ line, end, number }: Pick<Place, 'line' | 'end' | 'number'>) =>
  (end === line ? `line ${line}` : `lines ${line} to ${end}`) +
  (line === number ? '' : ` (row ${number} of the spreadsheet)`);

const whyThere = (field: string) => (field === 'importKey' ? 'has all of it' : `has this ${field}`);

/** The same for a script. */
export const importJson = ({ stopped, ...report }: ImportReport) => ({
  ...report,
  refused: inOrder(report.refused),
  stopped: stopped ?? null,
});
