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

/** The name of the bound that a failed length or size check was about, and what it counts. */
const bounds: Record<string, (requirement: string) => string> = {
  rfc_email: () => 'must be an email address',
  integer: () => 'must be a whole number',
  safe_integer: () => 'must be a whole number',
  max_entries: (most) => `must have at most ${most} entries`,
  max_length: (most) => `must be at most ${most} long`,
  max_value: (most) => `must be at most ${most}`,
  min_length: (least) => `must be at least ${least} long`,
  min_value: (least) => `must be at least ${least}`,
};

/** What is told of the name of a field, which a client may have made up: its beginning, in whole characters. */
export const shownField = (name: string): string =>
  Array.from(name.slice(0, 200)).slice(0, 100).join('').toWellFormed();

/**
 * What one validation issue says to the client: which field, and what it should be. Never the value received, which
 * can be long or private.
 */
export function fieldProblem(issue: v.BaseIssue<unknown>): FieldProblem {
  return { field: shownField(v.getDotPath(issue) ?? ''), message: sentence(issue) };
}

function sentence(issue: v.BaseIssue<unknown>): string {
  const { kind, type, expected, received, requirement, message } = issue;
  // A message of the contract's own says it best.
  if (!message.startsWith('Invalid ')) return message;
  if (received === 'undefined') return 'is required';
  if (type === 'picklist')
    return `must be one of ${(expected ?? '').replaceAll(/[()"]/g, '').replaceAll(' | ', ', ')}`;
  if (kind === 'schema') return `must be ${typeNames[type] ?? `of type ${type}`}`;
  return boundSentence(type, requirement) ?? 'is not valid';
}

/** What a client should know of a bound that a value does not keep; undefined for what is no bound. */
export const boundSentence = (type: string, requirement: unknown): string | undefined =>
  bounds[type]?.(String(requirement));
