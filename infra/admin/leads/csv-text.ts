import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '../aws-error.ts';
import { AdminError } from '../admin-error.ts';

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
    const line = lineAt(bytes, lengthOfUtf8(bytes));
    throw new AdminError(
      `${path} is not text in UTF-8: line ${line} has a character of another encoding, such as Windows-1252. ${inExcel}`,
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

/** Number of leading bytes, in whole lines, that are UTF-8. */
function lengthOfUtf8(bytes: Buffer): number {
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(10, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return start;
    start = end + 1;
  }
}

const lineAt = (bytes: Buffer, offset: number): number =>
  1 + bytes.subarray(0, offset).reduce((count, byte) => (byte === 10 ? count + 1 : count), 0);
