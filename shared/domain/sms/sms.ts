import * as v from 'valibot';
import { FailureReason, sentences, smsFailure } from '../../contract/errors.ts';
import type { NewSms } from '../../contract/sms.ts';
import { notFound, undecided } from '../../core/failure.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import { inquiries } from '../inquiries/inquiry-record.ts';
import { recordEvent } from '../events/record-event.ts';
import { LeadChange } from '../leads/lead-change.ts';
import type { LeadRecord } from '../leads/lead-record.ts';
import { leadRef } from '../leads/leads.ts';
import { userRef } from '../members/members.ts';
import { isOptedOut } from '../opt-outs/opt-outs.ts';
import { organizations, type OrganizationRecord } from '../settings/organization-record.ts';
import { takesSms } from '../phone/phone-number.ts';
import { messages, threads, type ThreadRecord } from '../threads/threads.ts';
import { addToConversation } from './sms-threads.ts';
import { handOver, originOf, type StoredSms } from './hand-over.ts';
import type { SmsProvider } from './sms-provider.ts';

/** Ids of a sent SMS, of its thread, and of the inquiry that shows the thread. */
export interface SentSms {
  messageId: string;
  messageThreadId: string;
  inquiryId: string;
}

/**
 * Sends an SMS to a lead. Stores the message, its thread and its inquiry in one transaction, and hands the message to
 * the provider once. Then stores the outcome and, if the message was sent, the activity. The message is never sent
 * again: if the outcome is lost, the message stays SENDING until `resolveSending` makes it UNKNOWN. If the provider
 * refuses because the number has opted out, the lead is opted out.
 *
 * `ledgers.before` stores the message, so its deadline must leave `timeToSend`; `ledgers.after` stores the outcome. If
 * the outcome cannot be stored, `report` gets the error, because the SMS was sent all the same.
 *
 * @throws Failure `notFound` for the user, the lead or the thread; otherwise the SMS endpoint's own failures
 */
export async function sendSms(
  ledgers: { before: Ledger; after: Ledger },
  provider: SmsProvider,
  input: SignedSms,
  report: (error: unknown) => void,
): Promise<SentSms> {
  const { stored, sent } = await storeMessage(ledgers.before, provider, input);
  const outcome = await handOver(ledgers.after, provider.send, stored, report);
  if (outcome.status !== 'SENT') throw smsFailure(outcome.reason, { cause: outcome.cause });
  return sent;
}

/**
 * Outcome of an SMS that this request stored before. Sends nothing. One round trip; one more if it failed just now.
 * @throws Failure `conflict` while the outcome is not known; the SMS endpoint's own failures, `UNKNOWN` also if the
 * message was erased
 */
export async function readSent(ledger: Ledger): Promise<SentSms> {
  const number = ledger.keptId(messages);
  const message = await ledger.getOrUndefined({ collection: messages, number });
  // The write that stored the failure stored its reason, too, perhaps after the request was read.
  if (message?.status === 'FAILED' && ledger.replayData === '')
    await ledger.refreshKept({ isSerializable: true });
  switch (message?.status) {
    case 'SENDING':
      throw undecided();
    case 'SENT':
    case 'DELIVERED':
    case 'UNDELIVERED':
      return {
        messageId: String(number),
        messageThreadId: String(ledger.keptId(threads)),
        inquiryId: ledger.keptId(inquiries),
      };
    case 'FAILED':
    case 'UNKNOWN':
    case 'RECEIVED':
    case undefined:
      throw smsFailure(v.parse(v.fallback(FailureReason, 'UNKNOWN'), ledger.replayData));
  }
}

/** A new SMS, with the user who sends it. */
type SignedSms = NewSms & { userId: string };

/** Records that sending a message relies on. */
interface SendContext {
  lead: LeadRecord;
  /** Undefined for a message that begins a thread. */
  thread?: ThreadRecord;
  organization: OrganizationRecord;
}

function storeMessage(
  ledger: Ledger,
  provider: SmsProvider,
  { userId, leadId, message: text, messageThreadId }: SignedSms,
): Promise<{ stored: StoredSms; sent: SentSms }> {
  const check = { user: userRef(ledger, userId), organization: ledger.ref(organizations, 1) };
  const receiver = leadRef(ledger, leadId);
  const store = async (write: Write, { lead: record, thread, organization }: SendContext) => {
    const lead = new LeadChange(write, receiver, record);
    if (thread && thread.leadId !== lead.id) throw notFound(threads.label);
    if (lead.phone === '') throw smsFailure('NO_PHONE');
    if (!(await takesSms(lead.phone))) throw smsFailure('NO_PHONE', { message: sentences.costlyPhone });
    // The opt-out itself decides, too: a lead with a damaged mark must get no SMS either.
    if (lead.isOptedOut || (await isOptedOut(write, lead.phone))) throw smsFailure('OPTED_OUT');
    const from = originOf(organization, thread?.number ?? '', provider);
    if (from === undefined) throw smsFailure('UNREACHED', { message: sentences.smsNotSetUp });

    const ref = { collection: messages, number: write.next(messages).number };
    const { threadId, inquiryId } = addToConversation(write, lead, thread, {
      message: { direction: 'OUTBOUND', text, status: 'SENDING', userId },
      number: organization.numbers[0]?.number ?? '',
      isRead: true,
    });
    recordEvent(write, { event: 'SMS_CREATED', about: inquiryId });
    write.keep(ref);
    write.keep({ collection: threads, number: threadId });
    write.keep(ledger.ref(inquiries, inquiryId));
    return {
      stored: { ref, leadId: lead.id, inquiryId, to: lead.phone, text, from },
      sent: { messageId: String(ref.number), messageThreadId: String(threadId), inquiryId },
    };
  };
  if (messageThreadId === undefined) return ledger.write({ check, change: { lead: receiver } }, store);
  // Only a message that begins a thread changes the lead.
  const change = { thread: ledger.ref(threads, messageThreadId) };
  return ledger.write({ check: { ...check, lead: receiver }, change }, store);
}
