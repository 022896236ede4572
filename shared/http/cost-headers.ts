import { tellsCost, type Endpoint } from '../contract/endpoint.ts';
import type { ServedEvent } from './event.ts';

/** Matches the preference `cost` without a value, and maybe with parameters (RFC 7240, section 2). */
const cost = /^\s*cost\s*(=\s*("")?\s*)?(;|$)/i;

/** True if a `Prefer` names the cost. A comma or a semicolon within quotes separates nothing. */
const isCostPreferred = (prefer: string): boolean =>
  prefer
    .replaceAll(/"(?:[^"\\]|\\.)+"/g, '"…"')
    .split(',')
    .some((preference) => cost.test(preference));

/**
 * Headers with the DynamoDB units that a request has consumed, for a principal who asks by `Prefer: cost`: see
 * docs/reference.md, Cost of an answer. The units are in descriptions of `Server-Timing`, because its `dur` is in
 * milliseconds.
 */
export function costHeaders(
  endpoint: Endpoint,
  { headers, capacity: { readUnits, writeUnits } }: Pick<ServedEvent, 'headers' | 'capacity'>,
): Record<string, string> {
  return tellsCost(endpoint) && isCostPreferred(headers['prefer'] ?? '')
    ? {
        'Preference-Applied': 'cost',
        'Server-Timing': `read;desc="${readUnits}", write;desc="${writeUnits}"`,
      }
    : {};
}
