import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { clientOf } from '../../../infra/local/engine.ts';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { openStore, type Collection, type RecordRef, type Store } from '../../../shared/ledger/index.ts';
import { dueShards, recordKey, shardOf } from '../../../shared/ledger/internal/keys.ts';
import { callCosts } from '../../support/call-costs.ts';
import {
  engine,
  limits,
  newOrganization,
  newStore,
  type TestOrganization,
} from '../../support/test-organization.ts';

/** Workers of this run alone: what is due is found in all organizations of the table. */
const run = randomUUID();
const worker = `call-back-${run}`;
const Call = v.object({ id: v.number(), worker: v.string(), at: v.nullable(v.string()) });
type Call = v.InferOutput<typeof Call>;
const due = ({ worker, at }: Call) => (at === null ? undefined : { worker, at });
const calls = { name: 'CALLBACK', label: 'call', schema: Call, due } as const satisfies Collection;
const visits = { name: 'VISIT', label: 'visit', schema: Call, due } as const satisfies Collection;

const event = { event: 'TEST', data: 'A test', referenceId: '1' };
const at = (minute: number) => `2026-11-02T13:${String(minute).padStart(2, '0')}:00.000Z`;
const client = clientOf(engine);
const documents = DynamoDBDocumentClient.from(client);
afterAll(() => {
  client.destroy();
});

let organization: TestOrganization;
beforeEach(async () => {
  organization = await newOrganization();
});

type Calls = typeof calls | typeof visits;
const add = (
  fields: Partial<Call>,
  { of = organization, collection = calls }: { of?: TestOrganization; collection?: Calls } = {},
) =>
  of.openLedger().ledger.write({}, (write) => {
    write.event(event);
    return write.append(collection, ({ number }) => ({ id: number, worker, at: at(1), ...fields })).ref;
  });
const change = (ref: RecordRef<Calls>, changes: Partial<Call>) =>
  organization.openLedger().ledger.write({ change: { call: ref } }, (write, { call }) => {
    write.event(event);
    write.replace(ref, { ...call, ...changes });
  });

/** The organizations and numbers of due records, in the order of the answer. */
async function dueOf(
  name: string,
  until: string,
  { collection = calls, store = newStore() }: { collection?: Calls; store?: Store } = {},
) {
  const found: [string, number][] = [];
  for await (const { organization, ref } of store.dueRecords(collection, name, until, limits())) {
    expect(ref.collection).toBe(collection);
    found.push([organization, ref.number]);
  }
  return found;
}

describe('a record is in the due index', () => {
  const placeOf = async ({ collection, number }: RecordRef) => {
    const Key = recordKey(organization.code, collection.name, number);
    const TableName = inject('tableName');
    const { Item = {} } = await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    return Object.fromEntries(Object.entries(Item).filter(([name]) => name.startsWith('gsi')));
  };
  const placeAt = (moment: string, name = worker) => ({
    gsi9pk: `DUE#${name}#${shardOf(organization.code)}`,
    gsi9sk: moment,
  });

  test('exactly while its collection says that it is due', async () => {
    const [ref, other] = [await add({}), await add({ at: null })];
    expect([await placeOf(ref), await placeOf(other)]).toEqual([placeAt(at(1)), {}]);
    await change(ref, { at: at(2) });
    expect(await placeOf(ref)).toEqual(placeAt(at(2)));
    await change(ref, { worker: `other-${run}` });
    expect(await placeOf(ref)).toEqual(placeAt(at(2), `other-${run}`));
    await change(ref, { at: null });
    expect(await placeOf(ref)).toEqual({});
    await change(ref, { at: at(3), worker });
    expect(await placeOf(ref)).toEqual(placeAt(at(3)));
    expect(await dueOf(worker, at(3))).toContainEqual([organization.code, ref.number]);
    await organization.openLedger().ledger.write({ change: { ref } }, (write) => {
      write.event(event);
      write.remove(ref);
    });
    expect(await dueOf(worker, at(3))).not.toContainEqual([organization.code, ref.number]);
  });
});

describe('a worker', () => {
  test('finds the due records of all organizations, up to and including a time', async () => {
    const name = `all-${run}`;
    const organizations = [organization, await newOrganization({ country: 'NZ' }), await newOrganization()];
    const expected: [string, number][] = [];
    for (const of of organizations) {
      for (const minute of [5, 1, 3, 4]) {
        const { number } = await add({ worker: name, at: at(minute) }, { of });
        if (minute <= 3) expected.push([of.code, number]);
      }
    }
    const found = await dueOf(name, at(3));
    expect(found).toHaveLength(6);
    expect(found).toEqual(expect.arrayContaining(expected));
    // Within an organization, the oldest due time comes first.
    for (const { code } of organizations) {
      expect(found.filter(([one]) => one === code)).toEqual([
        [code, 2],
        [code, 3],
      ]);
    }
    expect(await dueOf(name, at(0))).toEqual([]);
    expect(await dueOf(name, at(59))).toHaveLength(12);
  });

  test('finds records of the given collection only, and none of another worker', async () => {
    const name = `one-${run}`;
    const [call, visit] = [await add({ worker: name }), await add({ worker: name }, { collection: visits })];
    await add({ worker: `${name}-more` });
    expect(await dueOf(name, at(1))).toEqual([[organization.code, call.number]]);
    expect(await dueOf(name, at(1), { collection: visits })).toEqual([[organization.code, visit.number]]);
    expect(await dueOf(`one`, at(1))).toEqual([]);
  });

  test('finds all of them if a reply has only a part', async () => {
    const name = `parts-${run}`;
    for (const minute of [1, 2, 3]) await add({ worker: name, at: at(minute) });
    // Replies are cut as if each item were a megabyte.
    const slow = clientOf(engine);
    let queries = 0;
    slow.middlewareStack.add(
      (next) => (args) => {
        queries++;
        return next({ ...args, input: { ...args.input, Limit: 1 } });
      },
      { step: 'initialize' },
    );
    const store = openStore(slow, inject('tableName'), realSystem);
    const found = await dueOf(name, at(9), { store });
    expect(found).toEqual([1, 2, 3].map((number) => [organization.code, number]));
    // One query per shard, and three more for one shard.
    expect(queries).toBe(dueShards + 3);
    slow.destroy();
  });

  test('counts its capacity, and ends at its deadline', async () => {
    const within = limits();
    const none = newStore().dueRecords(calls, `none-${run}`, at(9), within);
    expect(await none.next()).toMatchObject({ done: true });
    const [queries, readUnits] = callCosts.idleWorker;
    expect(within.capacity).toMatchObject({ calls: queries, readUnits, writeUnits: 0 });
    const late = newStore().dueRecords(calls, `none-${run}`, at(9), limits(-1));
    await expect(late.next()).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

test('organizations are spread over all shards', () => {
  const letters = Array.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
  const codes = letters.map((letter) => v.parse(OrganizationCode, `6H8EV88${letter}`));
  const shares = Map.groupBy(codes, shardOf);
  expect(shares.size).toBe(dueShards);
  for (const [share, ones] of shares) {
    expect(share).toBeLessThan(dueShards);
    expect(ones.length).toBeGreaterThanOrEqual(3);
  }
});
