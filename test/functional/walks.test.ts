import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../infra/local/demo/seeded-random.ts';
import { newLead, storeSample } from '../support/inquiries.ts';
import { newOrganization, twoOrganizations, type TestOrganization } from '../support/test-organization.ts';

/* `every-endpoint.test.ts` walks through every list while nothing changes. */

type Query = Record<string, string | number>;

/** Walks through a list, and lets `meanwhile` act after each step. Returns what each step showed. */
async function walk(
  list: (query: Query) => Promise<{ ids: string[]; nextAfter?: string | null | undefined }>,
  query: Query,
  meanwhile: (shown: string[]) => Promise<unknown>,
): Promise<string[]> {
  const shown: string[] = [];
  for (let after = {}; ;) {
    const { ids, nextAfter } = await list({ ...query, ...after });
    shown.push(...ids);
    await meanwhile(ids);
    if (typeof nextAfter !== 'string') return shown;
    after = { after: nextAfter };
  }
}

const leadsOf =
  ({ api }: TestOrganization) =>
  async (query: Query) => {
    const { leads, nextAfter } = await api.call('listLeads', { query });
    return { ids: leads.map(({ id }) => id), nextAfter };
  };

test('each unread inquiry is shown once while each is marked as read', async () => {
  const organization = await newOrganization();
  const { api } = organization;
  const all: string[] = [];
  for (let at = 0; at < 7; at++) {
    const { id } = await storeSample(organization.openLedger().ledger, await newLead(organization), 'CALL');
    all.unshift(id);
  }
  const list = async (query: Query) => {
    const { inquiries, nextAfter } = await api.call('listInquiries', {
      query: { isRead: 'false', ...query },
    });
    return { ids: inquiries.map(({ id }) => id), nextAfter };
  };
  const read = async (ids: string[], isRead = true) => {
    for (const inquiryId of ids) await api.call('updateInquiry', { params: { inquiryId }, body: { isRead } });
  };
  expect(await walk(list, { limit: 2 }, read)).toEqual(all);
  expect(await list({})).toEqual({ ids: [], nextAfter: null });
  await read(all.toReversed(), false);
  expect(await walk(list, { limit: 3, order: 'oldest' }, read)).toEqual(all.toReversed());
});

test.each([
  ['newest', {}],
  ['oldest', { status: 'pending' }],
])(
  'a walk through the %s leads first, with %o, shows what stays exactly once, and what comes back at least once',
  async (order, filter) => {
    const { random } = seededRandom(order.length);
    const organization = await newOrganization();
    const { api } = organization;
    const add = async (count: number) => {
      const leads = Array.from({ length: count }, (__, at) => ({ name: `Lead ${at}` }));
      const { results } = await api.call('createLeads', { body: { leads } });
      return results.flatMap((result) => ('lead' in result ? [result.lead.id] : []));
    };
    const stays = new Set(await add(60));
    const back = new Set<string>();
    const some = () => [...stays][Math.floor(random() * stays.size)]!;
    const move = (leadId: string, status: string) =>
      api.call('updateLead', { params: { leadId }, body: { status } });
    const shown = await walk(leadsOf(organization), { ...filter, order, limit: 7 }, async () => {
      // Creates fewer than a step shows, so that the walk ends.
      if (random() < 0.5) await add(2);
      const [gone, returned] = [some(), some()];
      stays.delete(gone);
      back.delete(gone);
      await api.call('deleteLead', { params: { leadId: gone } });
      if (returned === gone) return;
      stays.delete(returned);
      back.add(returned);
      await move(returned, 'won');
      await move(returned, 'pending');
    });
    const times = (id: string) => shown.filter((other) => other === id).length;
    expect(stays.size).toBeGreaterThan(20);
    for (const id of stays) expect(times(id), id).toBe(1);
    for (const id of back) expect(times(id), id).toBeGreaterThanOrEqual(1);
  },
);

test('a cursor is a position: its record need not be there, and the walk goes on with other sizes', async () => {
  const organization = await newOrganization();
  const list = leadsOf(organization);
  const ids: string[] = [];
  for (const name of ['Al', 'Bo', 'Cy', 'Di'])
    ids.push((await organization.api.call('createLead', { body: { name } })).lead.id);
  const [al, bo, cy, di] = ids as [string, string, string, string];
  const { nextAfter: after } = await list({ limit: 2 });
  await organization.api.call('deleteLead', { params: { leadId: cy } });
  expect(await list({ after: after!, limit: 1 })).toMatchObject({ ids: [bo] });
  expect(await list({ after: after! })).toEqual({ ids: [bo, al], nextAfter: null });
  // A walk can begin on any page, in either order.
  expect(await list({ page: 2, limit: 1, order: 'oldest' })).toMatchObject({ ids: [bo] });
  const second = await list({ page: 2, limit: 2 });
  expect(second).toEqual({ ids: [al], nextAfter: null });
  const { nextAfter } = await list({ page: 2, limit: 1 });
  const answer = await organization.api.call('listLeads', { query: { after: nextAfter!, limit: 1 } });
  expect(answer).toMatchObject({ currentPage: 3, totalPages: 3, totalCount: 3 });
  expect(answer.leads.map(({ id }) => id)).toEqual([al]);
  expect(di).toBeDefined();
});

describe('a cursor', () => {
  const made = (async () => {
    const { ours, theirs } = await twoOrganizations();
    for (const organization of [ours, theirs])
      for (const name of ['Ann', 'Bo']) await newLead(organization, name);
    const first = async (organization: TestOrganization, filter: Query = {}) =>
      (await leadsOf(organization)({ limit: 1, ...filter })).nextAfter;
    const cursors = new Map([
      ['leads', await first(ours)],
      ['pending', await first(ours, { status: 'pending' })],
      ['theirs', await first(theirs)],
      ['categories', (await ours.api.call('listCategories', { query: { limit: 1 } })).nextAfter],
      ['none', '2'],
    ]);
    return { api: ours.api, cursors };
  })();
  const begin = 'leave it out to begin at the start';
  const ofOther = `after is a cursor of another list or of other filters; ${begin}`;
  test.each<[string, string, Query, string[]]>([
    ['of another list', 'categories', {}, [ofOther]],
    ['of another filter', 'pending', { status: 'won' }, [ofOther]],
    ['of another organization', 'theirs', {}, [`after is a cursor of another organization; ${begin}`]],
    [
      'of another order',
      'leads',
      { order: 'oldest' },
      ['after is a cursor of the order newest; send order=newest, or leave the order out'],
    ],
    ['that is none', 'none', {}, [`after must be the nextAfter of an answer; ${begin}`]],
    [
      'with a page',
      'leads',
      { page: 1 },
      [
        'after cannot be combined with page: a walk goes on from where it is',
        'page cannot be combined with after',
      ],
    ],
    [
      'with a search',
      'leads',
      { q: 'ann' },
      [
        'q cannot be combined with after: of the filters, only createdFrom and createdTo go together',
        'after cannot be combined with q: of the filters, only createdFrom and createdTo go together',
      ],
    ],
  ])('%s is refused', async (_, of, query, problems) => {
    const { api, cursors } = await made;
    const after = cursors.get(of) ?? '';
    expect(after).not.toBe('');
    await api.refuses('listLeads', { query: { ...query, after } }, ...problems);
  });
});
