import { errorStatuses, type Endpoint } from '../../shared/contract/endpoint.ts';
import {
  failures,
  hints,
  missingScope,
  sentences,
  type FailureStatus,
} from '../../shared/contract/errors.ts';
import { conflict, notFound } from '../../shared/core/failure.ts';
import type { Operation } from '../functions.ts';
import { refTo } from './schemas.ts';

/** Headers of responses, by the names of their components. */
export const headers = {
  RequestId: { description: 'Names this request in the logs', schema: { type: 'string' } },
  RetryAfter: {
    description: 'Seconds after which to try again',
    schema: { type: 'integer', format: 'int64', minimum: 0 },
  },
  RateLimitPolicy: {
    description:
      'The rates that count this request, if the stage has rates. Each is the most requests (`q`) in so many seconds ' +
      '(`w`) with one token or one key, or from one address. A 429 has the rate that was exceeded; without it, the 429 ' +
      'comes from another limit',
    schema: { type: 'string' },
    'x-extension': true,
  },
  ETag: {
    description: 'Stands for this answer: `If-None-Match` with it is answered 304 until it changes',
    schema: { type: 'string' },
  },
  Revision: {
    description:
      'Stands for the present state of the record. `If-Match` with the tag changes the record only in this state, and ' +
      '`If-None-Match` reads it only in another state',
    schema: { type: 'string' },
    'x-extension': true,
  },
  Replayed: {
    description:
      '`true` if the request came before with the same `Idempotency-Key`: nothing of it was carried out twice',
    schema: { type: 'string' },
    'x-extension': true,
  },
  AllowOrigin: {
    description: '`*`: scripts of any website may read the answer',
    schema: { type: 'string' },
    'x-extension': true,
  },
  ServerTiming: {
    description:
      'Units of DynamoDB that the answer cost, if the request has `Prefer: cost`: `read;desc="1.5", write;desc="9"`. ' +
      '`Preference-Applied: cost` stands beside it',
    schema: { type: 'string' },
    'x-extension': true,
  },
  Location: { description: 'Where the browser goes on', schema: { type: 'string' } },
  NotKept: {
    description: '`no-store`, in what is not answered by API Gateway itself: no cache may keep the answer',
    schema: { type: 'string' },
  },
  CacheControl: { description: 'How long the answer may be kept, and by whom', schema: { type: 'string' } },
  FailureReason: {
    description: 'Why the SMS was not sent, where the body is a `message` alone',
    schema: refTo('FailureReason'),
  },
};
export const headerRef = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });
/** Headers of every response, unless its contract says how long it may be kept. */
export const usualHeaders = {
  'X-Request-Id': headerRef('RequestId'),
  'Cache-Control': headerRef('NotKept'),
};

/** Content of a body. */
export const json = (schema: object, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});

/** Content of a page for a browser, with what stands in its middle. */
export const page = (title: string, text: string) => ({
  'text/html': {
    schema: { type: 'string' },
    example: `<!doctype html><html lang="en"><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`,
  },
});

/** Describes every error response that an operation refers to, by its name. */
export function describeErrors(operations: Operation[]): Record<string, object> {
  const described: Record<string, object> = {};
  for (const { endpoint } of operations) {
    for (const status of errorStatuses(endpoint)) {
      described[errorName(endpoint, status)] ??= describeError(endpoint, status);
    }
  }
  return described;
}

/**
 * Name of an error response's component, such as `BadRequest`. The name is `BareBadRequest` if the error can
 * be a `BareFailure`, and `PageBadRequest` if it can be a page. The name of a 409 that only an
 * `Idempotency-Key` brings is `Undecided`.
 */
export function errorName(endpoint: Endpoint, status: FailureStatus): string {
  const name = failureOf(status).message.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
  if (isUndecided(endpoint, status)) return 'Undecided';
  if (isPage(endpoint, status)) return `Page${name}`;
  return isBare(endpoint, status) ? `Bare${name}` : name;
}

function describeError(endpoint: Endpoint, status: FailureStatus): object {
  const { message } = failureOf(status);
  const schema = schemaOf(endpoint, status);
  const isRevision = status === failures.outdated.status;
  const isOfKey = isUndecided(endpoint, status) || status === failures.unprocessable.status;
  const mayRetry =
    isUndecided(endpoint, status) ||
    status === failures.throttled.status ||
    status === failures.unavailable.status;
  const error = {
    status,
    message,
    ...(isUndecided(endpoint, status) ? { message: sentences.undecided } : examples[status]),
    ...(endpoint.takesForms && examplesOfForms[status]),
  };
  return {
    description: message,
    headers: {
      ...usualHeaders,
      ...(isBare(endpoint, status) && { 'X-Failure-Reason': headerRef('FailureReason') }),
      ...(status === failures.throttled.status && { 'RateLimit-Policy': headerRef('RateLimitPolicy') }),
      ...(mayRetry && { 'Retry-After': headerRef('RetryAfter') }),
      ...(isRevision && { ETag: headerRef('Revision') }),
    },
    ...((isRevision || isOfKey) && { 'x-extension': true }),
    content: {
      ...json(
        refTo(schema),
        schema === 'BareFailure'
          ? { message: sentences.smsRefused }
          : { success: false, message, error, requestId: '5c0f3d0e-6f0c-4b9e-8a51-2f6d6f0b7c11' },
      ),
      ...(isPage(endpoint, status) &&
        page(
          status === failures.internal.status ? 'Something went wrong' : 'Your message was not sent',
          `${error.message}.`,
        )),
    },
  };
}

/** True if a 409 says only that the first request with the same `Idempotency-Key` is not decided yet. */
const isUndecided = ({ errors }: Endpoint, status: FailureStatus) =>
  status === failures.conflict.status && !errors.includes(status);

const isBare = ({ bareErrors = [] }: Endpoint, status: FailureStatus) => bareErrors.includes(status);

/**
 * True if a browser gets a page with this status. Only API Gateway answers 401 and 413, and it answers JSON.
 */
const isPage = ({ takesForms }: Endpoint, status: FailureStatus) =>
  takesForms === true && ![401, 413].includes(status);

/** Name of the schema of an endpoint's error bodies with this status. */
function schemaOf({ bareErrors = [], ...endpoint }: Endpoint, status: FailureStatus): string {
  if (!bareErrors.includes(status)) return 'ErrorEnvelope';
  return errorStatuses(endpoint).includes(status) ? 'AnyFailure' : 'BareFailure';
}

const taken = conflict('lead', 'email', { existingId: 'lead_6H8EV88000000005' });

const examples: Partial<Record<FailureStatus, object>> = {
  // The one mistake that every operation refuses.
  400: {
    message: 'color is not a known query parameter',
    details: [{ field: 'color', message: 'is not a known query parameter' }],
  },
  401: { message: sentences.unauthorized, hint: hints.unauthorized },
  403: { message: missingScope('leads:create').message },
  404: { message: notFound('lead').message },
  409: {
    message: taken.message,
    details: taken.extras.details,
    existingId: taken.extras.existingId,
  },
  410: { message: sentences.otherEpoch },
  412: { message: sentences.outdated },
  413: { message: sentences.tooLarge },
  415: { message: sentences.unsupported },
  422: { message: sentences.otherRequest },
  429: { message: sentences.throttled },
  500: { message: sentences.internal },
  503: { message: sentences.unavailable },
};

/** Examples for an endpoint that takes forms: its query parameters are fields of the form. */
const examplesOfForms: typeof examples = {
  400: { message: sentences.emptyForm, details: [{ field: '', message: sentences.emptyForm }] },
  415: { message: sentences.unsupportedForm },
};

const failureOf = (status: FailureStatus) =>
  Object.values(failures).find((failure) => failure.status === status) ?? failures.internal;
