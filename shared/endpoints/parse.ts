import * as v from 'valibot';
import { invalid } from './errors.ts';
import { fieldProblem } from './field-problem.ts';

/** The value as the schema reads it. @throws Failure `invalid` with every problem found */
export function parse<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const [first, ...rest] = result.issues;
  throw invalid([fieldProblem(first), ...rest.map(fieldProblem)]);
}
