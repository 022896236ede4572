import type { Page } from '../../core/page.ts';
import type { Collection, Ledger, RecordRef, Write } from '../../ledger/index.ts';
import { messages, threads, type MessageRecord } from './threads.ts';

/** The newest messages of a thread, at most `limit`, and how many it has; none of one that is gone. One round trip. */
export function newestMessages(
  ledger: Ledger,
  threadId: string | number,
  limit: number,
): Promise<Page<MessageRecord>> {
  return ledger.ownedList(ledger.ref(threads, threadId), messages, 'thread', { page: 1, limit });
}

/**
 * The part of a write that removes messages of a thread, as far as they are there. Returns how many it removed. A
 * message that is still SENDING is due for no worker any more.
 */
export async function removeMessages(
  write: Write,
  threadId: string | number,
  numbers: readonly number[],
): Promise<number> {
  const there = await readMessages(write, threadId, numbers);
  for (const ref of there) write.remove(ref);
  return there.length;
}

/** Reads messages of a thread to remove them: gives those that are there. */
export async function readMessages(
  write: Write,
  threadId: string | number,
  numbers: readonly number[],
): Promise<RecordRef<typeof messages>[]> {
  const refs = numbers.map((number): RecordRef<typeof messages> => ({ collection: messages, number }));
  // It owns the list that they leave.
  const thread = { collection: threads, number: Number(threadId) };
  const [owner, ...found] = await Promise.all(
    [thread, ...refs].map((ref) => write.read<Collection>(ref, { mayStayUnchanged: true })),
  );
  // Its removal is on its way to the messages; the transaction finds out.
  if (owner === undefined) await write.readFormer(thread);
  return refs.filter((_, at) => found[at] !== undefined);
}
