import { nearName } from './near-name.ts';

/** Maximum number of fields that are looked at in a wrapper. */
const maxLooks = 20;

/**
 * Sentence for an unknown field of a body. Names the most likely mistake. The sentence has no text of the client,
 * because it is logged.
 * @param path names of the fields around it
 * @param at the object that has the field, and the known fields of the object
 */
export function unknownField(
  path: readonly string[],
  name: string,
  { object, entries }: { object: object; entries: object },
): string {
  if (name === '')
    return path.length === 0 ? 'The body has a field without a name' : 'is a field without a name';
  const known = Object.keys(entries);
  const isAlone = known.length > 0 && !known.some((field) => Object.hasOwn(object, field));
  const value: unknown = Object.getOwnPropertyDescriptor(object, name)?.value;
  if (isAlone && isWrapper(value, known)) return 'is not a known field; send its fields without this wrapper';
  const missing = known.filter((field) => !Object.hasOwn(object, field));
  return `is not a known field${didYouMean(name, missing, path)}`;
}

/** End of a sentence about an unknown name: the known name that is near, if one is. */
export function didYouMean(name: string, known: readonly string[], path: readonly string[] = []): string {
  const near = nearName(name, known);
  return near === undefined ? '' : `; did you mean ${[...path, near].join('.')}?`;
}

/** True if a value has the fields that are missing beside it, as in `{"lead": {"firstName": "Ann"}}`. */
function isWrapper(value: unknown, known: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const inside = Object.keys(value).slice(0, maxLooks);
  return inside.length === 0 || inside.some((name) => nearName(name, known) !== undefined);
}
