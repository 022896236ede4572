import type { Made, Plan } from './plan.ts';
import type { Handover } from './provider.ts';

/** What came back for a request. */
export interface HttpResponse {
  status: number;
  body: unknown;
  headers: Record<string, string>;
  /** Whether it is the gateway's own, and no function's. */
  isFromGateway: boolean;
}

/** What API Gateway answers by itself. */
export const gatewayResponse = (status: number): HttpResponse => ({
  status,
  body: { success: false, error: { status } },
  headers: {},
  isFromGateway: true,
});

/** One request, from its sending until nothing can come of it any more. */
export interface Request {
  readonly number: number;
  readonly plan: Plan;
  /** When a function, or the operator, began to work on it. */
  startedAt: number;
  /** The newest version of its organization that was complete then. */
  version: number;
  /** Whom its token acts for. */
  userId: string;
  /** What its token may do; an operator may do all. */
  scopes: readonly string[];
  /** How far the clock of its environment is ahead, in milliseconds. */
  skew: number;
  made: Made[];
  handovers: Handover[];
  /** Of what came by the topic, when that took it, in the API's format; else empty. */
  publishedAt: string;
  response: HttpResponse | undefined;
  /** What it logged last, for whoever looks for the cause of an error. */
  log: string;
}
