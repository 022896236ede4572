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

/** A request over HTTP. */
export interface HttpCall {
  /** The operationId of the endpoint. */
  endpoint: string;
  params?: Record<string, string>;
  /** A parameter that is given more than once has a list. */
  query?: Record<string, string | string[]>;
  body?: string;
  headers?: Record<string, string>;
}

/** A commit of a request, and what the model says that the request may answer from then on. */
export interface Made {
  version: number;
  at: number;
  response: unknown;
  /** Which of several changes of the request it can have been. */
  fits: number[];
}

/** One way in which a request can go on to change its organization. */
export interface Stage {
  stage: number;
  /** What it must store in the state of the change. Gives the answer's body. @throws Refused */
  store: (change: Change) => unknown;
}

/** What the check knows of a request. */
export interface Progress {
  made: readonly Made[];
  handovers: readonly Handover[];
  /** Of what came by the topic, when that took it; else empty. */
  publishedAt: string;
  /** What it was answered; undefined before. */
  response?: HttpResponse | undefined;
}

/** The same, of a request that was answered. */
export interface CompletedProgress extends Progress {
  /** Whether its token may do what a narrow scope says. */
  may: (scope: string) => boolean;
  /** Whether faults, deaths or load explain that something failed. */
  mayFail: boolean;
  status: number;
  headers: Record<string, string>;
}

/** A request that may go on to change its organization, with what its token may do. */
export type Changing = Progress & Pick<Request, 'scopes'>;

/** What a client is about to ask, and what the model says of it. */
export interface Plan {
  /** What it names in `If-None-Match`, where it does. */
  ifNoneMatch?: TagList | undefined;
  /** For the figures. */
  operation: string;
  organization: OrganizationModel;
  /** A request of the API, a verb that an operator carries out, or what the provider of SMS tells by its topic. */
  call: HttpCall | { verb: (ledger: Ledger) => Promise<unknown> } | { notification: Fields };
  /** The token that it is sent with; the organization's first where it is left out. */
  token?: string | undefined;
  /** Refused before any handler is asked, whatever is stored. */
  refusedBefore?: ErrorResponse;
  /** How it can go on to change the organization; none for what only reads. */
  stages?: (request: Changing) => Stage[];
  /** The refusals that are right for something that it can have seen. */
  refusals?: (window: Window) => ErrorResponse[];
  /** The answers that are right where nothing was stored, since it changes nothing. */
  unchanged?: (window: Window) => unknown[];
  /** Checks an answer of success that no single value is right for. @throws Violation */
  check?: (body: unknown, window: Window, progress: CompletedProgress) => void;
  /** Checks an answer of failure that is this operation's own; tells whether it was one. @throws Violation */
  checkFailure?: (answer: HttpResponse, progress: Progress) => boolean;
  /** Whether a 503 is right even where nothing fails: what it builds on changed meanwhile. */
  canBeUnavailable?: (window: Window) => boolean;
  /** The commits of all requests with this plan, where it says what to do with a message that may be given out again. */
  readonly commits?: Made[];
  /** Whether it may fail even where nothing else does, for what is stored. */
  canFail?: (window: Window) => boolean;
  /** Checks, once all is done, what must have come of it. @throws Violation */
  checkEnd?: () => void;
  /** That it opts a number out of SMS, or in again. */
  optOutKeyword?: { phone: string; isOut: boolean; commits: readonly Made[] } | undefined;
  /** Whether an answer of success tells the client to ask the same again. */
  asksAgain?: (body: unknown) => boolean;
  /** Called with an answer of success. */
  then?: (body: unknown) => void;
}

/** The way of a request that changes its organization once. */
export const once =
  (store: (change: Change, request: Changing) => unknown): NonNullable<Plan['stages']> =>
  (request) =>
    request.made.length === 0 ? [{ stage: 0, store: (change) => store(change, request) }] : [];

/** Makes a plan of one sort, and how often that is asked for as a rule. */
export type WeightedPlan = readonly [make: (planner: Planner) => Plan, weight: number];
