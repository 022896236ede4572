import { Failure } from '../../core/failure.ts';
import { storable } from '../../core/readable.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import { wasErasedSince } from '../erasure/erased-numbers.ts';
import { recordEvent } from '../events/record-event.ts';
import { LeadChange, readLead } from '../leads/lead-change.ts';
import { leads, phoneValue } from '../leads/lead-record.ts';
import { addLead } from '../leads/leads.ts';
import { pipelineRead } from '../leads/pipeline-record.ts';
import { countAnswer, recordHelpAnswer } from '../opt-outs/opt-outs.ts';
import { organizations, type OrganizationRecord } from '../settings/organization-record.ts';
import { takesSms, validNumber } from '../phone/phone-number.ts';
import { addMessage, messages, providerIdOf } from '../threads/threads.ts';
import { answerTo, keywordIn, type Keyword } from './keywords.ts';
import { addToConversation, threadOf, updateInquiryOnSms, type Conversation } from './sms-threads.ts';
import { handOver, originOf, type StoredSms } from './hand-over.ts';
import { setOptOut } from './set-opt-out.ts';
import type { SmsProvider } from './sms-provider.ts';

/** An SMS that came in to a number of the organization. */
export interface ReceivedSms {
  /** The provider's id for the SMS. */
  id: string;
  /** The sender: a phone number, or another name that the network shows. */
  from: string;
  /** The number that the SMS came to. */
  to: string;
  text: string;
  at: string;
  /** The provider's id of the message that the SMS answers, if the provider knows it. */
  inReplyTo: string | undefined;
}

/** Callbacks for errors and outcomes. */
export interface Listeners {
  /** Gets an error that does not stop the work. */
  report: (error: unknown) => void;
  /** Gets the outcome of sending an answer: `SENT`, or the reason of the failure with its cause. */
  reportSms: (outcome: string, cause?: Error) => void;
}

/** A received SMS, with its sender's number and its keyword. */
interface ParsedSms extends ReceivedSms {
  /** The sender's number in E.164; empty if the sender is no phone number. */
  phone: string;
  keyword: Keyword | undefined;
  /** True if the SMS consists of its keyword. */
  isKeyword: boolean;
}

type KeywordAnswer = Pick<StoredSms, 'to' | 'text' | 'from'>;

/**
 * Stores an incoming SMS in one transaction: the message, its inquiry, the activity, and the lead. The inquiry becomes
 * unread. The lead is created if none has the number. Stores nothing if the SMS is stored already, or if its sender was
 * erased after it came in. Carries out and answers STOP, START and HELP. STOP and START of a number without a lead, or
 * from before an erasure, change only the number's opt-out. No message, inquiry or lead is stored then. A stored answer
 * is handed to the provider at most once.
 *
 * `ledgers.before` stores the SMS, so its deadline must leave `timeToSend`; `ledgers.after` stores the outcome of the
 * answer. If the outcome cannot be stored, `report` gets the error. `reportSms` gets the outcome of the answer, because
 * a repeat would not send the answer again.
 */
export async function receiveSms(
  ledgers: { before: Ledger; after: Ledger },
  provider: SmsProvider,
  received: ReceivedSms,
  { report, reportSms }: Listeners,
): Promise<void> {
  const phone = await numberOf(received.from);
  const { keyword, isAll = false } = (phone === '' ? undefined : keywordIn(received.text)) ?? {};
  const answer = await storeSms(ledgers.before, { ...received, phone, keyword, isKeyword: isAll }, provider);
  if (!answer) return;
  const outcome =
    'ref' in answer
      ? await handOver(ledgers.after, provider.send, answer, report)
      : await provider.send({ ...answer, context: { organization: ledgers.before.organization } });
  if (outcome.status === 'SENT') reportSms(outcome.status);
  else reportSms(outcome.reason, outcome.cause);
}

/**
 * The number in E.164, as leads store it. A number that the tables of numbering plans do not know is kept as
 * the network writes it. Empty for a short code or a name.
 */
async function numberOf(from: string): Promise<string> {
  const valid = await validNumber(from, '');
  return valid !== '' || !/^\+[1-9]\d{6,14}$/.test(from) ? valid : from;
}

/**
 * Stores an SMS. Returns the answer to send, if there is one. The answer to a number without a lead is sent but
 * not stored. Beyond the daily limit, the SMS is stored and its keyword obeyed, without an answer.
 */
async function storeSms(
  ledger: Ledger,
  received: ParsedSms,
  provider: SmsProvider,
): Promise<KeywordAnswer | StoredSms | undefined> {
  const isAnswered = received.keyword !== undefined && (await takesSms(received.phone));
  try {
    return await storeAndAnswer(ledger, received, (organization) =>
      isAnswered ? answerOf(received, organization, provider) : undefined,
    );
  } catch (error) {
    if (!(error instanceof Failure && error.kind === 'throttled')) throw error;
    return storeAndAnswer(ledger, received, () => undefined);
  }
}

/** `storeSms` with a limit on answers. @throws Failure `throttled` beyond the limit */
function storeAndAnswer(
  ledger: Ledger,
  received: ParsedSms,
  answerBy: (organization: OrganizationRecord) => KeywordAnswer | undefined,
): Promise<KeywordAnswer | StoredSms | undefined> {
  const { id, phone, inReplyTo, keyword, isKeyword } = received;
  const byId = (providerId: string) => ({ collection: messages, unique: providerIdOf(providerId) });
  const reading = {
    change: { pipeline: pipelineRead },
    check: { ...(keyword && { organization: ledger.ref(organizations, 1) }) },
    holders: {
      stored: byId(id),
      ...(inReplyTo && { answered: byId(inReplyTo) }),
      ...(phone && { byPhone: { collection: leads, unique: phoneValue(phone) } }),
    },
  };
  return ledger.write(reading, async (write, { stored, answered, byPhone, organization }) => {
    if (stored !== undefined) return undefined;
    const answer = organization && answerBy(organization);
    // Undefined too if the lead was deleted meanwhile. The write is then built again, because the head has moved.
    const [existingLead, isErased] = await Promise.all([
      byPhone === undefined ? undefined : readLead(ledger, write, byPhone),
      wasErasedSince(write, phone, received.at),
    ]);
    const isNobodys = isErased || (!existingLead && isKeyword);
    if (isNobodys && (keyword === 'STOP' || keyword === 'START')) {
      return applyKeyword(write, received, existingLead, answer);
    }
    if (isErased) return undefined;
    const lead = existingLead ?? (await newLead(write, phone));
    const thread = existingLead && (await threadOf(write, existingLead, answered));
    const conversation = addToConversation(write, lead, thread, {
      message: messageOf(received),
      number: received.to,
      isRead: false,
      givenPhone: phone === '' ? received.from : '',
    });
    if (thread)
      await updateInquiryOnSms(ledger, write, lead, { thread, number: received.to, text: received.text });
    lead.recordActivity({ event: 'SMS_RECEIVED', about: conversation.inquiryId });
    const due = keyword && (await applyKeyword(write, received, lead, answer));
    return due && storeAnswer(write, lead, conversation, due);
  });
}

async function newLead(write: Write, phone: string): Promise<LeadChange> {
  const { ref, record } = await addLead(write, { phone });
  return new LeadChange(write, ref, record);
}

/** The message of an SMS. */
const messageOf = ({ id, text, at }: ReceivedSms) =>
  ({
    direction: 'INBOUND',
    text: storable(text),
    status: 'RECEIVED',
    userId: null,
    providerId: id,
    createdAt: at,
  }) as const;

/**
 * Number of answers to keywords that a number gets in a day, UTC. HELP gets fewer, because an autoresponder may repeat
 * it.
 */
const answersADay = { ANSWER: 3 };
const answersToHelpADay = { ...answersADay, HELP: 1 };

/** Carries out a keyword, as part of a write. Returns the answer if it is to be sent, and counts it. */
async function applyKeyword(
  write: Write,
  { keyword, phone, at }: ParsedSms,
  lead: LeadChange | undefined,
  answer: KeywordAnswer | undefined,
): Promise<KeywordAnswer | undefined> {
  const isAnswered =
    keyword === 'HELP'
      ? answer !== undefined && (await recordHelpAnswer(write, phone))
      : await setOptOut(write, { phone, lead, isOptedOut: keyword === 'STOP', at });
  if (!isAnswered || !answer) return undefined;
  countAnswer(write, phone, keyword === 'HELP' ? answersToHelpADay : answersADay);
  return answer;
}

/**
 * The answer to a keyword, sent from the number that the keyword came to. Undefined if there is nothing to
 * send from.
 */
function answerOf(
  { keyword, phone, to }: ParsedSms,
  organization: OrganizationRecord,
  provider: SmsProvider,
): KeywordAnswer | undefined {
  const from = originOf(organization, to, provider);
  if (keyword === undefined || from === undefined) return undefined;
  return { to: phone, text: answerTo(keyword, organization.name), from };
}

/** Stores an answer that is about to be handed to the provider, as part of a write. */
function storeAnswer(
  write: Write,
  lead: LeadChange,
  { threadId, inquiryId }: Conversation,
  answer: KeywordAnswer,
): StoredSms {
  const message = { direction: 'OUTBOUND', text: answer.text, status: 'SENDING', userId: null } as const;
  const { id } = addMessage(write, { id: threadId, inquiryId }, message);
  recordEvent(write, { event: 'SMS_CREATED', about: inquiryId });
  return { ...answer, ref: { collection: messages, number: id }, leadId: lead.id, inquiryId };
}
