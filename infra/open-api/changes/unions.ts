import { isDeepStrictEqual } from 'node:util';
import { resolve, type Description, type Resolved } from './description.ts';
import { listOf, objectOf, withRules, type Json } from './json.ts';

/** Whether it has alternatives: `anyOf`, `oneOf`, or several types. */
export const isUnion = ({ part }: Resolved): boolean =>
  'anyOf' in part || 'oneOf' in part || Array.isArray(part['type']);

/** `oneOf` where exactly one alternative may fit, else the usual. */
export const unionKeyword = ({ part }: Resolved) => ('oneOf' in part ? 'oneOf' : 'anyOf');

/** The alternatives of a schema, which may be the schema alone. What is said beside them goes for each. */
export function optionsOf(description: Description, schema: Resolved): Resolved[] {
  const { anyOf, oneOf, discriminator, ...rules } = schema.part;
  const union = [...listOf(anyOf), ...listOf(oneOf)];
  if (union.length > 0)
    return union.map((option) => resolve(description, withRules(objectOf(option), rules)));
  const types = listOf(rules['type']);
  if (types.length === 0) return [schema];
  return types.map((type) =>
    type === 'null' ? { part: { type } } : { ...schema, part: { ...rules, type } },
  );
}

/** By which values of the discriminator some of the alternatives are told apart: their names by value. */
export const mappingOf = ({ part }: Resolved, alternatives: readonly string[]): Json =>
  Object.fromEntries(
    Object.entries(objectOf(objectOf(part['discriminator'])['mapping']))
      .map(([value, target]) => [value, String(target).replace(/^.*\//, '')] as const)
      .filter(([, name]) => alternatives.includes(name)),
  );

export interface Pairing {
  pairs: [Resolved, Resolved][];
  removed: Resolved[];
  added: Resolved[];
  /** Whether several alternatives of one type are left on both sides, so that no one can tell which became which. */
  isAmbiguous: boolean;
}

/** Finds for each alternative what became of it. */
export function pairOptions(before: readonly Resolved[], after: readonly Resolved[]): Pairing {
  const pairs: [Resolved, Resolved][] = [];
  const removed = [...before];
  const added = [...after];
  const pairUp = (fits: (old: Resolved, now: Resolved) => boolean, isOnly: boolean) => {
    for (const old of [...removed]) {
      const found = added.filter((now) => fits(old, now));
      const rivals = removed.filter((each) => found.some((now) => fits(each, now)));
      const [now] = found;
      if (!now || (isOnly && (found.length > 1 || rivals.length > 1))) continue;
      pairs.push([old, now]);
      removed.splice(removed.indexOf(old), 1);
      added.splice(added.indexOf(now), 1);
    }
  };
  pairUp((old, now) => old.name !== undefined && old.name === now.name, false);
  pairUp((old, now) => isDeepStrictEqual(old.part, now.part), false);
  pairUp((old, now) => typeOf(old) === typeOf(now), true);
  pairUp((old, now) => isNumber(old) && isNumber(now), true);
  // The last of both sides is the same thing with another type, unless it is null.
  if (removed.length === 1 && added.length === 1)
    pairUp((old, now) => typeOf(old) !== 'null' && typeOf(now) !== 'null', true);
  const isAmbiguous = removed.some((old) => added.some((now) => typeOf(old) === typeOf(now)));
  return isAmbiguous
    ? { pairs, removed: [], added: [], isAmbiguous }
    : { pairs, removed, added, isAmbiguous };
}

const typeOf = ({ part }: Resolved) => part['type'];
const isNumber = (option: Resolved) => typeOf(option) === 'integer' || typeOf(option) === 'number';

/** How people call an alternative. */
export const nameOfOption = ({ name, part: { type } }: Resolved): string =>
  name ?? (typeof type === 'string' ? type : 'a value of any type');
