import type { Ledger, RecordRef } from '../../ledger/index.ts';
import { inquiries, type InquiryRecord } from '../inquiries/inquiry-record.ts';
import type { leads } from '../leads/lead-record.ts';
import { newestMessages } from '../threads/remove-messages.ts';

/** An inquiry, and the numbers of its thread's messages, if it has a thread. */
export interface ErasedInquiry {
  inquiry: InquiryRecord;
  messages: readonly number[];
}

/** The records that one transaction of an erasure removes. */
export interface ErasureStep {
  complete: readonly ErasedInquiry[];
  /** The newest messages of the newest inquiry, if its thread is too long for one transaction. */
  partial: ErasedInquiry | undefined;
  /** True if nothing is left after this step. It stays true, since a removed lead gets no more inquiries. */
  isLast: boolean;
}

/**
 * Number of items of a transaction that a step may use. DynamoDB allows a hundred. Reserved are the head, the
 * caller's request, the item that the lead's removal left, the last event, the counts of holes that all steps share, and nine for
 * the holes of long lists that end.
 */
const maxItems = 83;

/**
 * Number of items that each removed record takes: the record itself, and, for each list that it leaves, the
 * bucket that gets the hole.
 *
 * - An inquiry: itself, its source, its `externalInquiryId`, its event; the lists of all, of its source, of
 *   its lead, of both, of unread ones, of its tag, which also has its state and its counts; the list of all
 *   of its source; and the counts of the three lists by source.
 * - A message: itself, its `providerId`, and the list of all.
 * - A thread: one or two buckets of its list of messages, and the counts of that list.
 */
const itemsOf = { inquiry: 16, thread: 3, message: 3 };

/** Number of inquiries that fit into a step if none has a thread. */
const maxInquiries = Math.floor(maxItems / itemsOf.inquiry);
/** Number of messages that fit into a step that removes nothing else. */
const maxMessages = Math.floor((maxItems - itemsOf.thread) / itemsOf.message);

/** The next step of erasing a removed lead, newest records first; undefined if nothing is left. */
export async function nextErasureStep(
  ledger: Ledger,
  lead: RecordRef<typeof leads>,
): Promise<ErasureStep | undefined> {
  const page = { page: 1, limit: maxInquiries };
  const { items, totalCount } = await ledger.ownedList(lead, inquiries, 'lead', page);
  if (totalCount === 0) return undefined;
  const found = await Promise.all(items.map((inquiry) => withMessages(ledger, inquiry)));
  const complete: ErasedInquiry[] = [];
  let room = maxItems;
  for (const { items: needed, isComplete, ...erased } of found) {
    room -= needed;
    if (!isComplete || room < 0) break;
    complete.push(erased);
  }
  return {
    complete,
    partial: complete.length === 0 ? found[0] : undefined,
    isLast: complete.length === totalCount,
  };
}

/** An inquiry with the newest messages of its thread, and the number of items that removing them takes. */
async function withMessages(ledger: Ledger, inquiry: InquiryRecord) {
  if (inquiry.source !== 'SMS') return { inquiry, messages: [], isComplete: true, items: itemsOf.inquiry };
  const { items, totalCount } = await newestMessages(ledger, inquiry.sourceId, maxMessages);
  return {
    inquiry,
    messages: items.map(({ id }) => id),
    isComplete: items.length === totalCount,
    items: itemsOf.inquiry + itemsOf.thread + itemsOf.message * items.length,
  };
}
