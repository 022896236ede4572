import * as v from 'valibot';
import type { FieldProblem } from '../core/failure.ts';

const typeNames: Record<string, string> = {
  array: 'an array',
  boolean: 'true or false',
  loose_object: 'an object',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  strict_object: 'an object',
  string: 'a string',
};

/** Messages of failed checks by the type of check. Each takes the requirement of the check. */
const bounds: Record<string, (requirement: string) => string> = {
  rfc_email: () => 'must be an email address',
  integer: () => 'must be a whole number',
  safe_integer: () => 'must be a whole number',
  max_entries: (max) => `must have at most ${max} entries`,
  max_length: (max) => `must be at most ${max} long`,
  max_value: (max) => `must be at most ${max}`,
  min_length: (min) => `must be at least ${min} long`,
  min_value: (min) => `must be at least ${min}`,
};

export const isRequired = 'is required';

/** Cuts a field's name in a message to 100 code points, because a client may have made the name up. */
export const shownField = (name: string): string =>
  Array.from(name.slice(0, 200)).slice(0, 100).join('').toWellFormed();

/** Parses a value. A rule without a message in its schema gets a sentence for clients. */
export const tryParse = <S extends v.GenericSchema>(schema: S, value: unknown): v.SafeParseResult<S> =>
  v.safeParse(schema, value, { message: sentence });

/**
 * Turns an issue of `tryParse` into a problem for the client: the field, and its rule. The value is left out, because
 * it can be long or private.
 */
export function fieldProblem(issue: v.BaseIssue<unknown>): FieldProblem {
  return { field: shownField(v.getDotPath(issue) ?? ''), message: issue.message };
}

function sentence({ kind, type, expected, received, requirement }: v.BaseIssue<unknown>): string {
  if (received === 'undefined') return isRequired;
  if (type === 'picklist' || type === 'variant')
    return `must be one of ${(expected ?? '').replaceAll(/[()"]/g, '').replaceAll(' | ', ', ')}`;
  if (kind === 'schema') return `must be ${typeNames[type] ?? `of type ${type}`}`;
  return boundSentence(type, requirement) ?? 'is not valid';
}

/** Message for a failed check of this type; undefined if `bounds` has none. */
export const boundSentence = (type: string, requirement: unknown): string | undefined =>
  bounds[type]?.(String(requirement));
