import { expect, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { takesIfMatch } from '../../shared/contract/endpoint.ts';
import { neededFirst, testedOperation } from '../support/operations.ts';
import { fill, type Records } from '../support/filled-records.ts';
import { newOrganization, twoOrganizations, type TestOrganization } from '../support/test-organization.ts';
import { patience } from '../support/patience.ts';

const { operations } = await findContracts();

const { ours, theirs } = await twoOrganizations();
const both = [ours, theirs];

const lead = {
  name: 'Zoë Marsh',
  businessName: 'Marshland',
  email: 'zoe@example.com',
  phone: '+61491570156',
};

test('a unique value of one organization is free in another, and a conflict names a record of the own organization', async () => {
  const ids: string[] = [];
  for (const { api } of both) ids.push((await api.call('createLead', { body: lead })).lead.id);
  for (const [at, { api }] of both.entries()) {
    const { lead: other } = await api.call('createLead', { body: { name: 'Other' } });
    const { email } = lead;
    const created = await api.failure('createLead', 409, { body: lead });
    const parts = { params: { leadId: other.id }, body: { email } };
    const changed = await api.failure('updateLead', 409, parts);
    expect([created.existingId, changed.existingId]).toEqual([ids[at], ids[at]]);
  }
});

test('a search, by a prefix or by a complete value, finds nothing of another organization', async () => {
  const [ours, theirs] = [await newOrganization(), await newOrganization()];
  const { lead: found } = await ours.api.call('createLead', { body: { ...lead, status: 'won' } });
  const { email, phone } = lead;
  const queries = [{ q: 'zoe' }, { q: 'mar' }, { q: 'marshland' }, { email }, { phone }, { status: 'won' }];
  const seen = async ({ api }: TestOrganization) => {
    const pages = await Promise.all(queries.map((query) => api.call('listLeads', { query })));
    return pages.map(({ leads, totalCount }) => ({ ids: leads.map(({ id }) => id), totalCount }));
  };
  const isFound = queries.map(() => ({ ids: [found.id], totalCount: 1 }));
  const isNothing = queries.map(() => ({ ids: [], totalCount: 0 }));
  // Names are found by an index, which may lag.
  await expect.poll(() => seen(ours), { timeout: patience }).toEqual(isFound);
  expect(await seen(theirs)).toEqual(isNothing);
});

test('the same externalInquiryId in two organizations is two inquiries, each with a lead of its own', async () => {
  const body = { source: 'EMAIL', externalInquiryId: 'mail-77', lead: { email: 'jo@example.com' }, data: {} };
  const made = [];
  for (const { api } of both) {
    const answer = await api.answer('createInquiry', { body });
    expect(answer.status).toBe(201);
    made.push(answer.body);
  }
  for (const [at, { api, code }] of both.entries()) {
    const again = await api.answer('createInquiry', { body });
    expect(again).toMatchObject({ status: 200, body: made[at] });
    const { inquiries } = await api.call('listInquiries', { query: { expand: 'both' } });
    expect(inquiries).toMatchObject([
      { id: made[at]!.inquiry.id, externalInquiryId: 'mail-77', lead: { id: made[at]!.lead!.id } },
    ]);
    expect(JSON.stringify([again.body, inquiries])).not.toContain(both[1 - at]!.code);
    expect(made[at]!.inquiry.id).toContain(code);
  }
});

test('the tag of a record is no match for the same record of another organization', async () => {
  const organizations = [await newOrganization(), await newOrganization()];
  const records: Records[] = [];
  for (const organization of organizations) records.push(await fill(organization));
  const changing = operations.filter(({ endpoint }) => takesIfMatch(endpoint)).sort(neededFirst);
  expect(changing.length).toBeGreaterThan(4);
  for (const { operationId, endpoint } of changing) {
    const sent = (at: number, tag: string) =>
      organizations[at]!.api.attempt(endpoint, {
        ...testedOperation(operationId).request(records[at]!, 1),
        headers: { 'If-Match': tag },
      });
    const tags: string[] = [];
    for (const at of [0, 1]) tags.push((await sent(at, '"another"')).headers.get('etag')!);
    expect(await sent(0, tags[1]!), operationId).toMatchObject({ status: 412 });
    expect(await sent(0, tags[0]!), operationId).toMatchObject({ status: 200 });
  }
});
