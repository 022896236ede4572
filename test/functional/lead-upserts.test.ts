import { describe, expect, test } from 'vitest';
import type { LeadMatch } from '../../shared/contract/leads.ts';
import type { Answer } from '../support/api-client.ts';
import { newOrganization, verifiedOrganization } from '../support/test-organization.ts';
import { notPhone } from '../support/not-phone.ts';

const ours = await verifiedOrganization();
const { api } = ours;

const send = (match: LeadMatch, body: object, headers = {}) =>
  api.answer('upsertLead', { query: { match }, body, headers });

/** Upserts a lead. Checks that a read then gives the lead of the answer. Returns the status and the lead. */
async function upsert(match: LeadMatch, body: object) {
  const { status, body: answer } = await send(match, body);
  expect(await api.call('getLead', { params: { leadId: answer.lead.id } })).toEqual(answer);
  return [status, answer.lead] as const;
}

const total = async () => (await api.call('listLeads', { query: { limit: 1 } })).totalCount;

describe('an upsert', () => {
  test.each([
    ['email', 'Ann@Example.com', 'ANN@example.com', 'ANN@example.com'],
    ['phone', '0491 570 156', '+61 491 570 156', '+61491570156'],
    ['externalId', 'CRM-1', ' CRM-1 ', 'CRM-1'],
  ] as const)(
    'by %s creates a lead, then changes it, and keeps the rest',
    async (match, first, second, stored) => {
      const more = { suburb: 'Manly', socials: { x: 'ann' }, read: true };
      const [status, lead] = await upsert(match, { name: 'Ann Lee', [match]: first, ...more });
      expect([status, lead]).toMatchObject([
        201,
        { firstName: 'Ann', lastName: 'Lee', status: 'pending', ...more },
      ]);
      const changes = { name: 'Ann Day', [match]: second, status: 'won', socials: { bsky: 'ann' } };
      const [again, changed] = await upsert(match, changes);
      const { updatedAt } = changed;
      const expected = {
        lastName: 'Day',
        status: 'won',
        socials: { bsky: 'ann' },
        [match]: stored,
        updatedAt,
      };
      expect([again, changed]).toEqual([200, { ...lead, ...expected }]);
      const { activities } = await api.call('listLeadActivities', { params: { leadId: lead.id } });
      expect(activities.map(({ event }) => event)).toEqual([
        'LEAD_STATUS_CHANGED',
        'LEAD_UPDATED',
        'LEAD_CREATED',
      ]);

      const { status: unchanged, body, cost } = await send(match, changed);
      expect([unchanged, body.lead, cost.writeUnits]).toEqual([200, changed, 0]);
      await api.call('deleteLead', { params: { leadId: lead.id } });
      expect((await upsert(match, changed))[0]).toBe(201);
    },
  );

  test('with a value of another lead is refused, whether it would create or change one', async () => {
    const [, { id: existingId }] = await upsert('email', {
      name: 'Bo',
      email: 'bo@example.com',
      phone: '0491 570 157',
    });
    await upsert('externalId', { name: 'Cy', externalId: 'cy' });
    const before = await total();
    for (const externalId of ['cy', 'new']) {
      for (const [field, value] of [
        ['email', 'BO@example.com'],
        ['phone', '+61491570157'],
      ] as const) {
        const body = { name: 'Cy', suburb: 'Manly', externalId, [field]: value };
        expect(await api.failure('upsertLead', 409, { query: { match: 'externalId' }, body })).toEqual({
          status: 409,
          message: `Another lead has this ${field}`,
          existingId,
          details: [{ field, message: 'is taken' }],
        });
      }
    }
    const { leads } = await api.call('listLeads', { query: { externalId: 'cy' } });
    expect([leads[0]?.suburb, await total()]).toEqual(['', before]);
  });

  test('with If-Match creates no lead', async () => {
    const before = await total();
    for (const tag of ['*', '"another"']) {
      const parts = { query: { match: 'email' }, body: { name: 'Di', email: 'di@example.com' } };
      const { status, headers } = await api.attempt('upsertLead', {
        ...parts,
        headers: { 'If-Match': tag },
      });
      expect([status, headers.get('etag')]).toEqual([412, null]);
    }
    expect(await total()).toBe(before);
  });

  test('that 12 clients send at once makes one lead, with the changes of all', async () => {
    const { api } = await newOrganization();
    /** Sends it again after a 503, which promises that nothing was stored. */
    const sendUntilStored = async (suburb: string): Promise<Answer> => {
      const parts = { query: { match: 'email' }, body: { name: 'Ed', email: 'ed@example.com', suburb } };
      const answer = await api.attempt('upsertLead', parts);
      return answer.status === 503 ? sendUntilStored(suburb) : answer;
    };
    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => sendUntilStored(`Suburb ${at}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(11).fill(200), 201]);
    const { leads } = await api.call('listLeads');
    expect(leads).toHaveLength(1);
    const params = { leadId: leads[0]!.id };
    expect(answers.map(({ body }) => body)).toEqual(
      Array<object>(12).fill({ lead: expect.objectContaining({ id: params.leadId }) as object }),
    );
    const { totalCount } = await api.call('listLeadActivities', { params });
    expect(totalCount).toBe(12);
  });
});

const gus = { name: 'Gus', email: 'gus@example.com' };

test.each([
  [{ match: 'name' }, gus, 'match must be one of email, phone, externalId'],
  [{ match: 'phone' }, gus, 'phone is required where match names it'],
  [{ match: 'email' }, { email: 'gus@example.com' }, 'firstName is required where there is no name'],
  [{ match: 'email' }, { ...gus, phone: '123' }, `phone ${notPhone}`],
] as const)('an upsert by %j of %j is refused: %s', async (query, body, problem) => {
  const before = await total();
  await api.refuses('upsertLead', { query, body }, problem);
  expect(await total()).toBe(before);
});

test.each([
  ['creates a lead', { calls: 3, readUnits: 5, writeUnits: 16 }, { externalId: 'new', email: '' }],
  ['changes one', { calls: 4, readUnits: 6, writeUnits: 8 }, { suburb: 'Manly' }],
  ['changes the email of one', { calls: 4, readUnits: 6, writeUnits: 12 }, { email: 'kit@example.com' }],
  ['changes the status of one', { calls: 4, readUnits: 6, writeUnits: 13 }, { status: 'won' }],
])('an upsert that %s costs what it must, and no more', async (_, cost, body) => {
  const { api } = await newOrganization();
  const kit = { name: 'Kit Kerr', externalId: 'kit', email: 'kerr@example.com' };
  await api.call('createLead', { body: kit });
  const parts = { query: { match: 'externalId' }, body: { ...kit, ...body } };
  expect((await api.answer('upsertLead', parts)).cost).toEqual(cost);
});
