/** A JSON object. */
export type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** True if two JSON values are equal. The order of an object's fields does not count. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b)) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((value, at) => same(value, b[at]));
  }
  let left = 0;
  for (const name in a) {
    if (!same(a[name], b[name])) return false;
    left++;
  }
  for (const name in b) {
    if (!(name in a)) return false;
    left--;
  }
  return left === 0;
}

/** Copies an object without some of its fields. */
export function without(value: Fields, ...names: readonly string[]): Fields {
  const rest: Fields = {};
  for (const name in value) if (!names.includes(name)) rest[name] = value[name];
  return rest;
}

/** Copies only these fields of an object. */
export function only(value: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}

/** True if an object has none of these fields with another value. */
export const agrees = (state: Fields, fields: Fields): boolean =>
  Object.entries(fields).every(([name, value]) => !(name in state) || same(state[name], value));

/** True if a record of an answer is this one, as far as the answer shows it. */
export const shows = (stored: Fields, shown: Fields): boolean =>
  stored['id'] === shown['id'] && agrees(stored, shown);
