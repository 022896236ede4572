import { describe, expect, test } from 'vitest';
import type { Lead, NewLead } from '../../shared/contract/leads.ts';
import { recordId } from '../../shared/core/ids.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import { pageOfAll } from '../support/page-of-all.ts';
import { newOrganization, verifiedOrganization } from '../support/test-organization.ts';
import { notPhone } from '../support/not-phone.ts';

const ours = await verifiedOrganization();
const { api } = ours;

const create = async (body: NewLead): Promise<Lead> => (await api.call('createLead', { body })).lead;

const ann = await create({
  name: 'Ann Lee',
  email: 'Ann+quote@Example.com',
  phone: '0491 570 156',
  externalId: 'CRM 7+Ö',
});

type Query = Record<string, string | number>;
const list = (query: Query) => api.call('listLeads', { query });
const namesOf = async (query: Query) => (await list(query)).leads.map(({ firstName }) => firstName);

describe('the lead with an email, a phone number or an externalId', () => {
  test.each([
    [{ email: 'Ann+quote@Example.com' }, 2, 2],
    [{ email: 'ann quote@example.com' }, 2, 2],
    [{ phone: ' 61491570156' }, 2, 2],
    [{ externalId: ' CRM 7+Ö ' }, 2, 2],
    [{ phone: '0491 570 156' }, 3, 3],
  ])('is found by %j', async (query, calls, readUnits) => {
    const { body, cost } = await api.answer('listLeads', { query });
    expect(body).toEqual(pageOfAll('leads', [ann]));
    expect(cost).toMatchObject({ calls, readUnits });
  });

  test('is on the first page only', async () => {
    expect(await list({ email: ann.email, page: 2 })).toEqual(pageOfAll('leads', [ann], { page: 2 }));
  });

  test.each([{ email: 'ann@example.com' }, { phone: '+61491570157' }, { externalId: 'crm 7+Ö' }])(
    'is unknown: %j',
    async (query) => {
      expect(await list(query)).toEqual(pageOfAll('leads', []));
    },
  );

  test('is found by its present values, and not once it is deleted', async () => {
    const lead = await create({ name: 'Bo', email: 'bo@example.com' });
    const params = { leadId: lead.id };
    await api.call('updateLead', { params, body: { email: 'bob@example.com' } });
    expect(await namesOf({ email: 'bo@example.com' })).toEqual([]);
    expect(await namesOf({ email: 'bob@example.com' })).toEqual(['Bo']);
    await api.call('deleteLead', { params });
    expect(await namesOf({ email: 'bob@example.com' })).toEqual([]);
  });
});

test('the leads that were created in a range of time are all of them, newest first, in one answer', async () => {
  const organization = await newOrganization();
  const times: string[] = [];
  for (let at = 0; at < 9; at++) {
    const now = () => Date.parse('2031-03-03T20:00:00.000Z') + at * 3_600_000;
    const { ledger } = organization.openLedger({ system: { now } });
    times.push((await createLead(ledger, { firstName: `L${at}` })).createdAt);
  }
  const params = { leadId: recordId('lead', organization.code, 5) };
  await organization.api.call('deleteLead', { params });
  const found = async (query: Query) => {
    const { leads, ...page } = await organization.api.call('listLeads', { query });
    expect(page).toEqual({
      totalPages: Math.min(1, leads.length),
      currentPage: 1,
      totalCount: leads.length,
    });
    return leads.map(({ firstName }) => firstName).join(' ');
  };
  expect(await found({ createdFrom: times[2]!, createdTo: times[6]! })).toBe('L5 L3 L2');
  expect(await found({ createdFrom: times[7]! })).toBe('L8 L7');
  expect(await found({ createdTo: times[1]! })).toBe('L0');
  expect(await found({ createdFrom: '2031-03-05' })).toBe('');
  // Sydney's day begins at 13:00 UTC the day before.
  expect(await found({ createdTo: '2031-03-03' })).toBe('');
  expect(await found({ createdFrom: '2031-03-04', createdTo: '2031-03-04', limit: 2 })).toBe(
    'L8 L7 L6 L5 L3 L2 L1 L0',
  );
  await organization.api.refuses(
    'listLeads',
    { query: { createdFrom: times[2]!, createdTo: times[2]! } },
    'createdTo must be after createdFrom',
  );
});

test('the leads of a status are those in it, the newest in it first, with exact totals', async () => {
  const ours = await verifiedOrganization();
  const leads = new Map<string, string>();
  for (const firstName of ['Al', 'Bo', 'Cy', 'Di', 'Ed']) {
    const { lead } = await ours.api.call('createLead', { body: { firstName } });
    leads.set(firstName, lead.id);
  }
  const move = (name: string, status: string) =>
    ours.api.call('updateLead', { params: { leadId: leads.get(name)! }, body: { status } });
  const page = async (status: string, page = 1) => {
    const query = { status, page, limit: 2 };
    const { leads, totalCount } = await ours.api.call('listLeads', { query });
    expect(leads.every((lead) => lead.status === status)).toBe(true);
    return [totalCount, ...leads.map(({ firstName }) => firstName)];
  };
  expect(await page('pending')).toEqual([5, 'Ed', 'Di']);
  await move('Di', 'quoted');
  await move('Bo', 'quoted');
  await move('Al', 'quoted');
  expect(await page('pending')).toEqual([2, 'Ed', 'Cy']);
  expect(await page('quoted')).toEqual([3, 'Al', 'Bo']);
  expect(await page('quoted', 2)).toEqual([3, 'Di']);
  expect(await page('quoted', 3)).toEqual([3]);

  // A lead that comes back to a status is its newest again; a lead that changes otherwise keeps its place.
  await move('Di', 'pending');
  await ours.api.call('updateLead', { params: { leadId: leads.get('Cy')! }, body: { read: true } });
  expect(await page('pending')).toEqual([3, 'Di', 'Ed']);
  expect(await page('pending', 2)).toEqual([3, 'Cy']);
  await ours.api.call('deleteLead', { params: { leadId: leads.get('Bo')! } });
  expect(await page('quoted')).toEqual([1, 'Al']);
  for (const status of ['active', 'won', 'lost', 'archived']) expect(await page(status)).toEqual([0]);
});

test.each([
  [{ status: 'lost' }, { calls: 2, readUnits: 1.5 }],
  [
    { status: 'lost', page: 2 },
    { calls: 1, readUnits: 1 },
  ],
])('a list of %j costs what it must, and no more', async (query: Query, cost) => {
  const ours = await verifiedOrganization();
  await ours.api.call('createLead', { body: { name: 'Zoltan Abel', status: 'lost' } });
  const answer = await ours.api.answer('listLeads', { query });
  expect(answer.cost).toEqual({ ...cost, writeUnits: 0 });
});

test.each<[Query, ...string[]]>([
  [{ email: 'nobody' }, 'email must be an email address'],
  [{ phone: '123' }, `phone ${notPhone}`],
  [{ q: ' z ' }, 'q must have at least two characters'],
  [{ q: 'z\u0308' }, 'q must have at least two characters'],
  [{ q: '12 3' }, 'q must have at least 4 digits of a phone number'],
  ...[
    { email: 'a@example.com', q: 'ann' },
    { q: 'ann', status: 'won' },
    { createdFrom: '2031-03-03', status: 'won' },
    { createdTo: '2031-03-03', order: 'oldest' },
  ].map((query): [Query, string, string] => {
    const [one, other] = Object.keys(query);
    const together = ': of the filters, only createdFrom and createdTo go together';
    return [
      query,
      `${one!} cannot be combined with ${other!}${together}`,
      `${other!} cannot be combined with ${one!}${together}`,
    ];
  }),
])('the filter %j is refused', async (query, ...problems) => {
  await api.refuses('listLeads', { query }, ...problems);
});
