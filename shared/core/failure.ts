/** What can go wrong, whoever asks and however it is answered. */
export type FailureKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'conflict'
  | 'tooLarge'
  | 'unsupported'
  | 'throttled'
  | 'internal'
  | 'undelivered'
  | 'unavailable';

/** One field of a request and what is wrong with it. `field` is a dotted path, `""` for the request as a whole. */
export interface FieldProblem {
  field: string;
  message: string;
}

interface FailureExtras {
  details?: FieldProblem[];
  existingId?: string | number;
  /** Why it failed, for machines, where one kind of failure has several reasons. */
  reason?: string;
  /** Seconds after which trying again makes sense. */
  retryAfter?: number;
  /** Told by its message alone, without what goes around other failures. */
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

/** The sentences of failures that are nobody's mistake. */
export const failureSentences = {
  unknownOutcome: 'Whether the change was stored is not known; read before you try again',
  unavailable: 'The request could not be carried out in time; nothing was changed',
} as const;

/** The most problems of one request that are told: the rest is counted. */
export const maxDetails = 50;

/** What was asked for is wrong. Throw it with every problem found; `total` says how many there are. */
export function invalid(details: [FieldProblem, ...FieldProblem[]], total = details.length): Failure {
  const [{ field, message }] = details;
  const reason = field === '' ? message : `${field} ${message}`;
  const more = total > maxDetails ? `, and ${total - maxDetails} more` : '';
  return new Failure('invalid', reason + more, { details: details.slice(0, maxDetails) });
}

/** @throws Failure `invalid` where there are problems */
export function refuseAny(problems: readonly FieldProblem[]): void {
  const [first, ...rest] = problems;
  if (first) throw invalid([first, ...rest]);
}

/** A request refers to a record that is not there. */
export function noSuch(what: string, field: string): Failure {
  return invalid([{ field, message: `names no ${what} of the organization` }]);
}

/** The caller's organization has no such record. The same for a record of another organization. */
export function notFound(what: string): Failure {
  return new Failure('notFound', `There is no such ${what}`);
}

/** A live record of the organization, `existingId`, already has this value of the field. */
export function conflict(what: string, field: string, existingId: string | number): Failure {
  return new Failure('conflict', `Another ${what}`, {
    details: [{ field, message: 'is taken' }],
    existingId,
  });
}

/** Nothing was written, and trying again later makes sense. */
export function unavailable(cause?: unknown): Failure {
  return new Failure('unavailable', failureSentences.unavailable, { retryAfter: 1, cause });
}

/** In place of `unavailable`: the write may or may not have happened, which that would deny. */
export function unknownOutcome(cause?: unknown): Failure {
  return new Failure('internal', failureSentences.unknownOutcome, { cause });
}
