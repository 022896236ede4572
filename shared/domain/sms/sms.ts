import { sentences, smsFailure } from '../../contract/errors.ts';
import type { EventName } from '../../contract/events.ts';
import type { NewSms } from '../../contract/sms.ts';
import { addInquiry } from '../inquiries/inquiries.ts';
import { LeadChange } from '../leads/lead-change.ts';
import { leadRef } from '../leads/leads.ts';
import { userRef } from '../members/members.ts';
import type { SendText, TextOutcome } from './send-text.ts';
import { addMessage, messages, threads, type NewMessage } from '../threads/threads.ts';
import { notFound } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';
import type { Ledger, RecordRef } from '../../ledger/index.ts';
import { tell } from '../events/tell.ts';

/** An inquiry's summary is the beginning of its first message: at most this many characters. */
const summaryLength = 200;

/** The ids of an SMS that was sent: of the message, its thread, and the inquiry that shows the thread. */
export interface SentSms {
  messageId: string;
  messageThreadId: string;
  inquiryId: string;
}

/**
 * Sends an SMS to a lead: stores message, thread, inquiry and activity in one transaction, hands the message
 * to the provider once, then stores the outcome. It is never sent again: if the outcome is lost, the message
 * stays SENDING until `resolveSending` makes it UNKNOWN.
 *
 * `ledgers.before` stores the message, so its deadline must leave `timeToSend`; `ledgers.after` stores the
 * outcome. If that fails, `report` gets the error, since the SMS was sent all the same.
 *
 * @throws Failure `notFound` for the user, the lead or the thread; otherwise the SMS endpoint's own failures
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
  return ledger.write({ check, change }, (write, { lead: record, thread }) => {
    const lead = new LeadChange(write, change.lead, record);
    if (thread && thread.leadId !== lead.id) throw notFound(threads.label);
    if (lead.phone === '') throw smsFailure('NO_PHONE');

    const ref = { collection: messages, number: write.next(messages).number };
    const message: NewMessage = { direction: 'OUTBOUND', text, status: 'SENDING', userId };
    let inquiryId: string;
    let messageThreadId: string;
    if (thread) {
      addMessage(write, thread.id, message);
      inquiryId = thread.inquiryId;
      messageThreadId = String(thread.id);
    } else {
      const summary = Array.from(text).slice(0, summaryLength).join('');
      const data = { messages: [message] };
      const { record: inquiry } = addInquiry(write, lead, { source: 'SMS', summary, isRead: true, data });
      inquiryId = inquiry.id;
      messageThreadId = inquiry.sourceId;
    }
    lead.tell({ event: 'SMS_SENT', about: inquiryId });
    return { ref, to: lead.phone, sent: { messageId: String(ref.number), messageThreadId, inquiryId } };
  });
}

const eventOf = {
  SENT: 'SMS_ACCEPTED',
  FAILED: 'SMS_FAILED',
  UNKNOWN: 'SMS_UNKNOWN',
} as const satisfies Record<TextOutcome['status'], EventName>;

function storeOutcome(ledger: Ledger, ref: RecordRef<typeof messages>, outcome: TextOutcome): Promise<void> {
  return ledger.write({ change: { message: ref } }, (write, { message }) => {
    const providerId = outcome.status === 'SENT' ? outcome.providerId : null;
    write.replace(ref, merge(message, { status: outcome.status, providerId }));
    tell(write, { event: eventOf[outcome.status], about: message.id });
  });
}
