import * as v from 'valibot';
import { sentences } from '../contract/errors.ts';
import { isKeyed, type Endpoint, type Input, type TokenEndpoint } from '../contract/endpoint.ts';
import { shownField } from '../contract/field-problem.ts';
import { refuseOtherValues } from '../contract/fixed-fields.ts';
import { isNestedTooDeep, parse, parseBody } from '../contract/parse.ts';
import { didYouMean } from '../contract/unknown-field.ts';
import type { ServedEvent } from './event.ts';
import { invalid, notFound, refuseAny, type FieldProblem } from '../core/failure.ts';

/**
 * Parses a request by its endpoint's contract. `body`: the body before validation.
 * @throws Failure `invalid` with every problem of the query or the body; `notFound` for a malformed id in the
 * path
 */
export function validate<E extends TokenEndpoint>(endpoint: E, event: ServedEvent, body: unknown): Input<E> {
  checkParameters(endpoint, event.multiValueQueryStringParameters ?? {});
  const query = endpoint.query && parse(endpoint.query, event.queryStringParameters ?? {});
  const parsed = parseBodyOf(endpoint, body);
  // Params come last, because unknown ids are found later too: a 400 for the body comes before a 404 for the id.
  const params = parseParams(endpoint, event.pathParameters ?? {});
  return inputOf(endpoint, { params, query, body: parsed });
}

/** Gives parsed values the types of their endpoint. The compiler resolves these types only for a known endpoint. */
function inputOf<E extends TokenEndpoint>(_: E, parsed: Record<keyof Input<E>, unknown>): Input<E> {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the endpoint's schemas have parsed them
  return parsed as Input<E>;
}

/**
 * Refuses unknown and repeated query parameters. A misspelt filter would be ignored, and the response would
 * be wrong without a sign of it. @throws Failure `invalid`
 */
function checkParameters(endpoint: Endpoint, given: Record<string, string[] | undefined>): void {
  const { query, takesForms } = endpoint;
  const isKnown = (name: string) =>
    Object.hasOwn(query?.entries ?? {}, name) || (name === 'key' && isKeyed(endpoint));
  const problems = Object.entries(given).flatMap(([name, values = []]): FieldProblem[] => {
    if (name === '' && !takesForms) return [{ field: name, message: sentences.namelessParameter }];
    const field = shownField(name);
    // The rate limit of keys ignores the case of the name `key`, so a further `KEY` would be counted instead
    // of the key.
    if (isKeyed(endpoint) && name !== 'key' && name.toLowerCase() === 'key')
      return [{ field: '', message: sentences.otherKey }];
    // Every other parameter is a field of the form.
    if (takesForms && !isKnown(name)) return [];
    if (!isKnown(name)) {
      const near = didYouMean(name, Object.keys(query?.entries ?? {}));
      return [{ field, message: `is not a known query parameter${near}` }];
    }
    return values.length > 1 ? [{ field, message: 'is given more than once' }] : [];
  });
  refuseAny(problems);
}

function parseBodyOf(
  { method, body: schema, readOnly = [], takesForms, takesEvents }: Endpoint,
  body: unknown,
): unknown {
  // A form or an event is never refused for its content, so it is not validated.
  if (takesForms || takesEvents) return body;
  return schema && parseBody(schema, without(readOnly, body), { clears: method !== 'POST' });
}

/** @throws Failure `notFound` for a malformed id, in the same way as for an unknown id */
function parseParams(
  { params }: Endpoint,
  values: Record<string, string | undefined>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, { label, schema }]) => {
      const result = v.safeParse(schema, values[name]);
      if (!result.success) throw notFound(label);
      return [name, result.output];
    }),
  );
}

/**
 * Returns the body without its read-only fields. @throws Failure `invalid` if it is not an object, or nested
 * too deep
 */
function without(readOnly: readonly string[], body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid([{ field: '', message: sentences.notAnObject }]);
  }
  if (isNestedTooDeep(body)) throw invalid([{ field: '', message: sentences.tooDeep }]);
  return Object.fromEntries(Object.entries(body).filter(([name]) => !readOnly.includes(name)));
}

/**
 * Returns a function that compares a record with the fields of the body that never change. The function accepts
 * `undefined`, because there may be no record yet. @throws Failure `invalid` for another value
 */
export function fixedFieldsOf({ readOnly = [] }: Endpoint, body: unknown): (record: unknown) => void {
  if (typeof body !== 'object' || body === null) return () => undefined;
  const sent = Object.fromEntries(Object.entries(body).filter(([name]) => readOnly.includes(name)));
  return (record) => {
    if (typeof record === 'object' && record !== null) refuseOtherValues(sent, record);
  };
}
