import { CsvError, type InfoRecord, type Options } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { AdminError } from '../admin-error.ts';

/** A row of a CSV file. */
export interface Row {
  /** The line of the file that it begins on. */
  line: number;
  /** The last line of the file that it has. */
  end: number;
  /** Its row in a spreadsheet: not the line, once a cell further up has line breaks. */
  number: number;
  cells: string[];
  /** Whether a cell begins with a quote that is not closed in it, and so took in what is below. */
  isTorn: boolean;
}

const options = {
  record_delimiter: ['\r\n', '\n', '\r'],
  // A quote within a cell without quotes, as in 5" pipe, is text.
  relax_quotes: true,
  relax_column_count: true,
} satisfies Options;

interface Reading {
  /** How many rows to read; all, if it is not given. */
  max?: number;
  /** The number of the line that the text begins on, if it is not 1. */
  firstLine?: number;
}

/** The rows that are not blank, the header first. @throws AdminError for a quote that is closed nowhere */
export function rowsIn(text: string, delimiter: string, { max, firstLine = 1 }: Reading = {}): Row[] {
  const bytes = Buffer.from(text);
  const rows: Row[] = [];
  let [line, number, start] = [firstLine, 1, 0];
  const take = (cells: string[], info: InfoRecord) => {
    // The parser's own count of lines takes a Windows line break in a cell for two.
    const end = line + cells.reduce((count, cell) => count + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
    const raw = bytes.subarray(start, info.bytes);
    const isTorn = cells.some((cell) => isOpenIn(raw, cell));
    if (!isBlank(cells)) rows.push({ line, end, number, cells, isTorn });
    [line, number, start] = [end + 1, number + 1, info.bytes];
    return null;
  };
  try {
    parse(bytes, { ...options, ...(max && { to: max }), delimiter, on_record: take });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new AdminError(
      `The quote that opens in line ${line} is closed nowhere, so that what follows cannot be told apart: close it, or write ` +
        'it twice where it is meant as a quote. Nothing was imported.',
    );
  }
  return rows;
}

/** Whether every cell is empty, as in rows that a spreadsheet saves below the last one. */
const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** Whether a cell's quotes are not those that a program writes: the parser takes them for text then, and reads on below. */
const isOpenIn = (raw: Buffer, cell: string): boolean =>
  cell.startsWith('"') && /[\r\n]/.test(cell) && !raw.includes(`"${cell.replaceAll('"', '""')}"`);
