import * as v from 'valibot';
import { shownMessages, smsDirections, smsStatuses, type SmsData } from '../../contract/inquiries.ts';
import { type Collection, type RecordRef, type RecordOf } from '../../ledger/internal/collection.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';
import type { Write } from '../../ledger/internal/write.ts';
import { merge } from '../../core/merge.ts';

/** The list of the messages of a thread. */
const messagesView = { index: 'view1' } as const;

/** A conversation by SMS with one lead: what an SMS inquiry is about. */
export const threads = {
  name: 'THREAD',
  label: 'message thread',
  schema: v.object({
    id: v.number(),
    leadId: v.string(),
    inquiryId: v.string(),
    messageCount: v.number(),
    createdAt: v.string(),
  }),
  lists: ({ messageCount }: { messageCount: number }) => [
    { of: messages.name, ...messagesView, length: messageCount },
  ],
} as const satisfies Collection;
export type ThreadRecord = RecordOf<typeof threads>;

/** One SMS. Its place in its thread is a view, so that a long conversation is read by its end alone. */
export const messages = {
  name: 'MESSAGE',
  label: 'message',
  schema: v.object({
    id: v.number(),
    threadId: v.number(),
    direction: v.picklist(smsDirections),
    text: v.string(),
    status: v.picklist(smsStatuses),
    /** The user it is from, where a user wrote it. */
    userId: v.nullable(v.string()),
    /** The provider's id of it, once it was sent. */
    providerId: v.nullable(v.string()),
    createdAt: v.string(),
  }),
} as const satisfies Collection;
export type MessageRecord = RecordOf<typeof messages>;
export type NewMessage = Pick<MessageRecord, 'direction' | 'text' | 'status' | 'userId'>;

/** A thread as it begins, with what was written in it so far. */
export interface NewThread {
  messages: NewMessage[];
}

/** The part of a write that begins a thread with a lead, which an inquiry is about. */
export function addThread(
  write: Write,
  of: { leadId: string; inquiryId: string },
  { messages: first }: NewThread,
): ThreadRecord {
  const { ref, record } = write.append(threads, ({ number }) => ({
    id: number,
    ...of,
    messageCount: 0,
    createdAt: write.now,
  }));
  let thread = record;
  for (const message of first) thread = addMessage(write, { ref, thread, message });
  return thread;
}

/** The part of a write that adds a message to a thread that it has begun or read. */
export function addMessage(
  write: Write,
  { ref, thread, message }: { ref: RecordRef<typeof threads>; thread: ThreadRecord; message: NewMessage },
): ThreadRecord {
  const longer = merge(thread, { messageCount: thread.messageCount + 1 });
  write.replace(ref, longer);
  write.append(
    messages,
    ({ number }) => ({
      id: number,
      threadId: thread.id,
      ...message,
      providerId: null,
      createdAt: write.now,
    }),
    [{ ...messagesView, owner: ref, rank: longer.messageCount }],
  );
  return longer;
}

/** The thread that an inquiry names, with its newest messages. One round trip. @throws Error when it is not there */
export async function readThread(ledger: Ledger, threadId: string | number): Promise<SmsData> {
  const page = { page: 1, limit: shownMessages };
  const ref = ledger.ref(threads, threadId);
  const { owner, items } = await ledger.owned(ref, messages, messagesView, page, { isNamed: true });
  if (owner === undefined) throw new Error(`There is no message thread ${threadId}, which an inquiry names`);
  return { id: String(owner.id), messages: items.map(toMessage).reverse() };
}

function toMessage({ id, direction, text, createdAt, status }: MessageRecord): SmsData['messages'][number] {
  return { id: String(id), direction, text, createdAt, status };
}
