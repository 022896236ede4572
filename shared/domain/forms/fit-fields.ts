/** Most bytes that the names and values of a form take in all. Anyone can send one, and each kilobyte is paid for twice. */
const maxBytes = 32 * 1024;
/** And how many of them names can take, so that there is room for what was typed. */
export const maxBytesOfNames = maxBytes / 2;

/**
 * The same fields, whose names leave room, with values that fit beside them. Where they are too large together, the longest are cut, all to the same
 * length, and say so at their end.
 */
export function fitFields(fields: ReadonlyMap<string, string>): Map<string, string> {
  const names = [...fields.keys()].reduce((sum, name) => sum + Buffer.byteLength(name), 0);
  const limit = longestIn(
    [...fields.values()].map((value) => Buffer.byteLength(value)),
    maxBytes - names,
  );
  return new Map([...fields].map(([name, value]) => [name, cutTo(limit, value)]));
}

/** The size to which texts of these sizes are cut, so that they fit into `room` together. */
function longestIn(sizes: readonly number[], room: number): number {
  let left = room;
  for (const [at, size] of sizes.toSorted((a, b) => a - b).entries()) {
    // What those that are shorter leave is shared by the others.
    const share = Math.floor(left / (sizes.length - at));
    if (size > share) return share;
    left -= size;
  }
  return Infinity;
}

/** A text of at most so many bytes of UTF-8. */
function cutTo(bytes: number, value: string): string {
  if (Buffer.byteLength(value) <= bytes) return value;
  const end = ` … (cut: it had ${value.length} characters)`;
  const { read } = new TextEncoder().encodeInto(value, new Uint8Array(bytes - Buffer.byteLength(end)));
  return value.slice(0, read) + end;
}
