/**
 * Bytes of UTF-8 that the names and values of a form may take together. Anyone can send a form, and each
 * kilobyte is paid for twice.
 */
const maxBytes = 32 * 1024;
/** Bytes of UTF-8 that the names may take, so that there is room for the values. */
export const maxBytesOfNames = maxBytes / 2;

/**
 * The same fields, with values that fit into `maxBytes` beside their names. If they are too large together,
 * the longest are cut to one length, and say so at their end.
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

/** Cuts a text to at most so many bytes of UTF-8. */
function cutTo(bytes: number, value: string): string {
  if (Buffer.byteLength(value) <= bytes) return value;
  const end = ` … (cut: it had ${value.length} characters)`;
  const { read } = new TextEncoder().encodeInto(value, new Uint8Array(bytes - Buffer.byteLength(end)));
  return value.slice(0, read) + end;
}
