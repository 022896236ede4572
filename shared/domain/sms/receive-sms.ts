import { Failure } from '../../core/failure.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { LeadChange } from '../leads/lead-change.ts';
import { leads, phoneValue } from '../leads/lead-record.ts';
import { addLeadWith, leadRef } from '../leads/leads.ts';
import type { PipelineRecord } from '../leads/pipeline-record.ts';
import { PipelineChange, pipelineIn } from '../leads/pipeline.ts';
import { countAnswer, recordHelpAnswer } from '../opt-outs/opt-outs.ts';
import { organizations, type Organization } from '../organizations/organizations.ts';
import { takesSms, validNumber } from '../phone/phone-number.ts';
import { addMessage, messages, providerIdOf } from '../threads/threads.ts';
import { answerTo, keywordOf, type Keyword } from './keywords.ts';
import { addToConversation, threadOf, updateInquiryOnSms, type Conversation } from './conversations.ts';
import { handOver, originOf, type StoredSms } from './hand-over.ts';
import { setOptOut } from './set-opt-out.ts';
import type { SmsProvider } from './sms-provider.ts';

/** A text that came in to a number of the organization. */
export interface ReceivedSms {
  /** The provider's id for it. */
  id: string;
  /** Who it is from: a phone number, or what else a network shows. */
  from: string;
  /** The number that it came to. */
  to: string;
  text: string;
  /** When it came. */
  at: string;
  /** The provider's id of the message that it answers, where the provider knows one. */
  inReplyTo: string | undefined;
}

/** Who is told how it went. */
export interface Listeners {
  /** Gets an error, after which the work goes on. */
  report: (error: unknown) => void;
  /** Gets what became of an answer: `SENT`, or the reason why not, with its cause. */
  reportSms: (text: string, cause?: Error) => void;
}

/** A received text, and what is known of it before anything is read. */
interface ParsedSms extends ReceivedSms {
  /** Who it is from, in E.164; empty where that is no phone number. */
  phone: string;
  keyword: Keyword | undefined;
}

/** An answer to a keyword. */
type KeywordAnswer = Pick<StoredSms, 'to' | 'text' | 'from'>;

/**
 * Stores a text that came in: the message, its inquiry, which is unread again, the lead, which is made if there is none
 * with the number, and the activity, in one transaction; none if it is stored already. Heeds and answers STOP, START and
 * HELP; the answer is handed over once at most.
 *
 * `ledgers.before` stores the text, so its deadline must leave `timeToSend`; `ledgers.after` stores what came of an
 * answer. If that fails, `report` gets the error. `reportSms` is told whether an answer was sent: a failure cannot be mended by
 * a repeat.
 */
export async function receiveSms(
  ledgers: { before: Ledger; after: Ledger },
  { send, from }: SmsProvider,
  received: ReceivedSms,
  { report, reportSms }: Listeners,
): Promise<void> {
  const phone = await numberOf(received.from);
  const keyword = phone === '' ? undefined : keywordOf(received.text);
  const answer = await storeSms(ledgers.before, { ...received, phone, keyword }, from);
  if (!answer) return;
  const outcome =
    'ref' in answer
      ? await handOver(ledgers.after, send, answer, report)
      : await send({ ...answer, context: { organization: ledgers.before.organization } });
  if (outcome.status === 'SENT') reportSms(outcome.status);
  else reportSms(outcome.reason, outcome.cause);
}

/**
 * The number in E.164, as leads have theirs. What the tables of numbering plans do not know is taken as the network says
 * it, if it looks like a number. Empty for a short code or a name.
 */
async function numberOf(from: string): Promise<string> {
  const known = await validNumber(from, '');
  return known !== '' || !/^\+[1-9]\d{6,14}$/.test(from) ? known : from;
}

/**
 * Returns the answer that is to be sent, if there is one: not stored, where the number has no lead. None to a number that had as many
 * as it gets in a day; what it says is stored and heeded all the same.
 */
async function storeSms(
  ledger: Ledger,
  received: ParsedSms,
  defaultOrigin: string | undefined,
): Promise<KeywordAnswer | StoredSms | undefined> {
  const isAnswered = received.keyword !== undefined && (await takesSms(received.phone));
  try {
    return await storeAndAnswer(ledger, received, (organization) =>
      isAnswered ? answerOf(received, organization, defaultOrigin) : undefined,
    );
  } catch (error) {
    if (!(error instanceof Failure && error.kind === 'throttled')) throw error;
    return storeAndAnswer(ledger, received, () => undefined);
  }
}

/** As `storeSms`. @throws Failure `throttled` for an answer too many */
function storeAndAnswer(
  ledger: Ledger,
  received: ParsedSms,
  answerBy: (organization: Organization) => KeywordAnswer | undefined,
): Promise<KeywordAnswer | StoredSms | undefined> {
  const { id, phone, inReplyTo, keyword } = received;
  const byId = (providerId: string) => ({ collection: messages, unique: providerIdOf(providerId) });
  const reading = {
    change: { pipeline: pipelineIn(ledger) },
    check: { ...(keyword && { organization: ledger.ref(organizations, 1) }) },
    holders: {
      stored: byId(id),
      ...(inReplyTo && { answered: byId(inReplyTo) }),
      ...(phone && { byPhone: { collection: leads, unique: phoneValue(phone) } }),
    },
  };
  return ledger.write(reading, async (write, { stored, answered, byPhone, pipeline, organization }) => {
    if (stored !== undefined) return undefined;
    const answer = organization && answerBy(organization);
    const known = byPhone === undefined ? undefined : await knownLead(ledger, write, byPhone);
    if (!known && (keyword === 'STOP' || keyword === 'START')) {
      return applyKeyword(write, received, undefined, answer);
    }
    const lead = known ?? (await newLead(ledger, write, phone, pipeline));
    const thread = known && (await threadOf(ledger, write, known, answered));
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

/** The lead with an id, read to change. It was deleted since if it is not there: then the write is built again. */
async function knownLead(ledger: Ledger, write: Write, id: string): Promise<LeadChange | undefined> {
  const ref = leadRef(ledger, id);
  const record = await write.read(ref, { mayStayUnchanged: true });
  return record && new LeadChange(write, ref, record);
}

async function newLead(
  ledger: Ledger,
  write: Write,
  phone: string,
  pipeline: PipelineRecord | undefined,
): Promise<LeadChange> {
  const change = new PipelineChange(write, pipelineIn(ledger).ref, pipeline);
  const { ref, record } = await addLeadWith(write, change, { phone });
  return new LeadChange(write, ref, record);
}

/** As it came, but for halves of characters, which cannot be stored. */
const messageOf = ({ id, text, at }: ReceivedSms) =>
  ({
    direction: 'INBOUND',
    text: text.toWellFormed(),
    status: 'RECEIVED',
    userId: null,
    providerId: id,
    createdAt: at,
  }) as const;

/** Answers to keywords that a number gets in a day, UTC, and how many of them to HELP, which an autoresponder may say again. */
const answersADay = { ANSWER: 3 };
const answersToHelpADay = { ...answersADay, HELP: 1 };

/** The part of a write that does what a keyword asks for. Returns the answer, counted, if it is to be sent. */
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

/** The answer to a keyword, from the number that it came to. Undefined if there is nothing to send from. */
function answerOf(
  { keyword, phone, to }: ParsedSms,
  organization: Organization,
  defaultOrigin: string | undefined,
): KeywordAnswer | undefined {
  const from = originOf(organization, to, defaultOrigin);
  if (keyword === undefined || from === undefined) return undefined;
  return { to: phone, text: answerTo(keyword, organization.name), from };
}

/** The part of a write that stores an answer which is about to be handed over. */
function storeAnswer(
  write: Write,
  lead: LeadChange,
  { threadId, inquiryId }: Conversation,
  answer: KeywordAnswer,
): StoredSms {
  const message = { direction: 'OUTBOUND', text: answer.text, status: 'SENDING', userId: null } as const;
  const { id } = addMessage(write, threadId, message);
  recordEvent(write, { event: 'SMS_CREATED', about: id });
  return { ...answer, ref: { collection: messages, number: id }, leadId: lead.id, inquiryId };
}
