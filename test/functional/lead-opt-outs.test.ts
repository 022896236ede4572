import { expect, test } from 'vitest';
import type { Lead } from '../../shared/contract/leads.ts';
import { newNumber } from '../support/inquiries.ts';
import { newOrganization } from '../support/test-organization.ts';

const ours = await newOrganization();
const { api, userId } = ours;

interface Body {
  phone?: string;
  isOptedOut?: boolean;
}

let made = 0;
const create = async (body: object) =>
  (await api.call('createLead', { body: { name: 'Ann', ...body } })).lead;

/** The lead of an answer, or the sentence of a refusal. */
type Outcome = Lead | string;
const outcomeOf = ({ status, body }: { status: number; body: unknown }): Outcome => {
  expect([200, 201, 400]).toContain(status);
  return status === 400
    ? (body as { error: { message: string } }).error.message
    : (body as { lead: Lead }).lead;
};

const createLead = async (body: Body) =>
  outcomeOf(await api.attempt('createLead', { body: { name: 'Ann', ...body } }));
const updateLead = async ({ phone = '', ...body }: Body) => {
  const params = { leadId: (await create({ phone })).id };
  return outcomeOf(await api.attempt('updateLead', { params, body }));
};
const upsert = async (body: object) =>
  outcomeOf(await api.attempt('upsertLead', { query: { match: 'externalId' }, body }));
const upsertNew = (body: Body) => upsert({ name: 'Ann', externalId: `crm-${++made}`, ...body });
const upsertKnown = async ({ phone = '', ...body }: Body) => {
  const { externalId } = await create({ phone, externalId: `crm-${++made}` });
  return upsert({ name: 'Ann', externalId, ...body });
};
const inBatch = async (body: Body) => {
  const answer = await api.call('createLeads', { body: { leads: [{ name: 'Ann', ...body }] } });
  const [result] = answer.results;
  return result?.status === 'ok' ? result.lead : (result?.message ?? '');
};

test.each([
  ['a new lead', createLead],
  ['a changed lead', updateLead],
  ['a lead that an upsert creates', upsertNew],
  ['a lead that an upsert changes', upsertKnown],
  ['a lead of a batch', inBatch],
] as const)('%s can be opted out, and only its number opts it in', async (_, send) => {
  const phone = newNumber();
  const lead = await send({ phone, isOptedOut: true });
  if (typeof lead === 'string') throw new Error(lead);
  expect(lead).toMatchObject({ phone, isOptedOut: true });
  const params = { leadId: lead.id };
  const { activities } = await api.call('listLeadActivities', { params });
  expect(activities.map(({ event, userId: by }) => [event, by])).toEqual([
    ['LEAD_OPTED_OUT', userId],
    ['LEAD_CREATED', userId],
  ]);
  const message = { leadId: lead.id, message: 'Hi' };
  const { status, headers } = await api.attempt('sendSms', { body: message });
  expect([status, headers.get('x-failure-reason')]).toEqual([400, 'OPTED_OUT']);

  // The lead can be sent back as it was read. Nothing is stored.
  const again = await api.answer('updateLead', { params, body: lead });
  expect([again.body, again.cost.writeUnits]).toEqual([{ lead }, 0]);

  await api.call('deleteLead', { params });
  const onlyStart =
    'isOptedOut must not be false: the number has opted out, and only a text START from the number ends the opt-out';
  expect(await send({ phone, isOptedOut: false })).toBe(onlyStart);
  expect(await send({ isOptedOut: true })).toBe(
    'isOptedOut can be true only if the lead has a phone number: give the lead a phone',
  );
  expect(await send({ phone: newNumber(), isOptedOut: false })).toMatchObject({ isOptedOut: false });
});

test('an opt-out that comes with another number is that of the new number', async () => {
  const [former, phone] = [newNumber(), newNumber()];
  const { id: leadId } = await create({ phone: former });
  const body = { phone, isOptedOut: true };
  const { lead } = await api.call('updateLead', { params: { leadId }, body });
  expect(lead).toMatchObject(body);
  const { activities } = await api.call('listLeadActivities', { params: { leadId } });
  expect(activities.map(({ event }) => event)).toEqual(['LEAD_OPTED_OUT', 'LEAD_UPDATED', 'LEAD_CREATED']);
  expect(await create({ phone: former })).toMatchObject({ isOptedOut: false });
  // With the number of somebody else, the lead has not opted out.
  const freed = { phone: newNumber(), isOptedOut: false };
  expect(await api.call('updateLead', { params: { leadId }, body: freed })).toMatchObject({
    lead: freed,
  });
});
