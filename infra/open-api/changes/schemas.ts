import { isDeepStrictEqual } from 'node:util';
import type { Changes, Place } from './change.ts';
import { resolve, sameIn, type Description, type Resolved } from './description.ts';
import { isObject, objectOf, textsOf, type Json } from './json.ts';
import { ruleChanges } from './rules.ts';
import { isUnion, mappingOf, nameOfOption, optionsOf, pairOptions, unionKeyword } from './unions.ts';

/** Compares schemas of the last release with those of today. */
export class SchemaComparison {
  readonly #before: Description;
  readonly #after: Description;
  readonly #changes: Changes;
  readonly #isSame: (old: unknown, now: unknown) => boolean;
  /** What was compared already: schemas refer to each other in circles. */
  readonly #compared = new Set<string>();

  constructor(before: Description, after: Description, changes: Changes) {
    this.#before = before;
    this.#after = after;
    this.#changes = changes;
    this.#isSame = sameIn(before, after);
  }

  compare(place: Place, before: unknown, after: unknown): void {
    this.#compare(place, resolve(this.#before, before), resolve(this.#after, after));
  }

  #compare(place: Place, old: Resolved, now: Resolved): void {
    if (this.#wasCompared(place, old, now)) return;
    this.#compareNames(place, old, now);
    // A read-only field of a body is ignored, whatever it holds.
    if (place.direction === 'request' && old.part['readOnly'] === true && now.part['readOnly'] === true)
      return;
    const at = { ...place, name: nameIn(place, old) };
    if (isUnion(old) || isUnion(now)) this.#compareOptions(at, old, now);
    else this.#compareOne(at, old.part, now.part);
  }

  #wasCompared({ operation, direction }: Place, old: Resolved, now: Resolved): boolean {
    if (old.name === undefined || now.name === undefined || !isRecord(old)) return false;
    const key = JSON.stringify([operation, direction, old, now]);
    const has = this.#compared.has(key);
    this.#compared.add(key);
    return has;
  }

  /** Generated clients have types of these names. A name is made up for what has none and needs a type. */
  #compareNames(place: Place, old: Resolved, now: Resolved): void {
    if (old.name === now.name || (old.name === undefined && !needsType(old))) return;
    const was =
      old.name === undefined ? `the schema of ${place.name}, which had no name,` : `the schema ${old.name}`;
    const is = now.name === undefined ? 'has no name any more' : `is called ${now.name}`;
    this.#changes.tell(
      'break',
      place.operation,
      `${was} ${is}. Generated clients have types of these names: leave them as they are.`,
    );
  }

  #compareOptions(place: Place, old: Resolved, now: Resolved): void {
    const { pairs, removed, added, isAmbiguous } = pairOptions(
      optionsOf(this.#before, old),
      optionsOf(this.#after, now),
    );
    this.#compareDiscriminators(place, old, now, pairs);
    if (isAmbiguous || unionKeyword(old) !== unionKeyword(now))
      this.#changes.note(place, 'unjudged', 'has other alternatives');
    for (const option of removed) {
      // Where null never comes, nobody waits for it.
      const effect = option.part['type'] === 'null' ? 'narrower' : 'lost';
      this.#changes.note(place, effect, `is never ${nameOfOption(option)} any more`);
    }
    for (const option of added) this.#changes.note(place, 'wider', `may be ${nameOfOption(option)}`);
    for (const [before, after] of pairs) this.#compare(place, before, after);
  }

  #compareDiscriminators(place: Place, old: Resolved, now: Resolved, pairs: [Resolved, Resolved][]): void {
    const fieldOf = ({ part }: Resolved) => objectOf(part['discriminator'])['propertyName'];
    // The values of alternatives that come or go do so with them.
    const kept = pairs.flatMap(([{ name }, after]) =>
      name !== undefined && name === after.name ? [name] : [],
    );
    if (fieldOf(old) !== fieldOf(now) || !isDeepStrictEqual(mappingOf(old, kept), mappingOf(now, kept)))
      this.#changes.note(
        place,
        'unjudged',
        'is told apart by another field, or has other schemas for its values',
      );
  }

  /** Compares two schemas that have at most one type each. */
  #compareOne(place: Place, before: Json, after: Json): void {
    if (before['type'] !== after['type']) {
      this.#compareTypes(place, before['type'], after['type']);
      const isNumber = [before['type'], after['type']].every(
        (type) => type === 'integer' || type === 'number',
      );
      if (!isNumber) return;
    }
    for (const { effect, what } of ruleChanges(before, after, place.direction, this.#isSame))
      this.#changes.note(place, effect, what);
    this.#compareFields(place, before, after);
    this.#compareMaps(place, before['additionalProperties'], after['additionalProperties']);
    this.#compareParts({ ...place, name: `each name in ${place.name}` }, 'propertyNames', before, after);
    this.#compareParts({ ...place, name: `each item of ${place.name}` }, 'items', before, after);
  }

  #compareTypes(place: Place, before: unknown, after: unknown): void {
    const [old, now] = [before, after].map((type) => (typeof type === 'string' ? type : 'of any type'));
    const what = `is ${now ?? ''}, and was ${old ?? ''}`;
    if (before === undefined || (before === 'number' && after === 'integer'))
      this.#changes.note(place, 'narrower', what);
    else if (after === undefined || (before === 'integer' && after === 'number'))
      this.#changes.note(place, 'wider', what);
    else this.#changes.note(place, 'other', what);
  }

  #compareFields(place: Place, before: Json, after: Json): void {
    const old = objectOf(before['properties']);
    const now = objectOf(after['properties']);
    const wasRequired = requiredOf(place, this.#before, before);
    const isRequired = requiredOf(place, this.#after, after);
    for (const [field, schema] of Object.entries(old)) {
      const at = { ...place, name: `${place.name}.${field}` };
      if (!(field in now)) {
        this.#changes.note(at, 'lost', 'is removed');
        continue;
      }
      this.compare(at, schema, now[field]);
      this.#changes.noteRequired(at, wasRequired.includes(field), isRequired.includes(field));
    }
    for (const field of Object.keys(now).filter((name) => !(name in old))) {
      const at = { ...place, name: `${place.name}.${field}` };
      if (place.direction === 'request' && isRequired.includes(field))
        this.#changes.note(at, 'narrower', 'is new, and required');
      // An answer can grow: docs/clients.md.
      else this.#changes.note(at, place.direction === 'request' ? 'wider' : 'narrower', 'is new');
    }
    for (const field of new Set([...wasRequired, ...isRequired])) {
      if (field in old || field in now) continue;
      const at = { ...place, name: `${place.name}.${field}` };
      this.#changes.noteRequired(at, wasRequired.includes(field), isRequired.includes(field));
    }
  }

  /** Fields that have no names in the schema: none, any, or those of a map. */
  #compareMaps(place: Place, before: unknown, after: unknown): void {
    const [old, now] = [kindOfMap(before), kindOfMap(after)];
    const at = { ...place, name: `each value in ${place.name}` };
    if (old === 'map' && now === 'map') this.compare(at, before, after);
    if (old === now) return;
    // An answer can grow, so that a client expects further fields in any case.
    if (place.direction === 'answer' && old !== 'map' && now !== 'map') return;
    if (now === 'closed') this.#changes.note(place, 'lost', 'takes no further fields, and did');
    else if (old === 'closed')
      this.#changes.note(place, place.direction === 'request' ? 'wider' : 'narrower', 'has further fields');
    else if (now === 'open') this.#changes.note(at, 'wider', 'is anything, and had rules');
    else this.#changes.note(at, 'narrower', 'has rules, and was anything');
  }

  #compareParts(place: Place, keyword: string, before: Json, after: Json): void {
    const [old, now] = [before[keyword], after[keyword]];
    if (isDeepStrictEqual(old, now)) {
      if (old !== undefined) this.compare(place, old, now);
    } else if ([old, now].some((part) => typeof part === 'boolean')) {
      this.#changes.note(place, 'unjudged', 'has other rules');
    } else {
      this.compare(place, old ?? {}, now ?? {});
    }
  }
}

/** Whether generated clients have a type for it alone, and no text, number or map that any language has. */
const needsType = ({ part }: Resolved) => ['properties', 'enum', 'oneOf'].some((keyword) => keyword in part);

const isRecord = ({ part }: Resolved) => part['type'] === 'object';

/** The fields that must be there. In a request, that does not hold for read-only ones. */
const requiredOf = ({ direction }: Place, description: Description, { required, properties }: Json) =>
  textsOf(required).filter(
    (field) =>
      direction === 'answer' || resolve(description, objectOf(properties)[field]).part['readOnly'] !== true,
  );

/** Fields are called by their schema's name. Other schemas, such as enumerations, by where they are used, too. */
function nameIn({ name }: Place, schema: Resolved): string {
  if (schema.name === undefined || name.endsWith(`(${schema.name})`)) return name;
  return isRecord(schema) ? schema.name : `${name} (${schema.name})`;
}

function kindOfMap(schema: unknown): 'closed' | 'open' | 'map' {
  if (schema === false) return 'closed';
  return isObject(schema) && Object.keys(schema).length > 0 ? 'map' : 'open';
}
