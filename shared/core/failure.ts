/** Kinds of failure. `contract/errors.ts` gives each its HTTP status. */
export type FailureKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'conflict'
  | 'gone'
  | 'outdated'
  | 'tooLarge'
  | 'unsupported'
  | 'unprocessable'
  | 'throttled'
  | 'internal'
  | 'undelivered'
  | 'unavailable';

/** Code of a failure for machines. */
export type FailureCode = 'BATCH_TOO_LARGE';

/** Problem with one field of the input. `field` is a dotted path; `""` is the whole input. */
export interface FieldProblem {
  field: string;
  message: string;
}

/** Free time, offered in place of a time that is taken. */
interface Alternative {
  start: string;
  end: string;
  userIds: string[];
  say: string;
}

interface FailureExtras {
  details?: FieldProblem[];
  /** Sentence that says what to send instead, or what usually causes the failure. */
  hint?: string;
  /** Number of problems that `details` leaves out. */
  more?: number;
  /** Id of the record that has the value already. */
  existingId?: string | number;
  /** Times that are free for the same request. */
  alternatives?: readonly Alternative[];
  code?: FailureCode;
  /** Reason of a failure that only the SMS endpoint has. The body of its answer is a `BareFailure`. */
  smsReason?: string;
  /** True if the messages quote what the client sent. The log then leaves them out. */
  quotesInput?: true;
  /** Seconds to wait before a retry. */
  retryAfter?: number;
  cause?: unknown;
}

/** Expected failure. Clients can see its message, so the message holds nothing internal. */
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

/** Messages of failures of the ledger. The functions below make the messages that name a record or a field. */
export const failureSentences = {
  undecided: 'A request with this Idempotency-Key is being carried out; send it again later',
  unknownOutcome: 'Whether the change was stored is not known; read before you try again',
  unavailable: 'The request could not be carried out in time; nothing was changed',
  tooManyToday: 'Too many requests in one day, try again later',
} as const;

/** Maximum number of listed problems. Further problems are only counted. */
export const maxDetails = 50;

/** The input is wrong. `total` is the number of all problems, if `details` has only some of them. */
export function invalid(details: [FieldProblem, ...FieldProblem[]], total = details.length): Failure {
  const [{ field, message }] = details;
  const reason = field === '' ? message : `${field} ${message}`;
  const more = Math.max(0, total - maxDetails);
  return new Failure('invalid', reason + andMore(more), {
    details: details.slice(0, maxDetails),
    ...(more > 0 && { more }),
  });
}

/** End of a message that leaves out problems; empty for none. */
export const andMore = (more = 0): string => (more > 0 ? `, and ${more} more` : '');

/** @throws Failure `invalid` if there are problems */
export function refuseAny(problems: readonly FieldProblem[]): void {
  const [first, ...rest] = problems;
  if (first) throw invalid([first, ...rest]);
}

/** Failure `invalid`: the field refers to a record that does not exist. */
export function noSuch(label: string, field: string): Failure {
  return invalid([{ field, message: `names no ${label} of the organization` }]);
}

/** The organization has no such record. A record of another organization fails the same way. */
export function notFound(label: string): Failure {
  return new Failure('notFound', `There is no such ${label}`);
}

/**
 * Another live record already has this value of the field. `within`: label of a record, if values must differ only
 * within that record. `named`: what the message calls the value; the field by default. `existingId` is left out if the
 * caller must not learn which record has the value.
 */
export function conflict(
  label: string,
  field: string,
  {
    within,
    named = field,
    existingId,
  }: { within?: string | undefined; named?: string | undefined; existingId?: string | number } = {},
): Failure {
  const scope = within === undefined ? '' : ` in the same ${within}`;
  return new Failure('conflict', `Another ${label} has this ${named}${scope}`, {
    details: [{ field, message: 'is taken' }],
    ...(existingId !== undefined && { existingId }),
  });
}

/**
 * Refuses to delete or change a record while other records use it. `users`: number of these records, by label.
 * @throws Failure `conflict` if there are any
 */
export function refuseInUse(label: string, users: Readonly<Record<string, number>>): void {
  const inUse = Object.entries(users).filter(([, count]) => count > 0);
  if (inUse.length === 0) return;
  const counted = (user: string, count: number) => `${count} ${user}${count === 1 ? '' : 's'}`;
  const all = inUse.map(([user, count]) => counted(user, count)).join(' and ');
  throw new Failure('conflict', `The ${label} is in use by ${all}`, {
    details: inUse.map(([user, count]) => ({
      field: `${user}s`,
      message: `${counted(user, count)} ${count === 1 ? 'uses' : 'use'} it`,
    })),
  });
}

/** Failure for lack of time. Nothing was written, and the caller may retry. */
export function unavailable(cause?: unknown): Failure {
  return new Failure('unavailable', failureSentences.unavailable, { retryAfter: 1, cause });
}

/** The day (UTC) of `now` (ISO 8601) already has the maximum number of records. Nothing was written. */
export function tooManyToday(now: string): Failure {
  const tomorrow = new Date(now).setUTCHours(24, 0, 0, 0);
  const retryAfter = Math.ceil((tomorrow - Date.parse(now)) / 1000);
  return new Failure('throttled', failureSentences.tooManyToday, { retryAfter });
}

/** The day (UTC, ISO 8601) already has the maximum number of appointments. Nothing was written. */
export function tooManyBooked(day: string): Failure {
  return new Failure('conflict', `There are too many appointments on ${day} (UTC)`);
}

/** The request came before with its `Idempotency-Key`, and its outcome is not known yet. */
export function undecided(): Failure {
  return new Failure('conflict', failureSentences.undecided, { retryAfter: 1 });
}

/** The write may or may not have been stored; `unavailable` would claim that it was not. */
export function unknownOutcome(cause?: unknown): Failure {
  return new Failure('internal', failureSentences.unknownOutcome, { cause });
}
