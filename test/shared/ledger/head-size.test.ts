import { GetItemCommand, PutItemCommand, type AttributeValue } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { collections } from '../../../infra/admin/table/collections.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import { companies, notes } from '../../../shared/domain/companies/companies.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import { optOut } from '../../../shared/domain/opt-outs/opt-outs.ts';
import { leads } from '../../../shared/domain/leads/lead-record.ts';
import { events } from '../../../shared/ledger/index.ts';
import { headKey, parseStateName, stateName } from '../../../shared/ledger/internal/keys.ts';
import { formatState, windowSize } from '../../../shared/ledger/internal/list-state.ts';
import { itemSize } from '../../simulation/attribute-values.ts';
import { fill } from '../../support/filled-records.ts';
import { engine, newOrganization, type TestOrganization } from '../../support/test-organization.ts';

/** Bytes of one write unit. Every write stores the whole head. */
const writeUnit = 1024;

const TableName = inject('tableName');
const client = clientOf(engine);
afterAll(() => {
  client.destroy();
});

let organization: TestOrganization;
beforeEach(async () => {
  organization = await newOrganization();
});

async function readHead(): Promise<Record<string, AttributeValue>> {
  const { pk, sk } = headKey(organization.code);
  const Key = { pk: { S: pk }, sk: { S: sk } };
  const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  return Item!;
}

async function costOfCreate() {
  const { ledger, capacity } = organization.openLedger();
  await createLead(ledger, { name: 'Bo', email: 'bo@example.com', phone: '0491 570 157' });
  return capacity;
}

/** Lists that members leave: inquiries are read, and records of the other kinds are deleted. */
const left = [
  stateName({ collection: 'INQUIRY', index: 'gsi4', name: 'unread' }),
  ...[
    ...[leads.name, companies.name, notes.name, 'CATEGORY', 'SERVICE', 'SCENARIO'],
    ...['PRODUCT', 'TRANSFER', 'POLICY', 'FAQ', 'APPOINTMENT', 'ATTENDANCE'],
  ].map((collection) => stateName({ collection })),
];

test('each collection has one name for its state', () => {
  for (const { name } of collections)
    expect(parseStateName(stateName({ collection: name }))).toEqual({ collection: name });
});

test('the head is one write unit with ten million members in every list, and holes in those that members leave', async () => {
  await fill(organization);
  const head = await readHead();
  // Of each collection one, and of each list that no record owns: a record of each kind is there.
  const names = new Set(Object.keys(head['lists']!.M!));
  for (const { name } of collections) if (name !== events.name) names.add(stateName({ collection: name }));
  const whole = formatState({ last: 10_000_000, left: 0, newest: 0n });
  const holes = { left: 3_000_000, newest: 2n ** BigInt(windowSize) - 1n };
  const full = formatState({ last: 10_000_000, ...holes });
  for (const name of left) expect(names).toContain(name);
  const lists = Object.fromEntries(
    [...names].map((name) => [name, { S: left.includes(name) ? full : whole }] as const),
  );
  const queue = { served: { N: '123456' }, waiting: { N: '0' }, pace: { N: '12.3' } };
  const hashKey = { S: Buffer.alloc(32).toString('base64') };
  const fullHead = { ...head, hashKey, version: { N: '12345678' }, lists: { M: lists }, queue: { M: queue } };
  expect(itemSize(fullHead)).toBeLessThan(writeUnit);

  await client.send(new PutItemCommand({ TableName, Item: fullHead }));
  const cost = await costOfCreate();
  const after = await readHead();
  expect(after['lists']!.M![stateName({ collection: leads.name })]).toEqual({
    S: expect.stringMatching(/^5YC1T-1SATC~/) as string,
  });
  expect(itemSize(after)).toBeLessThan(writeUnit);
  organization = await newOrganization();
  // In both organizations the head has a hash key, so that a new lead asks for opt-outs.
  await organization.openLedger().ledger.write({}, async (write) => {
    await optOut(write, '+61491570158');
    write.event({ event: 'TEST', data: 'A test', referenceId: '1' });
  });
  expect(cost).toEqual(await costOfCreate());
});
