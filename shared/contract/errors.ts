import * as v from 'valibot';
import type { Words } from './words.ts';

/**
 * What can go wrong, and how each is answered: the HTTP status and the top-level `message` of the envelope.
 * The only place where a failure meets an HTTP status.
 */
export const failures = {
  invalid: { status: 400, message: 'Bad request' },
  unauthorized: { status: 401, message: 'Invalid or expired token' },
  forbidden: { status: 403, message: 'Forbidden' },
  notFound: { status: 404, message: 'Not found' },
  conflict: { status: 409, message: 'Conflict' },
  tooLarge: { status: 413, message: 'Payload too large' },
  unsupported: { status: 415, message: 'Unsupported media type' },
  throttled: { status: 429, message: 'Too many requests' },
  internal: { status: 500, message: 'Internal server error' },
  undelivered: { status: 502, message: 'Bad gateway' },
  unavailable: { status: 503, message: 'Service unavailable' },
} as const;

export type FailureKind = keyof typeof failures;
export type FailureStatus = (typeof failures)[FailureKind]['status'];

/** One field of a request and what is wrong with it. `field` is a dotted path, `""` for the request as a whole. */
export interface FieldProblem {
  field: string;
  message: string;
}

/** Why an SMS was not sent, for machines. */
export const failureReasons = ['NO_PHONE', 'OPTED_OUT', 'REFUSED', 'UNREACHED', 'UNKNOWN'] as const;
export const FailureReason = v.picklist(failureReasons);
export type FailureReason = (typeof failureReasons)[number];

interface FailureExtras {
  details?: FieldProblem[];
  existingId?: string | number;
  /** Of an SMS that was not sent; becomes the `X-Failure-Reason` header. */
  reason?: FailureReason;
  /** Seconds after which trying again makes sense; becomes the `Retry-After` header. */
  retryAfter?: number;
  /** Answered with `BareFailure` in place of the envelope. */
  bare?: true;
  cause?: unknown;
}

/** An expected failure. Its message is shown to the client as `error.message`, so it holds nothing internal. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly extras: FailureExtras;

  constructor(kind: FailureKind, message: string, extras: FailureExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'Failure';
    this.kind = kind;
    this.extras = extras;
  }
}

/** Every sentence that a client can read as `error.message`, apart from those about single fields. */
export const sentences = {
  unauthorized: 'invalid_token',
  malformedJson: 'The body cannot be read as JSON',
  notAnObject: 'The body must be a JSON object',
  tooLarge: 'The body must be at most 256 KB',
  unsupported: 'The Content-Type must be application/json',
  otherCharset: 'The charset of the body must be utf-8',
  encoded: 'The body must come without a Content-Encoding',
  tooDeep: 'The body must be nested at most 50 deep',
  namelessParameter: 'There is a query parameter without a name',
  unknownRoute: 'There is no such path and method',
  badRequest: 'The request could not be read',
  noHost: 'The request must name its host in one Host header',
  otherHost: 'The host of the request must be localhost, 127.0.0.1 or [::1]',
  unknownExpectation: 'Of all expectations, only "Expect: 100-continue" can be met',
  throttled: 'Too many requests, try again later',
  forbidden: 'The request is not allowed',
  internal: 'Something went wrong on our side',
  timeout: 'The request took too long; whether it was carried out is not known',
  unknownOutcome: 'Whether the change was stored is not known; read before you try again',
  unavailable: 'The request could not be carried out in time; nothing was changed',
  batchTooLarge: 'The batch exceeds 100 items',
  noProduct: 'Trade product not found',
  itemFailed: 'Something went wrong on our side; nothing of this item was changed',
  notReached: 'There was not enough time for this item; nothing of it was changed',
  noPhone: 'The lead has no phone number',
  optedOut: 'The number has opted out of SMS; the message was not sent',
  smsNotSetUp: 'Sending SMS is not set up; nothing was sent',
  smsRefused: 'The SMS provider refused the message; it was not sent',
  smsUnreachable: 'The SMS provider could not be reached; the message was not sent',
  smsUnknown: 'The SMS provider gave no answer; whether the message was sent is not known',
} as const;

const batchTooLarge = 'BATCH_TOO_LARGE';

/** The reasons that have an `error.code` of their own (specification, section 7). */
const codes: Record<string, typeof batchTooLarge> = { [sentences.batchTooLarge]: batchTooLarge };

/** The most problems of one request that are told: the rest is counted. */
export const maxDetails = 50;

/** 400: the request does not fit its contract. Throw it with every problem found; `total` says how many there are. */
export function invalid(details: [FieldProblem, ...FieldProblem[]], total = details.length): Failure {
  const shown = details.slice(0, maxDetails);
  // A problem that has a code is the reason, whatever else is wrong.
  const coded = shown.find(({ message }) => message in codes);
  if (coded) return new Failure('invalid', coded.message, { details: shown });
  const [{ field, message }] = details;
  const reason = field === '' ? message : `${field} ${message}`;
  const more = total > maxDetails ? `, and ${total - maxDetails} more` : '';
  return new Failure('invalid', reason + more, { details: shown });
}

/** @throws Failure `invalid` where there are problems */
export function refuseAny(problems: readonly FieldProblem[]): void {
  const [first, ...rest] = problems;
  if (first) throw invalid([first, ...rest]);
}

/** 400: a body refers to a record that is not there. */
export function noSuch(what: string, field: string): Failure {
  return invalid([{ field, message: `names no ${what} of the organization` }]);
}

/** What each reason is for people, and whether the message could not be sent as asked (400) or at all (502). */
const smsFailures = {
  NO_PHONE: ['invalid', sentences.noPhone],
  OPTED_OUT: ['invalid', sentences.optedOut],
  REFUSED: ['undelivered', sentences.smsRefused],
  UNREACHED: ['undelivered', sentences.smsUnreachable],
  UNKNOWN: ['undelivered', sentences.smsUnknown],
} as const satisfies Record<FailureReason, readonly [FailureKind, string]>;

/** 400 or 502: the SMS endpoint's own failure. `message` says it better where there is more to say. */
export function smsFailure(
  reason: FailureReason,
  { message, cause }: { message?: string; cause?: unknown } = {},
): Failure {
  const [kind, sentence] = smsFailures[reason];
  return new Failure(kind, message ?? sentence, { bare: true, reason, cause });
}

/** 404: the caller's organization has no such record. The same for a record of another organization. */
export function notFound(what: string): Failure {
  return new Failure('notFound', `There is no such ${what}`);
}

/** 409: a live record of the organization, `existingId`, already has this value of the field. */
export function conflict(what: string, field: string, existingId: string | number): Failure {
  return new Failure('conflict', `Another ${what}`, {
    details: [{ field, message: 'is taken' }],
    existingId,
  });
}

/** 403: the token was issued without the scope that the endpoint asks for. */
export function missingScope(scope: string): Failure {
  return new Failure('forbidden', `The token lacks the scope "${scope}"`);
}

/** 503: nothing was written, and trying again later makes sense. */
export function unavailable(cause?: unknown): Failure {
  return new Failure('unavailable', sentences.unavailable, { retryAfter: 1, cause });
}

/** 500 in place of 503: the write may or may not have happened, which a 503 would deny. */
export function unknownOutcome(cause?: unknown): Failure {
  return new Failure('internal', sentences.unknownOutcome, { cause });
}

/** Marks what the specification does not name. */
const extension = { 'x-extension': true } as const;

export const FieldProblem = v.strictObject({ field: v.string(), message: v.string() });
export const RecordId = v.union([v.string(), v.pipe(v.number(), v.integer())]);

export const ErrorReason = v.strictObject({
  status: v.pipe(v.number(), v.integer()),
  message: v.string(),
  code: v.optional(v.literal(batchTooLarge)),
  details: v.optional(v.pipe(v.array(FieldProblem), v.metadata(extension))),
  existingId: v.pipe(v.optional(RecordId), v.metadata(extension)),
});

/** The body of every error answer (specification, section 7, and additions to it). */
export const ErrorEnvelope = v.strictObject({
  success: v.literal(false),
  message: v.string(),
  error: ErrorReason,
  requestId: v.pipe(v.string(), v.metadata(extension)),
});
export type ErrorEnvelope = v.InferOutput<typeof ErrorEnvelope>;

/** The body of the failures that are the SMS endpoint's own (specification, section 7). */
export const BareFailure = v.strictObject({ message: v.string() });
export type BareFailure = v.InferOutput<typeof BareFailure>;

/** The body of a failure that can be the endpoint's own, or not. */
export const AnyFailure = v.union([ErrorEnvelope, BareFailure]);

/** What the schemas above are, for people. */
export const words = {
  FailureReason: {
    is:
      'Why an SMS was not sent. With 400: NO_PHONE, the lead has no phone number; OPTED_OUT, its number wants no SMS. ' +
      'With 502: REFUSED, by the provider; UNREACHED, the provider could not be reached; UNKNOWN, the provider gave no ' +
      'answer, and may have sent it.',
  },
  FieldProblem: {
    is: 'One field of a request, and what is wrong with it',
    fields: {
      field: 'The path of the field, with dots; empty for the request as a whole',
      message: 'What the field should be, or why its value cannot be had',
    },
  },
  RecordId: { is: 'The id of a record: a text or a number, as its kind has it' },
  ErrorReason: {
    is: 'What went wrong',
    fields: {
      status: 'The HTTP status',
      message: 'What went wrong, as a sentence for people',
      code: 'What went wrong, for machines, where a batch is too large',
      details: 'Every field that is wrong, or whose value is taken; the first 50 of more',
      existingId: 'Of a conflict: the record that has the value already',
    },
  },
  ErrorEnvelope: {
    is: 'The body of an error answer',
    fields: {
      success: 'Always false',
      message: 'What kind of error it is: the same text for all of one status',
      error: 'What went wrong',
      requestId: 'Names the request in the logs, as `X-Request-Id` does',
    },
  },
  BareFailure: {
    is: 'The body of a failure of `POST /v1/sms` that is its own',
    fields: { message: 'What went wrong, as a sentence for people' },
  },
  AnyFailure: { is: 'The body of an error answer of `POST /v1/sms`, where it can be its own or any other' },
} satisfies Words;

/** Builds the body of an error answer. */
export function errorBody(failure: Failure, requestId: string): ErrorEnvelope | BareFailure {
  return failure.extras.bare ? { message: failure.message } : errorEnvelope(failure, requestId);
}

/** Builds the envelope of an error answer. */
export function errorEnvelope(failure: Failure, requestId: string): ErrorEnvelope {
  const { status, message } = failures[failure.kind];
  const { details, existingId } = failure.extras;
  const code = codes[failure.message];
  return {
    success: false,
    message,
    error: {
      status,
      message: failure.message,
      ...(code !== undefined && { code }),
      ...(details && { details }),
      ...(existingId !== undefined && { existingId }),
    },
    requestId,
  };
}
