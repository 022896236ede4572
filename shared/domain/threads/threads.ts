import * as v from 'valibot';
import { resolveSendingWorker } from '../../contract/sms.ts';
import {
  shownBytes,
  shownMessages,
  smsDirections,
  smsStatuses,
  type SmsData,
} from '../../contract/inquiry-data.ts';
import type { Collection, Ledger, RecordOf, Write } from '../../ledger/index.ts';

/** An SMS conversation with one lead: the `data` of an SMS inquiry. */
export const threads = {
  name: 'THREAD',
  label: 'message thread',
  schema: v.object({
    id: v.number(),
    leadId: v.string(),
    inquiryId: v.string(),
    /** The organization's number that it is with, in E.164; empty where it has none of its own. */
    number: v.string(),
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
    /** The provider's id for it: of one that came in, or was sent. */
    providerId: v.nullable(v.string()),
    createdAt: v.string(),
  }),
  uniques: ({ providerId }: { providerId: string | null }) => [providerIdOf(providerId)],
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
  /** The provider's id for it; none, if not given. */
  providerId?: string;
  /** When it was sent or came; now, if not given. */
  createdAt?: string;
};

/** The provider's id for a message, as the value that no other message has. */
export const providerIdOf = (providerId: string | null) => ({
  field: 'providerId',
  value: providerId ?? '',
  isExact: true as const,
});

/** A new thread, with its first messages. */
export interface NewThread {
  /** The organization's number that it is with; none of its own, if not given. */
  number?: string;
  messages: readonly NewMessage[];
}

/** The part of a write that creates the thread of an inquiry. Returns it as the API shows it. */
export function addThread(
  write: Write,
  of: { leadId: string; inquiryId: string },
  { number: withNumber = '', messages: first }: NewThread,
): SmsData {
  const { record } = write.append(threads, ({ number }) => ({
    id: number,
    ...of,
    number: withNumber,
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
  const { owner, items } = await ledger.ownedList(ref, messages, 'thread', page, { isReferenced: true });
  if (owner === undefined) throw new Error(`There is no message thread ${threadId}, which an inquiry names`);
  return { id: String(owner.id), messages: inOrder(fitting(items)).map(toMessage) };
}

/** The newest of these messages, as many as an answer holds: its body is a string of JSON within JSON. */
function fitting(newestFirst: readonly MessageRecord[]): readonly MessageRecord[] {
  let room = shownBytes;
  const end = newestFirst.findIndex((message) => {
    room -= Buffer.byteLength(JSON.stringify(JSON.stringify(toMessage(message))));
    return room < 0;
  });
  return end === -1 ? newestFirst : newestFirst.slice(0, end);
}

/** Oldest first: texts can come in another order than they were sent. */
const inOrder = (newestFirst: readonly MessageRecord[]): MessageRecord[] =>
  newestFirst.toReversed().sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));

function toMessage({ id, direction, text, createdAt, status }: MessageRecord): SmsData['messages'][number] {
  return { id: String(id), direction, text, createdAt, status };
}
