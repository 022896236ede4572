import type { GenericSchema } from 'valibot';
import { boundSentence, shownField } from './field-problem.ts';
import { maxDetails, type FieldProblem } from '../core/failure.ts';

/** A body made ready for its schema. */
export interface Sifted {
  value: unknown;
  /** What was taken out: the first problems, and how many there are. */
  problems: FieldProblem[];
  total: number;
  /** The arrays and records that were too long, each as the start of a path. */
  tooLong: string[];
}

/** What there is to know of a schema's structure. */
interface Shape {
  type: string;
  /** Of an object: its fields. */
  entries?: Record<string, Shape>;
  /** Of an array: its elements. */
  item?: Shape;
  /** Of a record: its values. */
  value?: Shape;
  /** Of an optional or nullable schema: what it is otherwise. */
  wrapped?: Shape;
  pipe?: readonly { type: string; requirement?: unknown; message?: unknown }[];
}

/**
 * Does to a body what Valibot does not, in one visit of each value in it:
 * - it takes out the fields that the schema does not know, and names them all (Valibot names one of each object);
 * - it takes out a null where there can be none, so that it is as left out;
 * - it empties what is longer than its schema allows, and says so, since not each of 100,000 wrong elements is a problem;
 * - it makes an array that stands for an object something that no schema takes.
 */
export function sift(schema: GenericSchema, body: unknown): Sifted {
  const path: string[] = [];
  const problems: FieldProblem[] = [];
  const tooLong: string[] = [];
  let total = 0;

  const refuse = (names: string[], message: string) => {
    total += 1;
    if (problems.length === maxDetails) return;
    problems.push({ field: shownField(names.join('.')), message });
  };

  /** Whether there are too many elements, which is a problem of all of them. */
  const isTooLong = (length: number, { pipe = [] }: Shape): boolean => {
    const bound = pipe.find(({ type }) => type === 'max_length' || type === 'max_entries');
    if (typeof bound?.requirement !== 'number' || length <= bound.requirement) return false;
    const { type, requirement, message } = bound;
    const field = path.join('.');
    total += 1;
    // First, so that no other problem is told in its place: it may have a code.
    problems.unshift({
      field,
      message: typeof message === 'string' ? message : (boundSentence(type, requirement) ?? ''),
    });
    tooLong.push(field);
    return true;
  };

  const visitAt = (name: string, shape: Shape, value: unknown): unknown => {
    path.push(name);
    const visited = visit(shape, value);
    path.pop();
    return visited;
  };

  function visit(shape: Shape, value: unknown): unknown {
    const { wrapped, item, entries, value: ofRecord } = shape;
    if (typeof value !== 'object' || value === null) return value;
    if (wrapped) return visit(wrapped, value);
    if (Array.isArray(value)) {
      if (entries || ofRecord) return false;
      if (isTooLong(value.length, shape)) return [];
      return item ? value.map((element, at) => visitAt(String(at), item, element)) : value;
    }
    if (!entries && !ofRecord) return value;
    const visited: Record<string, unknown> = {};
    // A null in a record is as left out, so it does not count.
    const parts = Object.entries(value).filter(([, part]) => part !== null || entries);
    if (isTooLong(parts.length, shape)) return {};
    for (const [name, part] of parts) {
      const known = ofRecord
        ? !inherited.has(name) && ofRecord
        : Object.hasOwn(entries ?? {}, name) && entries?.[name];
      if (!known) refuse([...path, name], name === '' ? nameless(path) : 'is not a known field');
      else if (part !== null || takesNull(known)) visited[name] = visitAt(name, known, part);
    }
    return visited;
  }

  return { value: visit(schema, body), problems, total, tooLong };
}

/** Names that Valibot passes over in a record: what every object has. */
const inherited = new Set(['__proto__', 'constructor', 'prototype']);

const takesNull = ({ type, wrapped }: Shape): boolean =>
  type === 'nullable' || type === 'unknown' || (wrapped !== undefined && takesNull(wrapped));

const nameless = (path: readonly string[]) =>
  path.length === 0 ? 'The body has a field without a name' : 'is a field without a name';
