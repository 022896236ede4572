import * as v from 'valibot';
import { Failure, failureSentences, invalid, type FailureKind } from '../core/failure.ts';
import { extension, type Descriptions } from './descriptions.ts';
import { maxLiveTokens } from './scopes.ts';
import { Slot } from './slot.ts';

/** HTTP status of each kind of failure, and the envelope's top-level `message`. The only such mapping. */
export const failures = {
  invalid: { status: 400, message: 'Bad request' },
  unauthorized: { status: 401, message: 'Invalid or expired token' },
  forbidden: { status: 403, message: 'Forbidden' },
  notFound: { status: 404, message: 'Not found' },
  conflict: { status: 409, message: 'Conflict' },
  gone: { status: 410, message: 'Gone' },
  outdated: { status: 412, message: 'Precondition failed' },
  tooLarge: { status: 413, message: 'Payload too large' },
  unsupported: { status: 415, message: 'Unsupported media type' },
  unprocessable: { status: 422, message: 'Unprocessable content' },
  throttled: { status: 429, message: 'Too many requests' },
  internal: { status: 500, message: 'Internal server error' },
  undelivered: { status: 502, message: 'Bad gateway' },
  unavailable: { status: 503, message: 'Service unavailable' },
} as const satisfies Record<FailureKind, { status: number; message: string }>;

export type FailureStatus = (typeof failures)[FailureKind]['status'];

/** Machine-readable reasons why an SMS was not sent, or, for `UNKNOWN`, may not have been sent. */
export const failureReasons = ['NO_PHONE', 'OPTED_OUT', 'REFUSED', 'UNREACHED', 'UNKNOWN'] as const;
export const FailureReason = v.picklist(failureReasons);
export type FailureReason = (typeof failureReasons)[number];

/**
 * Sentences that a client can get as `error.message`. The messages of rules for single fields are beside the rules. The
 * messages of the ledger's failures are in `shared/core/failure.ts`.
 */
export const sentences = {
  ...failureSentences,
  otherEpoch: 'The events are numbered anew: begin again with after=0',
  outdated: 'The record has changed since If-Match was read; read the record again',
  otherRequest: 'Another request came with this Idempotency-Key; use a new key',
  unauthorized: 'invalid_token',
  malformedJson: 'The body cannot be read as JSON',
  wideText: 'The body looks like UTF-16; send it as UTF-8',
  notAnObject: 'The body must be a JSON object',
  tooLarge: 'The body must be at most 256 KB',
  unsupported: 'The Content-Type must be application/json',
  otherCharset: 'The charset of the body must be utf-8',
  encoded: 'The body must come without a Content-Encoding, or, from 1 KB on, as gzip or deflate',
  notAForm: 'The body cannot be read as a form',
  emptyForm: 'Nothing is filled in',
  unsupportedForm:
    'The Content-Type must be application/x-www-form-urlencoded, multipart/form-data or application/json',
  otherOrigin: 'The request comes from a page of another website',
  batchOfCalls: 'A batch must have no tools/call: send each call of a tool in a separate request',
  otherSite: 'The key of this form is not for this website',
  notSigned: 'The event is not signed by the secret of its key, or was signed too long ago',
  tooDeep: 'The body must be nested at most 50 deep',
  namelessParameter: 'There is a query parameter without a name',
  otherKey: 'The query must have one key, and no other parameter of that name in any case',
  unknownRoute: 'There is no such path and method',
  badRequest: 'The request could not be read',
  noHost: 'The request must name its host in one Host header',
  otherHost: 'The host of the request must be localhost, 127.0.0.1 or [::1]',
  unknownExpectation: 'Of all expectations, only "Expect: 100-continue" can be met',
  throttled: 'Too many requests, try again later',
  forbidden: 'The request is not allowed',
  internal: 'Something went wrong on our side',
  timeout: 'The request took too long; whether it was carried out is not known',
  batchTooLarge: 'The batch exceeds 100 items',
  noProduct: 'Trade product not found',
  itemNotAnObject: 'The item must be a JSON object',
  itemFailed: 'Something went wrong on our side; nothing of this item was changed',
  notReached: 'There was not enough time for this item; nothing of it was changed',
  webhookDisabled: 'The webhook is disabled; enable it first',
  noSecret: 'The webhook has no secret; rotate its secret first',
  notFree: 'An attendee is not free at that time',
  nobodyFree: 'Nobody who does the service is free at that time',
  onlyOwner: 'The member is the only owner; make another member an OWNER first',
  noUser: 'The record of the user that the token acts for is lost',
  disabledUser: 'The user that the token acts for is disabled; enable the member first',
  tooManyTokens: 'The member has more tokens than can change at once; revoke some of them first',
  tooManyLiveTokens: `The member has ${maxLiveTokens} tokens that work, which is the most; revoke one first`,
  tokenOfInvitation: 'The token belongs to an invitation; resend the invitation instead',
  otherInvitation: "The token is not the invitation's own",
  invitationEnded: 'The invitation has ended; ask for it to be resent',
  noPhone: 'The lead has no phone number',
  costlyPhone:
    'SMS is not sent to premium-rate, shared-cost, personal or satellite numbers: give the lead another phone number',
  optedOut: 'The number has opted out of SMS; the message was not sent',
  smsNotSetUp: 'Sending SMS is not set up; nothing was sent',
  smsRefused: 'The SMS provider refused the message; it was not sent',
  smsUnreachable: 'The SMS provider could not be reached; the message was not sent',
  smsUnknown: 'The SMS provider gave no answer; whether the message was sent is not known',
} as const;

/** Sentences that a client can get as `error.hint`. */
export const hints = {
  unauthorized:
    'Usual causes: no Authorization header, no Bearer before the token, a quoted, expired or revoked token, a key where a token is ' +
    'needed, or a form without its key in the query',
  unknownRoute:
    'Operations have paths in lower case that begin with /v1, such as /v1/leads; GET /openapi lists them all, with their methods',
} as const;

/** `error.hint` for a path that lacks the method of the request. */
export const otherMethodHint = (path: string, methods: readonly string[]): string =>
  `${path} takes ${new Intl.ListFormat('en-GB').format(methods)}`;

/** Kind and message of each reason: the request cannot be met (400), or the provider failed (502). */
const smsFailures = {
  NO_PHONE: ['invalid', sentences.noPhone],
  OPTED_OUT: ['invalid', sentences.optedOut],
  REFUSED: ['undelivered', sentences.smsRefused],
  UNREACHED: ['undelivered', sentences.smsUnreachable],
  UNKNOWN: ['undelivered', sentences.smsUnknown],
} as const satisfies Record<FailureReason, readonly [FailureKind, string]>;

/** Failure that only the SMS endpoint has, 400 or 502. `message` replaces the usual message of the reason. */
export function smsFailure(
  reason: FailureReason,
  { message, cause }: { message?: string; cause?: unknown } = {},
): Failure {
  const [kind, sentence] = smsFailures[reason];
  return new Failure(kind, message ?? sentence, { smsReason: reason, cause });
}

/**
 * 400: the body is malformed JSON from this position on. Line and column are counted from 1, the column in code points.
 */
export function malformedJsonAt({ line, column }: { line: number; column: number }): Failure {
  return invalid([{ field: '', message: `${sentences.malformedJson}: line ${line}, column ${column}` }]);
}

/** 403: the token lacks the scope that the endpoint asks for. */
export function missingScope(scope: string): Failure {
  return new Failure('forbidden', `The token lacks the scope "${scope}"`);
}

const rolesIn = (given: readonly string[]): string =>
  given.length === 0 ? 'no roles' : `only the roles ${new Intl.ListFormat('en-GB').format(given)}`;

/** 403: the token's member may not give or take a role. */
export const mayNotGiveRole = (role: string, given: readonly string[]): Failure =>
  new Failure('forbidden', `A member with the role ${role} gives and takes ${rolesIn(given)}`);

/** 403: the token's member manages no tokens of members with such a role. */
export const mayNotManageTokens = (role: string, given: readonly string[]): Failure =>
  new Failure(
    'forbidden',
    `A member with the role ${role} manages other members' tokens of ${rolesIn(given)}`,
  );

/** 403: the token would give scopes that it lacks. */
export function lacksGivenScopes(lacking: readonly string[]): Failure {
  const list = new Intl.ListFormat('en-GB').format(lacking);
  return new Failure('forbidden', `The token does not allow as much as ${list}, so it cannot give that`);
}

export const FieldProblem = v.strictObject({ field: v.string(), message: v.string() });
export const RecordId = v.union([v.string(), v.pipe(v.number(), v.integer())]);

export const ErrorReason = v.strictObject({
  status: v.pipe(v.number(), v.integer()),
  message: v.string(),
  code: v.optional(v.literal('BATCH_TOO_LARGE')),
  details: v.optional(v.pipe(v.array(FieldProblem), v.metadata(extension))),
  existingId: v.pipe(v.optional(RecordId), v.metadata(extension)),
  hint: v.pipe(v.optional(v.string()), v.metadata(extension)),
  alternatives: v.optional(v.pipe(v.array(Slot), v.metadata(extension))),
});

/** Body of an error response (docs/guides/errors.md). */
export const ErrorEnvelope = v.strictObject({
  success: v.literal(false),
  message: v.string(),
  error: ErrorReason,
  requestId: v.pipe(v.string(), v.metadata(extension)),
});
export type ErrorEnvelope = v.InferOutput<typeof ErrorEnvelope>;

/** Body of the failures that only the SMS endpoint has (docs/reference/sms.md). */
export const BareFailure = v.strictObject({ message: v.string() });
export type BareFailure = v.InferOutput<typeof BareFailure>;

/** Body of an SMS error with a status that can have both forms. */
export const AnyFailure = v.union([ErrorEnvelope, BareFailure]);

export const descriptions = {
  FailureReason: {
    is:
      'Why an SMS was not sent. With 400: NO_PHONE, the lead has no phone number, or a premium-rate, shared-cost, personal or ' +
      'satellite number; OPTED_OUT, its number wants no SMS. With 502: REFUSED, by the provider; UNREACHED, the provider ' +
      'could not be reached; UNKNOWN, the provider gave no answer, and may have sent it.',
  },
  FieldProblem: {
    is: 'One field of a request, and what is wrong with it',
    fields: {
      field:
        'The path of the field, with dots; empty for the request as a whole. Of a record that is in use: the kind of records ' +
        'that use it, such as `services`',
      message: 'What is wrong with the field, and what to send instead; or how many records use it',
    },
  },
  RecordId: { is: 'The id of a record: a text or a number, as its kind has it' },
  ErrorReason: {
    is: 'What went wrong',
    fields: {
      status: 'The HTTP status',
      message: 'A sentence for people about the error',
      code: 'The code for machines if a batch is too large',
      details:
        'Every field with a wrong or taken value; the first 50. Of a record that is in use: the kinds of records that use it, ' +
        'and their numbers',
      existingId: 'Of a conflict: the record that has the value already',
      hint: 'One sentence. With 401: the usual causes. With an unknown path or method: what there is instead',
      alternatives: 'Of a time that is not free, or not offered: the next free times, at most three',
    },
  },
  ErrorEnvelope: {
    is: 'The body of an error answer',
    fields: {
      success: 'Always false',
      message: 'The kind of error: the same text for all errors of one status',
      error: 'What went wrong',
      requestId: 'Names the request in the logs, as `X-Request-Id` does',
    },
  },
  BareFailure: {
    is: 'The body of a failure of `POST /v1/sms` that is its own',
    fields: { message: 'A sentence for people about the error' },
  },
  AnyFailure: { is: 'The body of an error answer of `POST /v1/sms`, where it can be its own or any other' },
} satisfies Descriptions;

export function errorBody(failure: Failure, requestId: string): ErrorEnvelope | BareFailure {
  return failure.extras.smsReason === undefined
    ? errorEnvelope(failure, requestId)
    : { message: failure.message };
}

export function errorEnvelope(failure: Failure, requestId: string): ErrorEnvelope {
  const { status, message } = failures[failure.kind];
  const { code, details, existingId, hint, alternatives } = failure.extras;
  return {
    success: false,
    message,
    error: {
      status,
      message: failure.message,
      ...(code !== undefined && { code }),
      ...(details && { details }),
      ...(existingId !== undefined && { existingId }),
      ...(hint !== undefined && { hint }),
      ...(alternatives && { alternatives: [...alternatives] }),
    },
    requestId,
  };
}
