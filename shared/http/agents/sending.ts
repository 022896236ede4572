import * as v from 'valibot';
import { agentAddressHeader } from '../../contract/agents.ts';
import type { Method } from '../../contract/endpoint.ts';
import { timeLimits } from '../../core/waits.ts';
import { isBearer } from '../../domain/tokens/grant-of-token.ts';

/** Request to the API, with the principal's token. */
export interface ApiRequest {
  method: Method;
  /** Path and query. */
  target: string;
  body: unknown;
  /** True if the answer is to tell the organization's time zone. */
  prefersTimeZone?: boolean | undefined;
  /** `Idempotency-Key`, if the request takes a key. */
  key: string | undefined;
}

export interface ApiAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Sends a request to the API. @throws Error if there is no answer in time */
export type Send = (request: ApiRequest) => Promise<ApiAnswer>;

const Json = v.pipe(v.string(), v.parseJson());

/**
 * Sends requests to the API with the principal's token. Without a well-formed token nothing is sent, and the answer is
 * 401, as from the API.
 *
 * @param authorization the principal's header
 */
export const sendingAs =
  (authorization: string | undefined, { baseUrl, address }: { baseUrl: string; address: string }): Send =>
  async ({ method, target, body, key, prefersTimeZone }) => {
    if (authorization === undefined || !isBearer(authorization))
      return { status: 401, headers: new Headers(), body: undefined };
    try {
      const response = await fetch(`${baseUrl}${target}`, {
        method,
        headers: {
          authorization,
          [agentAddressHeader]: address,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(prefersTimeZone && { prefer: 'time-zone' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeLimits.agentCall),
      });
      const { status, headers } = response;
      const answer = v.safeParse(Json, await response.text());
      return { status, headers, body: answer.output };
    } catch {
      return { status: 504, headers: new Headers(), body: { message: 'The API gave no answer in time' } };
    }
  };
