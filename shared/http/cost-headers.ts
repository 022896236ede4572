import { tellsCost, type Endpoint } from '../contract/endpoint.ts';
import type { ServedEvent } from './event.ts';
import { prefers } from './preferences.ts';

/**
 * Headers with the DynamoDB units that a request has consumed, for a principal who asks by `Prefer: cost`: see
 * docs/reference/conventions.md, Cost of an answer. The units are in descriptions of `Server-Timing`, because its `dur` is in
 * milliseconds.
 */
export function costHeaders(
  endpoint: Endpoint,
  { headers, capacity: { readUnits, writeUnits } }: Pick<ServedEvent, 'headers' | 'capacity'>,
): Record<string, string> {
  return tellsCost(endpoint) && prefers({ headers }, 'cost')
    ? {
        'Preference-Applied': 'cost',
        'Server-Timing': `read;desc="${readUnits}", write;desc="${writeUnits}"`,
      }
    : {};
}
