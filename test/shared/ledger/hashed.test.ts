import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { createHmac } from 'node:crypto';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { clientOf } from '../../../infra/local/engine.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';
import { headKey } from '../../../shared/ledger/internal/keys.ts';
import { engine, newOrganization, type TestOrganization } from '../../support/test-organization.ts';

const event = { event: 'TEST', data: 'A test', referenceId: '1' };
const text = '+61491570156';

const client = clientOf(engine);
afterAll(() => {
  client.destroy();
});
let organization: TestOrganization;
beforeEach(async () => {
  organization = await newOrganization();
});

const hashIn = (ledger: Ledger, hashed = text) =>
  ledger.write({}, (write) => {
    write.event(event);
    return write.hashed(hashed);
  });
const hash = (hashed?: string) => hashIn(organization.openLedger().ledger, hashed);

async function storedKey(): Promise<string | undefined> {
  const { pk, sk } = headKey(organization.code);
  const Key = { pk: { S: pk }, sk: { S: sk } };
  const input = { TableName: inject('tableName'), Key, ConsistentRead: true };
  const { Item } = await client.send(new GetItemCommand(input));
  return Item?.['hashKey']?.S;
}

test('a text has one hash in an organization, with a key that the head gets once, and another hash elsewhere', async () => {
  expect(await storedKey()).toBeUndefined();
  const first = await hash();
  const key = Buffer.from((await storedKey())!, 'base64');
  expect(key).toHaveLength(32);
  expect(first).toBe(createHmac('sha256', key).update(text).digest('base64url'));
  expect([await hash(), await hash(`${text} `)]).toEqual([first, expect.not.stringMatching(`^${first}$`)]);
  expect(await storedKey()).toBe(key.toString('base64'));
  organization = await newOrganization();
  expect(await hash()).not.toBe(first);
});

test('a write that stores nothing leaves no key', async () => {
  await organization.openLedger().ledger.write({}, (write) => write.hashed(text));
  expect(await storedKey()).toBeUndefined();
});

test('one write has one key, and the next of the same request has it too', async () => {
  const { ledger } = organization.openLedger();
  const [first, again] = await ledger.write({}, (write) => {
    write.event(event);
    return [write.hashed(text), write.hashed(text)];
  });
  expect([again, await hashIn(ledger), await hash()]).toEqual([first, first, first]);
});
