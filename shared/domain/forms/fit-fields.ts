/**
 * Bytes of UTF-8 that the names and values of a form may take together. Anyone can send a form, and each
 * kilobyte is paid for twice.
 */
export const maxBytes = 32 * 1024;
/** Bytes of UTF-8 that the names may take, so that there is room for the values. */
export const maxBytesOfNames = maxBytes / 2;

/**
 * The same fields, with values that fit into `maxBytes` beside their names. If the values are too large together, the
 * longest values are cut to one length, and say so at their end.
 */
export function fitFields(fields: ReadonlyMap<string, string>): Map<string, string> {
  const names = [...fields.keys()].reduce((sum, name) => sum + Buffer.byteLength(name), 0);
  const limit = longestIn(
    [...fields.values()].map((value) => Buffer.byteLength(value)),
    maxBytes - names,
  );
  return new Map([...fields].map(([name, value]) => [name, cutTo(limit, value)]));
}

/**
 * The largest size, in bytes, that lets values of these sizes fit into `room`. Infinity if nothing must be
 * cut.
 */
function longestIn(sizes: readonly number[], room: number): number {
  let left = room;
  for (const [at, size] of sizes.toSorted((a, b) => a - b).entries()) {
    // Room that the shorter values leave is shared by the longer ones.
    const share = Math.floor(left / (sizes.length - at));
    if (size > share) return share;
    left -= size;
  }
  return Infinity;
}

/** End of a value that was cut. */
const endOf = (length: number) => ` … (cut: it had ${length} characters)`;
const cutPattern = /^(.*) … \(cut: it had (\d+) characters\)$/s;

/**
 * True if two values are the same, or may be two cuts of one value: the same beginning, and the same original length.
 */
export function saysSame(one: string, other: string): boolean {
  const [first, second] = [beginningOf(one), beginningOf(other)];
  const isBeginning = first.text.startsWith(second.text) || second.text.startsWith(first.text);
  return one === other || (first.length === second.length && isBeginning);
}

/** Beginning of a value that may have been cut, and the original length of the value. */
function beginningOf(value: string): { text: string; length: number } {
  const [, text = value, length = value.length] = cutPattern.exec(value) ?? [];
  return { text, length: Number(length) };
}

/** Least number of bytes to cut a value to: something of the value must be left beside the end. */
export const leastCut = 100;

/**
 * Cuts a text to at most `bytes` of UTF-8, which is `leastCut` or more. A text that was cut before still tells its
 * original length.
 */
export function cutTo(bytes: number, value: string): string {
  if (Buffer.byteLength(value) <= bytes) return value;
  const { text, length } = beginningOf(value);
  const end = endOf(length);
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes - Buffer.byteLength(end)));
  return text.slice(0, read) + end;
}
