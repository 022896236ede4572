import * as v from 'valibot';
import { invalid, notFound, sentences } from '../endpoints/errors.ts';
import type { Endpoint, Input } from '../endpoints/endpoint.ts';
import { parse, parseBody } from '../endpoints/parse.ts';
import type { ServedEvent } from './event.ts';

/**
 * The parts of a request, as the endpoint's contract describes them.
 * @throws Failure `notFound` for a path that names nothing, `invalid` with every problem of the query or the body.
 */
export function validate<E extends Endpoint>(endpoint: E, event: ServedEvent): Input<E>;
export function validate(endpoint: Endpoint, event: ServedEvent): Record<keyof Input<Endpoint>, unknown> {
  const query = endpoint.query && parse(endpoint.query, event.queryStringParameters ?? {});
  const body = endpoint.body && parseBody(endpoint.body, withoutReadOnly(endpoint, event.body));
  // Last, as with an id that names nothing, which only the handler can tell.
  return { params: parseParams(endpoint, event.pathParameters ?? {}), query, body };
}

/** An id that cannot be one is answered like one that never was. */
function parseParams(
  { params }: Endpoint,
  values: Record<string, string | undefined>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, schema]) => {
      const result = v.safeParse(schema, values[name]);
      if (!result.success) throw notFound(name.replace(/Id$/, ''));
      return [name, result.output];
    }),
  );
}

/** The body without the fields that a client may send back but not set. */
function withoutReadOnly({ readOnly = [] }: Endpoint, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid([{ field: '', message: sentences.notAnObject }]);
  }
  return Object.fromEntries(Object.entries(body).filter(([name]) => !readOnly.includes(name)));
}
