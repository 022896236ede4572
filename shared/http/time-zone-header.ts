import type { FunctionPrincipal } from '../ledger/index.ts';
import type { Middleware } from './event.ts';
import { prefers } from './preferences.ts';

/** Reads the time zone of the principal's organization. */
export type ReadTimeZone = (principal: FunctionPrincipal) => Promise<string>;

/**
 * Adds the header `Time-Zone` to an answer or a refusal, for a principal who asks by `Prefer: time-zone`: see
 * docs/reference/conventions.md, Time zone of an answer. Used before the middleware that makes the refusals.
 */
export function timeZoneHeader(read: ReadTimeZone): Middleware {
  const finish: Middleware['after'] = async ({ event: { headers, identified }, response }) => {
    if (!response || !identified || !prefers({ headers }, 'time-zone')) return;
    // The answer is made, and must not be lost with the zone.
    const timeZone = await read(identified.principal).catch(() => undefined);
    if (timeZone !== undefined) response.headers = { ...response.headers, 'Time-Zone': timeZone };
  };
  return { after: finish, onError: finish };
}
