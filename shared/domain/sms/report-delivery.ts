import { NoHead, type Ledger, type RecordRef, type Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { LeadChange } from '../leads/lead-change.ts';
import { leadRef } from '../leads/leads.ts';
import { messages, threads } from '../threads/threads.ts';

/** What the provider reports of a message in the end. */
export interface DeliveryReport {
  /** The message's number, as `handOver` gave it to the provider. */
  message: string;
  /** The provider's id for it. */
  providerId: string;
  status: 'DELIVERED' | 'UNDELIVERED';
}

const eventOf = { DELIVERED: 'SMS_DELIVERED', UNDELIVERED: 'SMS_UNDELIVERED' } as const;

/** What a report can find: those that are final stay. */
const before: readonly string[] = ['SENDING', 'SENT', 'UNKNOWN'];

/**
 * Stores what became of a message. One transaction, or none where that is known already, or there is no such message, or
 * no such organization (of another table, or deleted since).
 * If nobody knew yet that the message was sent, that is an activity of its lead now. Returns whether anything changed.
 */
export async function reportDelivery(ledger: Ledger, report: DeliveryReport): Promise<boolean> {
  const ref = ledger.tryRef(messages, report.message);
  if (!ref) return false;
  try {
    return await storeReport(ledger, ref, report);
  } catch (error) {
    // If only the head is lost, the report is for when it is back.
    if (error instanceof NoHead && !(await ledger.getOrUndefined(ref))) return false;
    throw error;
  }
}

function storeReport(
  ledger: Ledger,
  ref: RecordRef<typeof messages>,
  { providerId, status }: DeliveryReport,
): Promise<boolean> {
  return ledger.write({ change: { message: { ref, mayBeAbsent: true } } }, async (write, { message }) => {
    if (!message || !before.includes(message.status)) return false;
    // Of another message, which had this number before a restore.
    if (message.providerId !== null && message.providerId !== providerId) return false;
    write.replace(ref, { ...message, status, providerId });
    if (message.status !== 'SENT') await recordSent(ledger, write, message.threadId);
    recordEvent(write, { event: eventOf[status], about: message.id });
    return true;
  });
}

/** The part of a write that tells the lead of a thread that a message was sent, unless the lead was deleted. */
async function recordSent(ledger: Ledger, write: Write, threadId: number): Promise<void> {
  // It never changes whose a thread is.
  const thread = await write.read({ collection: threads, number: threadId }, { mayStayUnchanged: true });
  if (!thread) return;
  const ref = leadRef(ledger, thread.leadId);
  const record = await write.read(ref);
  if (record)
    new LeadChange(write, ref, record).recordActivity({ event: 'SMS_SENT', about: thread.inquiryId });
}
