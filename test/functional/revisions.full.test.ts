import { expect, test } from 'vitest';
import { findContracts, type Operation } from '../../infra/functions.ts';
import { answersRecord, takesIfMatch, type Endpoint } from '../../shared/contract/endpoint.ts';
import type { Answer, Called } from '../support/api-client.ts';
import { testedOperation, type TestedRequest } from '../support/operations.ts';
import { fill, newTransfer } from '../support/filled-records.ts';
import { verifiedOrganization } from '../support/test-organization.ts';

const { operations } = await findContracts();
const withRecord = operations.filter(({ endpoint }) => endpoint.record);
const changing = withRecord.filter(({ endpoint }) => takesIfMatch(endpoint));
const changingById = changing.filter(({ endpoint }) => endpoint.path.includes('{'));
const answering = withRecord.filter(({ endpoint }) => answersRecord(endpoint));

const ours = await verifiedOrganization();
const { api } = ours;
const records = await fill(ours);

/** A request that succeeds, and changes something each time. */
let n = 0;
const requestOf = ({ operationId }: Operation, of = records) => testedOperation(operationId).request(of, ++n);

/** `requestOf`, about records that no other test uses where the operation can be carried out only once. */
async function ownRequestOf(operation: Operation) {
  const { given } = testedOperation(operation.operationId);
  return requestOf(operation, given && (await given(ours.openLedger().ledger, records)));
}

const tagOf = ({ headers }: Pick<Answer, 'headers'>) => headers.get('etag') ?? '';

/** The record's present tag, as the 412 to another tag names it. */
async function presentTag(endpoint: Called, request: object): Promise<string> {
  const answer = await api.attempt(endpoint, { ...request, headers: { 'If-Match': '"another"' } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(412);
  return tagOf(answer);
}

/** The operation that reads the record which another creates or changes, if there is one. */
const readerOf = ({ endpoint: { method, path } }: Operation) =>
  withRecord.find(
    ({ endpoint }) =>
      endpoint.method === 'GET' &&
      (method === 'POST' ? endpoint.path.replace(/\/\{\w+\}$/, '') : endpoint.path) === path,
  )?.endpoint;

/** The tag of the record in an answer, as its own operation reads it. */
async function tagRead(
  { endpoint }: Operation,
  reader: Endpoint,
  { params }: TestedRequest,
  body: unknown,
): Promise<string> {
  const field = endpoint.record?.in;
  const record = field === undefined ? body : (body as Record<string, unknown>)[field];
  // The last id in the path is the record's id.
  const name = Object.keys(reader.params).at(-1) ?? '';
  const { id } = record as { id: string };
  return tagOf(await api.answer(reader, { params: { ...params, [name]: id } }));
}

test('the operations with one record include every method', () => {
  const methods = new Set(withRecord.map(({ endpoint }) => endpoint.method));
  expect([...methods].sort()).toEqual(expect.arrayContaining(['DELETE', 'GET', 'POST', 'PUT']));
  expect(answering.filter((operation) => readerOf(operation)).length).toBeGreaterThan(3);
});

test.each(withRecord.filter(({ endpoint }) => endpoint.method === 'GET'))(
  '$operationId answers 304 to a client that has the record',
  async (operation) => {
    const { endpoint } = operation;
    const request = requestOf(operation);
    const etag = tagOf(await api.answer(endpoint, request));
    const asking = (tags: string) =>
      api.attempt(endpoint, { ...request, headers: { 'If-None-Match': tags } });
    const kept = await asking(`"another", ${etag}`);
    expect([kept.status, kept.body, tagOf(kept)]).toEqual([304, undefined, etag]);
    const other = await asking('"another"');
    expect([other.status, tagOf(other)]).toEqual([200, etag]);
  },
);

test.each(answering.filter(({ endpoint }) => endpoint.method === 'POST'))(
  '$operationId ignores what is said of tags, and its tag is the one that the record is read with',
  async (operation) => {
    const headers = { 'If-Match': '"another"', 'If-None-Match': '*' };
    const request = await ownRequestOf(operation);
    const made = await api.answer(operation.endpoint, { ...request, headers });
    const reader = readerOf(operation);
    if (reader) expect(await tagRead(operation, reader, request, made.body)).toBe(tagOf(made));
  },
);

test.each(changing.filter(({ endpoint }) => endpoint.method !== 'DELETE'))(
  '$operationId changes the record that If-Match names, and no other',
  async (operation) => {
    const { endpoint } = operation;
    const request = requestOf(operation);
    const before = await presentTag(endpoint, request);
    const known = { headers: { 'If-Match': before } };
    const changed = await api.answer(endpoint, { ...request, ...known });
    expect(tagOf(changed)).not.toBe(before);
    const reader = readerOf(operation);
    if (reader) expect(await tagRead(operation, reader, request, changed.body)).toBe(tagOf(changed));

    // The outdated tag is refused even if nothing would change.
    // A request without an id in its path names its record in the body.
    const nothing = changingById.includes(operation) ? { body: {} } : {};
    for (const late of [requestOf(operation), request, { ...request, ...nothing }]) {
      const answer = await api.attempt(endpoint, { ...late, ...known });
      expect([answer.status, tagOf(answer)]).toEqual([412, tagOf(changed)]);
    }
    await api.answer(endpoint, { ...requestOf(operation), headers: { 'If-Match': '*' } });
  },
);

test.each(changingById)('$operationId of no record is 404, whatever If-Match names', async (operation) => {
  const { params = {}, ...request } = requestOf(operation);
  const unknown = Object.entries(params).map(([name, id]) => [
    name,
    typeof id === 'number' ? 999_999 : `${id.slice(0, -4)}ZZZZ`,
  ]);
  for (const tag of ['"another"', '*']) {
    const parts = { ...request, params: Object.fromEntries(unknown) as object, headers: { 'If-Match': tag } };
    await api.failure(operation.endpoint, 404, parts as object);
  }
});

test.each(changing)('$operationId refuses a malformed list of tags', async (operation) => {
  const parts = { ...requestOf(operation), headers: { 'If-Match': 'another' } };
  const { details } = await api.failure(operation.endpoint, 400, parts);
  expect(details).toEqual([
    { field: 'If-Match', message: 'must be *, or tags in quotes, separated by commas' },
  ]);
});

test.each(answering.filter(({ endpoint }) => endpoint.method !== 'GET'))(
  '$operationId shows the id alone to a token that may do just that',
  async (operation) => {
    const { endpoint } = operation;
    const { scope } = endpoint;
    if (scope === 'public' || scope === 'any') throw new Error('It needs no scope');
    const narrow = await ours.apiFor(scope);
    // The client checks that the answer fits its contract.
    const { body } = await narrow.answer(endpoint, await ownRequestOf(operation));
    expect(JSON.stringify(body)).toContain('"id"');
    if (!takesIfMatch(endpoint)) return;
    const parts = { ...requestOf(operation), headers: { 'If-Match': '"another"' } };
    await narrow.failure(endpoint, 412, parts);
  },
);

test('an outdated tag is reported before a value that is taken', async () => {
  const [first, second] = [`A${++n}`, `B${++n}`];
  await api.call('createTransfer', { body: { ...newTransfer, label: first } });
  const { transfer } = await api.call('createTransfer', { body: { ...newTransfer, label: second } });
  const request = { params: { transferId: transfer.id }, body: { label: first } };
  const etag = await presentTag('updateTransfer', request);
  await api.failure('updateTransfer', 409, { ...request, headers: { 'If-Match': etag } });
});

test('an outdated tag is reported before a value that is invalid for the record, and before an unknown category', async () => {
  const headers = { 'If-Match': '"another"' };
  const { lead } = await api.call('createLead', { body: { firstName: 'Mia' } });
  const params = { leadId: lead.id };
  for (const body of [{ phone: '123' }, { firstName: '' }])
    await api.failure('updateLead', 412, { params, headers, body });
  const body = { name: `Tap ${++n}`, tradeCategoryId: 2, pricingType: 'NONE' };
  const { product } = await api.call('createProduct', { body });
  const ofNone = { params: { productId: product.id }, headers, body: { tradeCategoryId: 999 } };
  await api.failure('updateProduct', 412, ofNone);
});

// At the end, and a note before its company: each takes a record that the tests above use.
test.each(changing.filter(({ endpoint }) => endpoint.method === 'DELETE').reverse())(
  '$operationId removes the record that If-Match names, and no other',
  async (operation) => {
    const request = requestOf(operation);
    const sent = (tag: string) =>
      api.attempt(operation.endpoint, { ...request, headers: { 'If-Match': tag } });
    const refused = await sent('"another"');
    expect(refused.status).toBe(412);
    expect(await sent(tagOf(refused))).toMatchObject({ status: 200 });
    expect(await sent('"another"')).toMatchObject({ status: 404 });
  },
);
