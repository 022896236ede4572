import type { Ledger } from '../../../shared/ledger/index.ts';
import type { Change } from './model/change.ts';
import type { Kept, Keyed, Made } from './model/keyed.ts';
import type { OrganizationModel } from './model/organization-model.ts';
import { Refused } from './model/refusal.ts';
import type { TagList } from './model/tags.ts';
import type { Window } from './model/window.ts';
import type { Planner } from './planner.ts';
import type { Handover } from './provider.ts';
import type { Fields } from './same.ts';

export interface HttpCall {
  /** OperationId of the endpoint. */
  endpoint: string;
  params?: Record<string, string>;
  /** A repeated parameter has an array. */
  query?: Record<string, string | string[]>;
  body?: string;
  headers?: Record<string, string>;
}

/** State of a request, for its check. */
export interface Progress {
  made: readonly Made[];
  /** Commits of all requests with its key; undefined without a key, or while there is none. */
  kept?: Kept | undefined;
  handovers: readonly Handover[];
  /** Time at which the topic accepted its notification; empty for other requests. */
  publishedAt: string;
  response?: HttpResponse | undefined;
}

/** State of a request that has its response. */
export interface CompletedProgress extends Progress {
  /** True if its token has a narrow scope. */
  may: (scope: string) => boolean;
  /** True if faults, deaths or load explain a failure. */
  mayFail: boolean;
  status: number;
  headers: Record<string, string>;
}

/** A request that may still change its organization, with its token's scopes. */
export type Changing = Progress & Pick<Request, 'scopes'>;

/** A request that a client is about to make, with all that the model expects of it. */
export interface Plan {
  // What is sent
  /** Name in the figures. */
  operation: string;
  organization: OrganizationModel;
  /** A request of the API, an operator's verb, or a notification of the SMS provider. */
  call: HttpCall | { verb: (ledger: Ledger) => Promise<unknown> } | { notification: Fields };
  /** Token that it is sent with; the organization's first if undefined. */
  token?: string | undefined;
  /** Requests that are sent with its `Idempotency-Key`; undefined without one. */
  keyed?: Keyed;
  /** Tags in its `If-None-Match`. */
  ifNoneMatch?: TagList | undefined;
  /** Set if it opts a number out of SMS or in again. */
  optOutKeyword?: { phone: string; isOut: boolean; commits: readonly Made[] } | undefined;
  /** True if each request follows from the answer before. So no two requests are sent at once. */
  isInSteps?: boolean;
  /** True if a successful response asks the client to repeat the request. */
  asksAgain?: (body: unknown) => boolean;
  /** Called with a successful response. */
  then?: (body: unknown) => void;

  // What may be stored
  /**
   * Takes over the next change, judges it, and returns what the answer must show of it; undefined for a read.
   * @throws Refused
   */
  store?: (change: Change, request: Changing) => unknown;
  /** Commits of all requests with this plan, for a notification that may be delivered again. */
  readonly commits?: Made[];
  /** Number of the lead that is erased completely, according to a successful response. */
  erased?: (body: unknown) => number | undefined;
  /** Checks the result once everything is done. @throws Violation */
  checkEnd?: () => void;

  // Which answers are right
  /** Checks a successful response. @throws Violation */
  check?: (body: unknown, window: Window, progress: CompletedProgress) => void;
  /** True if it reads no more than one item, so that even a slow table shows it at one version. */
  isOfOneItem?: boolean;
  /** True if the records of a repeat could not be shown at some time, although they were as stored. */
  canBeHidden?: (window: Window) => boolean;
  /**
   * Answer to a repeat with its key, if the plan has a `check`. `answersAgain`: the answer of the first request.
   * `tellsOutcome`: `check` tells the answer. `goesOn`: the rest of the work is done.
   */
  repeated?: 'answersAgain' | 'tellsOutcome' | 'goesOn';
  /** Statuses of the errors that are right in the window. */
  refusals?: (window: Window) => number[];
  /** Checks a refusal, in place of `refusals`. @throws Violation */
  checkRefusal?: (answer: HttpResponse, window: Window) => void;
  /**
   * Checks a failed response in the plan's own form. Returns true if the response has that form. @throws
   * Violation
   */
  checkFailure?: (answer: HttpResponse, progress: Progress, window: Window) => boolean;
  /** True if it may fail without any fault, because of stored data. */
  canFail?: (window: Window) => boolean;
}

/** Knowledge about an operation that its contract does not have, for the generic plan. */
export interface Hint {
  /** Fields of its bodies that no example has. */
  body?: (planner: Planner) => Fields;
  /** Bodies instead of those made from examples. */
  wholeBody?: (planner: Planner) => Fields;
  /** Number of the record that it names, instead of any. */
  number?: (planner: Planner) => number;
  /** Query of its requests, if the example's is not enough. */
  query?: (planner: Planner, body: Fields) => Record<string, string>;
  /** Checks a record of an answer, which shows one of these states, further. @throws Violation */
  check?: (shown: Fields, states: readonly Fields[], window: Window) => void;
  /** Fields that change with others. */
  alsoChanges?: readonly string[];
  /** Judges the record that a change stores. Returns what its answer has beside the record. @throws Refused */
  judge?: (change: Change, body: Fields, record: Fields) => Fields;
}

export interface HttpResponse {
  status: number;
  body: unknown;
  headers: Record<string, string>;
  /** True if API Gateway itself made the response. */
  isFromGateway: boolean;
}

/** Response that API Gateway makes itself. */
export const gatewayResponse = (status: number): HttpResponse => ({
  status,
  body: { success: false, error: { status } },
  headers: {},
  isFromGateway: true,
});

/** One request, from its start until it can have no more effect. */
export interface Request {
  readonly number: number;
  readonly plan: Plan;
  /** Time at which a function or an operator began to work on it. */
  startedAt: number;
  /** Newest version of its organization that was completely visible then. */
  version: number;
  /** Newest version of its organization that was decided then. */
  decided: number;
  /** Id of the user whom its token acts for. */
  userId: string;
  /** Number of its token, once the authorizer found it; undefined for an operator's verb and a notification. */
  tokenId?: number;
  /** Scopes of its token; an operator has all. */
  scopes: readonly string[];
  /** Milliseconds that the clock of its environment is ahead. */
  skew: number;
  made: Made[];
  handovers: Handover[];
  /** Time at which the topic accepted its notification, in the API's format; empty for other requests. */
  publishedAt: string;
  response: HttpResponse | undefined;
  /** Last log line, to help find the cause of an error. */
  log: string;
}

/** Judges the change of a request that makes one. */
export const once =
  (store: NonNullable<Plan['store']>): NonNullable<Plan['store']> =>
  (change, request) => {
    if (request.made.length > 0) throw new Refused('the request has stored its change');
    return store(change, request);
  };

/** Makes plans of one kind, with its usual weight. */
export type WeightedPlan = readonly [make: (planner: Planner) => Plan, weight: number];
