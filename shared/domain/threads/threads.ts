import * as v from 'valibot';
import { resolveSendingWorker } from '../../contract/sms.ts';
import { shownMessages, smsDirections, smsStatuses, type SmsData } from '../../contract/inquiry-data.ts';
import type { Collection, Ledger, RecordOf, Write } from '../../ledger/index.ts';

/** An SMS conversation with one lead: the `data` of an SMS inquiry. */
export const threads = {
  name: 'THREAD',
  label: 'message thread',
  schema: v.object({
    id: v.number(),
    leadId: v.string(),
    inquiryId: v.string(),
    createdAt: v.string(),
  }),
} as const satisfies Collection;
export type ThreadRecord = RecordOf<typeof threads>;

/** A message that is still SENDING after this many milliseconds has an unknown outcome. */
const maxSendingTime = 3_600_000;

/** One SMS. A thread has a list of its messages, so that only the end of a long conversation is read. */
export const messages = {
  name: 'MESSAGE',
  label: 'message',
  schema: v.object({
    id: v.number(),
    threadId: v.number(),
    direction: v.picklist(smsDirections),
    text: v.string(),
    status: v.picklist(smsStatuses),
    /** The user who wrote it, if one did. */
    userId: v.nullable(v.string()),
    /** The provider's id for it, once it was sent. */
    providerId: v.nullable(v.string()),
    createdAt: v.string(),
  }),
  lists: {
    thread: {
      of: ({ threadId }: { threadId: number }) => ({ owner: { collection: threads, id: threadId } }),
    },
  },
  due: ({ status, createdAt }: { status: (typeof smsStatuses)[number]; createdAt: string }) =>
    status === 'SENDING'
      ? {
          worker: resolveSendingWorker.name,
          at: new Date(Date.parse(createdAt) + maxSendingTime).toISOString(),
        }
      : undefined,
} as const satisfies Collection;
export type MessageRecord = RecordOf<typeof messages>;
export type NewMessage = Pick<MessageRecord, 'direction' | 'text' | 'status' | 'userId'> & {
  /** When it was sent or came; now, if not given. */
  createdAt?: string;
};

/** A new thread, with its first messages. */
export interface NewThread {
  messages: readonly NewMessage[];
}

/** The part of a write that creates the thread of an inquiry. Returns it as the API shows it. */
export function addThread(
  write: Write,
  of: { leadId: string; inquiryId: string },
  { messages: first }: NewThread,
): SmsData {
  const { record } = write.append(threads, ({ number }) => ({
    id: number,
    ...of,
    createdAt: write.now,
  }));
  const added = first.map((message) => addMessage(write, record.id, message));
  return { id: String(record.id), messages: added.slice(-shownMessages).map(toMessage) };
}

/** The part of a write that adds a message to a thread that it has created, or read to change. */
export function addMessage(write: Write, threadId: number, message: NewMessage): MessageRecord {
  return write.append(messages, ({ number }) => ({
    id: number,
    threadId,
    providerId: null,
    createdAt: write.now,
    ...message,
  })).record;
}

/** The thread of an inquiry, with its newest messages. One round trip. @throws Error if it does not exist */
export async function readThread(ledger: Ledger, threadId: string | number): Promise<SmsData> {
  const page = { page: 1, limit: shownMessages };
  const ref = ledger.ref(threads, threadId);
  const { owner, items } = await ledger.ownedList(ref, messages, 'thread', page, { isNamed: true });
  if (owner === undefined) throw new Error(`There is no message thread ${threadId}, which an inquiry names`);
  return { id: String(owner.id), messages: items.map(toMessage).reverse() };
}

function toMessage({ id, direction, text, createdAt, status }: MessageRecord): SmsData['messages'][number] {
  return { id: String(id), direction, text, createdAt, status };
}
