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
    /** The organization's number in this conversation, in E.164; empty if the organization had none. */
    number: v.string(),
    createdAt: v.string(),
  }),
} as const satisfies Collection;
export type ThreadRecord = RecordOf<typeof threads>;

/** Milliseconds after which a message that is still SENDING has an unknown outcome. */
const maxSendingTime = 3_600_000;

/** One SMS. Messages are a list of their thread, so that only the end of a long conversation is read. */
export const messages = {
  name: 'MESSAGE',
  label: 'message',
  schema: v.object({
    id: v.number(),
    threadId: v.number(),
    /** The inquiry of its thread, which shows it. */
    inquiryId: v.string(),
    direction: v.picklist(smsDirections),
    text: v.string(),
    status: v.picklist(smsStatuses),
    /** The user who wrote the message, if one did. */
    userId: v.nullable(v.string()),
    /** The provider's id for the message, if it came in or was sent. */
    providerId: v.nullable(v.string()),
    createdAt: v.string(),
  }),
  uniques: ({ providerId }: { providerId: string | null }) => [providerIdOf(providerId)],
  lists: {
    thread: {
      of: ({ threadId }: { threadId: number }) => ({ owner: { collection: threads, id: threadId } }),
    },
  },
  shownIn: ({ inquiryId }: { inquiryId: string }) => ({
    collection: { name: 'INQUIRY', prefix: 'inquiry' } as const,
    id: inquiryId,
  }),
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
  /** The provider's id for the message, if it has one. */
  providerId?: string;
  /** Time at which the message was sent or came in; the time of the write, if not given. */
  createdAt?: string;
};

/** Unique value of a message's id at the provider. */
export const providerIdOf = (providerId: string | null) => ({
  field: 'providerId',
  value: providerId ?? '',
  isExact: true as const,
});

/** A new thread, with its first messages. */
export interface NewThread {
  /** The organization's number in this conversation; empty if not given. */
  number?: string;
  messages: readonly NewMessage[];
}

/** Creates the thread of an inquiry, as part of a write. Returns it as the API shows it. */
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
  const added = first.map((message) => addMessage(write, record, message));
  return { id: String(record.id), messages: added.slice(-shownMessages).map(toMessage) };
}

/** Adds a message to a thread that the write has created, or read to change. */
export function addMessage(
  write: Write,
  { id: threadId, inquiryId }: Pick<ThreadRecord, 'id' | 'inquiryId'>,
  message: NewMessage,
): MessageRecord {
  return write.append(messages, ({ number }) => ({
    id: number,
    threadId,
    inquiryId,
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

/**
 * The newest of these messages that fit into an answer of `shownBytes`. An answer's body is a JSON string within JSON.
 */
function fitting(newestFirst: readonly MessageRecord[]): readonly MessageRecord[] {
  let room = shownBytes;
  const end = newestFirst.findIndex((message) => {
    room -= Buffer.byteLength(JSON.stringify(JSON.stringify(toMessage(message))));
    return room < 0;
  });
  return end === -1 ? newestFirst : newestFirst.slice(0, end);
}

/** Messages by time, oldest first: SMS can be processed in another order than they came in. */
const inOrder = (newestFirst: readonly MessageRecord[]): MessageRecord[] =>
  newestFirst.toReversed().sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));

function toMessage({ id, direction, text, createdAt, status }: MessageRecord): SmsData['messages'][number] {
  return { id: String(id), direction, text, createdAt, status };
}
