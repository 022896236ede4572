import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { verifyOrganization } from '../support/verify-organization.ts';
import { MachineClock } from '../../infra/local/clock.ts';
import { temporaryFolder } from '../../infra/local/data-folder.ts';
import { numberArnOf } from '../../infra/local/messaging/phone-numbers.ts';
import type { SmsAtProvider } from '../../infra/local/messaging/sms-stand-in.ts';
import type { WorkerRun } from '../../infra/local/workers/worker-run.ts';
import type { Inquiry, SmsData } from '../../shared/contract/inquiries.ts';
import { receiveTextsWorker } from '../../shared/contract/sms.ts';
import { addNumber } from '../../shared/domain/numbers/numbers.ts';
import { realSystem } from '../../shared/core/system.ts';
import { headKey } from '../../shared/ledger/internal/keys.ts';
import { ApiClient } from '../support/api-client.ts';
import { ownMachine } from '../support/own-machine.ts';
import { loggingInto, runLogIn } from '../support/machine/run-log.ts';
import { foundOrganizationAt } from '../support/stored-organization.ts';
import { newNumber } from '../support/sms.ts';
import { servedApi } from '../support/machine/served-api.ts';

/** Clock of the test's own machine. The machine's provider reports the delivery of each SMS. */
const clock = new MachineClock();
const { queues: _, ...folder } = temporaryFolder();
const sent: SmsAtProvider[] = [];
let onRun: (run: WorkerRun) => void = () => undefined;
const { machine, table } = await ownMachine({
  folder,
  clock,
  keepSms: (text) => sent.push(text),
  ...loggingInto(runLogIn(inject('runLog'))),
  onRun: (run) => {
    if (run.name === receiveTextsWorker.name) onRun(run);
  },
});
const served = await servedApi((request) => machine.answer(request));
const organization = await foundOrganizationAt(table);
const api = new ApiClient(served.baseUrl, organization.token);
const { number } = await newNumber(organization);
afterAll(async () => {
  const { client, tableName } = machine;
  const access = { client, tableName, system: realSystem };
  const { findings } = await verifyOrganization(access, organization.code);
  await served.close();
  expect(findings).toEqual([]);
});

const minute = 60_000;
let ann: string;
let tests = 0;
beforeEach(() => {
  ann = `+614915713${String(++tests).padStart(2, '0')}`;
});

/** Waits until the worker has run so many times because of `act`. */
async function afterRuns(runs: number, act: () => unknown): Promise<WorkerRun[]> {
  const told: WorkerRun[] = [];
  const done = new Promise<void>((resolve) => {
    onRun = (run) => {
      if (told.push(run) === runs) resolve();
    };
  });
  await act();
  await done;
  return told;
}

/** Plays an incoming SMS, as the curl line does that `npm start` prints. */
async function play(fields: Record<string, string>): Promise<unknown> {
  const body = new URLSearchParams({ from: ann, to: number, text: 'Hello', ...fields });
  const response = await fetch(`${served.baseUrl}/local/texts`, { method: 'POST', body });
  expect(response.status).toBe(202);
  return response.json();
}

const leadOf = async (phone: string) => {
  const { leads } = await api.call('listLeads', { query: { phone } });
  return leads[0]!;
};
const newLead = async () =>
  (await api.call('createLead', { body: { firstName: 'Ann', phone: ann } })).lead.id;

/** A lead's only SMS inquiry, with its messages. */
async function threadOf(leadId: string) {
  const { inquiries } = await api.call('listInquiries', { query: { leadId } });
  expect(inquiries).toHaveLength(1);
  const inquiry = await api.call('getInquiry', { params: { inquiryId: inquiries[0]!.id } });
  const messages = (inquiry.data as SmsData).messages.map(({ direction, text, status }) => [
    direction,
    text,
    status,
  ]);
  return { inquiry, messages };
}
const activitiesOf = async (leadId: string) => {
  const { activities } = await api.call('listLeadActivities', { params: { leadId } });
  return activities.map(({ event }) => event).reverse();
};

const sms = (leadId: string, message: string) => ({ userId: organization.userId, leadId, message });

test('an incoming SMS is in the thread, the inquiry and the activities of its lead, once for each id', async () => {
  const runs = await afterRuns(3, () =>
    Promise.all([
      play({ text: 'Can you come?', id: 'one' }),
      play({ text: 'Can you come?', id: 'one' }),
      play({ text: 'At 3?', id: 'two' }),
    ]),
  );
  expect(runs.map(({ failed, done }) => [failed, done])).toEqual([1, 2, 3].map(() => [undefined, 1]));
  const lead = await leadOf(ann);
  expect(lead).toMatchObject({ firstName: '', unreadSMS: 1, isOptedOut: false });
  const { inquiry, messages } = await threadOf(lead.id);
  expect(inquiry).toMatchObject({ source: 'SMS', isRead: false });
  expect(messages.map(([, text]) => text).sort()).toEqual(['At 3?', 'Can you come?']);
  expect(await activitiesOf(lead.id)).toEqual([
    'LEAD_CREATED',
    'INQUIRY_CREATED',
    'SMS_RECEIVED',
    'SMS_RECEIVED',
  ]);
});

test('a message goes out from the organization’s number, and a report of delivery moves its status', async () => {
  const leadId = await newLead();
  await afterRuns(1, () => api.call('sendSms', { body: sms(leadId, 'We come at 3') }));
  expect(sent.at(-1)).toMatchObject({ to: ann, from: expect.stringContaining(number.slice(1)) as string });
  const { messages } = await threadOf(leadId);
  expect(messages).toEqual([['OUTBOUND', 'We come at 3', 'DELIVERED']]);
  await afterRuns(1, () => play({ text: 'Thanks', answers: sent.at(-1)!.id }));
  expect((await threadOf(leadId)).messages).toHaveLength(2);
  expect((await leadOf(ann)).unreadSMS).toBe(1);
});

test('a message that does not arrive is UNDELIVERED', async () => {
  const unreachable = '+61491572549';
  const body = { firstName: 'Cy', phone: unreachable };
  const { lead } = await api.call('createLead', { body });
  await afterRuns(1, () => api.call('sendSms', { body: sms(lead.id, 'Hello?') }));
  expect((await threadOf(lead.id)).messages).toEqual([['OUTBOUND', 'Hello?', 'UNDELIVERED']]);
});

test('after STOP nothing is sent to the number, also of a new lead, until START', async () => {
  const leadId = await newLead();
  // Each SMS is answered, and the delivery of each answer is reported.
  await afterRuns(2, () => play({ text: 'Stop' }));
  const refused = async (id: string) => {
    const { status, headers } = await api.attempt('sendSms', { body: sms(id, 'Never') });
    expect([status, headers.get('x-failure-reason')]).toEqual([400, 'OPTED_OUT']);
  };
  await refused(leadId);
  await api.call('deleteLead', { params: { leadId } });
  const next = await newLead();
  const { lead } = await api.call('getLead', { params: { leadId: next } });
  expect(lead.isOptedOut).toBe(true);
  await refused(next);
  expect(sent.filter(({ text }) => text === 'Never')).toEqual([]);

  await afterRuns(2, () => play({ text: 'START' }));
  const { messages } = await threadOf(next);
  expect(messages).toEqual([
    ['INBOUND', 'START', 'RECEIVED'],
    ['OUTBOUND', expect.stringContaining('Reply STOP') as string, 'DELIVERED'],
  ]);
  expect(await activitiesOf(next)).toEqual([
    'LEAD_CREATED',
    'INQUIRY_CREATED',
    'SMS_RECEIVED',
    'LEAD_OPTED_IN',
    'SMS_SENT',
  ]);
  await afterRuns(1, () => api.call('sendSms', { body: sms(next, 'Hi again') }));
});

test('a text from before an erasure is dropped when it comes late, but its STOP counts, and a later text makes a lead', async () => {
  const to = '+61491575789';
  const leadId = await newLead();
  // Nobody has that number yet, so the texts are tried again later.
  const texts = ['Hello', 'HELP', 'STOP'];
  await afterRuns(3, () => Promise.all(texts.map((text) => play({ to, text }))));
  await api.call('eraseLead', { params: { leadId } });
  await addNumber(organization.openLedger().ledger, { number: to, arn: numberArnOf(to) });
  // The STOP is answered, and the delivery of the answer is reported.
  const runs = await afterRuns(4, () => {
    clock.moveBy(10 * minute);
  });
  expect(runs.map(({ failed }) => failed)).toEqual([1, 2, 3, 4].map(() => undefined));
  expect(await leadOf(ann)).toBeUndefined();
  await afterRuns(1, () => play({ text: 'Hello again' }));
  expect(await leadOf(ann)).toMatchObject({ unreadSMS: 1, isOptedOut: true });
});

/** An inquiry, its tag and its lead as GET shows them, and the ids of the unread inquiries, newest first. */
async function seen(inquiryId: string) {
  const { status, body, headers } = await api.attempt('getInquiry', { params: { inquiryId } });
  expect(status).toBe(200);
  const inquiry = body as Inquiry;
  const { lead } = await api.call('getLead', { params: { leadId: inquiry.leadId } });
  const { inquiries } = await api.call('listInquiries', { query: { isRead: 'false' } });
  return { inquiry, tag: headers.get('etag')!, lead, unread: inquiries.map(({ id }) => id) };
}

test('each SMS updates its inquiry and its lead, and makes the inquiry the newest unread one', async () => {
  await afterRuns(1, () => play({ text: 'Can you come?' }));
  const { id } = (await threadOf((await leadOf(ann)).id)).inquiry;
  await afterRuns(1, () => play({ from: '+61491571399', text: 'Me too' }));
  const first = await seen(id);
  expect(first.unread[0]).not.toBe(id);

  await afterRuns(1, () => play({ text: 'At 3?' }));
  const second = await seen(id);
  expect(second.unread).toEqual([id, ...first.unread.filter((one) => one !== id)]);
  expect(second.inquiry.summary).toBe('At 3?');
  expect(second.tag).not.toBe(first.tag);
  expect(second.inquiry.updatedAt > first.inquiry.updatedAt).toBe(true);
  const { updatedAt } = second.inquiry;
  expect(second.lead).toEqual({ ...first.lead, updatedAt, lastInquiryDate: updatedAt, lastInquiryId: id });

  const params = { inquiryId: id };
  const body = { summary: 'Wants a visit' };
  const late = { params, body, headers: { 'If-Match': first.tag } };
  expect((await api.attempt('updateInquiry', late)).status).toBe(412);
  await api.call('updateInquiry', { params, body });
  await afterRuns(1, () => play({ text: 'Or at 4' }));
  expect((await seen(id)).inquiry.summary).toBe('Wants a visit');
});

test.each([
  ['a text', '+61491571390', 'Half \uD83D, \u0000 nothing, \u001B[2J and \uFFFD'],
  ['a number that no numbering plan has', '+99912345678', ' \r\n\t'],
])('%s can be sent back as it was read', async (_, from, text) => {
  await afterRuns(1, () => play({ from, text }));
  const { leads } = await api.call('listLeads', { query: { limit: '1' } });
  const leadId = leads[0]!.id;
  const { inquiry } = await threadOf(leadId);
  const written = { ...inquiry, isRead: true };
  expect(await api.call('updateInquiry', { params: { inquiryId: inquiry.id }, body: written })).toEqual({
    ...written,
    updatedAt: expect.any(String) as string,
  });
  const { lead } = await api.call('getLead', { params: { leadId } });
  const { phone, lastName } = lead;
  await api.call('updateLead', { params: { leadId }, body: { ...lead, firstName: 'Bo' } });
  expect((await seen(inquiry.id)).lead).toMatchObject({ phone, lastName, firstName: 'Bo' });
});

test('a thread of the longest messages can be read and changed, and shows the newest', async () => {
  const long = (name: string) => name + '"\\'.repeat(45_000);
  const names = Array.from({ length: 22 }, (_, at) => String(at));
  for (const name of names) await afterRuns(1, () => play({ text: long(name) }));
  const { inquiry, messages } = await threadOf((await leadOf(ann)).id);
  const texts = messages.map(([, text]) => text);
  expect(texts.length).toBeGreaterThan(10);
  expect(texts).toEqual(names.slice(-texts.length).map(long));
  const body = { isRead: true };
  const changed = await api.call('updateInquiry', { params: { inquiryId: inquiry.id }, body });
  expect(changed.data).toEqual(inquiry.data);
});

test('an incoming SMS waits its turn among other writers', async () => {
  await machine.client.send(
    new UpdateCommand({
      TableName: machine.tableName,
      Key: headKey(organization.code),
      UpdateExpression: 'SET #queue = :queue',
      ExpressionAttributeNames: { '#queue': 'queue' },
      ExpressionAttributeValues: { ':queue': { served: 0, waiting: 4, pace: 1 } },
    }),
  );
  await afterRuns(1, () => play({ text: 'In turn' }));
  expect((await threadOf((await leadOf(ann)).id)).messages).toHaveLength(1);
});

test('an SMS to a number of no organization is tried again, and then becomes a dead letter', async () => {
  let [run] = await afterRuns(1, () => play({ to: '+61491579455', text: 'Is anybody there?' }));
  expect(run!.troubles.join()).toContain('No organization has the number that ends in 9455');
  for (let tries = 1; tries <= receiveTextsWorker.retries; tries++) {
    expect(run!.failed).toBe('is tried again');
    [run] = await afterRuns(1, () => {
      clock.moveBy(10 * minute);
    });
  }
  expect(run!.failed).toBe('is a dead letter');
});
