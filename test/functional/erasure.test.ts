import { expect, test } from 'vitest';
import { events } from '../../shared/ledger/index.ts';
import { pageOfAll } from '../support/page-of-all.ts';
import {
  newOrganization,
  verifiedOrganization,
  type TestOrganization,
} from '../support/test-organization.ts';

const ours = await verifiedOrganization();

const done = { message: 'Lead erased successfully', done: true };
const erase = (leadId: string, { api } = ours) => api.call('eraseLead', { params: { leadId } });

const sofia = {
  name: 'Sofia Rossi',
  email: 'sofia@example.com',
  phone: '+61491570110',
  suburb: 'Leichhardt',
  businessName: 'Rossi Bakery',
  socials: { mastodon: '@sofia@example.social' },
  externalId: 'sofia-rossi-12',
};

/** A request for each way that data of a person comes in. */
const arrivals = (text: string) => [
  { source: 'CALL', tag: 'Hot water', data: { summary: text, transcripts: [{ text }] } },
  { source: 'EMAIL', tag: 'Hot water', isRead: true, data: { subject: text, body: text } },
  { source: 'CHATBOT', data: { messages: [{ text }] } },
  { source: 'SMS', data: { messages: [{ text }, { text, direction: 'OUTBOUND' }] } },
  { source: 'WEBFORM', data: { formName: 'Contact', fields: { Message: text } } },
];

async function person(organization: TestOrganization, body: typeof sofia) {
  const { api } = organization;
  const { id } = (await api.call('createLead', { body })).lead;
  const inquiryIds: string[] = [];
  for (const arrival of arrivals(`${body.name} asks`)) {
    const externalInquiryId = `${body.email} ${arrival.source}`;
    const parts = { body: { ...arrival, leadId: id, summary: `${body.name} asks`, externalInquiryId } };
    inquiryIds.push((await api.call('createInquiry', parts)).inquiry.id);
  }
  return { id, inquiryIds };
}

/** Ids and totals of every list of an organization, as the API shows them. */
async function lists({ api }: TestOrganization) {
  const ofLeads = [
    {},
    { status: 'pending' },
    { q: 'rossi' },
    { email: sofia.email },
    { phone: sofia.phone },
    { externalId: sofia.externalId },
  ];
  const bySource = arrivals('').map(({ source }) => ({ source }));
  const ofInquiries = [{}, { isRead: 'false' }, { tag: 'Hot water' }, ...bySource];
  const leads = await Promise.all(ofLeads.map((query) => api.call('listLeads', { query })));
  const inquiries = await Promise.all(ofInquiries.map((query) => api.call('listInquiries', { query })));
  return {
    leads: leads.map((page) => [page.totalCount, ...page.leads.map(({ id }) => id)]),
    inquiries: inquiries.map((page) => [page.totalCount, ...page.inquiries.map(({ id }) => id)]),
    statuses: (await api.call('getPipeline')).statuses,
  };
}

/** Events of an organization, newest first. */
const history = async (organization: TestOrganization) =>
  (await organization.openLedger().ledger.page(events, { page: 1, limit: 100 })).items;

test('an erasure removes a lead and its inquiries from every list, and leaves the others unchanged', async () => {
  const organization = await newOrganization();
  const { api } = organization;
  const other = await person(organization, {
    ...sofia,
    externalId: 'mei-12',
    name: 'Bo Berg',
    email: 'bo@example.com',
    phone: '',
    businessName: '',
  });
  const before = await lists(organization);
  const { id: leadId, inquiryIds } = await person(organization, sofia);
  expect(await lists(organization)).not.toEqual(before);

  expect(await erase(leadId, organization)).toEqual(done);
  expect(await lists(organization)).toEqual(before);
  const ofLead = await api.call('listInquiries', { query: { leadId } });
  expect(ofLead).toEqual(pageOfAll('inquiries', []));
  for (const inquiryId of inquiryIds) {
    const params = { inquiryId };
    await api.failure('getInquiry', 404, { params });
    await api.failure('updateInquiry', 404, { params, body: { isRead: true } });
  }
  const params = { leadId };
  for (const operation of ['getLead', 'deleteLead', 'listLeadActivities'] as const)
    await api.failure(operation, 404, { params });
  await api.failure('updateLead', 404, { params, body: { suburb: 'Newtown' } });

  // The events that remain name ids alone.
  const recorded = (await history(organization)).slice(0, 7);
  expect(new Set(recorded.map(({ event, data, referenceId }) => `${event} ${referenceId}: ${data}`))).toEqual(
    new Set([
      `LEAD_DELETED ${leadId}: The lead was deleted`,
      `LEAD_ERASED ${leadId}: The lead was erased, with its inquiries and messages`,
      ...inquiryIds.map((id) => `INQUIRY_ERASED ${id}: The inquiry was erased`),
    ]),
  );

  // A repeat changes nothing.
  expect(await erase(leadId, organization)).toEqual(done);
  expect(await history(organization)).toHaveLength((await history(organization))[0]!.id);
  expect((await history(organization))[0]).toEqual(recorded[0]);
  const ofOther = await api.call('listInquiries', { query: { leadId: other.id } });
  expect(ofOther.totalCount).toBe(5);
});

test('a lead that was deleted before is erased, and so is one with nothing but an appointment', async () => {
  const { id } = await person(ours, sofia);
  await ours.api.call('deleteLead', { params: { leadId: id } });
  expect((await ours.api.call('listInquiries', { query: { leadId: id } })).totalCount).toBe(5);
  expect(await erase(id)).toEqual(done);
  expect((await ours.api.call('listInquiries', { query: { leadId: id } })).totalCount).toBe(0);
  const { lead } = await ours.api.call('createLead', { body: { firstName: 'Cy' } });
  const times = { start: '2031-03-03T00:00:00Z', end: '2031-03-03T01:00:00Z' };
  await ours.api.call('createAppointment', { body: { title: 'Drain', leadId: lead.id, ...times } });
  expect(await erase(lead.id)).toEqual(done);
  expect((await history(ours))[0]).toMatchObject({ event: 'LEAD_ERASED', referenceId: lead.id });
  await ours.api.failure('getLead', 404, { params: { leadId: lead.id } });
});
