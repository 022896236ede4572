import type { Made, Plan } from './plan.ts';
import type { Handover } from './provider.ts';

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
  /** Id of the user whom its token acts for. */
  userId: string;
  /** Scopes of its token; an operator has all. */
  scopes: readonly string[];
  /** Milliseconds by which the clock of its environment is ahead. */
  skew: number;
  made: Made[];
  handovers: Handover[];
  /** Time at which the topic accepted its notification, in the API's format; empty for other requests. */
  publishedAt: string;
  response: HttpResponse | undefined;
  /** Last log line, to help find the cause of an error. */
  log: string;
}
