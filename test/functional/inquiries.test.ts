import { beforeAll, describe, expect, test } from 'vitest';
import type { InquiryListItem, InquirySource } from '../../shared/contract/inquiries.ts';
import type { Lead } from '../../shared/contract/leads.ts';
import { inquiryRequests, newLead, storeSample } from '../support/inquiries.ts';
import { everyPage, pageOfAll } from '../support/page-of-all.ts';
import { twoOrganizations, verifiedOrganization } from '../support/test-organization.ts';

const { ours, theirs } = await twoOrganizations();
const { api } = ours;

type Query = Record<string, string | number>;
/** Expects the page of the list that a query asks for, where it has these items in all. */
const expectListed = async (query: Query, items: readonly unknown[], { api } = ours) => {
  const page = await api.call('listInquiries', { query });
  expect(page).toEqual(pageOfAll('inquiries', items, query));
};

describe('the list of inquiries', () => {
  const names = ['Ann', 'Bo', 'Gus'] as const;
  /** Arrivals in order: from every source of Ann and Gus, but not of Bo. Gus is deleted in the end. */
  const arrivals =
    'Ann CALL, Gus CALL, Ann EMAIL, Bo CALL, Gus WEBFORM, Ann CALL, Ann SMS, Bo WEBFORM, Gus EMAIL, ' +
    'Ann CHATBOT, Gus CALL, Ann WEBFORM, Gus CHATBOT, Gus SMS, Ann CALL, Ann CALL, Gus CALL';
  const leads = {} as Record<(typeof names)[number], Lead>;
  /** Every inquiry with all fields that `expand` can add, newest first. */
  const all: Required<InquiryListItem>[] = [];

  beforeAll(async () => {
    const { ledger } = ours.openLedger();
    for (const name of names) {
      const body = {
        firstName: name,
        ...(name === 'Ann' && { email: 'a@example.com', phone: '0412 345 678' }),
      };
      leads[name] = (await api.call('createLead', { body })).lead;
    }
    for (const [at, arrival] of arrivals.split(', ').entries()) {
      const [name, source] = arrival.split(' ') as [(typeof names)[number], InquirySource];
      const given = { tag: `Tag ${at}`, summary: `Summary ${at}`, isRead: at % 3 === 0 };
      const externalId = `crm-${at}`;
      const changes = { ...given, ...(at % 2 === 0 && { externalId }) };
      const { id, sourceId, createdAt } = await storeSample(ledger, leads[name], source, changes);
      const { id: leadId, firstName, lastName, email, phone } = leads[name];
      const isFirstInquiry = !all.some((inquiry) => inquiry.leadId === leadId);
      all.unshift({
        id,
        source,
        sourceId,
        ...given,
        isFirstInquiry,
        isFlagged: false,
        leadId,
        createdAt,
        updatedAt: createdAt,
        externalInquiryId: at % 2 === 0 ? externalId : null,
        lead: name === 'Gus' ? null : { id: leadId, firstName, lastName, email, phone },
      });
    }
    await api.call('deleteLead', { params: { leadId: leads.Gus.id } });
  });

  type Expand = 'external' | 'lead' | 'both';
  const expected = (filter: { leadId?: string; source?: InquirySource; expand?: Expand }) =>
    all
      .filter(({ leadId }) => filter.leadId === undefined || leadId === filter.leadId)
      .filter(({ source }) => filter.source === undefined || source === filter.source)
      .map(({ externalInquiryId, lead, ...item }) => ({
        ...item,
        ...((filter.expand === 'external' || filter.expand === 'both') && { externalInquiryId }),
        ...((filter.expand === 'lead' || filter.expand === 'both') && { lead }),
      }));

  const combinations = (['anyone', 'Ann', 'Gus'] as const).flatMap((name) =>
    (['any source', 'CALL'] as const).flatMap((source) =>
      (['nothing', 'external', 'lead', 'both'] as const).map((expand) => ({ name, source, expand })),
    ),
  );
  test.each(combinations)('of $name by $source with $expand', async ({ name, source, expand }) => {
    const filter = {
      ...(name !== 'anyone' && { leadId: leads[name].id }),
      ...(source !== 'any source' && { source }),
      ...(expand !== 'nothing' && { expand }),
    };
    const items = expected(filter);
    for (const page of everyPage(items, 5)) await expectListed({ ...filter, ...page }, items);
    await expectListed(filter, items);
  });

  test('has pages of 50 by default', async () => {
    for (const query of [{ page: 2 }, { limit: 3 }, { limit: 1 }, { limit: 100 }])
      await expectListed(query, expected({}));
    const leadId = leads.Ann.id;
    await expectListed({ page: Number.MAX_SAFE_INTEGER, limit: 100, leadId }, expected({ leadId }));
  });

  test('costs one read of the head or the lead and one query of the page, and a batch for expanded leads', async () => {
    const costOf = async (query: Record<string, string>) =>
      (await api.answer('listInquiries', { query })).cost;
    const [leadId, source, expand] = [leads.Ann.id, 'CALL', 'both'];
    // The table is read strongly consistent, the index at half the price. Two of the three leads exist.
    const table = { calls: 2, readUnits: 1 + 3, writeUnits: 0 };
    const index = { calls: 2, readUnits: 1 + 0.5, writeUnits: 0 };
    for (const query of [{}, { expand: 'external' }]) expect(await costOf(query)).toEqual(table);
    for (const query of [{ source }, { leadId, source }, { leadId, source, expand }])
      expect(await costOf(query)).toEqual(index);
    expect((await costOf({ expand })).calls).toBe(3);
    // If the lead is deleted, the item that is left of it has the total.
    const ofGus = { calls: 3, readUnits: 1 + 1 + 0.5, writeUnits: 0 };
    expect(await costOf({ leadId: leads.Gus.id, source, expand })).toEqual(ofGus);
  });

  test('is empty, with no pages, before the first inquiry', async () => {
    const { id: leadId } = await newLead(theirs);
    for (const query of [{}, { expand: 'both' }, { source: 'CALL' }, { leadId }]) {
      const { body, cost } = await theirs.api.answer('listInquiries', { query });
      expect(body).toEqual(pageOfAll('inquiries', []));
      expect(cost.calls).toBe(2);
    }
  });
});

test('the lists of unread inquiries and of tags follow each change: an inquiry that comes back is the newest', async () => {
  const fresh = await verifiedOrganization();
  const { arrive, change, listed } = inquiryRequests(fresh);
  const [one, two, three] = [
    await arrive({ lead: { name: 'Ann' }, tag: 'Quote' }),
    await arrive({ lead: { name: 'Bo' }, tag: 'quote', isRead: true }),
    await arrive({ lead: { name: 'Cy' }, tag: 'Quote' }),
  ];
  const lists = async () => ({
    unread: await listed({ isRead: 'false' }),
    Quote: await listed({ tag: 'Quote' }),
    quote: await listed({ tag: 'quote' }),
  });
  expect(await lists()).toEqual({ unread: [three.id, one.id], Quote: [three.id, one.id], quote: [two.id] });
  await change(three, { isRead: true, tag: '' });
  expect(await lists()).toEqual({ unread: [one.id], Quote: [one.id], quote: [two.id] });
  await change(two, { isRead: false, tag: 'Quote' });
  await change(one, { isRead: true });
  await change(one, { isRead: false });
  expect(await lists()).toEqual({ unread: [one.id, two.id], Quote: [two.id, one.id], quote: [] });
  for (const filter of [{ isRead: 'false' }, { tag: 'Quote' }, { tag: 'never' }, { tag: ' Quote ' }]) {
    const query = { ...filter, expand: 'both' };
    const { inquiries } = await fresh.api.call('listInquiries', { query });
    expect(inquiries.every(({ lead, externalInquiryId }) => lead?.id && externalInquiryId === null)).toBe(
      true,
    );
    for (const page of [1, 2, 3]) await expectListed({ ...query, page, limit: 1 }, inquiries, fresh);
  }
  // A read of the head or the state, and the page.
  for (const query of [{ isRead: 'false' }, { tag: 'Quote' }]) {
    const { cost } = await fresh.api.answer('listInquiries', { query });
    expect(cost).toEqual({ calls: 2, readUnits: 1.5, writeUnits: 0 });
  }
  expect(await inquiryRequests(ours).listed({ tag: 'Quote' })).toEqual([]);
});

test.each<[Record<string, string>, ...string[]]>([
  ...['', 'call', 'CALL,EMAIL'].map((source): [Record<string, string>, string] => [
    { source },
    'source must be one of CALL, EMAIL, CHATBOT, SMS, WEBFORM',
  ]),
  ...['', 'Lead', 'true'].map((expand): [Record<string, string>, string] => [
    { expand },
    'expand must be one of external, lead, both',
  ]),
  [{ isRead: 'true' }, 'isRead must be false'],
  [{ tag: ' ' }, 'tag must not be empty'],
  [
    { isRead: 'false', tag: 'x', expand: 'lead' },
    'isRead cannot be combined with tag',
    'tag cannot be combined with isRead',
  ],
  [
    { isRead: 'false', leadId: 'x', source: 'CALL' },
    'isRead cannot be combined with leadId or source',
    'leadId cannot be combined with isRead',
    'source cannot be combined with isRead',
  ],
  // All parameters are checked, and all unknown ones named.
])('a list of %j is refused', async (query, ...problems) => {
  await api.refuses('listInquiries', { query }, ...problems);
});

test('a page that shows its 50 leads takes one batch besides the head and the page', async () => {
  const ours = await verifiedOrganization();
  const { ledger } = ours.openLedger();
  const given = Array.from({ length: 60 }, (_, at) => ({ firstName: `Lead ${at}` }));
  const { results } = await ours.api.call('createLeads', { body: { leads: given } });
  const leads = results.flatMap((result) => (result.status === 'ok' ? [result.lead] : []));
  for (const lead of leads) await storeSample(ledger, lead, 'EMAIL');
  const { body, cost } = await ours.api.answer('listInquiries', { query: { expand: 'lead' } });
  const newest = leads.toReversed().slice(0, 50);
  expect(body.inquiries.map(({ lead }) => lead)).toEqual(
    newest.map(({ id, firstName, lastName, email, phone }) => ({ id, firstName, lastName, email, phone })),
  );
  expect(body.totalCount).toBe(60);
  // Reads the head; 50 inquiries at a unit per 4 KB; 50 leads at a unit each.
  expect(cost).toEqual({ calls: 3, readUnits: 1 + 6 + 50, writeUnits: 0 });
});
