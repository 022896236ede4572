import { errorBody, failures, sentences } from '../contract/errors.ts';
import type { AskedScope } from '../contract/scopes.ts';
import { mayRead } from './principal.ts';
import { OutdatedRecord } from './entity-tags.ts';
import { jsonResponse, type Middleware } from './event.ts';
import { Failure } from '../core/failure.ts';

/**
 * Turns an error into a response: a Failure by its kind, any other error as a 500 without details. A public function
 * has no scope.
 */
export function errorResponses(scope?: AskedScope): Middleware {
  return {
    onError: (request) => {
      const { event, error } = request;
      const isReader = scope === undefined || mayRead(scope, event.identified?.scopes ?? []);
      const failure = shownTo(isReader, failureOf(error));
      const { retryAfter, smsReason } = failure.extras;
      const etag = error instanceof OutdatedRecord ? error.etag : undefined;
      const body = errorBody(failure, event.requestContext.requestId);
      const answer = jsonResponse(failures[failure.kind].status, body);
      answer.headers = {
        ...answer.headers,
        ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
        ...(smsReason !== undefined && { 'X-Failure-Reason': smsReason }),
        ...(etag !== undefined && { ETag: etag }),
      };
      request.response = answer;
    },
  };
}

/** Removes `existingId` for a principal who may not read the records. */
function shownTo(isReader: boolean, failure: Failure): Failure {
  const { existingId, ...extras } = failure.extras;
  return isReader || existingId === undefined ? failure : new Failure(failure.kind, failure.message, extras);
}

const failureOf = (error: unknown): Failure =>
  error instanceof Failure ? error : new Failure('internal', sentences.internal);
