import type { Collection, Ledger, RecordRef, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { readMessages } from '../threads/remove-messages.ts';
import { messages } from '../threads/threads.ts';
import { inquiries, type InquiryRecord } from './inquiry-record.ts';
import { sourceRef } from './sources.ts';

/**
 * Removes an inquiry and the data of its source, as part of a write. The write must have read the owner of
 * the removed lead's lists.
 *
 * @param ofInquiry numbers of all messages of its thread, if it has a thread.
 * @returns 'has more' if the thread has messages that are not in `ofInquiry`, for example a later message. Everything
 * stays then: without its thread, such a message would never be found.
 */
export async function removeInquiry(
  ledger: Ledger,
  write: Write,
  inquiry: InquiryRecord,
  ofInquiry: readonly number[],
): Promise<'removed' | 'gone' | 'has more'> {
  const source: RecordRef = sourceRef(ledger, inquiry);
  const refs = [source, ledger.ref(inquiries, inquiry.id)];
  const [found, ofThread] = await Promise.all([
    Promise.all(refs.map((ref) => write.read(ref, { mayStayUnchanged: true }))),
    ofInquiry.length > 0 ? readMessages(write, inquiry.sourceId, ofInquiry) : [],
  ]);
  const there = refs.filter((_, at) => found[at] !== undefined);
  // Another erasure was faster. If messages were still read, they are about to go, too.
  if (there.length === 0) return 'gone';
  if (there.includes(source) && write.membersOf(source, messages, 'thread') > ofThread.length)
    return 'has more';
  // Messages first: a thread can go only once its list is empty.
  for (const ref of [...ofThread, ...there]) write.remove<Collection>(ref);
  recordEvent(write, { event: 'INQUIRY_ERASED', about: inquiry.id });
  return 'removed';
}
