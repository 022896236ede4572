import * as v from 'valibot';
import { fieldProblem } from '../../shared/contract/field-problem.ts';
import { AdminError } from './admin-error.ts';

/**
 * Parses options and arguments. `words` names the positional arguments. @throws AdminError that names every
 * problem
 */
export function parseOptions<S extends v.GenericSchema>(
  schema: S,
  typed: unknown,
  words: readonly string[] = [],
): v.InferOutput<S> {
  const result = v.safeParse(schema, typed);
  if (result.success) return result.output;
  // Only the first problem of each option: the others follow from it.
  const problems = new Map(
    result.issues
      .map(fieldProblem)
      .reverse()
      .map(({ field, message }) => [words.includes(field) ? field.toUpperCase() : optionOf(field), message]),
  );
  const parts = [...problems].reverse().map(([option, message]) => `${option} ${message}`.trim());
  throw new AdminError(`${parts.join('; ')}.`);
}

/** `--owner-email` for `ownerEmail`; empty for a problem that concerns several options. */
function optionOf(field: string): string {
  const [name = ''] = field.split('.');
  return name === '' ? '' : `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
