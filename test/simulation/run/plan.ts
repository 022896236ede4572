import type { Change } from './model/change.ts';
import type { OrganizationModel } from './model/organization-model.ts';
import type { ErrorResponse } from './model/refusal.ts';
import type { TagList } from './model/tags.ts';
import type { Window } from './model/window.ts';
import type { Handover } from './provider.ts';
import type { Fields } from './same.ts';
import type { Planner } from './planner.ts';
import type { HttpResponse, Request } from './request.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';

export interface HttpCall {
  /** OperationId of the endpoint. */
  endpoint: string;
  params?: Record<string, string>;
  /** A repeated parameter has an array. */
  query?: Record<string, string | string[]>;
  body?: string;
  headers?: Record<string, string>;
}

/** A commit of a request, with the body that the model expects in a response from then on. */
export interface Made {
  version: number;
  at: number;
  response: unknown;
  /** Stages of the request that can have made the commit. */
  fits: number[];
}

/** One possible next change of a request. */
export interface Stage {
  stage: number;
  /** Stores the expected change. Returns the expected body of the response. @throws Refused */
  store: (change: Change) => unknown;
}

/** State of a request, for its check. */
export interface Progress {
  made: readonly Made[];
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
  /** Tags in its `If-None-Match`. */
  ifNoneMatch?: TagList | undefined;
  /** Name in the figures. */
  operation: string;
  organization: OrganizationModel;
  /** A request of the API, an operator's verb, or a notification of the SMS provider. */
  call: HttpCall | { verb: (ledger: Ledger) => Promise<unknown> } | { notification: Fields };
  /** Token that it is sent with; the organization's first if undefined. */
  token?: string | undefined;
  /** Error that it gets before any handler is called, in any stored state. */
  refusedBefore?: ErrorResponse;
  /** Possible next changes; undefined for a read. */
  stages?: (request: Changing) => Stage[];
  /** Right errors in the window. */
  refusals?: (window: Window) => ErrorResponse[];
  /** Right bodies in the window if it stores nothing because it changes nothing. */
  unchanged?: (window: Window) => unknown[];
  /** Checks a successful response that no single value determines. @throws Violation */
  check?: (body: unknown, window: Window, progress: CompletedProgress) => void;
  /** Checks a failed response of its own kind. Returns true if it was one. @throws Violation */
  checkFailure?: (answer: HttpResponse, progress: Progress) => boolean;
  /** True if a 503 is right without any fault, because a record that it depends on changed meanwhile. */
  canBeUnavailable?: (window: Window) => boolean;
  /** Commits of all requests with this plan, for a notification that may be delivered again. */
  readonly commits?: Made[];
  /** True if it may fail without any fault, because of stored data. */
  canFail?: (window: Window) => boolean;
  /** Checks the result once everything is done. @throws Violation */
  checkEnd?: () => void;
  /** Set if it opts a number out of SMS or in again. */
  optOutKeyword?: { phone: string; isOut: boolean; commits: readonly Made[] } | undefined;
  /** True if a successful response asks the client to repeat the request. */
  asksAgain?: (body: unknown) => boolean;
  /** Called with a successful response. */
  then?: (body: unknown) => void;
}

/** Stages of a request that changes its organization once. */
export const once =
  (store: (change: Change, request: Changing) => unknown): NonNullable<Plan['stages']> =>
  (request) =>
    request.made.length === 0 ? [{ stage: 0, store: (change) => store(change, request) }] : [];

/** Makes plans of one kind, with its usual weight. */
export type WeightedPlan = readonly [make: (planner: Planner) => Plan, weight: number];
