import { describe, expect, test } from 'vitest';
import {
  createLeadEndpoint,
  deleteLeadEndpoint,
  listLeadsEndpoint,
  updateLeadEndpoint,
  type Lead,
  type NewLead,
} from '../../shared/contract/leads.ts';
import { addLeads } from '../shared/ledger/many-leads.ts';
import { pageOfAll } from '../support/page-of-all.ts';
import { twoOrganizations } from '../support/test-organization.ts';
import { notPhone } from '../support/not-phone.ts';

const { ours } = await twoOrganizations();
const { api } = ours;

const create = async (body: NewLead): Promise<Lead> => (await api.call(createLeadEndpoint, { body })).lead;

const ann = await create({
  name: 'Ann Lee',
  email: 'Ann+quote@Example.com',
  phone: '0491 570 156',
  externalId: 'CRM 7+Ö',
});

type Query = Record<string, string | number>;
const list = (query: Query) => api.call(listLeadsEndpoint, { query });
const namesOf = async (query: Query) => (await list(query)).leads.map(({ firstName }) => firstName);

describe('the lead with an email, a phone number or an externalId', () => {
  test.each([
    [{ email: 'Ann+quote@Example.com' }, 2, 2],
    [{ email: 'ann quote@example.com' }, 2, 2],
    [{ phone: ' 61491570156' }, 2, 2],
    [{ externalId: ' CRM 7+Ö ' }, 2, 2],
    [{ phone: '0491 570 156' }, 3, 3],
  ])('is found by %j', async (query, calls, readUnits) => {
    const { body, cost } = await api.answer(listLeadsEndpoint, { query });
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
    await api.call(updateLeadEndpoint, { params, body: { email: 'bob@example.com' } });
    expect(await namesOf({ email: 'bo@example.com' })).toEqual([]);
    expect(await namesOf({ email: 'bob@example.com' })).toEqual(['Bo']);
    await api.call(deleteLeadEndpoint, { params });
    expect(await namesOf({ email: 'bob@example.com' })).toEqual([]);
  });
});

describe('the leads of a status', () => {
  test('are those in it, the newest in it first, with exact totals', async () => {
    const { ours } = await twoOrganizations();
    const leads = new Map<string, string>();
    for (const firstName of ['Al', 'Bo', 'Cy', 'Di', 'Ed']) {
      const { lead } = await ours.api.call(createLeadEndpoint, { body: { firstName } });
      leads.set(firstName, lead.id);
    }
    const move = (name: string, status: string) =>
      ours.api.call(updateLeadEndpoint, { params: { leadId: leads.get(name)! }, body: { status } });
    const page = async (status: string, page = 1) => {
      const query = { status, page, limit: 2 };
      const { leads, totalCount } = await ours.api.call(listLeadsEndpoint, { query });
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
    await ours.api.call(updateLeadEndpoint, { params: { leadId: leads.get('Cy')! }, body: { read: true } });
    expect(await page('pending')).toEqual([3, 'Di', 'Ed']);
    expect(await page('pending', 2)).toEqual([3, 'Cy']);
    await ours.api.call(deleteLeadEndpoint, { params: { leadId: leads.get('Bo')! } });
    expect(await page('quoted')).toEqual([1, 'Al']);
    for (const status of ['active', 'won', 'lost', 'archived']) expect(await page(status)).toEqual([0]);
  });
});

describe('the leads whose names begin with a text', () => {
  test('are found by first, last or business name, in alphabetical order, each once', async () => {
    for (const [name, businessName] of [
      ['Zoë Maas', ''],
      ['zoltan Abel', 'Zoo Supplies'],
      ['Kim Zorn', ''],
      ['Lou Park', 'ZOË & Sons'],
      ['Ezo Zed', ''],
    ] as const)
      await create({ name, businessName });
    // Sorted by the name that matches: zoe, zoe & sons, zoltan (also zoo supplies), zorn.
    expect(await namesOf({ q: 'ZO' })).toEqual(['Zoë', 'Lou', 'zoltan', 'Kim']);
    expect(await namesOf({ q: 'zoe' })).toEqual(['Zoë', 'Lou']);
    expect(await namesOf({ q: 'zoë &' })).toEqual(['Lou']);
    expect(await namesOf({ q: 'zoo' })).toEqual(['zoltan']);
    expect(await list({ q: 'zo', limit: 3, page: 2 })).toMatchObject({
      leads: [{ firstName: 'Kim' }],
      totalPages: 2,
      currentPage: 2,
      totalCount: 4,
    });
    for (const name of ['Łukasz Đặng', 'Οδυσσέας Søn']) await create({ name });
    await create({ firstName: 'Siobhan', lastName: 'O’Connorly' });
    for (const q of ['O’Conn', "O'CONN", 'o`conn']) expect(await namesOf({ q })).toEqual(['Siobhan']);
    for (const q of ['luk', 'ŁU', 'dang', 'ĐA']) expect(await namesOf({ q })).toEqual(['Łukasz']);
    for (const q of ['οδυσ', 'ΟΔΥΣ', 'οδυς', 'son', 'SØ']) expect(await namesOf({ q })).toEqual(['Οδυσσέας']);
    expect(await list({ q: 'zz' })).toMatchObject({ leads: [], totalPages: 0, totalCount: 0 });
  });

  test('are at most 100', async () => {
    for (const count of [40, 40, 21]) {
      const leads = Array.from({ length: count }, () => ({ firstName: 'Yves' }));
      await addLeads(ours.openLedger().ledger, leads);
    }
    const { leads, totalCount } = await list({ q: 'yves', limit: 100 });
    expect([leads.length, totalCount]).toEqual([100, 100]);
  });
});

test.each([
  [{ status: 'lost' }, { calls: 2, readUnits: 1.5 }],
  [
    { status: 'lost', page: 2 },
    { calls: 1, readUnits: 1 },
  ],
  [{ q: 'zoltan' }, { calls: 3, readUnits: 1.5 }],
])('a list of %j costs what it must, and no more', async (query: Query, cost) => {
  const { ours } = await twoOrganizations();
  await ours.api.call(createLeadEndpoint, { body: { name: 'Zoltan Abel', status: 'lost' } });
  const answer = await ours.api.answer(listLeadsEndpoint, { query });
  expect(answer.cost).toEqual({ ...cost, writeUnits: 0 });
});

test.each<[Query, ...string[]]>([
  [{ email: 'nobody' }, 'email must be an email address'],
  [{ phone: '123' }, `phone ${notPhone}`],
  [{ q: ' z ' }, 'q must have at least two characters'],
  [{ q: 'z\u0308' }, 'q must have at least two characters'],
  ...[
    { email: 'a@example.com', q: 'ann' },
    { q: 'ann', status: 'won' },
  ].map((query): [Query, string, string] => {
    const [one, other] = Object.keys(query);
    return [query, `${one!} cannot be combined with ${other!}`, `${other!} cannot be combined with ${one!}`];
  }),
])('the filter %j is refused', async (query, ...problems) => {
  await api.refuses(listLeadsEndpoint, { query }, ...problems);
});
