import {
  DeleteItemCommand,
  PutItemCommand,
  QueryCommand,
  type AttributeValue,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { clientOf } from '../../../../infra/local/engine.ts';
import { createInquiry } from '../../../../shared/domain/inquiries/inquiries.ts';
import {
  createLead,
  deleteLead,
  getLead,
  listActivities,
  listLeads,
} from '../../../../shared/domain/leads/leads.ts';
import { getPipeline } from '../../../../shared/domain/leads/pipeline.ts';
import { updateLead } from '../../../../shared/domain/leads/update-lead.ts';
import { setTimeZone } from '../../../../shared/domain/organizations/organizations.ts';
import { events, newConsumedCapacity } from '../../../../shared/ledger/index.ts';
import {
  engine,
  newOrganization,
  newPlainTable,
  newStore,
  type TestOrganization,
} from '../../../support/world.ts';

const page = { page: 1, limit: 50 };
/** What the items of a lead had not, before leads could change. */
const newer = [/^gsi[1678](?:pk|sk)$/, /^updatedAt$/, /^flaggedInquiries$/];

let organization: TestOrganization;
let tableName: string;
let ids: string[];

const open = () => organization.openLedger().ledger;
const pipeline = () => getPipeline(open(), Date.now());

beforeAll(async () => {
  tableName = await newPlainTable();
});

async function deletePipeline(): Promise<void> {
  const client = clientOf(engine);
  const Key = { pk: { S: `ORG#${organization.code}#PIPELINE` }, sk: { S: '000000000001' } };
  await client.send(new DeleteItemCommand({ TableName: tableName, Key }));
  client.destroy();
}

/** An organization with three leads, as it was stored before there were pipelines. */
beforeEach(async () => {
  organization = await newOrganization('AU', tableName);
  ids = [];
  for (const [name, status] of [
    ['Ann Lee', 'pending'],
    ['Bo Berg', 'won'],
    ['Cy Stone', 'pending'],
  ] as const)
    ids.push((await createLead(open(), { name, status })).id);

  const client = clientOf(engine);
  const items = async (pk: string): Promise<Record<string, AttributeValue>[]> => {
    const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: pk } } };
    return (await client.send(new QueryCommand({ TableName: tableName, ...query }))).Items ?? [];
  };
  const start = `ORG#${organization.code}`;
  for (const lead of await items(`${start}#LEAD`)) {
    const kept = Object.entries(lead).filter(([name]) => !newer.some((pattern) => pattern.test(name)));
    await client.send(new PutItemCommand({ TableName: tableName, Item: Object.fromEntries(kept) }));
  }
  const [head] = await items(start);
  delete head!['lists']!.M!['PIPELINE'];
  await client.send(new PutItemCommand({ TableName: tableName, Item: head }));
  await deletePipeline();
  client.destroy();
});

test('shows its leads as ever, and an empty pipeline', async () => {
  const lead = await getLead(open(), ids[0]!);
  expect(lead).toMatchObject({ firstName: 'Ann', hasFlaggedInquiry: false, updatedAt: lead.createdAt });
  expect((await listLeads(open(), page)).items.map(({ id }) => id)).toEqual([...ids].reverse());
  const { statuses, total, days } = await pipeline();
  expect(total).toBe(0);
  expect(Object.values(statuses)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(days).toHaveLength(31);
  for (const filter of [{ status: 'pending' }, { q: 'Ann' }] as const)
    expect(await listLeads(open(), { ...page, ...filter })).toEqual({ items: [], totalCount: 0 });
});

test('lets a lead change otherwise: it stays in no list of a status', async () => {
  const inquiry = { source: 'SMS', summary: 'Hi', data: { messages: [] } } as const;
  await createInquiry(open(), ids[0]!, inquiry);
  const changed = await updateLead(open(), ids[0]!, { suburb: 'Manly', status: 'pending' });
  expect(changed).toMatchObject({ suburb: 'Manly', unreadSMS: 1 });
  expect((await pipeline()).total).toBe(0);
  await deleteLead(open(), ids[0]!);
  expect(await listLeads(open(), page)).toMatchObject({ totalCount: 2 });
  expect(await listLeads(open(), { ...page, status: 'pending' })).toMatchObject({ totalCount: 0 });
});

test('gets its pipeline with the first lead that moves, and goes on from there', async () => {
  await updateLead(open(), ids[0]!, { status: 'active' });
  expect(await pipeline()).toMatchObject({
    statuses: { pending: 0, active: 1, won: 0 },
    total: 1,
    days: [{ created: 0, moved: { active: 1 } }, ...Array.from({ length: 30 }, () => ({ created: 0 }))],
  });
  await updateLead(open(), ids[1]!, { suburb: 'Manly' });
  await updateLead(open(), ids[0]!, { suburb: 'Manly' });
  await updateLead(open(), ids[2]!, { status: 'active' });
  const active = await listLeads(open(), { ...page, status: 'active' });
  expect(active.items.map(({ id }) => id)).toEqual([ids[2], ids[0]]);
  expect((await listActivities(open(), ids[0]!, page)).items.map(({ data }) => data)).toEqual([
    'The lead was changed',
    'Status changed from pending to active',
    'The lead was created',
  ]);

  for (const id of ids) await deleteLead(open(), id);
  expect(await pipeline()).toMatchObject({
    total: 0,
    days: [{ moved: { active: 2 } }, ...Array<object>(30).fill({})],
  });
});

test('gets its pipeline with the first lead that is created', async () => {
  const { id } = await createLead(open(), { firstName: 'Di' });
  expect(await pipeline()).toMatchObject({ statuses: { pending: 1 }, total: 1 });
  const pending = await listLeads(open(), { ...page, status: 'pending' });
  expect(pending.items.map((lead) => lead.id)).toEqual([id]);
});

test('has the days of the usual time zone of its country, before it has its pipeline and with it', async () => {
  // Half past midnight in Sydney.
  const now = Date.parse('2031-03-01T13:30:00.000Z');
  const { code, userId } = organization;
  const limits = { deadline: now + 60_000, capacity: newConsumedCapacity() };
  const ledger = newStore({ now: () => now }, tableName).ledgerOf({ organization: code, userId, ...limits });
  const today = async () => (await getPipeline(ledger, now)).days[0];
  expect(await today()).toMatchObject({ date: '2031-03-02', created: 0 });
  await createLead(ledger, { firstName: 'Di' });
  expect(await today()).toMatchObject({ date: '2031-03-02', created: 1 });
});

test('gets its pipeline with a time zone that is not the usual one of its country', async () => {
  const newest = async () => (await open().page(events, { page: 1, limit: 1 })).items[0]!;
  const { id } = await newest();
  await setTimeZone(open(), 'Australia/Sydney');
  expect((await newest()).id).toBe(id);

  await setTimeZone(open(), 'Australia/Perth');
  expect(await newest()).toMatchObject({
    id: id + 1,
    event: 'TIME_ZONE_CHANGED',
    data: 'The time zone changed from Australia/Sydney to Australia/Perth',
    referenceId: `org_${organization.code}`,
  });
  expect(await pipeline()).toMatchObject({ total: 0 });
});

test('stores nothing while it has a pipeline that cannot be seen yet', async () => {
  const { id } = await createLead(open(), { firstName: 'Di' });
  await deletePipeline();
  const refusal = { kind: 'unavailable' };
  await expect(createLead(open(), { firstName: 'Ed' })).rejects.toMatchObject(refusal);
  await expect(updateLead(open(), id, { status: 'won' })).rejects.toMatchObject(refusal);
  await expect(deleteLead(open(), id)).rejects.toMatchObject(refusal);
  expect(await listLeads(open(), page)).toMatchObject({ totalCount: 4 });
});
