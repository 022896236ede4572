import type { EventName } from '../../contract/events.ts';
import { merge } from '../../core/merge.ts';
import type { Ledger, RecordRef } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { LeadChange, readLead } from '../leads/lead-change.ts';
import { leads, phoneValue } from '../leads/lead-record.ts';
import { leadRef } from '../leads/leads.ts';
import type { OrganizationRecord } from '../settings/organization-record.ts';
import { messages } from '../threads/threads.ts';
import { setOptOut } from './set-opt-out.ts';
import type { SendSms, SmsOutcome, SmsProvider } from './sms-provider.ts';

/** A stored message that is ready to be handed to the provider. */
export interface StoredSms {
  ref: RecordRef<typeof messages>;
  leadId: string;
  /** The inquiry that shows the message's thread. */
  inquiryId: string;
  to: string;
  text: string;
  /** ARN of the sending number. */
  from: string;
}

/**
 * ARN to send from: the organization's given number, otherwise its first, otherwise the provider's own.
 * Undefined if there is none, or SMS is off.
 */
export function originOf(
  { numbers }: Pick<OrganizationRecord, 'numbers'>,
  number: string,
  { from, isOff = false }: Pick<SmsProvider, 'from' | 'isOff'>,
): string | undefined {
  if (isOff) return undefined;
  return (numbers.find((one) => one.number === number) ?? numbers[0])?.arn ?? from;
}

/**
 * Hands a stored message to the provider, once, and stores the outcome. If the outcome cannot be stored, `report` gets
 * the error, and the message stays SENDING until `resolveSending` makes it UNKNOWN or a delivery report comes.
 */
export async function handOver(
  ledger: Ledger,
  send: SendSms,
  { to, text, from, ...stored }: StoredSms,
  report: (error: unknown) => void,
): Promise<SmsOutcome> {
  const context = { organization: ledger.organization, message: String(stored.ref.number) };
  const outcome = await send({ to, text, from, context });
  await storeOutcome(ledger, { to, ...stored }, outcome).catch(report);
  return outcome;
}

const eventOf = {
  SENT: 'SMS_ACCEPTED',
  FAILED: 'SMS_FAILED',
  UNKNOWN: 'SMS_UNKNOWN',
} as const satisfies Record<SmsOutcome['status'], EventName>;

/**
 * Stores the outcome of sending, in at most one transaction. Stores nothing, not even an opt-out, if the
 * message is no longer SENDING or UNKNOWN: then a delivery report has already stored the outcome. If the
 * message was erased, stores only an opt-out. A sent message is an activity of the lead, unless the lead was
 * deleted.
 */
function storeOutcome(
  ledger: Ledger,
  { ref, leadId, inquiryId, to }: Omit<StoredSms, 'text' | 'from'>,
  outcome: SmsOutcome,
): Promise<void> {
  const sentTo = leadRef(ledger, leadId);
  const change = {
    message: { ref, mayBeAbsent: true, mayStayUnchanged: true } as const,
    ...(outcome.status === 'SENT' && { lead: { ref: sentTo, mayBeAbsent: true as const } }),
  };
  const hasOptedOut = outcome.status === 'FAILED' && outcome.reason === 'OPTED_OUT';
  const holders = hasOptedOut ? { byPhone: { collection: leads, unique: phoneValue(to) } } : {};
  return ledger.write({ change, holders }, async (write, { message, lead: receiver, byPhone }) => {
    if (message) {
      if (message.status !== 'SENDING' && message.status !== 'UNKNOWN') return;
      const providerId = outcome.status === 'SENT' ? outcome.providerId : null;
      write.replace(ref, merge(message, { status: outcome.status, providerId }));
      // The message does not tell why it failed.
      if (outcome.status === 'FAILED') write.keepReplayData(outcome.reason);
      if (receiver)
        new LeadChange(write, sentTo, receiver).recordActivity({ event: 'SMS_SENT', about: inquiryId });
      recordEvent(write, { event: eventOf[outcome.status], about: inquiryId });
    }
    if (!hasOptedOut) return;
    const lead = byPhone === undefined ? undefined : await readLead(ledger, write, byPhone);
    // The message was erased, and a newer lead with this number is opted out already.
    if (!message && lead?.isOptedOut) return;
    await setOptOut(write, { phone: to, lead, isOptedOut: true, at: write.now });
  });
}
