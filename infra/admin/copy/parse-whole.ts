import * as v from 'valibot';
import { AdminError } from '../admin-error.ts';
import { namesIn } from '../verify/names-in.ts';

/**
 * Parses a value of which a schema must know every name, at every depth: whoever has changed a copy can make its checksums anew,
 * and what no schema knows would become an attribute all the same.
 * @throws AdminError that names what cannot be read, or is not known
 */
export function parseWhole<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
  where: string,
): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  const path = result.success ? strangeIn(value, result.output) : strangePath(result.issues);
  if (path)
    throw new AdminError(
      `${where}, has what this version of the service does not know: ${path.map(shown).join('.')}. ` +
        'Take the file as it was exported, by the version that exported it.',
    );
  if (result.success) return result.output;
  throw new AdminError(`${where}, cannot be read: ${namesIn(result.issues)}.`);
}

/** The path of a name that a strict schema refuses. */
function strangePath(issues: readonly v.BaseIssue<unknown>[]): string[] | undefined {
  const issue = issues.find(({ type, expected }) => type === 'strict_object' && expected === 'never');
  return issue?.path?.map(({ key }) => String(key));
}

/** The path of a name within a value that its schema left out when it parsed it. */
function strangeIn(value: unknown, parsed: unknown): string[] | undefined {
  if (typeof value !== 'object' || value === null || value === parsed) return undefined;
  const known = new Map<string, unknown>(Object.entries(parsed ?? {}));
  for (const [name, one] of Object.entries(value)) {
    if (!known.has(name)) return [name];
    const path = strangeIn(one, known.get(name));
    if (path) return [name, ...path];
  }
  return undefined;
}

/** A name as a sentence has it: what is no plain word may be someone's data. */
const shown = (name: string): string => (/^\w{1,40}$/.test(name) ? name : '(not shown)');
