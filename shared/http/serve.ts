import middy from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { answersRecord, type Endpoint, type Input, type Reply } from '../contract/endpoint.ts';
import { sentences } from '../contract/errors.ts';
import type { Scope } from '../contract/scopes.ts';
import { baseUrlOf } from './base-url.ts';
import { jsonBody } from './json-body.ts';
import { caching } from './caching.ts';
import { callerOf, identifyCaller, may, mayRead, type CallerOf } from './caller.ts';
import { errorAnswers } from './error-answers.ts';
import { jsonAnswer, type Middleware, type ServedEvent } from './event.ts';
import { withIdsAlone, withRelatedIdsAlone } from './id-alone.ts';
import { requestLog } from './request-log.ts';
import { ifMatchOf, recordAnswer } from './revision.ts';
import { validate } from './validate.ts';
import { Failure } from '../core/failure.ts';
import { memoizeLast } from '../core/memoize-last.ts';

/** Typed input in, a value out: a handler never touches an event, a header or an error's status. */
export type Handler<E extends Endpoint> = (
  request: Input<E> & {
    caller: CallerOf<E>;
    /** True if the caller's token allows what a scope says. */
    may: (scope: Scope) => boolean;
    /** The API's base URL, as the client addressed it: `https://api.example.com/v2`. */
    baseUrl: string;
    /**
     * Compares the record that the request changes or deletes, as the API shows it, with the request's `If-Match`; all is
     * well without one. Called with what the write itself has read. @throws Failure `outdated`
     */
    refuseOutdated: (record: unknown) => void;
    /** Logs an error that the answer does not mention. */
    report: (error: unknown) => void;
  },
) => Promise<Reply<E>> | Reply<E>;

/**
 * What few endpoints need in place of the usual, or beside it. The function of each hands it in, so that those of others do not
 * have its code.
 */
export interface Support {
  /** Has the last say about every answer, errors included; the log sees what comes of it. */
  around: Middleware;
  /** Reads the body, in place of JSON. The caller is known by then. */
  body: Middleware;
  /** An answer in place of the handler's; undefined where the handler is to answer. */
  instead: (event: ServedEvent) => APIGatewayProxyResult | undefined;
}

/** A request that hangs is answered 500 this many milliseconds before the function's timeout. */
const timeoutEarlyInMillis = 500;

/**
 * The Lambda handler of an endpoint. Checks the token's scope, parses and validates the request, turns the
 * handler's result or error into an answer, and writes one line of log.
 */
export function serve<E extends Endpoint>(endpoint: E, handler: Handler<E>, support?: Support) {
  const { body: bodySchema, cache, scope, record, related } = endpoint;
  // What clients may keep is often the same once more.
  const textOf = cache ? memoizeLast(JSON.stringify) : JSON.stringify;
  const answer = async (event: ServedEvent): Promise<APIGatewayProxyResult> => {
    const other = support?.instead(event);
    if (other) return other;
    const caller = callerOf(endpoint, event);
    const report = (error: unknown) => void event.reported.push(error);
    const reply = await handler({
      ...validate(endpoint, event),
      caller,
      may: (wanted) => may(event, wanted),
      refuseOutdated: ifMatchOf(endpoint, event),
      // A getter, since few handlers need it.
      get baseUrl() {
        return baseUrlOf(event);
      },
      report,
    });
    const { status } = reply;
    const body =
      !related || may(event, related.scope) ? reply.body : withRelatedIdsAlone(endpoint, reply.body);
    if (!mayRead(endpoint, event)) return jsonAnswer(status, withIdsAlone(endpoint, body));
    return record && answersRecord(endpoint)
      ? recordAnswer(endpoint, record, event, { status, body })
      : jsonAnswer(status, body, textOf);
  };
  const stack = middy<ServedEvent, APIGatewayProxyResult>({
    timeoutEarlyInMillis,
    timeoutEarlyResponse: () => {
      throw new Failure('internal', sentences.timeout);
    },
  });
  stack.use(requestLog(endpoint));
  if (support) stack.use(support.around);
  stack.use(errorAnswers(endpoint));
  if (cache) stack.use(caching(endpoint, cache));
  if (scope !== 'public') stack.use(identifyCaller(scope));
  if (support) stack.use(support.body);
  else if (bodySchema) stack.use(jsonBody());
  return stack.handler(answer);
}
