import type { GenericSchema } from 'valibot';
import { boundSentence, shownField } from './field-problem.ts';
import { unknownField } from './unknown-field.ts';
import { maxDetails, type FailureCode, type FieldProblem } from '../core/failure.ts';

/** Body that is ready for its schema. */
export interface NormalizedBody {
  value: unknown;
  /** The first problems. `total` counts all problems. */
  problems: FieldProblem[];
  total: number;
  /** Dotted paths of arrays and records that were too long. `value` has them empty. */
  tooLong: string[];
  /** The message and the code of an array that was too long, if its rule has a code. */
  coded?: { message: string; code: FailureCode };
}

/** Parts of a Valibot schema that `normalizeBody` uses. */
interface Shape {
  type: string;
  /** Fields of an object. */
  entries?: Record<string, Shape>;
  /** Elements of an array. */
  item?: Shape;
  /** Values of a record. */
  value?: Shape;
  /** Schema inside an optional or nullable schema. */
  wrapped?: Shape;
  /** Field with the value that selects the option of a variant. */
  key?: string;
  options?: readonly unknown[];
  /** Value of a literal. */
  literal?: unknown;
  pipe?: readonly { type: string; requirement?: unknown; message?: unknown; code?: FailureCode }[];
}

/**
 * Prepares a body for Valibot. Visits each value once.
 *
 * - Removes unknown fields, and names all of them. Valibot names only one unknown field per object.
 * - Replaces a null that the schema does not take: `clears` says by what. See docs/reference/conventions.md, Bodies.
 * - Empties an array or record that is too long. The client then gets one problem, and not 100,000 problems.
 * - Replaces an array by `false` if the schema wants an object, because Valibot accepts arrays as objects.
 *
 * @param clears true for a change: a null makes a text, list or object empty. Otherwise a field with a null counts as
 * absent.
 */
export function normalizeBody(schema: GenericSchema, body: unknown, clears: boolean): NormalizedBody {
  const path: string[] = [];
  const problems: FieldProblem[] = [];
  const tooLong: string[] = [];
  let total = 0;
  let coded: NormalizedBody['coded'];

  const refuse = (names: string[], message: () => string) => {
    total += 1;
    if (problems.length === maxDetails) return;
    problems.push({ field: shownField(names.join('.')), message: message() });
  };

  /** True if an array or record is too long. Adds the problem and the path. */
  const isTooLong = (length: number, { pipe = [] }: Shape): boolean => {
    const bound = pipe.find(({ type }) => type === 'max_length' || type === 'max_entries');
    if (typeof bound?.requirement !== 'number' || length <= bound.requirement) return false;
    const { type, requirement, code } = bound;
    const message =
      typeof bound.message === 'string' ? bound.message : (boundSentence(type, requirement) ?? '');
    const field = path.join('.');
    total += 1;
    // First in the list, so that the limit on problems never cuts it off: the problem may have an error code.
    problems.unshift({ field, message });
    if (code) coded = { message, code };
    tooLong.push(field);
    return true;
  };

  const visitAt = (name: string, shape: Shape, value: unknown, isOld: boolean): unknown => {
    path.push(name);
    const visited = visit(shape, value, isOld);
    path.pop();
    return visited;
  };

  /** @param isOld true for a part of the record that is changed, false for a new part */
  function visit(shape: Shape, value: unknown, isOld: boolean): unknown {
    const { wrapped, item, entries, value: ofRecord } = shape;
    if (typeof value !== 'object' || value === null) return value;
    if (wrapped) return visit(wrapped, value, isOld);
    if (shape.type === 'variant') return visit(optionFor(shape, value), value, isOld);
    if (Array.isArray(value)) {
      if (entries || ofRecord) return false;
      if (isTooLong(value.length, shape)) return [];
      return item ? value.map((element, at) => visitAt(String(at), item, element, false)) : value;
    }
    if (!entries && !ofRecord) return value;
    const visited: Record<string, unknown> = {};
    // A null in a record means absent, so it does not count.
    const parts = Object.entries(value).filter(([, part]) => part !== null || entries);
    if (isTooLong(parts.length, shape)) return {};
    for (const [name, part] of parts) {
      const known = ofRecord
        ? name !== '' && !inherited.has(name) && ofRecord
        : Object.hasOwn(entries ?? {}, name) && entries?.[name];
      if (!known)
        refuse([...path, name], () => unknownField(path, name, { object: value, entries: entries ?? {} }));
      else if (part !== null || takesNull(known)) visited[name] = visitAt(name, known, part, isOld);
      else if (known.type === 'optional') {
        const empty = emptyOf(known);
        if (isOld ? empty === undefined : isScalar(known)) refuse([...path, name], () => isNull);
        else if (isOld) visited[name] = empty;
      }
    }
    return visited;
  }

  return { value: visit(schema, body, clears), problems, total, tooLong, ...(coded && { coded }) };
}

/**
 * Returns the option of a variant for a value. If no option fits, the schema reports the problem. Then the returned shape
 * has only the names of the fields.
 */
function optionFor({ key = '', options = [] }: Shape, value: object): Shape {
  const shapes = options.filter(isShape);
  const present: unknown = Reflect.get(value, key);
  const names = shapes.flatMap(({ entries = {} }) => Object.keys(entries));
  return (
    shapes.find(({ entries }) => entries?.[key]?.literal === present) ?? {
      type: 'object',
      entries: Object.fromEntries(names.map((name) => [name, { type: 'unknown' }])),
    }
  );
}

const isShape = (option: unknown): option is Shape =>
  typeof option === 'object' && option !== null && 'entries' in option;

/** Names that Valibot silently skips in a record. */
const inherited = new Set(['__proto__', 'constructor', 'prototype']);

const takesNull = ({ type, wrapped }: Shape): boolean =>
  type === 'nullable' || type === 'unknown' || (wrapped !== undefined && takesNull(wrapped));

/** Value of a field that was never given; undefined for a number, a boolean or an enumeration. */
function emptyOf(shape: Shape): unknown {
  if (takesNull(shape)) return null;
  const { type, wrapped, entries } = shape;
  if (wrapped) return emptyOf(wrapped);
  if (type === 'string') return '';
  if (type === 'array') return [];
  if (type === 'record') return {};
  const parts = Object.entries(entries ?? {}).map(([name, part]) => [name, emptyOf(part)] as const);
  return !entries || parts.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(parts);
}

const scalars = new Set(['number', 'boolean', 'picklist', 'literal']);
const isScalar = ({ type, wrapped }: Shape): boolean => (wrapped ? isScalar(wrapped) : scalars.has(type));

const isNull = 'cannot be null; leave it out';
