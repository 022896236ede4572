import { isDeepStrictEqual } from 'node:util';
import type { Direction, Effect } from './change.ts';
import { differingKeys, listOf, type Json } from './json.ts';

/** What a schema's rule does to the values that it allows, in words that follow the name of what it is about. */
export interface RuleChange {
  effect: Effect;
  what: string;
}

/** The keywords that `compareSchemas` walks into, or that it compares itself. */
const elsewhere = [
  'type',
  'enum',
  'const',
  'default',
  'readOnly',
  'format',
  'properties',
  'required',
  'additionalProperties',
  'propertyNames',
  'items',
];

const lowerBounds = ['minimum', 'minLength', 'minItems', 'minProperties'];
const upperBounds = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];

/** What changed in the rules of a schema, less its type and its parts. */
export function ruleChanges(
  before: Json,
  after: Json,
  direction: Direction,
  isSame: (old: unknown, now: unknown) => boolean,
): RuleChange[] {
  return [
    ...valueChanges(before, after),
    ...formatChanges(before, after),
    ...(direction === 'request' ? requestChanges(before, after) : []),
    ...differingKeys(before, after, elsewhere, isSame).map((key) => ({
      effect: effectOf(key, before[key], after[key]),
      what: words(key, before[key], after[key]),
    })),
  ];
}

function effectOf(key: string, before: unknown, after: unknown): Effect {
  const isLower = lowerBounds.includes(key);
  if (!isLower && !upperBounds.includes(key) && key !== 'pattern') return 'unjudged';
  if (before === undefined) return 'narrower';
  if (after === undefined) return 'wider';
  // Whether one pattern takes all that another takes, no short program can tell.
  if (typeof before !== 'number' || typeof after !== 'number') return 'unjudged';
  return isLower === after > before ? 'narrower' : 'wider';
}

function words(key: string, before: unknown, after: unknown): string {
  if (before === undefined) return `has ${key} ${JSON.stringify(after)}, and had none`;
  if (after === undefined) return `has no ${key}, and had ${JSON.stringify(before)}`;
  return `has ${key} ${JSON.stringify(after)}, and had ${JSON.stringify(before)}`;
}

/** The values of an enumeration, or the one constant. Undefined where there is neither. */
const valuesOf = (schema: Json): readonly unknown[] | undefined => {
  if ('const' in schema) return [schema['const']];
  return 'enum' in schema ? listOf(schema['enum']) : undefined;
};

/**
 * A value that is gone is `lost` in an answer, too: a client may wait for it. A new one is no break there: events and
 * states are added all the time, and `docs/clients.md` tells clients to expect it.
 */
function valueChanges(before: Json, after: Json): RuleChange[] {
  const old = valuesOf(before);
  const now = valuesOf(after);
  if (!old && !now) return [];
  if (!old) return [{ effect: 'narrower', what: `is one of ${list(now)}, and was any` }];
  if (!now) return [{ effect: 'wider', what: `is any value, and was one of ${list(old)}` }];
  const removed = old.filter((value) => !now.some((each) => isDeepStrictEqual(each, value)));
  const added = now.filter((value) => !old.some((each) => isDeepStrictEqual(each, value)));
  return [
    ...removed.map((value): RuleChange => ({
      effect: 'lost',
      what: `has no value ${JSON.stringify(value)} any more`,
    })),
    ...added.map((value): RuleChange => ({
      effect: 'grown',
      what: `has the new value ${JSON.stringify(value)}`,
    })),
  ];
}

const list = (values: readonly unknown[] = []) => values.map((value) => JSON.stringify(value)).join(', ');

/** Any other format is another type in generated clients. */
const formatChanges = (before: Json, after: Json): RuleChange[] =>
  before['format'] === after['format']
    ? []
    : [{ effect: 'other', what: words('format', before['format'], after['format']) }];

/** A default says what is done with a request that leaves something out; a read-only field is ignored. */
function requestChanges(before: Json, after: Json): RuleChange[] {
  const changes: RuleChange[] = [];
  if (!isDeepStrictEqual(before['default'], after['default'])) {
    const effect = 'default' in before ? 'other' : 'wider';
    changes.push({ effect, what: words('default', before['default'], after['default']) });
  }
  if (before['readOnly'] !== true && after['readOnly'] === true)
    changes.push({ effect: 'other', what: 'is read-only, so that it is ignored, and was not' });
  if (before['readOnly'] === true && after['readOnly'] !== true)
    changes.push({ effect: 'wider', what: 'can be written, and was read-only' });
  return changes;
}
