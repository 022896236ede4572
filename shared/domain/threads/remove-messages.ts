import type { Page } from '../../core/page.ts';
import type { Collection, Ledger, RecordRef, Write } from '../../ledger/index.ts';
import { messages, threads, type MessageRecord } from './threads.ts';

/**
 * The newest messages of a thread, at most `limit`, and their total; empty for a removed thread. One round
 * trip.
 */
export function newestMessages(
  ledger: Ledger,
  threadId: string | number,
  limit: number,
): Promise<Page<MessageRecord>> {
  return ledger.ownedList(ledger.ref(threads, threadId), messages, 'thread', { page: 1, limit });
}

/**
 * Removes messages of a thread, if they still exist, as part of a write. Returns the number of removed messages. A
 * message that was SENDING is no longer due for a worker.
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

/** Reads messages of a thread in a write that removes them. Returns the keys of the messages that exist. */
export async function readMessages(
  write: Write,
  threadId: string | number,
  numbers: readonly number[],
): Promise<RecordRef<typeof messages>[]> {
  const refs = numbers.map((number): RecordRef<typeof messages> => ({ collection: messages, number }));
  // The thread owns the list that the messages leave.
  const thread = { collection: threads, number: Number(threadId) };
  const [owner, ...found] = await Promise.all(
    [thread, ...refs].map((ref) => write.read<Collection>(ref, { mayStayUnchanged: true })),
  );
  // Another write is removing the thread and its messages. The transaction detects that.
  if (owner === undefined) await write.readFormer(thread);
  return refs.filter((_, at) => found[at] !== undefined);
}
