import * as v from 'valibot';
import { Failure, invalid, maxDetails, type FieldProblem } from '../core/failure.ts';
import { sentences } from './errors.ts';
import { fieldProblem, tryParse } from './field-problem.ts';
import { normalizeBody } from './normalize-body.ts';

/** Parses a value. @throws Failure `invalid` with the problems */
export function parse<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const result = tryParse(schema, value);
  if (result.success) return result.output;
  throw refusal(result.issues.map(fieldProblem));
}

/**
 * Parses a body like `parse`. Unknown fields are problems, too, and come first. `clears`: true for the body of a change.
 * See `normalizeBody`.
 */
export function parseBody<S extends v.GenericSchema>(
  schema: S,
  body: unknown,
  { clears = false } = {},
): v.InferOutput<S> {
  const { value, problems, total, tooLong, coded } = normalizeBody(schema, body, clears);
  const result = tryParse(schema, value);
  const issues = (result.issues ?? []).filter((issue) => !tooLong.includes(v.getDotPath(issue) ?? ''));
  if (result.success && total === 0) return result.output;
  const all = [...problems, ...issues.map(fieldProblem)];
  if (!coded) throw refusal(all, issues.length + total);
  // The problem with a code becomes the message, also if there are other problems.
  throw new Failure('invalid', coded.message, { details: all.slice(0, maxDetails), code: coded.code });
}

/** Maximum nesting of a body: many times the depth of any valid one. */
const maxLevels = 50;

/** True if objects and arrays are nested more than `maxLevels` deep. Visits each value at most once. */
export function isNestedTooDeep(value: unknown): boolean {
  let level = [value].filter(isObject);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxLevels) return true;
    level = level.flatMap((part) => Object.values(part).filter(isObject));
  }
  return false;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function refusal(problems: FieldProblem[], total = problems.length): Failure {
  const [first = { field: '', message: sentences.badRequest }, ...rest] = problems;
  return invalid([first, ...rest], total);
}
