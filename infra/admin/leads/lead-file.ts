import { AdminError } from '../admin-error.ts';
import { rowsIn, type Row } from './csv-rows.ts';
import { readCsvText } from './csv-text.ts';
import { columnsIn, countKnown, parseMap, type ColumnMap } from './lead-columns.ts';
import { leadsIn, type LeadLine } from './lead-in-row.ts';

/** Delimiters among which the header decides. */
const delimiters = [',', ';', '\t'] as const;

/** A first line that names the delimiter for Excel, as some programs write. */
const delimiterLine = /^"?sep=([^"\w\r\n])"?(?:\r\n|\r|\n|$)/i;

/** Maximum number of rows searched for the first one that is not blank. */
const maxBlank = 20;

/**
 * Reads the leads of a CSV file, not validated yet; `pairs` are `Column=field`. @throws AdminError if the
 * file, its header or a pair is wrong
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

/** Rows with the header first. The first line names the delimiter, or the header shows it. */
function rowsOf(text: string, map: ColumnMap): Row[] {
  const [first, delimiter] = delimiterLine.exec(text) ?? [];
  if (first === undefined || delimiter === undefined) return rowsIn(text, delimiterOf(text, map));
  // The delimiter line is a line of the file, and no row of the spreadsheet.
  return rowsIn(text.slice(first.length), delimiter, { firstLine: 2 });
}

/** The delimiter by which the header has the most known columns; if equal, the most columns. */
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
    // By the wrong delimiter a quote may seem unclosed; by the right one it is reported.
    if (error instanceof AdminError) return [];
    throw error;
  }
}
