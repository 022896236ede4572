/** What can go wrong, without HTTP: `contract/errors.ts` gives each kind its status. */
export type FailureKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'conflict'
  | 'preconditionFailed'
  | 'tooLarge'
  | 'unsupported'
  | 'throttled'
  | 'internal'
  | 'undelivered'
  | 'unavailable';

/** What is wrong with one field of a request. `field` is a dotted path; `""` is the whole request. */
export interface FieldProblem {
  field: string;
  message: string;
}

interface FailureExtras {
  details?: FieldProblem[];
  /** How many more problems there are than `details` has. */
  more?: number;
  existingId?: string | number;
  /** A machine-readable reason, where a kind has several. */
  reason?: string;
  /** Seconds to wait before a retry. */
  retryAfter?: number;
  /** The `ETag` of the record as it is now. */
  etag?: string;
  /** Answered as its message alone, without the error envelope. */
  bare?: true;
  cause?: unknown;
}

/** An expected failure. Its message is shown to the client, so it holds nothing internal. */
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

/** The messages of the failures below that have only one. */
export const failureSentences = {
  preconditionFailed: 'The record is not, or no longer, the one that If-Match names; read it again',
  unknownOutcome: 'Whether the change was stored is not known; read before you try again',
  unavailable: 'The request could not be carried out in time; nothing was changed',
  tooManyToday: 'Too many requests in one day, try again later',
} as const;

/** How many problems of one request are listed; the others are only counted. */
export const maxDetails = 50;

/** The request is wrong. `details`: the problems found; `total`: how many there are, if not all are given. */
export function invalid(details: [FieldProblem, ...FieldProblem[]], total = details.length): Failure {
  const [{ field, message }] = details;
  const reason = field === '' ? message : `${field} ${message}`;
  const more = Math.max(0, total - maxDetails);
  return new Failure('invalid', reason + andMore(more), {
    details: details.slice(0, maxDetails),
    ...(more > 0 && { more }),
  });
}

/** How a message ends that leaves problems out. */
export const andMore = (more = 0): string => (more > 0 ? `, and ${more} more` : '');

/** @throws Failure `invalid` if there are problems */
export function refuseAny(problems: readonly FieldProblem[]): void {
  const [first, ...rest] = problems;
  if (first) throw invalid([first, ...rest]);
}

/** A Failure `invalid`: the request refers to a record that does not exist. */
export function noSuch(what: string, field: string): Failure {
  return invalid([{ field, message: `names no ${what} of the organization` }]);
}

/** The organization has no such record. Another organization's record is answered the same way. */
export function notFound(what: string): Failure {
  return new Failure('notFound', `There is no such ${what}`);
}

/** Another live record, `existingId`, already has this value of the field. */
export function conflict(what: string, field: string, existingId: string | number): Failure {
  return new Failure('conflict', `Another ${what}`, {
    details: [{ field, message: 'is taken' }],
    existingId,
  });
}

/** The record is not as the caller knows it. `etag`: the present one, for those who may read the record. */
export function preconditionFailed(etag?: string): Failure {
  return new Failure(
    'preconditionFailed',
    failureSentences.preconditionFailed,
    etag === undefined ? {} : { etag },
  );
}

/** Nothing was written; the client may retry. */
export function unavailable(cause?: unknown): Failure {
  return new Failure('unavailable', failureSentences.unavailable, { retryAfter: 1, cause });
}

/** As many as a day (UTC) may have were there, up to the moment `now` (ISO 8601); nothing was written. */
export function tooManyToday(now: string): Failure {
  const tomorrow = new Date(now).setUTCHours(24, 0, 0, 0);
  const retryAfter = Math.ceil((tomorrow - Date.parse(now)) / 1000);
  return new Failure('throttled', failureSentences.tooManyToday, { retryAfter });
}

/** The write may or may not have been stored; `unavailable` would claim that it was not. */
export function unknownOutcome(cause?: unknown): Failure {
  return new Failure('internal', failureSentences.unknownOutcome, { cause });
}
