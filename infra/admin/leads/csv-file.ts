import { CsvError, type InfoRecord, type Options } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AdminError, messageOf } from '../admin-error.ts';

const inExcel =
  'In Excel choose File, Save As, and the type "CSV UTF-8 (Comma delimited) (*.csv)"; in Google Sheets File, Download, ' +
  'Comma-separated values. Nothing was imported.';

/**
 * Reads a CSV file, without its byte order mark. @throws AdminError if there is no such file, or it is not
 * text in UTF-8
 */
export async function readCsvText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new AdminError(whyUnread(path, error));
  });
  if (isWorkbook(bytes)) throw new AdminError(`${path} is a workbook of Excel, not a CSV file. ${inExcel}`);
  if (isUtf16(bytes)) throw new AdminError(`${path} is text in UTF-16, not in UTF-8. ${inExcel}`);
  if (!isUtf8(bytes)) {
    throw new AdminError(
      `${path} is not text in UTF-8: line ${firstOtherLine(bytes)} has a character of another encoding, such as Windows-1252. ${inExcel}`,
    );
  }
  if (bytes.includes(0)) throw new AdminError(`${path} is no text: it has zero bytes. ${inExcel}`);
  return new TextDecoder().decode(bytes);
}

function whyUnread(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const full = resolve(path);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `There is no file ${full}: check its name and folder.`;
    case 'EISDIR':
      return `${full} is a folder: name the CSV file that is in it.`;
    case 'EACCES':
    case 'EPERM':
      return `The file ${full} may not be read: ask its owner, or copy it to a folder of your own.`;
    default:
      return `The file ${full} cannot be read (${messageOf(error)}).`;
  }
}

/** True if the file begins as an Excel file does: a ZIP archive since 2007, a compound file before. */
const isWorkbook = (bytes: Buffer): boolean =>
  ['504b0304', 'd0cf11e0'].includes(bytes.subarray(0, 4).toString('hex'));

/** True for a UTF-16 byte order mark, or a letter beside a zero byte. */
const isUtf16 = (bytes: Buffer): boolean =>
  ['fffe', 'feff'].includes(bytes.subarray(0, 2).toString('hex')) ||
  (bytes.length > 1 && (bytes[0] === 0) !== (bytes[1] === 0));

/** Number of the first line that is not UTF-8. */
function firstOtherLine(bytes: Buffer): number {
  let [line, start] = [1, 0];
  for (;;) {
    const end = bytes.indexOf(10, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    [line, start] = [line + 1, end + 1];
  }
}

export interface Row {
  /** First line of the row in the file, from 1. */
  line: number;
  /** Last line of the row in the file. */
  end: number;
  /** Row number in a spreadsheet. Differs from the line once a cell above contains a line break. */
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
    // The parser's own line count counts a Windows line break within a cell twice.
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
      `The quote that opens in line ${line} is never closed, so the rest of the file cannot be read. Close the quote, or ` +
        'write it twice if it is part of the text. Nothing was imported.',
    );
  }
  return rows;
}

/** True if every cell is empty, as in rows that a spreadsheet saves below the last one. */
const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/**
 * True if a cell begins with a quote and has line breaks, but is not quoted as programs do. The parser then
 * takes the quotes for text, and reads on into the next rows.
 */
const isOpenIn = (raw: Buffer, cell: string): boolean =>
  cell.startsWith('"') && /[\r\n]/.test(cell) && !raw.includes(`"${cell.replaceAll('"', '""')}"`);
