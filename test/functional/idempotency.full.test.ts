import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { hash } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { findContracts, type Operation } from '../../infra/functions.ts';
import { takesKey } from '../../shared/contract/endpoint.ts';
import { actionsOf } from '../../shared/ledger/index.ts';
import type { ApiClient, Called } from '../support/api-client.ts';
import { testedOperation } from '../support/operations.ts';
import { fill } from '../support/filled-records.ts';
import { requestPartition } from '../../shared/ledger/internal/keys.ts';
import { clientAt } from '../support/stored-organization.ts';
import { clientOf } from '../support/client-of.ts';
import {
  clientFor,
  newOrganization,
  tableAt,
  twoOrganizations,
  verifiedOrganization,
  type TestOrganization,
} from '../support/test-organization.ts';

const { operations } = await findContracts();
const { ours, theirs } = await twoOrganizations();
const { api } = ours;

const digests = ['hex', 'base64', 'base64url'] as const;

const headersWith = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const isReplayed = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed');

let keys = 0;
/** A key that no other test uses, and requests with it. */
function keyed(api: ApiClient = ours.api, key = `key-${++keys}`) {
  const parts = (body?: object) => ({ ...(body && { body }), ...headersWith(key) });
  return {
    answer: <C extends Called>(called: C, body?: object) => api.answer(called, parts(body)),
    failure: (called: Called, status: number, body?: object) => api.failure(called, status, parts(body)),
  };
}

const countOf = async ({ api }: Pick<TestOrganization, 'api'>) => (await api.call('listLeads')).totalCount;

describe.each(operations.filter(({ endpoint }) => takesKey(endpoint)))('$operationId', (operation) => {
  const { operationId, endpoint }: Operation = operation;

  test('is carried out once for a key, and answered alike', async () => {
    const ours = await newOrganization();
    const records = await fill(ours);
    const api = await clientOf(ours, endpoint, records);
    const send = (key: string) =>
      api.answer(endpoint, { ...testedOperation(operationId).request(records, 1), ...headersWith(key) });
    const first = await send('"the-key"');
    const again = await send('the-key');
    // A request that stores nothing is carried out again.
    const stores = actionsOf(endpoint.access).includes('PutItem');
    expect([isReplayed(first), isReplayed(again)]).toEqual([null, stores ? 'true' : null]);
    if (!stores) return;
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  });
});

test('the header is ignored by the other methods', async () => {
  expect(isReplayed(await api.answer('listLeads', headersWith('not a key')))).toBeNull();
});

test.each(['', 'a b', '"a', '"', '""', 'x'.repeat(256)])('%j is no key', async (key) => {
  const wrong = 'Idempotency-Key must be 1 to 255 visible ASCII characters';
  await api.refuses('createLead', { body: { name: 'Ann' }, ...headersWith(key) }, wrong);
});

test('the longest key is taken', async () => {
  const { answer } = keyed(api, 'x'.repeat(255));
  await answer('createLead', { name: 'Ann' });
  expect(isReplayed(await answer('createLead', { name: 'Ann' }))).toBe('true');
});

test('another request with the key is refused, and stores nothing', async () => {
  const { answer, failure } = keyed();
  await answer('createLead', { name: 'Ann' });
  const before = await countOf(ours);
  expect(await failure('createLead', 422, { name: 'Bo' })).toMatchObject({
    message: 'Another request came with this Idempotency-Key; use a new key',
  });
  expect(await countOf(ours)).toBe(before);
});

test('a body with its fields in another order is the same request', async () => {
  const { answer } = keyed();
  await answer('createLead', { name: 'Ann', suburb: 'Carlton' });
  expect(isReplayed(await answer('createLead', { suburb: 'Carlton', name: 'Ann' }))).toBe('true');
});

test('a refused request may be corrected with the same key', async () => {
  const { answer, failure } = keyed();
  await api.call('createLead', { body: { name: 'Ann', email: 'taken@example.com' } });
  await failure('createLead', 409, { name: 'Bo', email: 'taken@example.com' });
  await failure('createLead', 400, { name: 'Bo', phone: '1' });
  expect(isReplayed(await answer('createLead', { name: 'Bo', email: 'free@example.com' }))).toBeNull();
});

test('the same key is another one in another operation, with another token and in another organization', async () => {
  const key = 'shared';
  const other = clientFor(await ours.issueToken({}));
  for (const { answer } of [keyed(api, key), keyed(other, key), keyed(theirs.api, key)]) {
    expect(isReplayed(await answer('createLead', { name: 'Ann' }))).toBeNull();
    expect(isReplayed(await answer('createLead', { name: 'Ann' }))).toBe('true');
  }
  const { answer } = keyed(api, key);
  expect(isReplayed(await answer('createCategory', { name: 'Gas', type: 'SERVICE' }))).toBeNull();
});

test('fifty requests at once have one effect, and one answer', async () => {
  const ours = await verifiedOrganization();
  const body = { name: 'Ann Lee', email: 'ann@example.com', phone: '+61491570156' };
  const { answer } = keyed(ours.api);
  const answers = await Promise.all(Array.from({ length: 50 }, () => answer('createLead', body)));
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
  expect(answers.filter((one) => isReplayed(one) === null)).toHaveLength(1);
  expect(await countOf(ours)).toBe(1);
});

test('of an inquiry that another id already names, twins get one answer', async () => {
  const ours = await verifiedOrganization();
  const { answer } = keyed(ours.api);
  const body = {
    source: 'EMAIL',
    externalInquiryId: 'mail-1',
    lead: { email: 'ann@example.com' },
    data: { body: 'Hi' },
  };
  const answers = await Promise.all(Array.from({ length: 10 }, () => answer('createInquiry', body)));
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
  expect(answers[0]!.status).toBe(201);
});

describe('once what was created has changed or gone, the answer has ids alone', () => {
  test('of a lead', async () => {
    const { answer } = keyed();
    const body = { name: 'Ann', email: 'changed@example.com' };
    const { lead } = (await answer('createLead', body)).body;
    await api.call('updateLead', { params: { leadId: lead.id }, body: { suburb: 'Carlton' } });
    const again = await answer('createLead', body);
    expect([again.status, again.body]).toEqual([201, { lead: { id: lead.id } }]);
    await api.call('eraseLead', { params: { leadId: lead.id } });
    expect((await answer('createLead', body)).body).toEqual({ lead: { id: lead.id } });
  });

  test('of an inquiry whose lead has changed', async () => {
    const { answer } = keyed();
    const body = { source: 'EMAIL', lead: { email: 'moved@example.com' }, data: { body: 'Hi' } };
    const { inquiry, lead } = (await answer('createInquiry', body)).body;
    await api.call('updateLead', { params: { leadId: lead!.id }, body: { suburb: 'Carlton' } });
    const ids = { inquiry: { id: inquiry.id }, lead: { id: lead!.id } };
    expect((await answer('createInquiry', body)).body).toEqual(ids);
    await api.call('eraseLead', { params: { leadId: lead!.id } });
    expect((await answer('createInquiry', body)).body).toEqual(ids);
  });

  test('of a category, whose id is a number', async () => {
    const { answer } = keyed();
    const body = { name: 'Solar', type: 'SERVICE' };
    const { id } = (await answer('createCategory', body)).body.category;
    await api.call('updateCategory', { params: { categoryId: id }, body: { name: 'Solar power' } });
    expect((await answer('createCategory', body)).body).toEqual({ category: { id } });
  });
});

test('no item that is kept of requests has anything of a person', async () => {
  const { api, code } = await newOrganization();
  const sofia = { firstName: 'Sofia', email: 'sofia@example.com', phone: '+61491570110' };
  const { answer } = keyed(api, 'key-of-sofia');
  const { lead } = (await answer('createLead', sofia)).body;
  await answer('createInquiry', { source: 'EMAIL', leadId: lead.id, data: { body: 'Sofia asks' } });
  await answer('createLeads', { leads: [{ ...sofia, email: 'sofia@example.org', phone: '' }] });
  const client = clientAt(tableAt());
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: inject('tableName'),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: requestPartition(code) } },
    }),
  );
  client.destroy();
  expect(Items).toHaveLength(3);
  const kept = JSON.stringify(Items);
  const texts = [...Object.values(sofia), 'Sofia asks', 'sofia@example.org', 'key-of-sofia'];
  for (const text of texts)
    for (const form of [text, ...digests.map((encoding) => hash('sha256', text, encoding))])
      expect(kept).not.toContain(form);
});

describe('a batch that comes again', () => {
  test('creates the leads that it could not create before, and no other', async () => {
    const { answer } = keyed();
    const blocking = (await api.call('createLead', { body: { name: 'Cy', email: 'cy@example.com' } })).lead;
    const leads = [{ name: 'Ann' }, { name: 'Cy', email: 'cy@example.com' }, { name: 'Bo' }];
    const first = await answer('createLeads', { leads });
    expect(first.body.results.map(({ status }) => status)).toEqual(['ok', 'error', 'ok']);
    await api.call('eraseLead', { params: { leadId: blocking.id } });
    const { lead } = first.body.results[0] as { lead: { id: string } };
    await api.call('updateLead', { params: { leadId: lead.id }, body: { suburb: 'Carlton' } });
    const again = await answer('createLeads', { leads });
    expect(again.body.results).toMatchObject([
      { index: 0, status: 'ok', lead: { id: lead.id } },
      { index: 1, status: 'ok', lead: { email: 'cy@example.com' } },
      first.body.results[2]!,
    ]);
    expect(again.body.results[0]).toEqual({ index: 0, status: 'ok', lead: { id: lead.id } });
    expect(again.body.summary).toEqual({ total: 3, succeeded: 3, failed: 0 });
    expect(await answer('createLeads', { leads })).toMatchObject({ body: again.body });
  });

  test('changes no product again that it has changed', async () => {
    const ofTheirs = await newOrganization();
    const { productId } = await fill(ofTheirs);
    const { answer } = keyed(ofTheirs.api);
    const updates = [
      { id: productId, name: 'Sink' },
      { id: 9999, name: 'None' },
    ];
    const first = await answer('updateProducts', { updates });
    expect((await answer('updateProducts', { updates })).body).toEqual(first.body);
    await ofTheirs.api.call('updateProduct', { params: { productId }, body: { name: 'Bath' } });
    const again = await answer('updateProducts', { updates });
    expect(again.body.results).toEqual([
      { id: productId, status: 'ok', product: { id: productId } },
      first.body.results[1],
    ]);
  });
});

test.each([
  ['+61491570110', 400, 'The number has opted out of SMS; the message was not sent'],
  ['+61491570006', 502, 'The SMS provider refused the message; it was not sent'],
  ['+61491570313', 502, 'The SMS provider gave no answer; whether the message was sent is not known'],
])('an SMS to %s is not sent again, and fails again with %i: %s', async (phone, status, message) => {
  const { lead } = await api.call('createLead', { body: { name: 'Ann', phone } });
  const parts = {
    body: { userId: ours.userId, leadId: lead.id, message: `Hi (${ours.code})` },
    ...headersWith(phone),
  };
  for (let times = 0; times < 2; times++)
    expect(await api.bareFailure('sendSms', status, parts)).toBe(message);
  expect((await api.call('listInquiries', { query: { leadId: lead.id } })).totalCount).toBe(1);
});
