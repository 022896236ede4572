import { timeZoneRef } from '../domain/leads/pipeline-record.ts';
import { ledgerOf } from './outside/table.ts';
import type { ReadTimeZone } from './time-zone-header.ts';

/** Reads the time zone of the principal's organization. One round trip, one read unit. */
export const readTimeZone: ReadTimeZone = async (principal) =>
  (await ledgerOf(principal).get(timeZoneRef)).timeZone;
