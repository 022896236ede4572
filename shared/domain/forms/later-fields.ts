import { cutTo, leastCut, maxBytes, saysSame } from './fit-fields.ts';
import { maxFields } from './kept-fields.ts';

/**
 * The fields of a form, with the fields of a later submission of the same form. Known values stay. A value that differs
 * is kept beside the known value, as `Note (2)`. A value that is too long for the room left is cut. A value is left out
 * if there is no room. The same fields again change nothing.
 */
export function withLaterFields(
  known: Readonly<Record<string, string>>,
  later: Readonly<Record<string, string>>,
): Record<string, string> {
  const fields = new Map(Object.entries(known));
  const sizes = [...fields].map(([name, value]) => Buffer.byteLength(name) + Buffer.byteLength(value));
  let room = maxBytes - sizes.reduce((sum, size) => sum + size, 0);
  for (const [name, value] of Object.entries(later)) {
    let [place, number] = [name, 1];
    for (let there = fields.get(place); there !== undefined && !saysSame(there, value);) {
      place = `${name} (${++number})`;
      there = fields.get(place);
    }
    const left = room - Buffer.byteLength(place);
    const hasRoom = fields.size < maxFields && left >= Math.min(leastCut, Buffer.byteLength(value));
    if (fields.has(place) || !hasRoom) continue;
    const kept = cutTo(left, value);
    fields.set(place, kept);
    room = left - Buffer.byteLength(kept);
  }
  return Object.fromEntries(fields);
}
