import {
  TransactionCanceledException,
  type TransactWriteItem,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import * as v from 'valibot';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { clientOf } from '../../../infra/local/engine.ts';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import { leads } from '../../../shared/domain/leads/lead-record.ts';
import {
  createLead,
  deleteLead,
  getLead,
  listActivities,
  listLeads,
} from '../../../shared/domain/leads/leads.ts';
import { pipelineRead } from '../../../shared/domain/leads/pipeline-record.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { clientConfig } from '../../../shared/ledger/internal/client-config.ts';
import { parseHead, type Head } from '../../../shared/ledger/internal/head.ts';
import {
  duePartition,
  headKey,
  recordKey,
  shardOf,
  uniqueKey,
} from '../../../shared/ledger/internal/keys.ts';
import type { Ledger } from '../../../shared/ledger/internal/ledger.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { openStore } from '../../../shared/ledger/internal/store.ts';
import { addCategory, categories } from '../../../shared/domain/categories/categories.ts';
import { createOrganization } from '../../../shared/domain/organizations/found-organization.ts';
import { createPolicy, policies, updatePolicy } from '../../../shared/domain/policies/policies.ts';
import { createProduct, updateProduct } from '../../../shared/domain/products/products.ts';
import { hashToken } from '../../../shared/domain/tokens/token.ts';
import type { Write } from '../../../shared/ledger/internal/unit-of-work.ts';
import { cancelled, faults } from '../../support/faults.ts';
import { faultyStore, inOrder, type Fault } from '../../support/faulty-store.ts';
import { recordedStore } from '../../support/recorded-store.ts';
import {
  engine,
  limits,
  newOrganization,
  newStore,
  tableAt,
  type TestOrganization,
} from '../../support/world.ts';
import { notFound, type Failure } from '../../../shared/core/failure.ts';
import { addLeads } from './many-leads.ts';
import { stoppedClock } from '../../support/stopped-clock.ts';

let organization: TestOrganization;
beforeEach(async () => {
  organization = await newOrganization();
});

const page = { page: 1, limit: 100 };
/** Reads of a write that adds a lead: the head and the pipeline. */
const reads = ['GetItemCommand', 'GetItemCommand'];

/** Every event of the organization, in order. */
async function history(): Promise<string[]> {
  const { ledger } = organization.openLedger();
  const names: string[] = [];
  for (let number = 1; ; number++) {
    const event = await ledger.get({ collection: events, number }).catch(() => undefined);
    if (!event) return names;
    expect(event.id).toBe(number);
    names.push(event.event);
  }
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('It did not fail');
    },
    (failure: unknown) => failure as Failure,
  );

describe('what a write costs', () => {
  test('two round trips; one for each further write of the same ledger, as of a batch or an import', async () => {
    const { ledger, capacity } = organization.openLedger();
    const costs = [];
    for (const name of ['Ann', 'Bob', 'Cleo']) {
      const before = { ...capacity };
      await createLead(ledger, { name, email: `${name}@example.com` });
      costs.push([
        capacity.calls - before.calls,
        capacity.readUnits - before.readUnits,
        capacity.writeUnits - before.writeUnits,
      ]);
    }
    // Head, lead, pipeline, event and email: 2 units each. 1 more for the place of the event, and of the lead in the list of
    // its status and in the index of its first name. What the last write stored is known.
    expect(costs).toEqual([
      [3, 2, 13],
      [1, 0, 13],
      [1, 0, 13],
    ]);
  });

  test('nothing is remembered from one request to the next: another function may have written', async () => {
    const store = newStore();
    for (const name of ['Ann', 'Bob']) {
      const { ledger, capacity } = organization.openLedger({ store });
      await createLead(ledger, { name, email: `${name}@example.com` });
      expect(capacity).toEqual({ calls: 3, readUnits: 2, writeUnits: 13, transactions: 1, writes: 1 });
    }
  });

  test('a delete: the head, the lead and the pipeline together, then the transaction', async () => {
    const { id } = await createLead(organization.openLedger().ledger, { name: 'Ann' });
    const { ledger, capacity } = organization.openLedger();
    await deleteLead(ledger, id);
    expect(capacity).toEqual({ calls: 4, readUnits: 3, writeUnits: 14, transactions: 1, writes: 1 });
  });

  test('reads: one round trip by id, for a first page, and for the first activities of a lead', async () => {
    const { id } = await createLead(organization.openLedger().ledger, { name: 'Ann' });
    const costOf = async (read: (ledger: Ledger) => Promise<unknown>) => {
      const { ledger, capacity } = organization.openLedger();
      await read(ledger);
      const { transactions, writes, ...cost } = capacity;
      expect([transactions, writes]).toEqual([0, 0]);
      return cost;
    };
    expect(await costOf((ledger) => getLead(ledger, id))).toEqual({ calls: 1, readUnits: 1, writeUnits: 0 });
    expect(await costOf((ledger) => listLeads(ledger, page))).toEqual({
      calls: 2,
      readUnits: 2,
      writeUnits: 0,
    });
    expect(await costOf((ledger) => listActivities(ledger, id, page))).toEqual({
      calls: 2,
      readUnits: 1.5,
      writeUnits: 0,
    });
    expect(await costOf((ledger) => failureOf(getLead(ledger, 'lead_0')))).toEqual({
      calls: 0,
      readUnits: 0,
      writeUnits: 0,
    });
  });
});

describe('any history of creates and deletes', () => {
  test('leaves pages, counts and events as in a plain list', async () => {
    const { random } = seededRandom(11);
    const stores = [newStore(), newStore()];
    const names: string[] = [];
    const ids = new Map<string, string>();
    let expectedEvents = 2;
    for (let step = 1; step <= 90; step++, expectedEvents++) {
      // Two writers take turns: the head that one remembers is often old.
      const { ledger } = organization.openLedger({ store: stores[Math.floor(random() * 2)]! });
      const victim = names[Math.floor(random() * names.length)];
      if (victim !== undefined && random() < 0.4) {
        await deleteLead(ledger, ids.get(victim)!);
        names.splice(names.indexOf(victim), 1);
      } else {
        const { id, firstName } = await createLead(ledger, { name: `Lead${step}` });
        ids.set(firstName, id);
        names.unshift(firstName);
      }
      if (step % 10 !== 0) continue;
      const limit = 1 + Math.floor(random() * 12);
      for (let number = 1; number <= Math.ceil(names.length / limit) + 1; number++) {
        const { items, totalCount } = await listLeads(ledger, { page: number, limit });
        expect(totalCount).toBe(names.length);
        expect(items.map(({ firstName }) => firstName)).toEqual(
          names.slice((number - 1) * limit, number * limit),
        );
      }
    }
    expect(await history()).toHaveLength(expectedEvents);
  });
});

describe('writers that race', () => {
  test('sixty of them, each a function of its own: all are stored, once', async () => {
    let [transactions, writes] = [0, 0];
    const writers = Array.from({ length: 60 }, async (_, at) => {
      const { ledger, capacity } = organization.openLedger({ store: newStore() });
      const { id } = await createLead(ledger, { name: `Writer ${at}` });
      transactions += capacity.transactions;
      writes += capacity.writes;
      return id;
    });
    const ids = await Promise.all(writers);
    // Contention is what is sent in vain.
    expect(writes).toBe(60);
    expect(transactions).toBeGreaterThan(60);
    const { items, totalCount } = await listLeads(organization.openLedger().ledger, page);
    expect(totalCount).toBe(60);
    expect(items.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(await history()).toHaveLength(62);
  });

  test('two deletes of one lead: one succeeds, the other finds nothing', async () => {
    const { id } = await createLead(organization.openLedger().ledger, { name: 'Ann' });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => deleteLead(organization.openLedger().ledger, id)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ kind: 'notFound' });
    }
    expect((await listLeads(organization.openLedger().ledger, page)).totalCount).toBe(0);
  });
});

describe('when DynamoDB fails', () => {
  const transact = 'TransactWriteItemsCommand';
  const lostReplies: [string, Error][] = [
    ['a reset', faults.reset],
    ['a timeout', faults.timeout],
    ['a server error', faults.serverError],
  ];
  const refusals: [string, Error][] = [
    ['throttling', faults.throttled],
    ['throttling of parts of it', faults.throttledBeside],
    ['throttling of the head beside an item that is not as it was read', faults.throttledHead],
    ['a conflict with another transaction on a record', faults.conflictBeside],
  ];

  async function create(...list: Fault[]) {
    const waits: number[] = [];
    const sleep = (milliseconds: number) => Promise.resolve(void waits.push(milliseconds));
    const { store, commands } = faultyStore(inOrder(transact, ...list), { sleep, random: () => 1 });
    const { ledger } = organization.openLedger({ store });
    const lead = await createLead(ledger, { name: 'Ann', email: 'ann@example.com' });
    return { lead, waits, tries: commands.filter((command) => command === transact).length };
  }

  test.each([...lostReplies, ...refusals])(
    '%s before a write is tried again, and the write stored once',
    async (_, error) => {
      const { lead, tries, waits } = await create({ before: error }, { before: error });
      expect({ tries, waits }).toEqual({ tries: 3, waits: [10, 20] });
      expect((await listLeads(organization.openLedger().ledger, page)).items).toEqual([lead]);
      expect(await history()).toHaveLength(3);
    },
  );

  test.each(lostReplies)(
    '%s after a write was applied is a success, and the write stored once',
    async (_, error) => {
      const { lead } = await create({ after: error }, { after: error });
      expect((await listLeads(organization.openLedger().ledger, page)).items).toEqual([lead]);
      expect(await history()).toHaveLength(3);
    },
  );

  test.each(refusals)('%s until the deadline is unavailable, with nothing written', async (_, error) => {
    let now = Date.now();
    const sleep = (milliseconds: number) => Promise.resolve(void (now += milliseconds));
    const { store, commands } = faultyStore((name) => (name === transact ? { before: error } : 'pass'), {
      now: () => now,
      sleep,
    });
    const { ledger } = organization.openLedger({ store, milliseconds: 5000 });
    expect(await failureOf(createLead(ledger, { name: 'Ann' }))).toMatchObject({
      kind: 'unavailable',
      extras: { retryAfter: 1 },
    });
    expect(commands.length).toBeGreaterThan(10);
    expect((await listLeads(organization.openLedger().ledger, page)).totalCount).toBe(0);
  });

  test('no reply until the deadline is answered as an unknown outcome', async () => {
    let now = Date.now();
    const sleep = (milliseconds: number) => Promise.resolve(void (now += milliseconds));
    const { store } = faultyStore((name) => (name === transact ? { after: faults.reset } : 'pass'), {
      now: () => now,
      sleep,
    });
    const { ledger } = organization.openLedger({ store, milliseconds: 3000 });
    const failure = await failureOf(createLead(ledger, { name: 'Ann' }));
    expect(failure).toMatchObject({
      kind: 'internal',
      message: expect.stringContaining('not known') as string,
    });
    expect((await listLeads(organization.openLedger().ledger, page)).totalCount).toBe(1);
  });

  test('a lost reply and then a refusal: the write is still stored once', async () => {
    const { lead, tries } = await create({ after: faults.reset }, { before: faults.throttled });
    expect(tries).toBe(3);
    expect((await listLeads(organization.openLedger().ledger, page)).items).toEqual([lead]);
    expect(await history()).toHaveLength(3);
  });

  test('a lost reply and then refusals until the deadline are answered as an unknown outcome', async () => {
    let now = Date.now();
    const sleep = (milliseconds: number) => Promise.resolve(void (now += milliseconds));
    const lost: Fault[] = [{ after: faults.reset }];
    const decide = (name: string): Fault =>
      name === transact ? (lost.shift() ?? { before: faults.throttled }) : 'pass';
    const { store } = faultyStore(decide, { now: () => now, sleep });
    const { ledger } = organization.openLedger({ store, milliseconds: 3000 });
    expect(await failureOf(createLead(ledger, { name: 'Ann' }))).toMatchObject({ kind: 'internal' });
    expect((await listLeads(organization.openLedger().ledger, page)).totalCount).toBe(1);
  });

  test.each(['ThrottlingError', 'TransactionConflict'])(
    'a value that is taken is no refusal while the head answers with %s: the write begins again',
    async (code) => {
      let tries = 0;
      const { store } = recordedStore(tableAt(), {}, (command, input, send) => {
        if (command !== transact || tries++ > 0) return send();
        const { TransactItems = [] } = input as TransactWriteItemsCommandInput;
        const isClaim = ({ Put }: TransactWriteItem) => Put?.Item?.['pk']?.S?.endsWith('#UNIQUE');
        const [, ...others] = TransactItems.map((one) => (isClaim(one) ? 'ConditionalCheckFailed' : 'None'));
        return Promise.reject(cancelled(code, ...others));
      });
      const { ledger } = organization.openLedger({ store });
      expect(await createLead(ledger, { name: 'Ann', email: 'ann@example.com' })).toMatchObject({
        email: 'ann@example.com',
      });
    },
  );

  test('a lost reply and then a fatal error are answered as an unknown outcome', async () => {
    const { store } = faultyStore(inOrder(transact, { after: faults.reset }, { before: faults.denied }));
    const { ledger } = organization.openLedger({ store });
    const failure = await failureOf(createLead(ledger, { name: 'Ann' }));
    expect(failure).toMatchObject({
      kind: 'internal',
      message: expect.stringContaining('not known') as string,
    });
  });

  test('a transaction that was cancelled for several reasons is retried only if all of them are temporary', async () => {
    const { store } = faultyStore(inOrder(transact, { before: faults.mixed }));
    const { ledger } = organization.openLedger({ store });
    await expect(createLead(ledger, { name: 'Ann' })).rejects.toBe(faults.mixed);
  });

  test('after a collision on the head a writer takes a number, and reads the head again', async () => {
    let now = Date.now();
    const sleep = (milliseconds: number) => Promise.resolve(void (now += milliseconds));
    const { store, commands } = faultyStore(inOrder(transact, { before: faults.conflict }), {
      now: () => now,
      sleep,
    });
    await createLead(organization.openLedger({ store }).ledger, { name: 'Ann' });
    expect(commands.slice(0, 4)).toEqual([...reads, transact, 'UpdateItemCommand']);
    expect(commands.at(-1)).toBe(transact);
    expect(new Set(commands.slice(4, -1))).toEqual(new Set(['GetItemCommand']));
  });

  test('a conflict on another item is tried again as it is, without a number', async () => {
    const { store, commands } = faultyStore(inOrder(transact, { before: faults.conflictBeside }), {
      sleep: () => Promise.resolve(),
    });
    const { ledger, capacity } = organization.openLedger({ store });
    await createLead(ledger, { name: 'Ann' });
    expect(commands).toEqual([...reads, transact, transact]);
    expect(capacity).toMatchObject({ transactions: 2, writes: 1 });
  });

  test('if a snapshot meets a transaction, the head is read alone, and the records to check after it', async () => {
    const { store, commands } = faultyStore(inOrder('TransactGetItemsCommand', { before: faults.conflict }));
    const { ledger } = organization.openLedger({ store });
    await ledger.write({ check: { category: { collection: categories, number: 1 } } }, (write) => {
      write.event({ event: 'TEST', data: 'A test', referenceId: '1' });
    });
    expect(commands).toEqual([
      'TransactGetItemsCommand',
      'GetItemCommand',
      'TransactGetItemsCommand',
      transact,
    ]);
  });

  test('a value that is held by the record itself is no conflict: what was read of the record was old', async () => {
    const { ledger } = organization.openLedger();
    const { id } = await createProduct(ledger, { name: 'Tap', tradeCategoryId: 2, pricingType: 'NONE' });
    // As when the same change was stored just now, and is not applied to the record yet.
    const codes = ['TransactionConflict', 'None', 'None', 'None'];
    const CancellationReasons = [
      ...codes.map((Code) => ({ Code })),
      { Code: 'ConditionalCheckFailed', Item: { id: { N: String(id) } } },
    ];
    const cancelled = { message: 'Cancelled', $metadata: {}, CancellationReasons };
    const refusal = { before: new TransactionCanceledException(cancelled) };
    const { store } = faultyStore(inOrder(transact, refusal));
    const renamed = await updateProduct(organization.openLedger({ store }).ledger, id, { name: 'Sink' });
    expect(renamed).toMatchObject({ id, name: 'Sink' });
  });

  test('a value that another record holds is no conflict if the record was old: the claim may be in vain', async () => {
    const { ledger } = organization.openLedger();
    const { id } = await createProduct(ledger, { name: 'Tap', tradeCategoryId: 2, pricingType: 'NONE' });
    const failed = 'ConditionalCheckFailed';
    const CancellationReasons = [
      ...['None', failed, 'None', 'None'].map((Code) => ({ Code })),
      { Code: failed, Item: { id: { N: '99' } } },
    ];
    const cancelled = { message: 'Cancelled', $metadata: {}, CancellationReasons };
    const refusal = { before: new TransactionCanceledException(cancelled) };
    const { store } = faultyStore(inOrder(transact, refusal));
    const renamed = await updateProduct(organization.openLedger({ store }).ledger, id, { name: 'Sink' });
    expect(renamed).toMatchObject({ id, name: 'Sink' });
  });

  test('a record that a plain read does not show yet is found by a serializable read', async () => {
    const { id } = await createLead(organization.openLedger().ledger, { name: 'Ann' });
    const { store, commands } = faultyStore(
      () => 'pass',
      {},
      (name, output) => (name === 'GetItemCommand' ? { ...output, Item: undefined } : output),
    );
    expect(await getLead(organization.openLedger({ store }).ledger, id)).toMatchObject({ id });
    expect(commands).toEqual(['GetItemCommand', 'TransactGetItemsCommand']);
  });

  test('a hot record is read again while the head has a newer revision', async () => {
    const waits: number[] = [];
    let [old, times]: [object | undefined, number] = [undefined, 0];
    const { store, commands } = faultyStore(
      () => 'pass',
      { sleep: (milliseconds) => Promise.resolve(void waits.push(milliseconds)) },
      (_, output) => {
        const { Item } = output as { Item?: { pk: { S: string } } };
        if (!JSON.stringify(Item?.pk ?? '').includes('#PIPELINE')) return output;
        old ??= output;
        return times-- > 0 ? old : output;
      },
    );
    await createLead(organization.openLedger({ store }).ledger, { name: 'Ann' });
    await createLead(organization.openLedger().ledger, { name: 'Bo' });
    commands.length = 0;
    times = 3;
    await createLead(organization.openLedger({ store }).ledger, { name: 'Cy' });
    expect(commands).toEqual([...reads, 'GetItemCommand', 'GetItemCommand', 'GetItemCommand', transact]);
    expect(waits).toEqual([1, 2]);
    // One that stays behind the head is used all the same, and that puts the head right.
    await noteRevisions({ PIPELINE: 10 ** 6 });
    await createLead(organization.openLedger({ store }).ledger, { name: 'Di' });
    expect(waits).toEqual([1, 2, 1, 2, 4, 8, 16, 32]);
    const { revisions, version } = await readHead();
    expect(revisions).toEqual({ PIPELINE: version });
  });

  test('a call without an answer is cut off soon after the deadline', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const client = clientOf({ endpoint: `http://127.0.0.1:${port}` }, clientConfig);
    const { ledger } = organization.openLedger({
      store: openStore(client, 'Table', realSystem),
      milliseconds: 50,
    });
    expect(await failureOf(getLead(ledger, `lead_${organization.code}00000001`))).toMatchObject({
      kind: 'unavailable',
    });
    client.destroy();
    silent.close();
  });

  test('a fatal error is thrown at once', async () => {
    const { store, commands } = faultyStore(inOrder(transact, { before: faults.denied }));
    const { ledger } = organization.openLedger({ store });
    await expect(createLead(ledger, { name: 'Ann' })).rejects.toBe(faults.denied);
    expect(commands).toEqual([...reads, transact]);
  });

  test('reads are tried again, then unavailable', async () => {
    const { id } = await createLead(organization.openLedger().ledger, { name: 'Ann' });
    const sleep = () => Promise.resolve();
    const once = faultyStore(
      inOrder('GetItemCommand', { before: faults.reset }, { before: faults.throttled }),
      { sleep },
    );
    expect(await getLead(organization.openLedger({ store: once.store }).ledger, id)).toMatchObject({
      firstName: 'Ann',
    });
    expect(once.commands).toHaveLength(3);

    let now = Date.now();
    const always = faultyStore(() => ({ before: faults.reset }), {
      now: () => now,
      sleep: (ms) => Promise.resolve(void (now += ms)),
    });
    const { ledger } = organization.openLedger({ store: always.store, milliseconds: 1000 });
    expect(await failureOf(getLead(ledger, id))).toMatchObject({ kind: 'unavailable' });
  });
});

describe('the activities of a lead', () => {
  /** A lead with this many activities. */
  async function leadWith(count: number): Promise<string> {
    const { ledger } = organization.openLedger();
    const { id } = await createLead(ledger, { name: 'Ann' });
    const ref = ledger.ref(leads, id);
    await ledger.write({ change: { lead: ref } }, (write) => {
      for (let rank = 2; rank <= count; rank++) {
        write.event({ event: 'LEAD_UPDATED', data: `Change ${rank}`, referenceId: id }, [ref]);
      }
    });
    return id;
  }

  test('have pages, newest first', async () => {
    const id = await leadWith(5);
    const { ledger } = organization.openLedger();
    const pages = [];
    for (const number of [1, 2, 3, 4]) {
      const { items, totalCount } = await listActivities(ledger, id, { page: number, limit: 2 });
      expect(totalCount).toBe(5);
      pages.push(items.map(({ data }) => data));
    }
    expect(pages).toEqual([['Change 5', 'Change 4'], ['Change 3', 'Change 2'], ['The lead was created'], []]);
  });

  test('are read again while the index lags, wherever a member is missing', async () => {
    const id = await leadWith(5);
    const missing = [0, 1];
    let reads = 0;
    const { store } = faultyStore(
      () => 'pass',
      { sleep: () => Promise.resolve() },
      (name, output) => {
        if (name !== 'QueryCommand') return output;
        const at = missing[reads++];
        return { ...output, Items: (output as { Items: object[] }).Items.filter((_, each) => each !== at) };
      },
    );
    const { items } = await listActivities(organization.openLedger({ store }).ledger, id, {
      page: 1,
      limit: 2,
    });
    expect(items.map(({ data }) => data)).toEqual(['Change 5', 'Change 4']);
    expect(reads).toBe(3);
  });

  test('are queried by their ranks, so that an older one never stands in for a missing one', async () => {
    const id = await leadWith(5);
    let asked: unknown;
    const { store } = faultyStore(
      () => 'pass',
      {},
      (name, output, input) => {
        if (name === 'QueryCommand') asked = input;
        return output;
      },
    );
    await listActivities(organization.openLedger({ store }).ledger, id, { page: 2, limit: 2 });
    expect(asked).toMatchObject({ ExpressionAttributeValues: { ':from': { N: '3' }, ':to': { N: '2' } } });
  });

  test('are shown as far as the index has them, if it stays behind', async () => {
    const id = await leadWith(2);
    const { store } = faultyStore(
      () => 'pass',
      { sleep: () => Promise.resolve() },
      (name, output) => (name === 'QueryCommand' ? { ...output, Items: [] } : output),
    );
    const { items, totalCount } = await listActivities(organization.openLedger({ store }).ledger, id, page);
    expect({ items, totalCount }).toEqual({ items: [], totalCount: 2 });
  });
});

describe('one write', () => {
  test('may delete several records of one bucket', async () => {
    const { ledger } = organization.openLedger();
    const ids: string[] = [];
    for (const name of ['A', 'B', 'C', 'D', 'E']) ids.push((await createLead(ledger, { name })).id);
    const [first, second] = [ids[3]!, ids[2]!].map((id) => ledger.ref(leads, id));
    await ledger.write({ change: { first: first!, second: second!, pipeline: pipelineRead } }, (write) => {
      write.remove(first!);
      write.remove(second!);
      write.event({ event: 'LEADS_DELETED', data: 'Two leads were deleted', referenceId: ids[3]! });
    });
    const pages = await Promise.all(
      [1, 2, 3, 4].map((number) => listLeads(ledger, { page: number, limit: 1 })),
    );
    expect(pages.flatMap(({ items }) => items.map(({ firstName }) => firstName))).toEqual(['E', 'B', 'A']);
  });

  test('may not give one value to two records', async () => {
    const { ledger } = organization.openLedger();
    const both = addLeads(ledger, [
      { name: 'Ann', email: 'ann@example.com' },
      { name: 'Bob', email: 'ANN@example.com' },
    ]);
    expect(await failureOf(both)).toMatchObject({ kind: 'conflict', message: 'Another lead has this email' });
    expect((await listLeads(ledger, page)).totalCount).toBe(0);
  });

  /** Gives leads other emails, in this order, in one write. */
  async function setEmails(...changes: [id: string, email: string][]): Promise<void> {
    const { ledger } = organization.openLedger();
    const change = Object.fromEntries(changes.map(([id]) => [id, ledger.ref(leads, id)]));
    await ledger.write({ change }, (write, records) => {
      const now = new Map(Object.entries(records));
      for (const [id, email] of changes) {
        const record = { ...now.get(id)!, email };
        write.replace(change[id]!, record);
        now.set(id, record);
      }
      write.event({ event: 'LEAD_UPDATED', data: 'The lead was changed', referenceId: changes[0]![0] });
    });
  }
  const newLead = async (email: string) =>
    (await createLead(organization.openLedger().ledger, { name: 'Ann', email })).id;
  const holderOf = async (email: string) => {
    const failure = await createLead(organization.openLedger().ledger, { name: 'Bob', email }).catch(
      (error: unknown) => error as Failure,
    );
    return 'extras' in failure ? failure.extras.existingId : undefined;
  };

  test('may change the case of a value, which stays taken', async () => {
    const id = await newLead('ann@example.com');
    await setEmails([id, 'ANN@example.com']);
    expect(await holderOf('ann@example.com')).toBe(id);
  });

  test('releases the old value of a record, and claims the new one', async () => {
    const id = await newLead('ann@example.com');
    await setEmails([id, 'other@example.com']);
    expect(await holderOf('other@example.com')).toBe(id);
    expect(await holderOf('ann@example.com')).toBeUndefined();
  });

  test('may move a value from one record to another, in either order', async () => {
    const [a, b] = [await newLead('a@example.com'), await newLead('b@example.com')];
    await setEmails([a, 'c@example.com'], [b, 'a@example.com']);
    expect([await holderOf('a@example.com'), await holderOf('c@example.com')]).toEqual([b, a]);
    // Also where it is asked for before it is given up.
    await setEmails([a, 'a@example.com'], [b, 'd@example.com']);
    expect([await holderOf('a@example.com'), await holderOf('d@example.com')]).toEqual([a, b]);
  });

  test('may claim a value and release it again', async () => {
    const id = await newLead('a@example.com');
    await setEmails([id, 'b@example.com'], [id, 'c@example.com'], [id, 'a@example.com']);
    expect(await holderOf('a@example.com')).toBe(id);
    expect(await holderOf('b@example.com')).toBeUndefined();
  });

  test('has an event, and no more items than a transaction takes', async () => {
    const { ledger } = organization.openLedger();
    const silent = ledger.write({}, (write) => addCategory(write, { name: 'Gas', type: 'SERVICE' }));
    await expect(silent).rejects.toThrow('A write without an event');
    const many = Array.from({ length: 50 }, (_, at) => ({ name: `Lead ${at}` }));
    await expect(addLeads(ledger, many)).rejects.toThrow('A write of more than 100 items');
  });

  test('that changes nothing stores nothing', async () => {
    const { ledger, capacity } = organization.openLedger();
    expect(await ledger.write({}, () => 'result')).toBe('result');
    expect(capacity).toMatchObject({ calls: 1, writeUnits: 0 });
  });

  test('replaces only what it has read', async () => {
    const { ledger } = organization.openLedger();
    const blind = ledger.write({}, (write) => {
      const stamps = { createdAt: write.now, updatedAt: write.now };
      const record = { id: 1, name: 'Gas', type: 'SERVICE' as const, ...stamps };
      write.replace({ collection: categories, number: 1 }, record);
    });
    await expect(blind).rejects.toThrow('has not read');
  });

  test('that fails on the cached head is built again on the newest', async () => {
    const { ledger } = organization.openLedger();
    await createLead(ledger, { name: 'Ann' });
    await createLead(organization.openLedger().ledger, { name: 'Bob' });
    const counts: number[] = [];
    const refused = ledger.write({}, (write) => {
      counts.push(write.count(leads));
      throw notFound('thing');
    });
    expect(await failureOf(refused)).toMatchObject({ kind: 'notFound' });
    expect(counts).toEqual([1, 2]);
  });

  test('on a cached head that is old is retried at once on the newest', async () => {
    const { store, commands } = faultyStore(() => 'pass');
    const { ledger } = organization.openLedger({ store });
    await createLead(ledger, { name: 'Ann' });
    await createLead(organization.openLedger().ledger, { name: 'Bob' });
    commands.length = 0;
    await createLead(ledger, { name: 'Cleo' });
    // The refusal brings the head, and the pipeline has changed with it.
    expect(commands).toEqual(['TransactWriteItemsCommand', 'GetItemCommand', 'TransactWriteItemsCommand']);
  });

  test('must change every record that it has read to change', async () => {
    const { ledger } = organization.openLedger();
    const ref = ledger.ref(categories, 1);
    const careless = ledger.write({ change: { category: ref } }, (write) => {
      write.event({ event: 'TEST', data: 'A test', referenceId: '1' });
    });
    await expect(careless).rejects.toThrow('was read to change and is not: read it as a check');
  });
});

describe('the transaction checks everything that a write relies on', () => {
  const send = async (command: PutCommand | UpdateCommand | DeleteCommand) => {
    await DynamoDBDocumentClient.from(clientOf(engine)).send(command as PutCommand);
  };
  const TableName = inject('tableName');

  /** Lets a policy be changed, by who knows whom, between a write's read of it and its transaction. */
  async function changedBetween(change: (id: number) => Promise<void>) {
    const { ledger } = organization.openLedger();
    const { id } = await createPolicy(ledger, { title: 'Cancelling', content: 'A day before' });
    let reads = 0;
    const { store, commands } = faultyStore(
      () => 'pass',
      {},
      (name, output) => {
        if (name === 'GetItemCommand') reads++;
        return output;
      },
    );
    const { ledger: late } = organization.openLedger({ store });
    const ref = late.ref(policies, id);
    const seen: unknown[] = [];
    await late.write({ change: { policy: { ref, mayBeAbsent: true } } }, async (write, { policy }) => {
      if (seen.push(policy?.title) === 1) await change(id);
      if (!policy) return;
      write.replace(ref, { ...policy, content: `After ${policy.title}` });
      write.event({ event: 'TEST', data: 'A test', referenceId: String(id) });
    });
    return { id, seen, commands, reads };
  }

  test('a record that it replaces, by its revision, although the head has not moved', async () => {
    const { id, seen, commands } = await changedBetween((number) =>
      send(
        new UpdateCommand({
          TableName,
          Key: recordKey(organization.code, 'POLICY', number),
          UpdateExpression: 'SET title = :title, revision = :revision',
          ExpressionAttributeValues: { ':title': 'Late', ':revision': 2 },
        }),
      ),
    );
    // Nobody else writes, so it needs no number.
    expect(seen).toEqual(['Cancelling', 'Late']);
    expect(commands).not.toContain('UpdateItemCommand');
    expect(await organization.openLedger().ledger.get({ collection: policies, number: id })).toMatchObject({
      title: 'Late',
      content: 'After Late',
    });
  });

  test('a record that it replaces is still there', async () => {
    const { seen } = await changedBetween((number) =>
      send(new DeleteCommand({ TableName, Key: recordKey(organization.code, 'POLICY', number) })),
    );
    expect(seen).toEqual(['Cancelling', undefined]);
  });

  /** The error for stored data that contradicts itself. It names the command to run. */
  const inconsistent = {
    name: 'Inconsistent',
    message: expect.stringContaining('run "npm run admin -- organization verify"') as string,
  };

  test('a record that it adds is new', async () => {
    const { code } = organization;
    await send(
      new PutCommand({ TableName, Item: { ...recordKey(code, 'POLICY', 1), revision: 1, title: 'There' } }),
    );
    const waits: number[] = [];
    const sleep = (milliseconds: number) => Promise.resolve(void waits.push(milliseconds));
    const { store } = faultyStore(() => 'pass', { sleep, random: () => 1 });
    const adding = createPolicy(organization.openLedger({ store }).ledger, { title: 'New', content: 'New' });
    expect(await failureOf(adding)).toMatchObject(inconsistent);
    // The first retry is at once: most often, the other transaction has just ended.
    expect(waits).toEqual([10, 20, 40, 80]);
    const client = DynamoDBDocumentClient.from(clientOf(engine));
    const Key = recordKey(code, 'POLICY', 1);
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    expect(Item).toMatchObject({ title: 'There' });
  });

  test('a value that it gives up is held by the record that gives it up', async () => {
    const { code } = organization;
    const { id } = await createLead(organization.openLedger().ledger, {
      name: 'Ann',
      email: 'ann@example.com',
    });
    const Key = uniqueKey(code, { kind: 'LEAD.email', folded: 'ann@example.com' });
    await send(new PutCommand({ TableName, Item: { ...Key, id: 'lead_of_another' } }));
    const failure = await failureOf(deleteLead(organization.openLedger().ledger, id));
    expect(failure).toMatchObject(inconsistent);
    expect(await getLead(organization.openLedger().ledger, id)).toMatchObject({ id });
  });

  test('a grant that it makes is new, and one that it changes is still there', async () => {
    const { userId } = organization;
    const grant = { tokenId: 1, userId, scopes: ['read'], sites: [], expiresAt: null };
    const writing = (act: (write: Write) => void) =>
      organization.openLedger().ledger.write({}, (write) => {
        act(write);
        write.event({ event: 'TEST', data: 'A test', referenceId: '1' });
      });
    const known = hashToken(organization.token);
    const adding = writing((write) => {
      write.addGrant(known, grant);
    });
    expect(await failureOf(adding)).toMatchObject(inconsistent);
    const changing = writing((write) => {
      write.replaceGrant('f'.repeat(64), grant);
    });
    expect(await failureOf(changing)).toMatchObject(inconsistent);
    expect(await newStore().grantOf(known, limits())).toMatchObject({
      scopes: ['read', 'write', 'members:write'],
    });
    await writing((write) => {
      write.replaceGrant(known, grant);
    });
    expect(await newStore().grantOf(known, limits())).toMatchObject({ scopes: ['read'] });
  });
});

test('data of another form is refused with a message that says what to do', async () => {
  const { ledger } = organization.openLedger();
  const { id } = await createLead(ledger, { name: 'Ann' });
  const client = DynamoDBDocumentClient.from(clientOf(engine));
  const TableName = inject('tableName');
  const without = (Key: object, name: string) =>
    client.send(
      new UpdateCommand({
        TableName,
        Key: { ...Key },
        UpdateExpression: 'REMOVE #name',
        ExpressionAttributeNames: { '#name': name },
      }),
    );
  await without(recordKey(organization.code, 'LEAD', 1), 'revision');
  const sentence = /stored in form 1, and this version reads form 3 alone: run the version that stored it/;
  await expect(listLeads(organization.openLedger().ledger, page)).rejects.toThrow(sentence);
  await expect(deleteLead(organization.openLedger().ledger, id)).rejects.toThrow(sentence);
  await without(headKey(organization.code), 'form');
  await expect(listLeads(organization.openLedger().ledger, page)).rejects.toThrow(sentence);
  await expect(createLead(organization.openLedger().ledger, { name: 'Bob' })).rejects.toThrow(sentence);
});

test('attributes and lists of a newer version of the code stay in the head', async () => {
  const client = DynamoDBDocumentClient.from(clientOf(engine));
  const Key = headKey(organization.code);
  const TableName = inject('tableName');
  await createLead(organization.openLedger().ledger, { name: 'Ann' });
  await client.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: 'SET later = :later, lists.#later = :state',
      ExpressionAttributeNames: { '#later': 'LATER#1#some' },
      ExpressionAttributeValues: { ':later': 'kept', ':state': '7-2~Bg' },
    }),
  );
  const { ledger } = organization.openLedger();
  const { id } = await createLead(ledger, { name: 'Bob' });
  await deleteLead(ledger, id);
  const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  expect(Item).toMatchObject({ later: 'kept', lists: { LEAD: '2-1~AQ', 'LATER#1#some': '7-2~Bg' } });
});

test('attributes of a newer version of the code stay in a record that this one changes', async () => {
  const client = DynamoDBDocumentClient.from(clientOf(engine));
  const { ledger } = organization.openLedger();
  const { id } = await createPolicy(ledger, { title: 'Cancelling', content: 'A day before' });
  const Key = recordKey(organization.code, 'POLICY', id);
  const TableName = inject('tableName');
  // Policies are in lists by their state, own none and wait for no worker, as far as this version knows.
  const later = {
    later: 'kept',
    ...{ gsi2pk: `${Key.pk}#2`, gsi2sk: 7, gsi5pk: `${Key.pk}#5`, gsi5sk: 8 },
    ...{ gsi6pk: `${Key.pk}#6`, gsi6sk: 'cancelling' },
    ...{ gsi9pk: duePartition('later', shardOf(organization.code)), gsi9sk: '2026' },
    lists: { 'LATER#1': '7-2~Bg' },
  };
  const names = Object.keys(later);
  await client.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: `SET ${names.map((name) => `${name} = :${name}`).join(', ')}`,
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(later).map(([name, value]) => [`:${name}`, value]),
      ),
    }),
  );
  await updatePolicy(organization.openLedger().ledger, id, { isActive: false });
  const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  expect(Item).toMatchObject({ ...later, isActive: false });
});

test('a write that lost the race takes a number, and continues with the winner’s head and newly read records', async () => {
  const { ledger } = organization.openLedger();
  const { id } = await createPolicy(ledger, { title: 'Cancelling', content: 'A day before' });
  let tries = 0;
  const { store, commands } = faultyStore(() => 'pass');
  const { ledger: late } = organization.openLedger({ store });
  const ref = late.ref(policies, id);
  await late.write({ change: { policy: ref } }, async (write, { policy }) => {
    if (tries++ === 0) await createPolicy(organization.openLedger().ledger, { title: 'B', content: 'C' });
    write.replace(ref, { ...policy, content: 'Changed' });
    write.event({ event: 'TEST', data: 'A test', referenceId: '1' });
  });
  const transact = 'TransactWriteItemsCommand';
  expect(commands).toEqual([
    'GetItemCommand',
    'GetItemCommand',
    transact,
    // The head came with the refusal.
    'UpdateItemCommand',
    'GetItemCommand',
    transact,
  ]);
  const head = await readHead();
  expect(head.queue).toMatchObject({ served: 1, waiting: 0 });
});

test('an organization whose writers never meet has no queue', async () => {
  for (const name of ['A', 'B', 'C']) await createLead(organization.openLedger().ledger, { name });
  expect(await readHead()).not.toHaveProperty('queue');
});

async function readHead(): Promise<Head> {
  const client = DynamoDBDocumentClient.from(clientOf(engine));
  const Key = headKey(organization.code);
  return parseHead((await client.send(new GetCommand({ TableName: inject('tableName'), Key }))).Item);
}

async function noteRevisions(revisions: Head['revisions']): Promise<void> {
  const client = DynamoDBDocumentClient.from(clientOf(engine));
  const Item = { ...(await readHead()), revisions, ...headKey(organization.code) };
  await client.send(new PutCommand({ TableName: inject('tableName'), Item }));
}

test('the head has the revision of a hot record until it is removed', async () => {
  const papers = {
    name: 'PAPER',
    label: 'paper',
    schema: v.object({ id: v.number() }),
    hasHotRecord: true,
  } as const;
  const event = { event: 'TEST', data: 'A test', referenceId: '1' };
  const { ledger } = organization.openLedger();
  const { PIPELINE } = (await readHead()).revisions!;
  const ref = await ledger.write({}, (write) => {
    write.event(event);
    write.event(event);
    return write.append(papers, ({ number }) => ({ id: number })).ref;
  });
  const { version } = await readHead();
  await createPolicy(ledger, { title: 'Cancelling', content: 'A day before' });
  expect((await readHead()).revisions).toEqual({ PIPELINE, PAPER: version });
  await ledger.write({ change: { ref } }, (write) => {
    write.event(event);
    write.remove(ref);
  });
  expect((await readHead()).revisions).toEqual({ PIPELINE });
});

test('a write whose reads DynamoDB does not answer says why', async () => {
  const { id } = await createPolicy(organization.openLedger().ledger, {
    title: 'Cancelling',
    content: 'A day before',
  });
  const { store } = faultyStore(
    (command) => (command === 'GetItemCommand' ? { before: faults.timeout } : 'pass'),
    stoppedClock().system,
  );
  const failure = await failureOf(
    updatePolicy(organization.openLedger({ store, milliseconds: 300 }).ledger, id, {}),
  );
  expect(failure).toMatchObject({ kind: 'unavailable', extras: { cause: { name: 'TimeoutError' } } });
});

test('a page of more than 1 MB is complete', async () => {
  const { ledger } = organization.openLedger();
  const socials = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`${'n'.repeat(48)}${at + 10}`, 'x'.repeat(500)]),
  );
  for (let number = 0; number < 100; number += 20) {
    const some = Array.from({ length: 20 }, (_, at) => ({ name: `Lead ${number + at}`, socials }));
    await addLeads(ledger, some);
  }
  const { ledger: reader, capacity } = organization.openLedger();
  const { items } = await listLeads(reader, page);
  expect(items.map(({ firstName, lastName }) => `${firstName} ${lastName}`)).toEqual(
    Array.from({ length: 100 }, (_, at) => `Lead ${99 - at}`),
  );
  expect(capacity.calls).toBe(3);
});

test('records with integer ids are found by them, and events are a list like any other', async () => {
  const { ledger } = organization.openLedger();
  expect(await ledger.get(ledger.ref(categories, '1'))).toMatchObject({ id: 1, name: 'Services' });
  for (const id of ['0', '01', '1.0', '-1', '9999999999999', 'x']) {
    expect(() => ledger.ref(categories, id)).toThrow('There is no such category');
  }
  await createLead(ledger, { name: 'Ann' });
  const { items, totalCount } = await ledger.page(events, { page: 1, limit: 2 });
  expect(totalCount).toBe(3);
  expect(items.map(({ event }) => event)).toEqual(['LEAD_CREATED', 'TOKEN_ISSUED']);
});

test('an organization whose code is taken gets another code, and the first stays unchanged', async () => {
  const store = newStore();
  const drawn = Math.random();
  const draws = [drawn, drawn, Math.random()];
  const random = () => draws.shift()!;
  const input = {
    name: 'Test',
    country: 'AU',
    owner: { firstName: 'Tess', lastName: 'Owner', email: 'tess@example.com' },
    token: { name: 'Test', mode: 'test', scopes: ['read'] },
  } as const;
  const first = await createOrganization(store, limits(), input, { random, randomBytes });
  const second = await createOrganization(store, limits(), input, { random, randomBytes });
  expect(second.code).not.toBe(first.code);
  for (const { code } of [first, second]) {
    const ledger = newStore().ledgerOf({ organization: code, userId: '', ...limits() });
    expect((await ledger.page(events, page)).totalCount).toBe(2);
  }
});
