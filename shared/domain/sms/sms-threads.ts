import { cutText } from '../../core/cut-text.ts';
import { readable, readableLine } from '../../core/readable.ts';
import type { Ledger, RecordRef, Write } from '../../ledger/index.ts';
import { addInquiry } from '../inquiries/inquiries.ts';
import { arrivalOf, inquiries } from '../inquiries/inquiry-record.ts';
import type { LeadChange } from '../leads/lead-change.ts';
import { addMessage, messages, threads, type NewMessage, type ThreadRecord } from '../threads/threads.ts';

/** Longest beginning of a message in a summary, and longest sender that is kept, in code points. */
const maxLengths = { summary: 200, givenPhone: 200 } as const;

const summaryOf = (text: string): string => cutText(readable(text), maxLengths.summary);

/** The thread and the inquiry that a message was added to. */
export interface Conversation {
  threadId: number;
  inquiryId: string;
}

/** A message, and the fields of the thread that it may begin. */
interface SmsThreadMessage {
  message: NewMessage;
  /** The organization's number in a new thread; empty if the organization has none. */
  number: string;
  isRead: boolean;
  /** Sender as the network shows it, if it is no phone number; otherwise empty. */
  givenPhone?: string;
}

/**
 * Adds a message, as part of a write. Adds it to a thread that the write has read to change, or to a new thread with a
 * new inquiry.
 */
export function addToConversation(
  write: Write,
  lead: LeadChange,
  thread: ThreadRecord | undefined,
  { message, number, isRead, givenPhone = '' }: SmsThreadMessage,
): Conversation {
  if (thread) {
    addMessage(write, thread, message);
    return { threadId: thread.id, inquiryId: thread.inquiryId };
  }
  const { record } = addInquiry(write, lead, {
    source: 'SMS',
    summary: summaryOf(message.text),
    isRead,
    givenPhone: readableLine(givenPhone, maxLengths.givenPhone),
    data: { number, messages: [message] },
  });
  return { threadId: Number(record.sourceId), inquiryId: record.id };
}

/**
 * Reads the thread that an incoming SMS belongs to, to change it. If the SMS answers a message in a thread of this
 * lead, the SMS belongs to that thread. Otherwise it belongs to the lead's newest thread, if there is one. The write
 * must have read the lead to change before: so the transaction proves that the lead's newest thread has not changed.
 */
export async function threadOf(
  write: Write,
  lead: LeadChange,
  answered: number | undefined,
): Promise<ThreadRecord | undefined> {
  if (answered !== undefined) {
    // A message never moves to another thread, so nothing needs to check it.
    const message = await write.read({ collection: messages, number: answered }, { mayStayUnchanged: true });
    const thread = message && (await readThreadIn(write, message.threadId));
    if (thread?.leadId === lead.id) return thread;
  }
  return lead.newestThreadId === undefined ? undefined : readThreadIn(write, lead.newestThreadId);
}

const threadRef = (number: number): RecordRef<typeof threads> => ({ collection: threads, number });

const readThreadIn = (write: Write, number: number) =>
  write.read(threadRef(number), { mayStayUnchanged: true });

/**
 * Updates the inquiry of a thread that got an SMS, as part of a write. The inquiry becomes the newest unread inquiry,
 * and the lead's last inquiry. The text becomes its summary, unless a client wrote the summary. The thread keeps the
 * organization's number that the SMS came to.
 */
export async function updateInquiryOnSms(
  ledger: Ledger,
  write: Write,
  lead: LeadChange,
  { thread, number, text }: { thread: ThreadRecord; number: string; text: string },
): Promise<void> {
  if (thread.number !== number) write.replace(threadRef(thread.id), { ...thread, number });
  const ref = ledger.ref(inquiries, thread.inquiryId);
  const inquiry = await write.read(ref, { mayStayUnchanged: true });
  if (!inquiry) return;
  const { now } = write;
  const before = arrivalOf(inquiry).at;
  // Another writer's clock may have been ahead.
  const at = now > before ? now : before;
  const beginning = summaryOf(text);
  const takesSummary = !inquiry.isSummaryGiven && beginning.trim() !== '';
  const moved = { ...inquiry, ...(takesSummary && { summary: beginning }), isRead: false };
  write.replace(ref, { ...moved, lastTextAt: at, updatedAt: now }, { newestIn: 'unread' });
  if (inquiry.isRead) lead.countRead(inquiry.source, false);
  lead.recordArrival({ inquiryId: inquiry.id, at });
}
