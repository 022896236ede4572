import { isDeepStrictEqual } from 'node:util';
import { refuseAny, type FieldProblem } from './failure.ts';

/**
 * A record after changes: what they leave out, or leave undefined, stays. `doubts` are problems of values that may stay where the
 * record has them. @throws Failure `invalid` with those of the doubts that are about a value that changes.
 */
export function merge<R extends object>(
  record: R,
  changes: { [Field in keyof R]?: R[Field] | undefined },
  doubts: readonly FieldProblem[] = [],
): R {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const after: Record<string, unknown> = Object.fromEntries(given);
  refuseAny(doubts.filter(({ field }) => !isDeepStrictEqual(valueAt(record, field), valueAt(after, field))));
  return { ...record, ...Object.fromEntries(given) };
}

/** The value at a dotted path. */
const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce((part: unknown, name) => new Map<string, unknown>(Object.entries(part ?? {})).get(name), value);
