import { AdminError } from '../admin-error.ts';
import { rowsIn, type Row } from './csv-rows.ts';
import { readCsvText } from './csv-text.ts';
import { columnsIn, countKnown, parseMap, type ColumnMap } from './lead-columns.ts';
import { leadsIn, type LeadLine } from './lead-in-row.ts';

/** Of them, a header tells which it is. */
const delimiters = [',', ';', '\t'] as const;

/** A first line that tells Excel the delimiter, as some programs write. */
const delimiterLine = /^"?sep=([^"\w\r\n])"?(?:\r\n|\r|\n|$)/i;

/** How many rows are looked at for the first one that is not blank. */
const maxBlank = 20;

/**
 * The leads in a CSV file, not checked yet; `pairs` are `Column=field`. @throws AdminError where the file, its header or a pair is
 * wrong
 */
export async function readLeadFile(path: string, pairs: readonly string[]): Promise<LeadLine[]> {
  const map = parseMap(pairs);
  const text = await readCsvText(path);
  const [header, ...rows] = rowsOf(text, map);
  if (!header) throw new AdminError(`${path} is empty: its first row must name the columns.`);
  const hasValues = (at: number) => rows.some(({ cells }) => (cells[at] ?? '').trim() !== '');
  const columns = columnsIn(header.cells, map, hasValues);
  const idAt = header.cells.findIndex((name) => name.trim().toLowerCase() === 'id');
  return leadsIn(rows, columns, idAt);
}

/** The rows, the header first, by the delimiter that the first line tells, or the header. */
function rowsOf(text: string, map: ColumnMap): Row[] {
  const [first, told] = delimiterLine.exec(text) ?? [];
  if (first === undefined || told === undefined) return rowsIn(text, delimiterOf(text, map));
  // It is a line of the file, and no row of the spreadsheet.
  return rowsIn(text.slice(first.length), told, { firstLine: 2 });
}

/** The delimiter by which the header has the most columns that are known, or the most columns. */
function delimiterOf(text: string, map: ColumnMap): string {
  const [best = ','] = delimiters
    .map((delimiter) => ({ delimiter, header: headerBy(text, delimiter) }))
    .map(({ delimiter, header }) => ({ delimiter, known: countKnown(header, map), all: header.length }))
    .toSorted((one, other) => other.known - one.known || other.all - one.all)
    .map(({ delimiter }) => delimiter);
  return best;
}

function headerBy(text: string, delimiter: string): readonly string[] {
  try {
    return rowsIn(text, delimiter, { max: maxBlank })[0]?.cells ?? [];
  } catch (error) {
    // By the wrong delimiter a quote may seem to be open; by the right one it is told.
    if (error instanceof AdminError) return [];
    throw error;
  }
}
