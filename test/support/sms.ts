import { randomInt } from 'node:crypto';
import type { SmsData } from '../../shared/contract/inquiries.ts';
import type { Lead } from '../../shared/contract/leads.ts';
import { getInquiry, listInquiries } from '../../shared/domain/inquiries/inquiries.ts';
import { listLeadActivities } from '../../shared/domain/leads/leads.ts';
import { listLeads } from '../../shared/domain/leads/list-leads.ts';
import { addNumber } from '../../shared/domain/numbers/numbers.ts';
import type { OutgoingSms, SendSms } from '../../shared/domain/sms/sms-provider.ts';
import type { Listeners } from '../../shared/domain/sms/receive-sms.ts';
import { sendSms, type SentSms } from '../../shared/domain/sms/sms.ts';
import { handleNotification } from '../../shared/domain/sms/handle-notification.ts';
import { events, newConsumedCapacity, type ConsumedCapacity, type Store } from '../../shared/ledger/index.ts';
import { limits, type StoredOrganization } from './stored-organization.ts';

/** Fields of an SMS that comes in, as AWS reports it. */
export interface IncomingSms {
  from: string;
  to: string;
  text?: string;
  id?: string;
  answers?: string;
  /** Time at which the topic got it. */
  at?: string;
}

let texts = 0;

/** Message in a queue behind a topic. */
export const envelope = (message: object, at = new Date().toISOString()): string =>
  JSON.stringify({
    Type: 'Notification',
    MessageId: '5a4e1b6c-0000-5000-8000-000000000000',
    TopicArn: 'arn:aws:sns:us-east-1:000000000000:texts',
    Message: JSON.stringify(message),
    Timestamp: at,
    SignatureVersion: '1',
  });

/** Message in the queue for an SMS that comes in. */
export const smsNotification = ({
  from,
  to,
  text = 'Hello',
  id = `in-${to}-${++texts}`,
  answers,
  at,
}: IncomingSms): string =>
  envelope(
    {
      originationNumber: from,
      destinationNumber: to,
      messageKeyword: 'KEYWORD_000000000000',
      messageBody: text,
      inboundMessageId: id,
      ...(answers !== undefined && { previousPublishedMessageId: answers }),
    },
    at,
  );

/** Message in the queue for a report of delivery. */
export const deliveryReport = (
  eventType: string,
  { messageId, context, isFinal = true }: { messageId: string; context?: object; isFinal?: boolean },
): string =>
  envelope({
    eventType,
    eventVersion: '1.0',
    eventTimestamp: 1_686_975_103_470,
    isFinal,
    originationPhoneNumber: '+61480000000',
    destinationPhoneNumber: '+61491570156',
    isoCountryCode: 'AU',
    messageId,
    messageRequestTimestamp: 1_686_975_102_470,
    messageType: 'TRANSACTIONAL',
    messageStatus: eventType.slice('TEXT_'.length),
    totalMessageParts: 1,
    ...(context && { context }),
  });

/** Adds a phone number that no other test uses. Returns it with its ARN. */
export async function newNumber(organization: StoredOrganization): Promise<{ number: string; arn: string }> {
  const digits = `6148${String(randomInt(1e9)).padStart(9, '0')}`;
  const added = {
    number: `+${digits}`,
    arn: `arn:aws:sms-voice:us-east-1:000000000000:phone-number/phone-${digits}`,
  };
  await addNumber(organization.openLedger().ledger, added);
  return added;
}

/** An SMS provider that accepts each SMS, and keeps a list of them. */
export function acceptingProvider(react?: SendSms): { handed: OutgoingSms[]; send: SendSms } {
  const handed: OutgoingSms[] = [];
  const send: SendSms = (message) => {
    handed.push(message);
    if (react) return react(message);
    const { organization, message: number } = message.context;
    return Promise.resolve({ status: 'SENT', providerId: `${organization}-${number}` });
  };
  return { handed, send };
}

/** Handles a message of the topic as the worker does. Returns the errors that it reported. */
export async function deliver(
  body: string,
  {
    store,
    send = acceptingProvider().send,
    capacity = newConsumedCapacity(),
    reportSms = () => undefined,
  }: { store: Store; send?: SendSms; capacity?: ConsumedCapacity } & Partial<Pick<Listeners, 'reportSms'>>,
): Promise<unknown[]> {
  const reported: unknown[] = [];
  await handleNotification(body, {
    organizationOf: (number) => store.organizationOfPhoneNumber(number, { ...limits(), capacity }),
    ledgersOf: (organization) => {
      const ledger = () => store.ledgerOf({ organization, userId: 'system', ...limits(), capacity });
      return { before: ledger(), after: ledger() };
    },
    provider: { send },
    report: (error) => reported.push(error),
    reportSms,
  });
  return reported;
}

const newest = { page: 1, limit: 100 };

/** Reads of an organization's leads and SMS. */
export function stored(organization: StoredOrganization) {
  const { userId, code } = organization;
  const ledger = () => organization.openLedger().ledger;
  /** Lead with a phone number. */
  const leadOf = async (phone: string): Promise<Lead> => {
    const { items } = await listLeads(ledger(), { ...newest, phone });
    if (!items[0]) throw new Error(`No lead has the number ${phone}`);
    return items[0];
  };
  /** SMS inquiries of a lead with their messages, newest inquiry first. */
  const conversations = async (leadId: string) => {
    const { items } = await listInquiries(ledger(), { ...newest, leadId, source: 'SMS' });
    return Promise.all(
      items.map(async ({ id }) => {
        const inquiry = await getInquiry(ledger(), id);
        return { ...inquiry, messages: (inquiry.data as SmsData).messages };
      }),
    );
  };
  return {
    leadOf,
    leads: async (limit: number): Promise<Lead[]> => (await listLeads(ledger(), { page: 1, limit })).items,
    conversations,
    /** Texts of each conversation of a lead. */
    textsOf: async (leadId: string) =>
      (await conversations(leadId)).map(({ messages }) => messages.map(({ text }) => text)),
    /** Activities of a lead, oldest first: event, user and record. */
    activities: async (leadId: string) =>
      (await listLeadActivities(ledger(), leadId, newest)).items
        .map(({ event, userId, referenceId }) => [event, userId, referenceId])
        .reverse(),
    /** Number of all events of the organization. */
    eventCount: async () => (await ledger().page(events, newest)).totalCount,
    /** Sends an SMS to a lead. Returns also the provider's id. */
    send: async (
      leadId: string,
      message: string,
      {
        messageThreadId,
        provider = acceptingProvider(),
      }: { messageThreadId?: string; provider?: { send: SendSms } } = {},
    ): Promise<SentSms & { providerId: string }> => {
      const input = {
        userId,
        leadId,
        message,
        ...(messageThreadId !== undefined && { messageThreadId: Number(messageThreadId) }),
      };
      const fail = (error: unknown) => {
        throw error;
      };
      const sent = await sendSms(
        { before: ledger(), after: ledger() },
        { ...provider, from: 'pool' },
        input,
        fail,
      );
      return { ...sent, providerId: `${code}-${sent.messageId}` };
    },
  };
}
