import { expect, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { testedOperation } from '../support/operations.ts';
import { fill } from '../support/filled-records.ts';
import { clientFor, verifiedOrganization } from '../support/test-organization.ts';

const { operations } = await findContracts();
const ours = await verifiedOrganization();
const records = await fill(ours);

/** Headers of an answer that tell its cost. */
const told = ({ headers }: { headers: Headers }) => [
  headers.get('server-timing'),
  headers.get('preference-applied'),
];
const nothing = [null, null];
const prefer = (text: string) => ({ headers: { Prefer: text } });

test.each(['getLead', 'getCompanyNote', 'deleteLead'])(
  '%s tells the units that it costs, if they are asked for',
  async (operationId) => {
    const { endpoint } = operations.find((one) => one.operationId === operationId)!;
    const { request, cost: [, read, write] = [] } = testedOperation(operationId);
    const answer = await ours.api.attempt(endpoint, { ...request(records, 1), ...prefer('cost') });
    expect(answer.status).toBeLessThan(300);
    expect(told(answer)).toEqual([`read;desc="${read}", write;desc="${write}"`, 'cost']);
  },
);

const unknown = { params: { leadId: `lead_${ours.code}00000999` } };

test.each(['cost', 'respond-async, wait=10 , Cost', 'cost=""', 'foo="a, \\", b"; x, cost'])(
  'an error tells its cost, too, for %j',
  async (text) => {
    const answer = await ours.api.attempt('getLead', { ...unknown, ...prefer(text) });
    expect(answer).toMatchObject({ status: 404, cost: { readUnits: 3, writeUnits: 0 } });
    expect(told(answer)).toEqual(['read;desc="3", write;desc="0"', 'cost']);
  },
);

test.each(['', 'costs', 'cost=all', 'return=minimal', 'wait="10, cost, 1"', 'a; cost'])(
  'no other preference is applied: %j',
  async (text) => {
    const answer = await ours.api.attempt('getLead', { ...unknown, ...prefer(text) });
    expect(told(answer)).toEqual(nothing);
  },
);

test('a token that lacks the scope is told that nothing was read', async () => {
  const narrow = await ours.apiFor('companies:read');
  const answer = await narrow.attempt('getLead', { ...unknown, ...prefer('cost') });
  expect([answer.status, ...told(answer)]).toEqual([403, 'read;desc="0", write;desc="0"', 'cost']);
});

test('a key is not told what a form cost, nor anyone what a public answer did', async () => {
  const key = await ours.apiFor('forms:submit');
  const form = await key.answer('createFormSubmission', { body: { name: 'Ann' }, ...prefer('cost') });
  const description = await clientFor().answer('getOpenApi', prefer('cost'));
  expect([told(form), told(description)]).toEqual([nothing, nothing]);
});
