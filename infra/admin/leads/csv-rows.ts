import { CsvError, type InfoRecord, type Options } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { AdminError } from '../admin-error.ts';

export interface Row {
  /** First line of the row in the file, from 1. */
  line: number;
  /** Last line of the row in the file. */
  end: number;
  /** Row number in a spreadsheet. It differs from the line once a cell above contains a line break. */
  number: number;
  cells: string[];
  /** True if a cell's opening quote is not closed properly, so that the cell took in the rows below. */
  isTorn: boolean;
}

const options = {
  record_delimiter: ['\r\n', '\n', '\r'],
  // A quote within an unquoted cell, as in 5" pipe, is part of its text.
  relax_quotes: true,
  relax_column_count: true,
} satisfies Options;

interface ReadOptions {
  /** Maximum number of rows; all, if absent. */
  max?: number;
  /** Number of the line on which the text begins; 1 if absent. */
  firstLine?: number;
}

/** Rows that are not blank, the header first. @throws AdminError for a quote that is never closed */
export function rowsIn(text: string, delimiter: string, { max, firstLine = 1 }: ReadOptions = {}): Row[] {
  const bytes = Buffer.from(text);
  const rows: Row[] = [];
  let [line, number, start] = [firstLine, 1, 0];
  const take = (cells: string[], info: InfoRecord) => {
    // The parser's own line count takes a Windows line break within a cell for two.
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

/** True if every cell is empty, as in rows that a spreadsheet saves below the last one. */
const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/**
 * True if a cell's quotes are not as a program writes them: the parser then takes them for text, and reads on
 * into the next rows.
 */
const isOpenIn = (raw: Buffer, cell: string): boolean =>
  cell.startsWith('"') && /[\r\n]/.test(cell) && !raw.includes(`"${cell.replaceAll('"', '""')}"`);
