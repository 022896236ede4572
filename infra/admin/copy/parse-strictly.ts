import * as v from 'valibot';
import { AdminError } from '../admin-error.ts';
import { malformedFields } from '../verify/finding.ts';

/**
 * Parses a value and refuses every name that the schema does not know, at any depth. A person who edits a
 * copy can also renew its checksums, and an unknown name would become an attribute in the table.
 * @throws AdminError that names the malformed or unknown field
 */
export function parseStrictly<S extends v.GenericSchema>(
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
  throw new AdminError(`${where}, cannot be read: ${malformedFields(result.issues)}.`);
}

/** Path of a name that a strict schema refuses. */
function strangePath(issues: readonly v.BaseIssue<unknown>[]): string[] | undefined {
  const issue = issues.find(({ type, expected }) => type === 'strict_object' && expected === 'never');
  return issue?.path?.map(({ key }) => String(key));
}

/** Path of a name that a loose schema dropped from the value. */
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

/** A name for a sentence. A name that is not a plain word may be personal data. */
const shown = (name: string): string => (/^\w{1,40}$/.test(name) ? name : '(not shown)');
