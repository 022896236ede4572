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
  new AdminError(`${what}: take the file as it was exported.`);

/**
 * A new file of lines that only its owner can read. It is written synchronously, in chunks, since an export
 * has nothing else to do meanwhile.
 * @throws AdminError if the disk refuses it
 */
export class LineFile {
  readonly #path: string;
  readonly #file: number;
  #text = '';
  readonly #hash = createHash('sha256');
  #lines = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = this.#onDisk(() => openSync(path, 'wx', 0o600));
  }

  add(line: string): void {
    this.#text += `${line}\n`;
    this.#lines++;
    if (this.#text.length >= chunkSize) this.#write();
  }

  /** Writes the rest to disk and closes the file. Returns its line count and checksum. */
  end(): FileSum {
    this.#write();
    this.#onDisk(() => {
      fsyncSync(this.#file);
      closeSync(this.#file);
    });
    return { lines: this.#lines, sha256: this.#hash.digest('hex') };
  }

  #write(): void {
    this.#hash.update(this.#text);
    this.#onDisk(() => {
      writeFileSync(this.#file, this.#text);
    });
    this.#text = '';
  }

  #onDisk<T>(act: () => T): T {
    return onDisk(`${this.#path} could not be written`, act);
  }
}

/** A line of a file, with its number from 1. */
export interface Line {
  at: number;
  text: string;
}

/**
 * Bytes of a file in chunks. A chunk is valid until the next one is requested. @throws AdminError if the file
 * cannot be read
 */
function* bytesOf(path: string): Generator<Buffer> {
  const failed = `${path} could not be read`;
  const file = onDisk(failed, () => openSync(path, 'r'));
  try {
    const buffer = Buffer.alloc(chunkSize);
    for (;;) {
      const size = onDisk(failed, () => readSync(file, buffer));
      if (size === 0) return;
      yield buffer.subarray(0, size);
    }
  } finally {
    closeSync(file);
  }
}

/** Lines of a file. @throws AdminError if it cannot be read, is not UTF-8, or ends within a line */
export function* linesOf(path: string): Generator<Line> {
  let rest: Buffer[] = [];
  let at = 0;
  for (const bytes of bytesOf(path)) {
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      at++;
      const line = Buffer.concat([...rest, bytes.subarray(start, end)]);
      if (!isUtf8(line)) throw notAsExported(`${path}, line ${at}, is no UTF-8`);
      yield { at, text: line.toString() };
      rest = [];
      start = end + 1;
    }
    // Copied, since the chunk's memory is used again.
    if (start < bytes.length) rest.push(Buffer.from(bytes.subarray(start)));
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
