import { expect, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { localTextIn } from '../../shared/http/agents/local-text.ts';
import { testedOperation } from '../support/operations.ts';
import { fill } from '../support/filled-records.ts';
import { newOrganization } from '../support/test-organization.ts';

const ours = await newOrganization();
const records = await fill(ours);
const { operations } = await findContracts();
const telling = operations.filter(({ endpoint }) => endpoint.tellsTimeZone);
const headers = { Prefer: 'time-zone, cost' };

test.each(telling)('$operationId tells the time zone to who asks, for one read unit', async (operation) => {
  const { operationId, endpoint } = operation;
  const { request } = testedOperation(operationId);
  // The first answer of the receptionist prepares texts.
  await ours.api.attempt(endpoint, request(records, 1));
  const plain = await ours.api.attempt(endpoint, request(records, 1));
  expect(plain.headers.get('time-zone')).toBeNull();
  const asked = await ours.api.attempt(endpoint, { ...request(records, 2), headers });
  expect(asked.headers.get('time-zone')).toBe('Australia/Sydney');
  if (endpoint.method === 'GET') {
    expect(asked.cost.calls).toBe(plain.cost.calls + 1);
    expect(asked.cost.readUnits).toBe(plain.cost.readUnits + 1);
  }
});

test('a refusal tells the time zone, too', async () => {
  const { leadId } = records;
  const params = { leadId: leadId.replace(/.$/, (last) => (last === 'Z' ? 'Y' : 'Z')) };
  const { status, headers: told } = await ours.api.attempt('getLead', { params, headers });
  expect([status, told.get('time-zone')]).toEqual([404, 'Australia/Sydney']);
});

test.each([
  ['Australia/Sydney', '2026-12-07T22:00:00.000Z', '2026-12-08T09:00+11:00 (Tuesday)'],
  // The clock goes back: the hour comes twice.
  ['Australia/Sydney', '2026-04-04T15:30:00.000Z', '2026-04-05T02:30+11:00 (Sunday)'],
  ['Australia/Sydney', '2026-04-04T16:30:00.000Z', '2026-04-05T02:30+10:00 (Sunday)'],
  ['America/St_Johns', '2026-01-01T03:00:00.000Z', '2025-12-31T23:30-03:30 (Wednesday)'],
  ['UTC', '2026-12-07T22:00:00.000Z', '2026-12-07T22:00+00:00 (Monday)'],
  ['Mars/Olympus', '2026-12-07T22:00:00.000Z', '2026-12-07T22:00+00:00 (Monday)'],
  [null, '2026-12-07T22:00:00.000Z', '2026-12-07T22:00+00:00 (Monday)'],
])('in %s a model reads %s as %s', (timeZone, time, text) => {
  expect(localTextIn(timeZone)(time)).toBe(text);
});
