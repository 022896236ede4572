import * as v from 'valibot';
import { invalid, type FieldProblem } from './errors.ts';
import { fieldProblem, longestField } from './field-problem.ts';

/** The value as the schema reads it. @throws Failure `invalid` with the problems found */
export function parse<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const [first, ...rest] = result.issues;
  throw invalid([fieldProblem(first), ...rest.map(fieldProblem)]);
}

/**
 * As `parse`, of a body: nothing that a client sent may get lost. Valibot takes an array for an object, and passes over
 * fields that are named like what every object has, such as `constructor`.
 */
export function parseBody<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const output = parse(schema, value);
  const lost = findLost(value, output, []);
  if (lost) throw invalid([{ ...lost, field: lost.field.slice(0, longestField) }]);
  return output;
}

function findLost(input: unknown, output: unknown, path: string[]): FieldProblem | undefined {
  if (!isObject(input)) return undefined;
  if (!isObject(output) || Array.isArray(input) !== Array.isArray(output)) {
    return { field: path.join('.'), message: 'must be an object' };
  }
  const values = new Map(Object.entries(output));
  for (const [name, part] of Object.entries(input)) {
    const at = [...path, name];
    if (!values.has(name)) return { field: at.join('.'), message: 'is not a known field' };
    const lost = findLost(part, values.get(name), at);
    if (lost) return lost;
  }
  return undefined;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
