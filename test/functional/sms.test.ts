import { readFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import type { SmsAtProvider } from '../../infra/local/messaging/sms-stand-in.ts';
import type { SmsData } from '../../shared/contract/inquiries.ts';
import { storeInquiry } from '../../shared/domain/inquiries/inquiries.ts';
import {
  twoOrganizations,
  verifiedOrganization,
  type TestOrganization,
} from '../support/test-organization.ts';
import { events } from '../../shared/ledger/index.ts';

/** Numbers that the local machine fails to send to. */
const optedOut = '+61491570110';
const unanswered = '+61491570313';
const refused = '+61491570006';

const ours = await verifiedOrganization();
const { api } = ours;

let leads = 0;
/** A lead with its own phone number. */
async function newLead(changes: object = {}, { api } = ours): Promise<string> {
  const phone = `+61491571${String(++leads).padStart(3, '0')}`;
  return (await api.call('createLead', { body: { firstName: 'Ann', phone, ...changes } })).lead.id;
}

/** The body of an SMS with a text that no other test sends. */
const smsTo = (leadId: string, message: string, { code, userId } = ours) => ({
  userId,
  leadId,
  message: `${message} (${code})`,
});

/** The messages with this text that reached the provider. */
function sent(text: string): SmsAtProvider[] {
  const lines = readFileSync(inject('sentSmsFile'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as SmsAtProvider).filter((message) => message.text === text);
}

/** The inquiries of a lead, newest first. */
const inquiriesOf = async (leadId: string, { api } = ours) =>
  (await api.call('listInquiries', { query: { leadId } })).inquiries;

const threadOf = async (inquiryId: string): Promise<SmsData> => {
  const inquiry = await api.call('getInquiry', { params: { inquiryId } });
  if (inquiry.source !== 'SMS') throw new Error('The inquiry is about no SMS');
  return inquiry.data;
};

const activitiesOf = async (leadId: string) =>
  (await api.call('listLeadActivities', { params: { leadId } })).activities;

/** Number of events of the organization. */
const eventCount = async ({ openLedger }: Pick<TestOrganization, 'openLedger'>) =>
  (await openLedger().ledger.page(events, { page: 1, limit: 1 })).totalCount;

describe('an SMS', () => {
  test('is sent to the lead, and begins a thread and an inquiry', async () => {
    const { api, userId, code } = ours;
    const leadId = await newLead({ phone: '0491 570 156' });
    const { lead: before } = await api.call('getLead', { params: { leadId } });
    const body = smsTo(leadId, ' Hi Ann,\nwe come at 3. Zoë 🦊');
    const answer = await api.call('sendSms', { body });

    const [message, ...others] = sent(body.message);
    expect(others).toEqual([]);
    expect(message).toEqual({
      id: message?.id,
      to: '+61491570156',
      from: 'arn:aws:sms-voice:us-east-1:000000000000:phone-number/phone-local',
      text: body.message,
      context: { organization: code, message: answer.messageId },
    });

    const [listed, ...more] = await inquiriesOf(leadId);
    expect(more).toEqual([]);
    const { id, createdAt, updatedAt, sourceId, ...fields } = listed!;
    expect(updatedAt).toBe(createdAt);
    expect(fields).toEqual({
      source: 'SMS',
      tag: '',
      summary: body.message,
      isFirstInquiry: true,
      isRead: true,
      isFlagged: false,
      leadId,
    });
    const { data, ...inquiry } = await api.call('getInquiry', { params: { inquiryId: id } });
    expect(inquiry).toEqual({ id, createdAt, updatedAt, givenEmail: '', givenPhone: '', ...fields });
    const { messageId, ...where } = answer;
    expect(where).toEqual({ message: 'SMS sent successfully', messageThreadId: sourceId, inquiryId: id });
    expect(data).toEqual({
      id: sourceId,
      messages: [{ id: messageId, direction: 'OUTBOUND', text: body.message, createdAt, status: 'SENT' }],
    });

    // The organization's own message needs no reading.
    const { lead } = await api.call('getLead', { params: { leadId } });
    const last = { lastInquiryId: id, lastInquiryDate: createdAt, updatedAt };
    expect(lead).toEqual({ ...before, ...last, unreadSMS: 0 });

    const activities = await activitiesOf(leadId);
    const by = { userId, leadId, referenceId: id };
    // The message is sent after it is stored.
    const sentAt = activities[0]!.createdAt;
    expect(Date.parse(sentAt)).toBeGreaterThanOrEqual(Date.parse(createdAt));
    expect(activities.slice(0, 2)).toEqual([
      {
        ...by,
        id: activities[0]!.id,
        createdAt: sentAt,
        event: 'SMS_SENT',
        data: 'An SMS was handed over to be sent',
      },
      {
        ...by,
        createdAt,
        id: activities[1]!.id,
        event: 'INQUIRY_CREATED',
        data: 'A conversation by SMS began',
      },
    ]);
    expect(activities.map(({ event }) => event)).toEqual(['SMS_SENT', 'INQUIRY_CREATED', 'LEAD_CREATED']);
  });

  test('goes on in its thread, whose id comes as a number or as digits, without another inquiry', async () => {
    const leadId = await newLead();
    await api.call('sendSms', { body: smsTo(leadId, 'Thread, first') });
    const [inquiry] = await inquiriesOf(leadId);
    const { id, sourceId } = inquiry!;
    const { lead: before } = await api.call('getLead', { params: { leadId } });

    const second = { ...smsTo(leadId, 'Thread, second'), messageThreadId: Number(sourceId) };
    const third = { ...smsTo(leadId, 'Thread, third'), messageThreadId: sourceId };
    for (const body of [second, third]) {
      const { messageId, ...where } = await api.call('sendSms', { body });
      expect(where).toEqual({ message: 'SMS sent successfully', messageThreadId: sourceId, inquiryId: id });
      expect((await threadOf(id)).messages.at(-1)).toMatchObject({ id: messageId, text: body.message });
      expect(sent(body.message)).toHaveLength(1);
    }

    expect(await inquiriesOf(leadId)).toEqual([inquiry]);
    const thread = await threadOf(id);
    expect(thread.id).toBe(sourceId);
    expect(thread.messages.map(({ text, status }) => ({ text, status }))).toEqual([
      { text: inquiry!.summary, status: 'SENT' },
      { text: second.message, status: 'SENT' },
      { text: third.message, status: 'SENT' },
    ]);
    expect(new Set(thread.messages.map((message) => message.id)).size).toBe(3);
    expect((await api.call('getLead', { params: { leadId } })).lead).toEqual(before);
    expect((await activitiesOf(leadId)).map(({ event, referenceId }) => [event, referenceId])).toEqual([
      ['SMS_SENT', id],
      ['SMS_SENT', id],
      ['SMS_SENT', id],
      ['INQUIRY_CREATED', id],
      ['LEAD_CREATED', leadId],
    ]);
  });

  test('without a thread begins a new one, besides other inquiries of the lead', async () => {
    const leadId = await newLead();
    await api.call('sendSms', { body: smsTo(leadId, 'Beside, first') });
    await api.call('sendSms', { body: smsTo(leadId, 'Beside, second') });
    const [newer, older, ...more] = await inquiriesOf(leadId);
    expect(more).toEqual([]);
    expect(newer!.sourceId).not.toBe(older!.sourceId);
    expect([newer!.isFirstInquiry, older!.isFirstInquiry]).toEqual([false, true]);
    for (const { id, summary } of [newer!, older!]) {
      expect((await threadOf(id)).messages.map(({ text }) => text)).toEqual([summary]);
    }
    const { lead } = await api.call('getLead', { params: { leadId } });
    expect(lead.lastInquiryId).toBe(newer!.id);
  });

  test('continues a thread that the lead began', async () => {
    const leadId = await newLead();
    const { ledger } = ours.openLedger();
    const first = { direction: 'INBOUND', text: 'Are you there?', status: 'RECEIVED', userId: null } as const;
    const { id, sourceId } = await storeInquiry(ledger, leadId, {
      source: 'SMS',
      summary: 'Are you there?',
      data: { messages: [first] },
    });
    const body = { ...smsTo(leadId, 'Yes'), messageThreadId: sourceId };
    await api.call('sendSms', { body });
    expect((await threadOf(id)).messages).toMatchObject([
      { direction: 'INBOUND', text: 'Are you there?', status: 'RECEIVED' },
      { direction: 'OUTBOUND', text: body.message, status: 'SENT' },
    ]);
    // The lead's own message is still unread.
    const { lead } = await api.call('getLead', { params: { leadId } });
    expect(lead.unreadSMS).toBe(1);
  });

  test('may be 1 to 1600 long; its beginning is the summary', async () => {
    const leadId = await newLead();
    const body = smsTo(leadId, '');
    await api.call('sendSms', { body: { ...body, message: '3' } });
    const longest = body.message + '🦊'.repeat(1600 - body.message.length);
    await api.call('sendSms', { body: { ...body, message: longest } });
    expect(sent(longest)).toHaveLength(1);
    const [long, short] = await inquiriesOf(leadId);
    expect([long!.summary, short!.summary]).toEqual([Array.from(longest).slice(0, 200).join(''), '3']);
    expect((await threadOf(long!.id)).messages[0]!.text).toBe(longest);
  });
});

const nothing = (what: string) => ({ status: 404, message: `There is no such ${what}` });

test('an unknown user, lead or thread is a 404; nothing is stored, and nothing sent', async () => {
  const { ours, theirs } = await twoOrganizations();
  const leadId = await newLead({}, ours);
  const otherLead = await newLead({}, ours);
  const foreignLead = await newLead({}, theirs);
  const deleted = await newLead({}, ours);
  for (const id of [otherLead, deleted]) {
    await ours.api.call('sendSms', { body: smsTo(id, 'Before', ours) });
  }
  for (const text of ['1', '2', '3']) {
    await theirs.api.call('sendSms', { body: smsTo(foreignLead, text, theirs) });
  }
  const threadWith = async (of: string, organization = ours) =>
    (await inquiriesOf(of, organization))[0]!.sourceId;
  const otherThread = await threadWith(otherLead);
  const deletedThread = await threadWith(deleted);
  const foreignThread = await threadWith(foreignLead, theirs);
  await ours.api.call('deleteLead', { params: { leadId: deleted } });

  const whole = smsTo(leadId, 'Never', ours);
  const never = (id: string) => id.replace(/.$/, 'Z');
  const before = [await eventCount(ours), await eventCount(theirs)];
  for (const [changes, what] of [
    [{ userId: never(ours.userId) }, 'user'],
    [{ userId: theirs.userId }, 'user'],
    [{ userId: 'nobody' }, 'user'],
    [{ leadId: never(leadId) }, 'lead'],
    [{ leadId: foreignLead }, 'lead'],
    [{ leadId: deleted }, 'lead'],
    [{ leadId: deleted, messageThreadId: deletedThread }, 'lead'],
    [{ messageThreadId: 999_999_999_999 }, 'message thread'],
    [{ messageThreadId: otherThread }, 'message thread'],
    [{ messageThreadId: deletedThread }, 'message thread'],
    // A thread number that does not exist in our organization.
    [{ messageThreadId: foreignThread }, 'message thread'],
  ] as const) {
    const body = { ...whole, ...changes };
    expect(await ours.api.failure('sendSms', 404, { body }), JSON.stringify(changes)).toEqual(nothing(what));
  }
  expect(await theirs.api.failure('sendSms', 404, { body: whole })).toEqual(nothing('user'));
  expect(await theirs.api.failure('sendSms', 404, { body: { ...whole, userId: theirs.userId } })).toEqual(
    nothing('lead'),
  );

  expect([await eventCount(ours), await eventCount(theirs)]).toEqual(before);
  expect(sent(whole.message)).toEqual([]);
  expect(await inquiriesOf(leadId, ours)).toEqual([]);
});

test('an SMS without a sender is from the user of the token', async () => {
  const { userId, ...body } = smsTo(await newLead(), 'From the token');
  const { inquiryId } = await api.call('sendSms', { body });
  const leadId = body.leadId;
  expect((await activitiesOf(leadId))[0]).toMatchObject({
    event: 'SMS_SENT',
    referenceId: inquiryId,
    userId,
  });
});

describe('an invalid SMS', () => {
  test.each([true, '', '01', '1.0', 'first'])('in a thread %j is refused', async (messageThreadId) => {
    const body = { ...smsTo('lead_0', 'Never'), messageThreadId };
    await api.refuses('sendSms', { body }, 'messageThreadId must be the id of a message thread');
  });

  test('to a lead without a phone number is a 400 with a message only; nothing is stored, and nothing sent', async () => {
    const leadId = await newLead({ phone: '' });
    const before = await eventCount(ours);
    const body = smsTo(leadId, 'Never, without a phone');
    const { status, headers, body: answer } = await api.attempt('sendSms', { body });
    expect({ status, answer }).toEqual({
      status: 400,
      answer: { message: 'The lead has no phone number' },
    });
    expect(headers.get('x-failure-reason')).toBe('NO_PHONE');
    expect(await eventCount(ours)).toBe(before);
    expect(sent(body.message)).toEqual([]);
  });
});

describe('when the provider', () => {
  test.each([
    [
      'knows that the number has opted out',
      { phone: optedOut, status: 400, reason: 'OPTED_OUT', outcome: 'FAILED' },
      'The number has opted out of SMS; the message was not sent',
    ],
    [
      'refuses it',
      { phone: refused, status: 502, reason: 'REFUSED', outcome: 'FAILED' },
      'The SMS provider refused the message; it was not sent',
    ],
    [
      'gives no answer',
      { phone: unanswered, status: 502, reason: 'UNKNOWN', outcome: 'UNKNOWN' },
      'The SMS provider gave no answer; whether the message was sent is not known',
    ],
  ])(
    '%s, a message alone and a header tell why',
    async (what, { phone, status, reason, outcome }, message) => {
      const leadId = await newLead({ phone });
      const body = smsTo(leadId, `Never, as it ${what}`);
      const answer = await api.attempt('sendSms', { body });
      expect(answer).toMatchObject({ status, body: { message } });
      expect(answer.headers.get('x-failure-reason')).toBe(reason);
      expect(sent(body.message)).toEqual([]);

      const [inquiry] = await inquiriesOf(leadId);
      const { messages } = await threadOf(inquiry!.id);
      expect(messages.map(({ text, status }) => ({ text, status }))).toEqual([
        { text: body.message, status: outcome },
      ]);

      // No activity of the lead says that the message was sent.
      const happened = (await activitiesOf(leadId)).map(({ event }) => event).reverse();
      const optedOutThen = reason === 'OPTED_OUT' ? ['LEAD_OPTED_OUT'] : [];
      expect(happened).toEqual(['LEAD_CREATED', 'INQUIRY_CREATED', ...optedOutThen]);

      // The thread can go on, unless the lead has opted out: then nothing is stored.
      const again = { ...body, messageThreadId: inquiry!.sourceId };
      const { lead } = await api.call('getLead', { params: { leadId } });
      expect(lead.isOptedOut).toBe(reason === 'OPTED_OUT');
      expect(await api.bareFailure('sendSms', status, { body: again })).toBe(message);
      const outcomes = lead.isOptedOut ? [outcome] : [outcome, outcome];
      expect((await threadOf(inquiry!.id)).messages.map(({ status }) => status)).toEqual(outcomes);
    },
  );
});
