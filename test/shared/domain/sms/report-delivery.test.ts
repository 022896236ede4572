import { beforeAll, expect, test } from 'vitest';
import { getInquiry } from '../../../../shared/domain/inquiries/inquiries.ts';
import { createLead, deleteLead } from '../../../../shared/domain/leads/leads.ts';
import type { SmsOutcome } from '../../../../shared/domain/sms/sms-provider.ts';
import { leaveSending, newestEvents, statusOf, type LeftMessage } from '../../../support/leave-sending.ts';
import { deliver, deliveryReport, stored, acceptingProvider } from '../../../support/sms.ts';
import { newStore, twoOrganizations, type TestOrganization } from '../../../support/test-organization.ts';

let organization: TestOrganization;
let seen: ReturnType<typeof stored>;
beforeAll(async () => {
  organization = (await twoOrganizations()).ours;
  seen = stored(organization);
});

const store = () => newStore();

/** An SMS that the provider took, and its id in a report. */
async function sentText() {
  const left = await leaveSending(organization, { recorded: true });
  return { left, reportFields: toldOf(left.messageId) };
}

/** Activities of a message's lead, without the activities of the lead's arrival. */
async function activityNames({ inquiryId }: LeftMessage): Promise<string[]> {
  const { leadId } = await getInquiry(organization.openLedger().ledger, inquiryId);
  return (await seen.activities(leadId)).map(([event]) => event!).slice(2);
}

const toldOf = (messageId: string) => ({
  messageId: `provider-${messageId}`,
  context: { organization: organization.code, message: messageId },
});

test.each([
  ['TEXT_DELIVERED', 'DELIVERED', 'SMS_DELIVERED', 'The SMS arrived'],
  ['TEXT_SUCCESSFUL', 'DELIVERED', 'SMS_DELIVERED', 'The SMS arrived'],
  ['TEXT_SOMETHING_NEW', 'UNDELIVERED', 'SMS_UNDELIVERED', 'The SMS did not arrive'],
])('%s makes a sent message %s, which is final', async (type, status, event, data) => {
  const { left, reportFields } = await sentText();
  await deliver(deliveryReport(type, reportFields), { store: store() });
  expect(await statusOf(left)).toBe(status);
  const [newest] = await newestEvents(organization, 1);
  expect(newest).toMatchObject({ event, data, referenceId: left.inquiryId, userId: 'system' });

  for (const other of [type, 'TEXT_DELIVERED', 'TEXT_INVALID'])
    await deliver(deliveryReport(other, reportFields), { store: store() });
  expect(await statusOf(left)).toBe(status);
  expect(await newestEvents(organization, 1)).toEqual([newest]);
  // The outcome of sending has said so already.
  expect(await activityNames(left)).toEqual(['SMS_SENT']);
});

test('a report that is not final, of unknown outcome, or of an unknown message changes nothing', async () => {
  const { left, reportFields } = await sentText();
  const before = await seen.eventCount();
  const { code } = organization;
  for (const body of [
    deliveryReport('TEXT_SUCCESSFUL', { ...reportFields, isFinal: false }),
    deliveryReport('TEXT_QUEUED', { ...reportFields, isFinal: false }),
    deliveryReport('TEXT_UNKNOWN', reportFields),
    deliveryReport('TEXT_DELIVERED', { messageId: reportFields.messageId }),
    deliveryReport('TEXT_DELIVERED', { ...reportFields, context: { organization: code } }),
    deliveryReport('TEXT_DELIVERED', { ...reportFields, context: { organization: code, message: '999999' } }),
    deliveryReport('TEXT_DELIVERED', { ...reportFields, context: { organization: code, message: 'first' } }),
    deliveryReport('TEXT_DELIVERED', {
      ...reportFields,
      context: { organization: 'another', message: left.messageId },
    }),
    // An organization of another table: nobody was founded with this code.
    deliveryReport('TEXT_DELIVERED', {
      ...reportFields,
      context: { organization: 'ZZZZZZZ9', message: left.messageId },
    }),
    // After a restore, the number can belong to another message.
    deliveryReport('TEXT_DELIVERED', { ...reportFields, messageId: 'of another' }),
  ])
    expect(await deliver(body, { store: store() })).toEqual([]);
  expect(await statusOf(left)).toBe('SENT');
  expect(await seen.eventCount()).toBe(before);
});

test('a report changes a SENDING or UNKNOWN message too, with one activity; a FAILED one stays', async () => {
  const left = await leaveSending(organization);
  expect(await activityNames(left)).toEqual([]);
  for (let times = 1; times <= 2; times++) {
    await deliver(deliveryReport('TEXT_INVALID', toldOf(left.messageId)), { store: store() });
    expect(await statusOf(left)).toBe('UNDELIVERED');
    expect(await activityNames(left)).toEqual(['SMS_SENT']);
  }
  const unanswered = await sentWith({ status: 'UNKNOWN', reason: 'UNKNOWN', cause: new Error() });
  expect(await activityNames(unanswered)).toEqual([]);
  await reportDelivered(unanswered);
  expect(await statusOf(unanswered)).toBe('DELIVERED');
  expect(await activityNames(unanswered)).toEqual(['SMS_SENT']);
  const refused = await sentWith({ status: 'FAILED', reason: 'REFUSED', cause: new Error() });
  await reportDelivered(refused);
  expect(await statusOf(refused)).toBe('FAILED');
  expect(await activityNames(refused)).toEqual([]);
});

test('a report changes a message of a deleted lead, without an activity', async () => {
  const left = await leaveSending(organization);
  const { ledger } = organization.openLedger();
  await deleteLead(ledger, (await getInquiry(ledger, left.inquiryId)).leadId);
  await reportDelivered(left);
  expect(await statusOf(left)).toBe('DELIVERED');
  const reportFields = (await newestEvents(organization, 2)).map(({ event }) => event);
  expect(reportFields).toEqual(['SMS_DELIVERED', 'LEAD_DELETED']);
});

const reportDelivered = ({ messageId }: LeftMessage) =>
  deliver(deliveryReport('TEXT_DELIVERED', toldOf(messageId)), { store: store() });

/** Sends an SMS with this outcome. */
async function sentWith(outcome: SmsOutcome) {
  const { id } = await createLead(organization.openLedger().ledger, { firstName: 'Bo', phone: nextPhone() });
  await seen
    .send(id, 'Hi', { provider: acceptingProvider(() => Promise.resolve(outcome)) })
    .catch(() => undefined);
  const [inquiry] = await seen.conversations(id);
  return { organization, inquiryId: inquiry!.id, messageId: inquiry!.messages[0]!.id };
}

let phones = 0;
const nextPhone = () => `+614915709${String(++phones).padStart(2, '0')}`;

test('a report that is stored before the outcome of sending counts, and the outcome adds nothing', async () => {
  const { id } = await createLead(organization.openLedger().ledger, { firstName: 'Ann', phone: nextPhone() });
  const provider = acceptingProvider(async ({ context }) => {
    const providerId = `early-${context['message']}`;
    await deliver(deliveryReport('TEXT_DELIVERED', { messageId: providerId, context }), { store: store() });
    const [newest] = await newestEvents(organization, 1);
    expect(newest).toMatchObject({ event: 'SMS_DELIVERED' });
    return { status: 'SENT', providerId };
  });
  const { messageId, inquiryId } = await seen.send(id, 'Hi', { provider });
  const early = { organization, inquiryId, messageId };
  expect(await statusOf(early)).toBe('DELIVERED');
  expect((await newestEvents(organization, 1))[0]).toMatchObject({ event: 'SMS_DELIVERED' });
  expect(await activityNames(early)).toEqual(['SMS_SENT']);
});
