import type { Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import type { LeadChange } from '../leads/lead-change.ts';
import { optIn, optOut } from '../opt-outs/opt-outs.ts';

/**
 * Opts a number and its lead, if it has one, out of SMS or in again, as part of a write. Returns true if the
 * number changed sides. Stores nothing if nothing changes.
 */
export async function setOptOut(
  write: Write,
  {
    phone,
    lead,
    isOptedOut,
    at,
  }: { phone: string; lead: LeadChange | undefined; isOptedOut: boolean; at: string },
): Promise<boolean> {
  const change = await (isOptedOut ? optOut : optIn)(write, phone, at);
  if (!change) return false;
  if (lead) lead.setOptedOut(isOptedOut);
  else recordEvent(write, { event: isOptedOut ? 'NUMBER_OPTED_OUT' : 'NUMBER_OPTED_IN', about: change.id });
  return change.changedSides;
}
