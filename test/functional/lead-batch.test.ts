import { describe, expect, test } from 'vitest';
import type { Lead } from '../../shared/contract/leads.ts';
import {
  newOrganization,
  twoOrganizations,
  verifiedOrganization,
  type TestOrganization,
} from '../support/test-organization.ts';
import { notPhone } from '../support/not-phone.ts';

const { ours, theirs } = await twoOrganizations();
const { api } = ours;

const post = (leads: unknown, { api }: Pick<TestOrganization, 'api'> = ours) =>
  api.call('createLeads', { body: { leads } });

const countOf = async ({ api }: TestOrganization) => (await api.call('listLeads')).totalCount;

const failed = (index: number, code: string, message: string, existingId?: string) => ({
  index,
  status: 'error',
  code,
  message,
  ...(existingId !== undefined && { existingId }),
});

const wrong = (index: number, message: string) => failed(index, 'VALIDATION_ERROR', message);
const taken = (index: number, field: string, id: string) =>
  failed(index, 'CONFLICT', `Another lead has this ${field}`, id);

/** Ids of the leads that a batch has created, by index. */
function idsIn({ results }: Awaited<ReturnType<typeof post>>): string[] {
  const ids: string[] = [];
  for (const result of results) if (result.status === 'ok') ids[result.index] = result.lead.id;
  return ids;
}

describe('a batch of leads', () => {
  test('creates each as it would be created alone, in their order', async () => {
    const ours = await verifiedOrganization();
    const sent = [
      { name: 'Ann Lee Smith', email: 'Ann@Example.com', phone: '0412 345 678', socials: { x: 'ann' } },
      { firstName: 'Bo', externalId: 'crm-1', status: 'won', suburb: 'Carlton', businessName: 'Bo’s Bikes' },
      { name: 'Cy', phone: '+64 21 123 4567' },
    ];
    const { results, summary } = await post(sent, ours);
    expect(summary).toEqual({ total: 3, succeeded: 3, failed: 0 });
    const other = await newOrganization();
    const alone: Lead[] = [];
    for (const body of sent) alone.push((await other.api.call('createLead', { body })).lead);
    const own = { id: expect.stringMatching(/^lead_/) as string, createdAt: expect.any(String) as string };
    expect(results).toEqual(
      alone.map((lead, index) => ({
        index,
        status: 'ok',
        lead: { ...lead, ...own, updatedAt: own.createdAt },
      })),
    );
    const leads = results.flatMap((result) => (result.status === 'ok' ? [result.lead] : []));
    expect((await ours.api.call('listLeads')).leads).toEqual(leads.toReversed());
    const [first] = leads;
    const params = { leadId: first!.id };
    expect((await ours.api.call('getLead', { params })).lead).toEqual(first);
    const { activities } = await ours.api.call('listLeadActivities', { params });
    expect(activities.map(({ event }) => event)).toEqual(['LEAD_CREATED']);
    const { statuses, days } = await ours.api.call('getPipeline');
    expect([statuses.pending, statuses.won, days[0]?.created]).toEqual([2, 1, 3]);
  });

  test('gives the reason for each item that fails, and creates the others', async () => {
    const { lead } = await api.call('createLead', {
      body: { name: 'Dee', email: 'dee@example.com', phone: '0491 570 006' },
    });
    const before = await countOf(ours);
    const batch = await post([
      { name: 'Eve', email: 'eve@example.com' },
      { name: 'Dee', email: 'DEE@example.com' },
      { email: 'nobody@example.com' },
      { name: 'Fay', nmae: 'Fay', email: 'fay', constructor: 1 },
      { name: 'Gus', phone: '0491 570 006', email: 'gus@example.com' },
      { name: 'Hal', phone: '12345' },
      null,
      'Ida',
      [{ name: 'Ida' }],
      { name: 'Jo', email: 'jo@example.com', phone: '' },
    ]);
    const ids = idsIn(batch);
    expect(batch.results.filter(({ status }) => status === 'error')).toEqual([
      taken(1, 'email', lead.id),
      wrong(2, 'firstName is required where there is no name'),
      wrong(3, 'nmae is not a known field; constructor is not a known field; email must be an email address'),
      taken(4, 'phone', lead.id),
      wrong(5, `phone ${notPhone}`),
      wrong(6, 'The item must be a JSON object'),
      wrong(7, 'The item must be a JSON object'),
      wrong(8, 'The item must be a JSON object'),
    ]);
    expect(Object.keys(ids)).toEqual(['0', '9']);
    expect(batch.summary).toEqual({ total: 10, succeeded: 2, failed: 8 });
    expect(await countOf(ours)).toBe(before + 2);
  });

  test('gives a value that two items have to the first valid one', async () => {
    const batch = await post([
      { name: 'Kim', email: 'kim@example.com' },
      { name: 'Kim', email: 'KIM@example.com' },
      { name: 'Lou', phone: '0491 570 110', status: 'gone' },
      { name: 'Lou', phone: '0491 570 110' },
      { name: 'Lou', phone: '+61 491 570 110', email: 'lou@example.com' },
      { name: 'Max', email: 'lou@example.com', externalId: 'max' },
      { name: 'Max', externalId: 'max' },
      { name: 'Max', externalId: 'Max' },
    ]);
    const ids = idsIn(batch);
    expect(batch.results.filter(({ status }) => status === 'error')).toEqual([
      taken(1, 'email', ids[0]!),
      wrong(2, 'status must be one of pending, active, quoted, won, lost, archived'),
      taken(4, 'phone', ids[3]!),
      taken(6, 'externalId', ids[5]!),
    ]);
    expect(Object.keys(ids)).toEqual(['0', '3', '5', '7']);
  });

  test("takes leads as they were read, and parses national numbers in the organization's country", async () => {
    const [lead] = (await api.call('listLeads')).leads;
    const batch = await post([{ ...lead, phone: '021 123 4567', read: true }], theirs);
    expect(batch.results).toMatchObject([
      { status: 'ok', lead: { firstName: lead!.firstName, phone: '+64211234567', read: false } },
    ]);
    expect(idsIn(batch)[0]).not.toBe(lead!.id);
  });

  test('that is sent again creates no lead with an email or a phone number twice', async () => {
    const leads = Array.from({ length: 30 }, (_, at) => ({
      name: `Nat ${at}`,
      email: `nat${at}@example.com`,
    }));
    leads.push({ name: 'Nobody', email: '' });
    const before = await countOf(ours);
    const ids = idsIn(await post(leads));
    // Deletes one of the leads, so that its values are free.
    await ours.api.call('deleteLead', { params: { leadId: ids[25]! } });
    const again = await post(leads);
    expect(Object.keys(idsIn(again))).toEqual(['25', '30']);
    for (const { index, status } of again.results)
      if (status === 'error') expect(again.results[index]).toEqual(taken(index, 'email', ids[index]!));
    expect(await countOf(ours)).toBe(before + 32);
  });

  test('of 100 is stored by a transaction for each 9 that have two names, an email and a phone number', async () => {
    const leads = Array.from({ length: 100 }, (_, at) => ({
      name: `Oz ${at}`,
      email: `oz${at}@example.com`,
      phone: `+61491570${300 + at}`,
    }));
    const { body, cost } = await api.answer('createLeads', { body: { leads } });
    expect(body.summary).toEqual({ total: 100, succeeded: 100, failed: 0 });
    // Reads the head and the pipeline, then stores nine leads eleven times, and one.
    expect(cost).toEqual({ calls: 11, readUnits: 2, writeUnits: 1636 });
    const listed = await api.call('listLeads', { query: { limit: 100 } });
    expect(listed.leads.map(({ firstName, lastName }) => `${firstName} ${lastName}`)).toEqual(
      leads.map(({ name }) => name).toReversed(),
    );
  });
});

test('a token that may only create leads gets the ids of the leads that it created, and no others', async () => {
  const narrow = { api: await ours.apiFor('leads:create') };
  const first = await post([{ name: 'Pat', email: 'pat@example.com' }], narrow);
  expect(first.results).toEqual([
    { index: 0, status: 'ok', lead: { id: expect.stringMatching(/^lead_/) as string } },
  ]);
  const second = await post([{ name: 'Pat', email: 'pat@example.com' }], narrow);
  expect(second.results).toEqual([failed(0, 'CONFLICT', 'Another lead has this email')]);
  await (await ours.apiFor('leads:read')).failure('createLeads', 403, { body: { leads: [{}] } });
});
