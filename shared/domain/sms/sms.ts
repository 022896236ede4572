import { sentences, smsFailure } from '../../contract/errors.ts';
import type { NewSms } from '../../contract/sms.ts';
import { addInquiry } from '../inquiries/inquiries.ts';
import { LeadChange } from '../leads/lead-change.ts';
import { leadRef } from '../leads/leads.ts';
import { type RecordRef } from '../../ledger/internal/collection.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';
import { userRef } from '../members/members.ts';
import type { SendText, TextOutcome } from './send-text.ts';
import { addMessage, messages, threads, type NewMessage } from '../threads/threads.ts';
import { notFound } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';

/** How much of a message is the summary of the inquiry that it begins, in characters. */
const summaryLength = 200;

/** An SMS that was sent, and where it is read: the inquiry, the thread that is its `data`, the message there. */
export interface SentSms {
  messageId: string;
  messageThreadId: string;
  inquiryId: string;
}

/**
 * Sends an SMS to a lead. All that is known of it is stored first, in one transaction: message, thread, inquiry and
 * activity. Then it is handed to the provider, once; then its outcome is stored. Whatever happens between, it is never
 * sent again: its message stays SENDING.
 *
 * `ledgers.before` is used until it is handed over, so its deadline must leave `timeToSend`; `ledgers.after` records the
 * outcome. `report` is told when that cannot be stored, since the SMS was sent all the same.
 *
 * @throws Failure `notFound` for the user, the lead or the thread; the SMS endpoint's own failures for the rest.
 */
export async function sendSms(
  ledgers: { before: Ledger; after: Ledger },
  send: SendText | undefined,
  input: NewSms,
  report: (error: unknown) => void,
): Promise<SentSms> {
  if (!send) throw smsFailure('UNREACHED', { message: sentences.smsNotSetUp });
  const { ref, to, sent } = await storeMessage(ledgers.before, input);
  const outcome = await send({ to, text: input.message });
  await storeOutcome(ledgers.after, ref, outcome).catch(report);
  if (outcome.status !== 'SENT') throw smsFailure(outcome.reason, { cause: outcome.cause });
  return sent;
}

function storeMessage(
  ledger: Ledger,
  { userId, leadId, message: text, messageThreadId }: NewSms,
): Promise<{ ref: RecordRef<typeof messages>; to: string; sent: SentSms }> {
  const check = { user: userRef(ledger, userId) };
  const change = {
    lead: leadRef(ledger, leadId),
    ...(messageThreadId !== undefined && { thread: ledger.ref(threads, messageThreadId) }),
  };
  return ledger.write({ change, check }, (write, { user, lead: record, thread }) => {
    if (user === undefined) throw notFound('user');
    const lead = new LeadChange(write, change.lead, record);
    if (change.thread && thread?.leadId !== lead.id) throw notFound(threads.label);
    if (lead.phone === '') throw smsFailure('NO_PHONE');

    const ref = { collection: messages, number: write.next(messages).number };
    const message: NewMessage = { direction: 'OUTBOUND', text, status: 'SENDING', userId };
    let inquiryId: string;
    let messageThreadId: string;
    if (change.thread && thread) {
      addMessage(write, { ref: change.thread, thread, message });
      inquiryId = thread.inquiryId;
      messageThreadId = String(thread.id);
    } else {
      const summary = Array.from(text).slice(0, summaryLength).join('');
      const data = { messages: [message] };
      const inquiry = addInquiry(write, lead, { source: 'SMS', summary, isRead: true, data });
      inquiryId = inquiry.id;
      messageThreadId = inquiry.sourceId;
    }
    lead.tell({ event: 'SMS_SENT', data: 'An SMS was handed over to be sent', referenceId: inquiryId });
    return { ref, to: lead.phone, sent: { messageId: String(ref.number), messageThreadId, inquiryId } };
  });
}

const outcomes = {
  SENT: { event: 'SMS_ACCEPTED', data: 'The provider took the SMS' },
  FAILED: { event: 'SMS_FAILED', data: 'The SMS was not sent' },
  UNKNOWN: { event: 'SMS_UNKNOWN', data: 'The provider gave no answer for the SMS' },
} as const satisfies Record<TextOutcome['status'], object>;

function storeOutcome(ledger: Ledger, ref: RecordRef<typeof messages>, outcome: TextOutcome): Promise<void> {
  return ledger.write({ change: { message: ref } }, (write, { message }) => {
    if (message === undefined) throw notFound(messages.label);
    const providerId = outcome.status === 'SENT' ? outcome.providerId : null;
    write.replace(ref, merge(message, { status: outcome.status, providerId }));
    write.event({ ...outcomes[outcome.status], referenceId: String(message.id) });
  });
}
