import type { Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import type { LeadChange } from '../leads/lead-change.ts';
import { optIn, optOut } from '../opt-outs/opt-outs.ts';

/**
 * The part of a write that opts a number out of SMS, or in again, and its lead, if it has one. Returns whether the number
 * is now what it was not; nothing is stored where it changes nothing.
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
  return change.isNew;
}
