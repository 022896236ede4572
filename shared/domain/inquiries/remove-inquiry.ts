import type { Collection, Ledger, RecordRef, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { readMessages } from '../threads/remove-messages.ts';
import { inquiries, type InquiryRecord } from './inquiry-record.ts';
import { sourceRef } from './sources.ts';

/**
 * The part of a write that removes an inquiry and what its source recorded. What owns the lists of its lead must be read in
 * the same write: what is left of the lead.
 *
 * @param messages the numbers of all messages of its thread, if it has one
 * @returns 'has more' where its thread has other messages as well: then all of it stays. One can have come after they were
 *   listed, or be on its way to the thread then. Without its thread, nobody would ever find it.
 */
export async function removeInquiry(
  ledger: Ledger,
  write: Write,
  inquiry: InquiryRecord,
  messages: readonly number[],
): Promise<'removed' | 'gone' | 'has more'> {
  const source: RecordRef = sourceRef(ledger, inquiry);
  const refs = [source, ledger.ref(inquiries, inquiry.id)];
  const [found, ofThread] = await Promise.all([
    Promise.all(refs.map((ref) => write.read(ref, { mayStayUnchanged: true }))),
    messages.length > 0 ? readMessages(write, inquiry.sourceId, messages) : [],
  ]);
  const there = refs.filter((_, at) => found[at] !== undefined);
  // Another erasure was faster: a message that is read nevertheless is about to go.
  if (there.length === 0) return 'gone';
  if (there.includes(source) && write.membersOf(source) > ofThread.length) return 'has more';
  // A thread's list is empty before the thread goes.
  for (const ref of [...ofThread, ...there]) write.remove<Collection>(ref);
  recordEvent(write, { event: 'INQUIRY_ERASED', about: inquiry.id });
  return 'removed';
}
