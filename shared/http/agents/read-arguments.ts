import * as v from 'valibot';
import { fieldProblem, shownField, tryParse } from '../../contract/field-problem.ts';
import { didYouMean } from '../../contract/unknown-field.ts';

const Sent = v.nullish(v.looseObject({}), {});

/** Texts that mean nothing, as `null` does. Clients send them for an argument that they leave out. */
const absent = ['', 'null', 'undefined', 'None'];

const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && absent.includes(value.trim()));

/** Values that a client can mean by a value, the most likely first. */
function meanings(value: unknown): unknown[] {
  if (typeof value === 'number') return [value, String(value)];
  if (typeof value !== 'string') return [value];
  const text = value.trim();
  const [small, large] = [text.toLowerCase(), text.toUpperCase()];
  const number = /^[+-]?\d{1,15}(\.0+)?$/.test(text) ? [Number(text)] : [];
  const boolean = small === 'true' ? [true] : small === 'false' ? [false] : [];
  return [text, small, large, ...number, ...boolean];
}

/** Arguments of a tool as the client means them, or what is wrong with them. */
export type ReadArguments = { args: Readonly<Record<string, unknown>> } | { refusal: string };

/**
 * Reads the arguments of a tool as clients send them: a number as text, or nothing as `null` or as an empty text.
 * Messages name the tool's own arguments.
 */
export function readArguments(tool: string, entries: v.ObjectEntries, given: unknown): ReadArguments {
  const sent = Object.entries(v.parse(Sent, given)).filter(([, value]) => !isAbsent(value));
  const args = Object.fromEntries(
    sent.map(([name, value]) => {
      const schema = Object.hasOwn(entries, name) ? entries[name] : undefined;
      return [name, schema ? (meanings(value).find((meaning) => v.is(schema, meaning)) ?? value) : value];
    }),
  );
  const names = Object.keys(entries);
  const problems = [
    ...sent
      .filter(([name]) => !Object.hasOwn(entries, name))
      .map(([name]) => `${shownField(name)} is not an argument of ${tool}${didYouMean(name, names)}`),
    ...(tryParse(v.object(entries), args).issues ?? [])
      .map(fieldProblem)
      .map(({ field, message }) => `${field} ${message}`),
  ];
  if (problems.length === 0) return { args };
  return { refusal: [...problems, `${tool} takes ${names.join(', ') || 'no arguments'}`].join('\n') };
}
