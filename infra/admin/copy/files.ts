import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, writeFileSync } from 'node:fs';
import { AdminError, onDisk } from '../admin-error.ts';
import type { FileSum } from './format.ts';

/** Characters per write, and bytes per read. */
const chunkSize = 1 << 20;

const lineFeed = 10;

/** The error of a copy that was damaged or changed. `what` begins with the file. */
export const notAsExported = (what: string): AdminError =>
  new AdminError(`${what}: take the file exactly as the export wrote it.`);

/**
 * Writes lines to a new file that only its owner can read, and waits until the disk has them. Returns their
 * count and checksum. Writes are synchronous, in chunks: an export has no other work meanwhile.
 * @throws AdminError if the disk refuses it; and any error of `lines`
 */
export async function writeLines(
  path: string,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<FileSum> {
  const failed = `${path} could not be written`;
  const file = onDisk(failed, () => openSync(path, 'wx', 0o600));
  const hash = createHash('sha256');
  let [text, count] = ['', 0];
  const write = () => {
    hash.update(text);
    onDisk(failed, () => {
      writeFileSync(file, text);
    });
    text = '';
  };
  try {
    for await (const line of lines) {
      text += `${line}\n`;
      count++;
      if (text.length >= chunkSize) write();
    }
    write();
    onDisk(failed, () => {
      fsyncSync(file);
    });
  } finally {
    closeSync(file);
  }
  return { lines: count, sha256: hash.digest('hex') };
}

/** A line of a file, with its number from 1. */
export interface Line {
  at: number;
  text: string;
}

/** Lines of a file. @throws AdminError if it cannot be read, is not UTF-8, or ends within a line */
export function* linesOf(path: string): Generator<Line> {
  const failed = `${path} could not be read`;
  const file = onDisk(failed, () => openSync(path, 'r'));
  const buffer = Buffer.alloc(chunkSize);
  const read = () =>
    buffer.subarray(
      0,
      onDisk(failed, () => readSync(file, buffer)),
    );
  let [rest, at] = [Buffer.alloc(0), 0];
  try {
    for (let more = read(); more.length > 0; more = read()) {
      // Copied, because the next read overwrites the buffer.
      const bytes = Buffer.concat([rest, more]);
      let start = 0;
      for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
        const line = bytes.subarray(start, end);
        at++;
        if (!isUtf8(line)) throw notAsExported(`${path}, line ${at}, is no UTF-8`);
        yield { at, text: line.toString() };
        start = end + 1;
      }
      rest = bytes.subarray(start);
    }
  } finally {
    closeSync(file);
  }
  if (rest.length > 0) throw new AdminError(`${path} is cut: line ${at + 1} has no end.`);
}

/** Line count and checksum of a file. @throws AdminError as `linesOf` */
export function sumOf(path: string): FileSum {
  const hash = createHash('sha256');
  let lines = 0;
  for (const { text } of linesOf(path)) {
    hash.update(`${text}\n`);
    lines++;
  }
  return { lines, sha256: hash.digest('hex') };
}
