import type { Ledger, RecordRef } from '../../ledger/index.ts';
import { inquiries, type InquiryRecord } from '../inquiries/inquiry-record.ts';
import type { leads } from '../leads/lead-record.ts';
import { newestMessages } from '../threads/remove-messages.ts';

/** An inquiry, and the numbers of messages of its thread, if it has one. */
export interface ErasedInquiry {
  inquiry: InquiryRecord;
  messages: readonly number[];
}

/** What one transaction of an erasure removes. */
export interface ErasureStep {
  /** Inquiries with all their messages. */
  whole: readonly ErasedInquiry[];
  /** The newest messages of the newest inquiry, where its thread is too long for one transaction. */
  part: ErasedInquiry | undefined;
  /** Whether nothing is left after it. A lead that is gone gets no more, so this stays true. */
  isLast: boolean;
}

/**
 * How many items of a transaction a portion may take: of DynamoDB's hundred, the head, what is kept of the lead, the last
 * event, and the counts of holes that all share are taken off, and nine for the notes of long lists that end.
 */
const maxItems = 84;

/**
 * What is removed takes an item of its own, and one for each list that it leaves: the bucket that gets the hole.
 *
 * - An inquiry: itself, its source, its `externalInquiryId`, its event; the lists of all, of its source, of its lead, of
 *   both, of unread ones, of its tag, which also has its state and its counts; the list of all of its source. And the
 *   counts of the three lists that go by its source.
 * - A message: itself, its `providerId`, and the list of all. Those of one thread are in one bucket of its list, or two;
 *   that list has counts, too.
 */
const itemsOf = { inquiry: 16, thread: 3, message: 3 };

/** How many inquiries a portion can have, where none has a thread. */
const maxInquiries = Math.floor(maxItems / itemsOf.inquiry);
/** How many messages a portion can have, where it has nothing else. */
const maxMessages = Math.floor((maxItems - itemsOf.thread) / itemsOf.message);

/** What the next transaction removes of what a removed lead has left; undefined where nothing is left. Newest first. */
export async function nextErasureStep(
  ledger: Ledger,
  lead: RecordRef<typeof leads>,
): Promise<ErasureStep | undefined> {
  const page = { page: 1, limit: maxInquiries };
  const { items, totalCount } = await ledger.ownedList(lead, inquiries, 'lead', page);
  if (totalCount === 0) return undefined;
  const found = await Promise.all(items.map((inquiry) => withMessages(ledger, inquiry)));
  const whole: ErasedInquiry[] = [];
  let room = maxItems;
  for (const { items: needed, isWhole, ...erased } of found) {
    room -= needed;
    if (!isWhole || room < 0) break;
    whole.push(erased);
  }
  return {
    whole,
    part: whole.length === 0 ? found[0] : undefined,
    isLast: whole.length === totalCount,
  };
}

/** An inquiry with the newest messages of its thread, whether those are all, and how many items they take. */
async function withMessages(ledger: Ledger, inquiry: InquiryRecord) {
  if (inquiry.source !== 'SMS') return { inquiry, messages: [], isWhole: true, items: itemsOf.inquiry };
  const { items, totalCount } = await newestMessages(ledger, inquiry.sourceId, maxMessages);
  return {
    inquiry,
    messages: items.map(({ id }) => id),
    isWhole: items.length === totalCount,
    items: itemsOf.inquiry + itemsOf.thread + itemsOf.message * items.length,
  };
}
