import { describe, expect, test } from 'vitest';
import { noAddress } from '../../shared/contract/address.ts';
import type { Lead, NewLead } from '../../shared/contract/leads.ts';
import { addLead } from '../../shared/domain/leads/leads.ts';
import { pipelineRead } from '../../shared/domain/leads/pipeline-record.ts';
import { events } from '../../shared/ledger/index.ts';
import { verifiedOrganization } from '../support/test-organization.ts';
import { notPhone } from '../support/not-phone.ts';

const ours = await verifiedOrganization();
const { api } = ours;

const create = async (body: NewLead): Promise<Lead> => (await api.call('createLead', { body })).lead;

/** Changes a lead. Checks that a read then gives the lead of the answer, and returns the lead. */
async function change({ id: leadId }: Lead, body: object): Promise<Lead> {
  const { lead } = await api.call('updateLead', { params: { leadId }, body });
  expect(await api.call('getLead', { params: { leadId } })).toEqual({ lead });
  return lead;
}

/** Activities of a lead since its creation, oldest first. */
async function activitiesOf({ id: leadId }: Lead) {
  const { activities } = await api.call('listLeadActivities', { params: { leadId } });
  return activities.reverse().slice(1);
}

const newestEvent = async () =>
  (await ours.openLedger().ledger.page(events, { page: 1, limit: 1 })).items[0]!;

describe('a lead that is changed', () => {
  test('has the sent fields, and keeps the rest', async () => {
    const lead = await create({ name: 'Ann Lee', email: 'ann@example.com', socials: { x: 'ann' } });
    const changed = await change(lead, { suburb: 'Manly', phone: '0491 570 156', socials: { bsky: 'ann' } });
    const { updatedAt } = changed;
    const sent = { suburb: 'Manly', phone: '+61491570156', socials: { bsky: 'ann' } };
    expect(changed).toEqual({ ...lead, ...sent, address: { ...noAddress, suburb: 'Manly' }, updatedAt });
    expect(Date.parse(changed.updatedAt)).toBeGreaterThan(Date.parse(lead.updatedAt));
    expect(await activitiesOf(lead)).toEqual([
      {
        id: expect.any(Number) as number,
        event: 'LEAD_UPDATED',
        data: 'The lead was changed',
        referenceId: lead.id,
        userId: ours.userId,
        leadId: lead.id,
        createdAt: updatedAt,
      },
    ]);
  });

  test('has an address, which keeps the parts that are left out; its suburb is that of the lead', async () => {
    const given = { line1: '12 Bay Street', suburb: 'Manly', access: 'Gate 7' };
    const lead = await create({ name: 'Ann', address: given });
    const whole = { ...noAddress, ...given };
    expect(lead).toMatchObject({ suburb: 'Manly', address: whole });
    for (const [body, suburb, address] of [
      [{ address: { postcode: '2095', access: '' } }, 'Manly', { postcode: '2095', access: '' }],
      [{ suburb: 'Bondi' }, 'Bondi', { suburb: 'Bondi' }],
      [{ address: { suburb: 'Coogee' } }, 'Coogee', { suburb: 'Coogee' }],
      [{ suburb: '', address: { suburb: '' } }, '', { suburb: '' }],
    ] as const) {
      Object.assign(whole, address);
      expect(await change(lead, body)).toMatchObject({ suburb, address: whole });
    }
    expect((await activitiesOf(lead)).length).toBe(4);
    const { lead: stored } = await api.call('getLead', { params: { leadId: lead.id } });
    // A client can send back the lead that it read.
    expect(await change(lead, stored)).toEqual(stored);
  });

  test('has an activity for its status, and one for other changes', async () => {
    const lead = await create({ name: 'Bo Berg' });
    expect(await change(lead, { status: 'active' })).toMatchObject({ status: 'active' });
    await change(lead, { status: 'pending', read: true });
    await change(lead, { status: 'won', suburb: 'Manly' });
    expect((await activitiesOf(lead)).map(({ event, data }) => `${event}: ${data}`)).toEqual([
      'LEAD_STATUS_CHANGED: Status changed from pending to active',
      'LEAD_STATUS_CHANGED: Status changed from active to pending',
      'LEAD_UPDATED: The lead was changed',
      'LEAD_STATUS_CHANGED: Status changed from pending to won',
    ]);
  });

  test('is marked as read, and as unread again, without an activity', async () => {
    const lead = await create({ name: 'Cy Stone' });
    expect(await change(lead, { read: true })).toMatchObject({ read: true });
    expect(await newestEvent()).toMatchObject({
      event: 'LEAD_MARKED',
      data: 'The lead was marked as read',
      referenceId: lead.id,
    });
    expect(await change(lead, { read: false })).toMatchObject({ read: false });
    expect(await newestEvent()).toMatchObject({ data: 'The lead was marked as unread' });
    expect(await activitiesOf(lead)).toEqual([]);
  });

  test.each([
    [{ name: 'Dee' }, 'Dee', ''],
    [{ name: 'Dee Von Stein', lastName: 'Stone' }, 'Dee', 'Stone'],
    [{ name: '', lastName: '' }, 'Di', ''],
  ])('takes the names in %j', async (body, firstName, lastName) => {
    const lead = await create({ name: 'Di Stein' });
    expect(await change(lead, body)).toMatchObject({ firstName, lastName });
  });

  test('releases its email, phone number and externalId for other leads', async () => {
    const given = { email: 'ed@example.com', phone: '0491 570 157', externalId: 'ED' };
    const lead = await create({ name: 'Ed', ...given });
    expect(await change(lead, { email: '', phone: '', externalId: '' })).toMatchObject({ externalId: '' });
    const other = await create({ name: 'Flo', ...given });
    for (const field of ['email', 'phone', 'externalId'] as const) {
      const error = await api.failure('updateLead', 409, {
        params: { leadId: lead.id },
        body: { suburb: 'Manly', [field]: given[field].toUpperCase() },
      });
      expect(error).toEqual({
        status: 409,
        message: `Another lead has this ${field}`,
        details: [{ field, message: 'is taken' }],
        existingId: other.id,
      });
    }
    expect(await api.call('getLead', { params: { leadId: lead.id } })).toMatchObject({
      lead: { suburb: '' },
    });
    // A lead may be sent its own email, in any case.
    expect(await change(other, { email: 'ED@example.com' })).toMatchObject({ email: 'ED@example.com' });
  });

  test('stays as it is where nothing else is sent back: nothing is stored', async () => {
    const lead = await create({ name: 'Gus Gray', phone: '0491 570 158', socials: { x: 'gus' } });
    const version = (await newestEvent()).id;
    for (const body of [
      lead,
      {},
      { id: lead.id, unreadCalls: 7 },
      { name: 'Gus Gray' },
      { phone: '(0491) 570-158' },
    ]) {
      const { body: answer, cost } = await api.answer('updateLead', {
        params: { leadId: lead.id },
        body,
      });
      expect(answer).toEqual({ lead });
      expect(cost.writeUnits).toBe(0);
    }
    expect((await newestEvent()).id).toBe(version);
  });
});

test.each([
  ['a field', { suburb: 'Manly' }, { calls: 3, readUnits: 2, writeUnits: 8 }],
  ['a mark as read', { read: true }, { calls: 3, readUnits: 2, writeUnits: 7 }],
  ['a status', { status: 'won' }, { calls: 4, readUnits: 3, writeUnits: 13 }],
  ['a status that is the same', { status: 'pending' }, { calls: 4, readUnits: 7, writeUnits: 0 }],
  ['an email', { email: 'kit@example.com' }, { calls: 3, readUnits: 2, writeUnits: 10 }],
  ['a name', { lastName: 'Hall' }, { calls: 3, readUnits: 2, writeUnits: 16 }],
])('a change of %s costs what it must, and no more', async (_, body, cost) => {
  const { id: leadId } = await create({ name: 'Kit Kerr' });
  const answer = await api.answer('updateLead', { params: { leadId }, body });
  expect(answer.cost).toEqual(cost);
});

test.each([
  [{ phone: '123' }, `phone ${notPhone}`],
  [{ address: { suburb: 'Bondi' } }, 'suburb must be the suburb of `address`, if both are given'],
  [{ address: { street: 'Bay' } }, 'address.street is not a known field'],
])('a change of %j is refused: %s', async (changes, problem) => {
  const lead = await create({ name: 'Ida' });
  const params = { leadId: lead.id };
  await api.refuses('updateLead', { params, body: { suburb: 'Manly', ...changes } }, problem);
  expect(await api.call('getLead', { params })).toEqual({ lead });
});

test('a lead keeps a number that is no longer valid, and can change otherwise', async () => {
  const { ledger } = ours.openLedger();
  const record = await ledger.write({ change: { pipeline: pipelineRead } }, async (write) => {
    const added = await addLead(write, { suburb: 'Manly', phone: '' });
    // Numbering plans change: this number was valid once.
    write.replace(added.ref, { ...added.record, phone: '+61100' });
    return added.record;
  });
  const { lead } = await api.call('getLead', { params: { leadId: record.id } });
  expect(lead).toMatchObject({ firstName: '' });
  expect(await change(lead, { ...lead, read: true })).toMatchObject({ phone: '+61100', read: true });
});

describe('two clients that change one lead', () => {
  const etagOf = async ({ id: leadId }: Lead) => {
    const { headers } = await api.answer('getLead', { params: { leadId } });
    return headers.get('etag')!;
  };

  test('at once, each with its tag: one succeeds, the others get a 412 with the present ETag', async () => {
    const lead = await create({ name: 'Lee Long' });
    const params = { leadId: lead.id };
    const headers = { 'If-Match': await etagOf(lead) };
    const bodies = [{ suburb: 'Manly' }, { businessName: 'Bakery' }, { status: 'won' }];
    const answers = await Promise.all(
      bodies.map((body) => api.attempt('updateLead', { params, headers, body })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    const present = await etagOf(lead);
    expect(present).not.toBe(headers['If-Match']);
    for (const { headers } of answers) expect(headers.get('etag')).toBe(present);

    const winner = answers.findIndex(({ status }) => status === 200);
    expect(await api.call('getLead', { params })).toMatchObject({
      lead: { suburb: '', businessName: '', status: 'pending', ...bodies[winner] },
    });
    expect(await activitiesOf(lead)).toHaveLength(1);

    expect(await api.failure('deleteLead', 412, { params, headers })).toMatchObject({ status: 412 });
    await api.call('deleteLead', { params, headers: { 'If-Match': present } });
  });

  test('at once, without If-Match: both changes are stored', async () => {
    const lead = await create({ name: 'Mo Moss' });
    const params = { leadId: lead.id };
    const bodies = [{ suburb: 'Manly' }, { businessName: 'Bakery' }, { status: 'active' }, { read: true }];
    await Promise.all(bodies.map((body) => api.call('updateLead', { params, body })));
    const { lead: stored } = await api.call('getLead', { params });
    expect(stored).toMatchObject({ suburb: 'Manly', businessName: 'Bakery', status: 'active', read: true });
  });
});
