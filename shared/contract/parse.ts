import * as v from 'valibot';
import { Failure, invalid, maxDetails, type FieldProblem } from '../core/failure.ts';
import { hasCode, sentences } from './errors.ts';
import { fieldProblem } from './field-problem.ts';
import { laterRules } from './fields.ts';
import { sift } from './sift.ts';

/** The value as the schema reads it. @throws Failure `invalid` with the problems found */
export function parse<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw refusal(result.issues.map(fieldProblem));
}

/** As `parse`, of a body, of which nothing may get lost: see `sift`. */
export function parseBody<S extends v.GenericSchema>(schema: S, body: unknown): v.InferOutput<S> {
  const { result, issues, problems, total } = read(schema, body);
  if (result.success && total === 0) return result.output;
  throw refusal([...issues.map(fieldProblem), ...problems], issues.length + total);
}

/**
 * As `parseBody`, of what is to change in a record that may have been stored when rules were not as strict: problems with the later
 * rules come as `doubts`, which count only where a value changes.
 */
export function parseChanges<S extends v.GenericSchema>(
  schema: S,
  body: unknown,
): { value: v.InferOutput<S>; doubts: FieldProblem[] } {
  const { result, issues, problems, total } = read(schema, body);
  const isDoubt = ({ message }: v.BaseIssue<unknown>) => laterRules.has(message);
  const serious = issues.filter((issue) => !isDoubt(issue));
  if (result.typed && serious.length + total === 0) {
    return { value: result.output, doubts: issues.map(fieldProblem) };
  }
  throw refusal([...serious.map(fieldProblem), ...problems], serious.length + total);
}

/** What a schema says of a body, and what was taken out of that before. */
function read<S extends v.GenericSchema>(schema: S, body: unknown) {
  const { value, problems, total, tooLong } = sift(schema, body);
  const result = v.safeParse(schema, value);
  const issues = (result.issues ?? []).filter((issue) => !tooLong.includes(v.getDotPath(issue) ?? ''));
  return { result, issues, problems, total };
}

/** How deep a body may be nested: as deep as the API's deepest, many times over. */
const maxLevels = 50;

/** Whether a value has objects or arrays within each other deeper than a body may. Looks at each part once at most. */
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
  const coded = problems.slice(0, maxDetails).find(hasCode);
  if (coded) return new Failure('invalid', coded.message, { details: problems.slice(0, maxDetails) });
  return invalid([first, ...rest], total);
}
