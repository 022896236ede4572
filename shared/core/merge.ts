import { isDeepStrictEqual } from 'node:util';
import { refuseAny, type FieldProblem } from './failure.ts';

/**
 * The record with these changes; a field that is absent or undefined keeps its value.
 *
 * `doubts` are problems that count only if the value changes: a stored record may keep such a value.
 * @throws Failure `invalid` with the doubts about values that change
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
