import { beforeAll, describe, expect, test } from 'vitest';
import {
  inquirySources,
  listInquiriesEndpoint,
  type InquiryListItem,
  type InquirySource,
} from '../../shared/contract/inquiries.ts';
import { createLeadEndpoint, deleteLeadEndpoint, type Lead } from '../../shared/contract/leads.ts';
import { addInquiry } from '../../shared/domain/inquiries/inquiries.ts';
import { LeadChange } from '../../shared/domain/leads/lead-change.ts';
import { toLead } from '../../shared/domain/leads/lead-record.ts';
import { addLead, leadRef } from '../../shared/domain/leads/leads.ts';
import { pipelineRead } from '../../shared/domain/leads/pipeline-record.ts';
import { storeInquiry, newLead, sampleSources } from '../support/inquiries.ts';
import { everyPage, pageOfAll, refusedPages } from '../support/pages.ts';
import { setup, type TestOrganization, type World } from '../support/world.ts';
import type { Ledger } from '../../shared/ledger/index.ts';

let world: World;
beforeAll(async () => {
  world = await setup();
});

describe('the list of inquiries', () => {
  /** Arrivals in order: from every source of Ann and Gus, but not of Bo. Gus is deleted in the end. */
  const arrivals = [
    ['Ann', 'CALL'],
    ['Gus', 'CALL'],
    ['Ann', 'EMAIL'],
    ['Bo', 'CALL'],
    ['Gus', 'WEBFORM'],
    ['Ann', 'CALL'],
    ['Ann', 'SMS'],
    ['Bo', 'WEBFORM'],
    ['Gus', 'EMAIL'],
    ['Ann', 'CHATBOT'],
    ['Gus', 'CALL'],
    ['Ann', 'WEBFORM'],
    ['Gus', 'CHATBOT'],
    ['Gus', 'SMS'],
    ['Ann', 'CALL'],
    ['Ann', 'CALL'],
    ['Gus', 'CALL'],
  ] as const;
  type Name = (typeof arrivals)[number][0];

  let ours: TestOrganization;
  let leads: Record<Name, Lead>;
  /** Every inquiry with all fields that `expand` can add, newest first. */
  const all: Required<InquiryListItem>[] = [];

  beforeAll(async () => {
    ({ ours } = await setup());
    const { api } = ours;
    const { ledger } = ours.openLedger();
    const [{ lead: Ann }, Bo, Gus] = [
      await api.call(createLeadEndpoint, {
        body: { name: 'Ann Lee', email: 'ann@example.com', phone: '0412 345 678' },
      }),
      await newLead(ours, 'Bo'),
      await newLead(ours, 'Gus'),
    ];
    leads = { Ann, Bo, Gus };
    const shown = {
      Ann: {
        id: Ann.id,
        firstName: 'Ann',
        lastName: 'Lee',
        email: 'ann@example.com',
        phone: '+61412345678',
      },
      Bo: { id: Bo.id, firstName: 'Bo', lastName: '', email: '', phone: '' },
      Gus: null,
    };
    for (const [at, [name, source]] of arrivals.entries()) {
      const given = { tag: `Tag ${at}`, summary: `Summary ${at}`, isRead: at % 3 === 0 };
      const externalInquiryId = at % 2 === 0 ? `crm-${at}` : null;
      const { id, sourceId, createdAt } = await storeInquiry(ledger, leads[name], source, {
        ...given,
        ...(externalInquiryId !== null && { externalId: externalInquiryId }),
      });
      const leadId = leads[name].id;
      const isFirstInquiry = !all.some((inquiry) => inquiry.leadId === leadId);
      const lead = shown[name];
      all.unshift({
        ...{ id, source, sourceId, ...given, isFirstInquiry, isFlagged: false, leadId },
        ...{ createdAt, updatedAt: createdAt, externalInquiryId, lead },
      });
    }
    await api.call(deleteLeadEndpoint, { params: { leadId: Gus.id } });
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

  const names = ['anyone', 'Ann', 'Gus'] as const;
  const sources = ['any source', 'CALL'] as const;
  const expansions = ['nothing', 'external', 'lead', 'both'] as const;
  const combinations = names.flatMap((name) =>
    sources.flatMap((source) => expansions.map((expand) => ({ name, source, expand }))),
  );

  test.each(combinations)('of $name by $source with $expand', async ({ name, source, expand }) => {
    const filter = {
      ...(name !== 'anyone' && { leadId: leads[name].id }),
      ...(source !== 'any source' && { source }),
      ...(expand !== 'nothing' && { expand }),
    };
    const items = expected(filter);
    for (const query of everyPage(items, 5)) {
      expect(await ours.api.call(listInquiriesEndpoint, { query: { ...filter, ...query } })).toEqual(
        pageOfAll('inquiries', items, query),
      );
    }
    expect(await ours.api.call(listInquiriesEndpoint, { query: filter })).toEqual(
      pageOfAll('inquiries', items),
    );
  });

  test.each(inquirySources)('of source %s alone', async (source) => {
    const items = expected({ source });
    expect(items.length).toBeGreaterThan(1);
    expect(await ours.api.call(listInquiriesEndpoint, { query: { source } })).toEqual(
      pageOfAll('inquiries', items),
    );
  });

  test('has pages of 50 by default', async () => {
    const items = expected({});
    for (const query of [{ page: 2 }, { limit: 3 }, { limit: 1 }, { limit: 100 }]) {
      expect(await ours.api.call(listInquiriesEndpoint, { query })).toEqual(
        pageOfAll('inquiries', items, query),
      );
    }
    const query = { page: Number.MAX_SAFE_INTEGER, limit: 100, leadId: leads.Ann.id };
    expect(await ours.api.call(listInquiriesEndpoint, { query })).toEqual(
      pageOfAll('inquiries', expected({ leadId: leads.Ann.id }), query),
    );
  });

  test('costs one read of the head or the lead and one query of the page, and a batch for expanded leads', async () => {
    const costOf = async (query: Record<string, string>) =>
      (await ours.api.answer(listInquiriesEndpoint, { query })).cost;
    const leadId = leads.Ann.id;
    const source = 'CALL';
    const expand = 'both';
    // The table is read strongly consistent, the index at half the price. Two of the three leads exist.
    const table = { calls: 2, readUnits: 1 + 3, writeUnits: 0 };
    const index = { calls: 2, readUnits: 1 + 0.5, writeUnits: 0 };
    expect(await costOf({})).toEqual(table);
    expect(await costOf({ source })).toEqual(index);
    expect(await costOf({ leadId, source })).toEqual(index);
    expect(await costOf({ leadId, source, expand })).toEqual(index);
    expect(await costOf({ expand: 'external' })).toEqual(table);
    expect((await costOf({ expand })).calls).toBe(3);
    // If the lead is deleted, the item that is left of it has the total.
    expect(await costOf({ leadId: leads.Gus.id, source, expand })).toEqual({
      calls: 3,
      readUnits: 1 + 1 + 0.5,
      writeUnits: 0,
    });
  });

  test('is empty, with no pages, before the first inquiry', async () => {
    const { theirs } = await setup();
    const lead = await newLead(theirs);
    for (const query of [{}, { expand: 'both' }, { source: 'CALL' }, { leadId: lead.id }]) {
      const { body, cost } = await theirs.api.answer(listInquiriesEndpoint, { query });
      expect(body).toEqual(pageOfAll('inquiries', []));
      expect(cost.calls).toBe(2);
    }
  });

  test('is empty for an unknown lead', async () => {
    const { leadId } = all[0]!;
    for (const unknown of ['nonsense', leadId.replace(/.$/, 'Z'), leadId.toLowerCase(), 'x'.repeat(100)]) {
      for (const query of [{}, { source: 'CALL', expand: 'both' }]) {
        expect(await ours.api.call(listInquiriesEndpoint, { query: { leadId: unknown, ...query } })).toEqual(
          pageOfAll('inquiries', []),
        );
      }
    }
  });
});

describe('the parameters of the list', () => {
  test.each([
    ...refusedPages,
    ['leadId', '', 'must not be empty'],
    ['leadId', 'x'.repeat(101), 'must be at most 100 long'],
    ['source', '', 'must be one of CALL, EMAIL, CHATBOT, SMS, WEBFORM'],
    ['source', 'call', 'must be one of CALL, EMAIL, CHATBOT, SMS, WEBFORM'],
    ['source', 'CALL,EMAIL', 'must be one of CALL, EMAIL, CHATBOT, SMS, WEBFORM'],
    ['expand', '', 'must be one of external, lead, both'],
    ['expand', 'Lead', 'must be one of external, lead, both'],
    ['expand', 'true', 'must be one of external, lead, both'],
  ])('refuse %s=%s', async (name, value, message) => {
    const error = await world.ours.api.failure(listInquiriesEndpoint, 400, { query: { [name]: value } });
    expect(error).toEqual({
      status: 400,
      message: `${name} ${message}`,
      details: [{ field: name, message }],
    });
  });

  test('are all checked', async () => {
    const query = { page: 0, limit: 0, leadId: '', source: 'x', expand: 'x' };
    const { details } = await world.ours.api.failure(listInquiriesEndpoint, 400, { query });
    expect(details?.map(({ field }) => field)).toEqual(Object.keys(query));
  });

  test('that are unknown are refused, and all named', async () => {
    const query = { sort: 'createdAt', leadid: 'x', page: 1 };
    const { details } = await world.ours.api.failure(listInquiriesEndpoint, 400, { query });
    const message = 'is not a known query parameter';
    expect(details).toEqual(['sort', 'leadid'].map((field) => ({ field, message })));
  });
});

test('a page that shows its 50 leads takes one batch besides the head and the page', async () => {
  const { ours } = await setup();
  const { ledger } = ours.openLedger();
  const leads: Lead[] = [];
  // Leads are stored 20 at once, so that they fit into a transaction.
  for (const count of [20, 20, 20]) leads.push(...(await leadsWithEmails(ledger, count)));
  const { body, cost } = await ours.api.answer(listInquiriesEndpoint, { query: { expand: 'lead' } });
  const newest = leads.toReversed().slice(0, 50);
  expect(body.inquiries.map(({ lead }) => lead)).toEqual(
    newest.map(({ id, firstName, lastName, email, phone }) => ({ id, firstName, lastName, email, phone })),
  );
  expect(body.totalCount).toBe(60);
  // Reads the head; 50 inquiries at a unit per 4 KB; 50 leads at a unit each.
  expect(cost).toEqual({ calls: 3, readUnits: 1 + 6 + 50, writeUnits: 0 });
});

/** Stores so many leads in two transactions, each with an inquiry by email. */
async function leadsWithEmails(ledger: Ledger, count: number): Promise<Lead[]> {
  const leads = await ledger.write({ change: { pipeline: pipelineRead } }, async (write) => {
    const added: Lead[] = [];
    for (let at = 0; at < count; at++) {
      added.push(toLead((await addLead(write, { firstName: `Lead ${at}`, phone: '' })).record));
    }
    return added;
  });
  const places = Object.fromEntries(leads.map(({ id }) => [id, leadRef(ledger, id)]));
  await ledger.write({ change: places }, (write, records) => {
    for (const [id, place] of Object.entries(places)) {
      addInquiry(write, new LeadChange(write, place, records[id]!), { ...sampleSources.EMAIL, summary: '' });
    }
  });
  return leads;
}
