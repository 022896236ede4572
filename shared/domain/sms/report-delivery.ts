import { NoHead, type Ledger, type RecordRef, type Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { readLead } from '../leads/lead-change.ts';
import { messages, threads } from '../threads/threads.ts';

/** The provider's final report of a message. */
export interface DeliveryReport {
  /** Number of the message, which `handOver` gave to the provider. */
  message: string;
  /** The provider's id for the message. */
  providerId: string;
  status: 'DELIVERED' | 'UNDELIVERED';
}

const eventOf = { DELIVERED: 'SMS_DELIVERED', UNDELIVERED: 'SMS_UNDELIVERED' } as const;

/** Statuses that a report changes. The others are final. */
const before: readonly string[] = ['SENDING', 'SENT', 'UNKNOWN'];

/**
 * Stores a delivery report. One transaction, or none if the message has a final status. Also none if the message or the
 * organization does not exist: it may be of another table, or deleted. If nothing said before that the message was
 * sent, the report also adds that activity to its lead. Returns true if anything changed.
 */
export async function reportDelivery(ledger: Ledger, report: DeliveryReport): Promise<boolean> {
  const ref = ledger.tryRef(messages, report.message);
  if (!ref) return false;
  try {
    return await storeReport(ledger, ref, report);
  } catch (error) {
    // If only the head is lost, the report is tried again once the head is restored.
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
    // The report is of another message, which had this number before a restore.
    if (message.providerId !== null && message.providerId !== providerId) return false;
    write.replace(ref, { ...message, status, providerId });
    if (message.status !== 'SENT') await recordSent(ledger, write, message.threadId);
    recordEvent(write, { event: eventOf[status], about: message.inquiryId });
    return true;
  });
}

/**
 * Adds the activity of a sent message to the lead of its thread, as part of a write, unless the lead was
 * deleted.
 */
async function recordSent(ledger: Ledger, write: Write, threadId: number): Promise<void> {
  // A thread never moves to another lead.
  const thread = await write.read({ collection: threads, number: threadId }, { mayStayUnchanged: true });
  if (!thread) return;
  const lead = await readLead(ledger, write, thread.leadId);
  lead?.recordActivity({ event: 'SMS_SENT', about: thread.inquiryId });
}
