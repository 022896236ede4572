import { isDeepStrictEqual } from 'node:util';

/**
 * Names of the fields that differ between two states of a record, as the API shows them, in the order of the record.
 * Leaves out `updatedAt`, which differs after every change. Keys within a field are never named: clients choose them, as
 * in `socials`.
 */
export function changedFields(before: object, after: object): string[] {
  const [from, to] = [new Map<string, unknown>(Object.entries(before)), new Map(Object.entries(after))];
  return Object.keys({ ...before, ...after }).filter(
    (name) => name !== 'updatedAt' && !isDeepStrictEqual(from.get(name), to.get(name)),
  );
}
