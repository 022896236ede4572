import * as v from 'valibot';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { clientOf } from '../../../infra/local/engine.ts';
import { seededRandom } from '../../../infra/local/seeded-random.ts';
import { notFound, type Failure } from '../../../shared/endpoints/errors.ts';
import { activitiesOf, leads } from '../../../shared/leads/lead-record.ts';
import {
  addLead,
  createLead,
  deleteLead,
  getLead,
  listActivities,
  listLeads,
} from '../../../shared/leads/leads.ts';
import { events } from '../../../shared/ledger/collection.ts';
import { clientConfig } from '../../../shared/ledger/client-config.ts';
import { headKey, recordKey } from '../../../shared/ledger/keys.ts';
import type { Ledger } from '../../../shared/ledger/ledger.ts';
import { realOutside } from '../../../shared/ledger/outside.ts';
import { openStore } from '../../../shared/ledger/store.ts';
import { addCategory, categories } from '../../../shared/categories/categories.ts';
import { createOrganization } from '../../../shared/organizations/organizations.ts';
import { createPolicy, updatePolicy } from '../../../shared/policies/policies.ts';
import { faults, faultyStore, inOrder, type Fault } from '../../support/faulty-store.ts';
import { engine, limits, newOrganization, newStore, type TestOrganization } from '../../support/world.ts';

let organization: TestOrganization;
beforeEach(async () => {
  organization = await newOrganization();
});

const page = { page: 1, limit: 100 };

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
  test('two round trips; one when the head is remembered', async () => {
    const store = newStore();
    const costs = [];
    for (const name of ['Ann', 'Bob']) {
      const { ledger, meter } = organization.openLedger({ store });
      await createLead(ledger, { name, email: `${name}@example.com` });
      costs.push(meter);
    }
    // Head, lead, event with its place in a view, and the email: 2 units each, 1 more for the view.
    expect(costs).toEqual([
      { calls: 2, readUnits: 1, writeUnits: 9 },
      { calls: 1, readUnits: 0, writeUnits: 9 },
    ]);
  });

  test('a delete: two round trips, whether or not the head is remembered', async () => {
    const store = newStore();
    const ids = [];
    for (const name of ['Ann', 'Bob'])
      ids.push((await createLead(organization.openLedger().ledger, { name })).id);
    const costs = [];
    for (const id of ids) {
      const { ledger, meter } = organization.openLedger({ store });
      await deleteLead(ledger, id);
      costs.push(meter);
    }
    expect(costs).toEqual([
      { calls: 2, readUnits: 4, writeUnits: 8 },
      { calls: 2, readUnits: 1, writeUnits: 8 },
    ]);
  });

  test('reads: one round trip by id, two for a page or the activities of a lead', async () => {
    const { id } = await createLead(organization.openLedger().ledger, { name: 'Ann' });
    const costOf = async (read: (ledger: Ledger) => Promise<unknown>) => {
      const { ledger, meter } = organization.openLedger();
      await read(ledger);
      return meter;
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
    for (let step = 1; step <= 150; step++, expectedEvents++) {
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
  test('a hundred of them, each with a memory of its own: all are stored, once', async () => {
    let calls = 0;
    const writers = Array.from({ length: 100 }, async (_, at) => {
      const { ledger, meter } = organization.openLedger({ store: newStore() });
      const { id } = await createLead(ledger, { name: `Writer ${at}` });
      calls += meter.calls;
      return id;
    });
    const ids = await Promise.all(writers);
    // About 6 each; if all tried again at once, 50.
    expect(calls).toBeLessThan(100 * 25);
    const { items, totalCount } = await listLeads(organization.openLedger().ledger, page);
    expect(totalCount).toBe(100);
    expect(items.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(await history()).toHaveLength(102);
  });

  test('a delete and a delete of the same lead: one is done, the other finds nothing', async () => {
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
    ['a conflict of transactions', faults.conflict],
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

  test('no reply until the deadline is no claim that nothing was written', async () => {
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

  test('a lost reply and then refusals until the deadline is no claim that nothing was written', async () => {
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

  test('a lost reply and then an error that trying again cannot mend: the same', async () => {
    const { store } = faultyStore(inOrder(transact, { after: faults.reset }, { before: faults.denied }));
    const { ledger } = organization.openLedger({ store });
    const failure = await failureOf(createLead(ledger, { name: 'Ann' }));
    expect(failure).toMatchObject({
      kind: 'internal',
      message: expect.stringContaining('not known') as string,
    });
  });

  test('a transaction cancelled for several reasons is tried again only where all of them pass', async () => {
    const { store } = faultyStore(inOrder(transact, { before: faults.mixed }));
    const { ledger } = organization.openLedger({ store });
    await expect(createLead(ledger, { name: 'Ann' })).rejects.toBe(faults.mixed);
  });

  test('after a collision on the head, the head is read anew: another writer has moved it on', async () => {
    const { store, commands } = faultyStore(inOrder(transact, { before: faults.conflict }));
    await createLead(organization.openLedger({ store }).ledger, { name: 'Ann' });
    expect(commands).toEqual(['GetItemCommand', transact, 'GetItemCommand', transact]);
  });

  test('a snapshot that collides with a write is taken again', async () => {
    const { id } = await createLead(organization.openLedger().ledger, { name: 'Ann' });
    const { store, commands } = faultyStore(inOrder('TransactGetItemsCommand', { before: faults.conflict }));
    await deleteLead(organization.openLedger({ store }).ledger, id);
    expect(commands).toEqual(['TransactGetItemsCommand', 'TransactGetItemsCommand', transact]);
  });

  test('a server that takes the call and never answers is given up soon after the deadline', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const client = clientOf({ endpoint: `http://127.0.0.1:${port}` }, clientConfig);
    const { ledger } = organization.openLedger({
      store: openStore(client, 'Table', realOutside),
      milliseconds: 50,
    });
    expect(await failureOf(getLead(ledger, `lead_${organization.code}00000001`))).toMatchObject({
      kind: 'unavailable',
    });
    client.destroy();
    silent.close();
  });

  test('what trying again cannot mend is thrown at once', async () => {
    const { store, commands } = faultyStore(inOrder(transact, { before: faults.denied }));
    const { ledger } = organization.openLedger({ store });
    await expect(createLead(ledger, { name: 'Ann' })).rejects.toBe(faults.denied);
    expect(commands).toEqual(['GetItemCommand', transact]);
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
  async function leadWith(activities: number): Promise<string> {
    const { ledger } = organization.openLedger();
    const { id } = await createLead(ledger, { name: 'Ann' });
    const place = ledger.place(leads, id);
    await ledger.write({ lead: place }, (write, { lead }) => {
      for (let rank = 2; rank <= activities; rank++) {
        const event = { event: 'LEAD_UPDATED', data: `Change ${rank}`, referenceId: id };
        write.event(event, { ...activitiesOf(place), rank });
      }
      write.replace(place, { ...lead!, activityCount: activities });
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

  test('are read again while the index trails behind, wherever something is missing', async () => {
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

  test('are asked of the index by their ranks, so that an older one never stands in for one that is missing', async () => {
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

  test('are shown as far as they are there, when the index stays behind', async () => {
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
    const [first, second] = [ids[3]!, ids[2]!].map((id) => ledger.place(leads, id));
    await ledger.write({ first: first!, second: second! }, (write) => {
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
    const both = ledger.write({}, async (write) => {
      await addLead(write, { name: 'Ann', email: 'ann@example.com' });
      await addLead(write, { name: 'Bob', email: 'ANN@example.com' });
    });
    expect(await failureOf(both)).toMatchObject({ kind: 'conflict', message: 'Another lead has this email' });
    expect((await listLeads(ledger, page)).totalCount).toBe(0);
  });

  test.each([true, false])(
    'may change the case of a value, which stays taken (release first: %s)',
    async (releaseFirst) => {
      const { ledger } = organization.openLedger();
      const { id } = await createLead(ledger, { name: 'Ann', email: 'ann@example.com' });
      const uniqueOf = (value: string) => ({ collection: leads, field: 'email', value });
      await ledger.write({}, (write) => {
        if (releaseFirst) write.release(uniqueOf('ann@example.com'));
        write.claim(uniqueOf('ANN@example.com'), id);
        if (!releaseFirst) write.release(uniqueOf('ann@example.com'));
        write.event({ event: 'LEAD_UPDATED', data: 'The lead was changed', referenceId: id });
      });
      const again = await failureOf(createLead(ledger, { name: 'Bob', email: 'ann@example.com' }));
      expect(again).toMatchObject({ kind: 'conflict', extras: { existingId: id } });
    },
  );

  test('has an event, and no more items than a transaction takes', async () => {
    const { ledger } = organization.openLedger();
    const silent = ledger.write({}, (write) => addCategory(write, { name: 'Gas', type: 'SERVICE' }));
    await expect(silent).rejects.toThrow('A write without an event');
    const many = ledger.write({}, async (write) => {
      for (let at = 0; at < 50; at++) await addLead(write, { name: `Lead ${at}` });
    });
    await expect(many).rejects.toThrow('A write of more than 100 items');
  });

  test('that changes nothing stores nothing', async () => {
    const { ledger, meter } = organization.openLedger();
    expect(await ledger.write({}, () => 'result')).toBe('result');
    expect(meter).toMatchObject({ calls: 1, writeUnits: 0 });
  });

  test('replaces only what it has read', async () => {
    const { ledger } = organization.openLedger();
    const blind = ledger.write({}, (write) => {
      const record = { id: 1, name: 'Gas', type: 'SERVICE' as const, createdAt: write.now };
      write.replace({ collection: categories, number: 1 }, record);
    });
    await expect(blind).rejects.toThrow('has not read');
  });

  test('that fails on a remembered head is looked at again on the newest', async () => {
    const store = newStore();
    await createLead(organization.openLedger({ store }).ledger, { name: 'Ann' });
    await createLead(organization.openLedger().ledger, { name: 'Bob' });
    const versions: number[] = [];
    const { ledger } = organization.openLedger({ store });
    const refused = ledger.write({}, (write) => {
      versions.push(write.head.version);
      throw notFound('thing');
    });
    expect(await failureOf(refused)).toMatchObject({ kind: 'notFound' });
    expect(versions).toEqual([3, 4]);
  });
});

test('what a later version of the code keeps in the head is carried along', async () => {
  const client = DynamoDBDocumentClient.from(clientOf(engine));
  const Key = headKey(organization.code);
  const TableName = inject('tableName');
  await createLead(organization.openLedger().ledger, { name: 'Ann' });
  await client.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: 'SET later = :later, collections.#lead.later = :later',
      ExpressionAttributeNames: { '#lead': 'LEAD' },
      ExpressionAttributeValues: { ':later': 'kept' },
    }),
  );
  const { ledger } = organization.openLedger();
  const { id } = await createLead(ledger, { name: 'Bob' });
  await deleteLead(ledger, id);
  const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  expect(Item).toMatchObject({
    later: 'kept',
    collections: { LEAD: { last: 2, deleted: [1], later: 'kept' } },
  });
});

test('what a later version of the code keeps in a record stays when this one changes it', async () => {
  const client = DynamoDBDocumentClient.from(clientOf(engine));
  const { ledger } = organization.openLedger();
  const { id } = await createPolicy(ledger, { title: 'Cancelling', content: 'A day before' });
  const Key = recordKey(organization.code, 'POLICY', id);
  const TableName = inject('tableName');
  await client.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: 'SET later = :later, view4 = :later',
      ExpressionAttributeValues: { ':later': 'kept' },
    }),
  );
  await updatePolicy(organization.openLedger().ledger, id, { isActive: false });
  const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  expect(Item).toMatchObject({ later: 'kept', view4: 'kept', isActive: false });
});

test('a write that lost the race reads the head alone, where a snapshot would meet the winners, and then has one more try on the head that beat it', async () => {
  const { ledger } = organization.openLedger();
  const { id } = await createPolicy(ledger, { title: 'Cancelling', content: 'A day before' });
  let tries = 0;
  const { store, commands } = faultyStore(() => 'pass');
  const { ledger: late } = organization.openLedger({ store });
  const place = late.place({ name: 'POLICY', label: 'policy', schema: v.object({ id: v.number() }) }, id);
  await late.write({ policy: place }, async (write) => {
    if (tries++ < 2) await createPolicy(organization.openLedger().ledger, { title: 'B', content: 'C' });
    write.event({ event: 'TEST', data: 'A test', referenceId: '1' });
  });
  expect(commands).toEqual([
    'TransactGetItemsCommand',
    'TransactWriteItemsCommand',
    'GetItemCommand',
    'GetItemCommand',
    'TransactWriteItemsCommand',
    // The head came with the refusal; only the record is read.
    'GetItemCommand',
    'TransactWriteItemsCommand',
  ]);
  // Others wait too, as far as it knows: so the next write looks at the head first.
  commands.length = 0;
  await createPolicy(organization.openLedger({ store }).ledger, { title: 'D', content: 'E' });
  await createPolicy(organization.openLedger({ store }).ledger, { title: 'F', content: 'G' });
  const write = 'TransactWriteItemsCommand';
  expect(commands).toEqual(['GetItemCommand', write, write]);
});

test('a warm write that DynamoDB does not answer says why', async () => {
  const { ledger } = organization.openLedger();
  const { id } = await createPolicy(ledger, { title: 'Cancelling', content: 'A day before' });
  const warm = faultyStore((command) => (command === 'GetItemCommand' ? { before: faults.timeout } : 'pass'));
  await organization
    .openLedger({ store: warm.store })
    .ledger.write({ policy: ledger.place(categories, 1) }, (write) => {
      write.event({ event: 'TEST', data: 'A test', referenceId: '1' });
    });
  const failure = await failureOf(
    updatePolicy(organization.openLedger({ store: warm.store, milliseconds: 300 }).ledger, id, {}),
  );
  expect(failure).toMatchObject({ kind: 'unavailable', extras: { cause: { name: 'TimeoutError' } } });
});

test('a page of records that add up to more than 1 MB is whole', async () => {
  const { ledger } = organization.openLedger();
  const socials = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`${'n'.repeat(48)}${at + 10}`, 'x'.repeat(500)]),
  );
  for (let number = 0; number < 100; number += 20) {
    await ledger.write({}, async (write) => {
      for (let at = number; at < number + 20; at++) await addLead(write, { name: `Lead ${at}`, socials });
    });
  }
  const { ledger: reader, meter } = organization.openLedger();
  const { items } = await listLeads(reader, page);
  expect(items.map(({ firstName, lastName }) => `${firstName} ${lastName}`)).toEqual(
    Array.from({ length: 100 }, (_, at) => `Lead ${99 - at}`),
  );
  expect(meter.calls).toBe(3);
});

test('records with integer ids are found by them, and events are a list like any other', async () => {
  const { ledger } = organization.openLedger();
  expect(await ledger.get(ledger.place(categories, '1'))).toMatchObject({ id: 1, name: 'Services' });
  for (const id of ['0', '01', '1.0', '-1', '9999999999999', 'x']) {
    expect(() => ledger.place(categories, id)).toThrow('There is no such category');
  }
  await createLead(ledger, { name: 'Ann' });
  const { items, totalCount } = await ledger.page(events, { page: 1, limit: 2 });
  expect(totalCount).toBe(3);
  expect(items.map(({ event }) => event)).toEqual(['LEAD_CREATED', 'TOKEN_ISSUED']);
});

test('an organization whose code is taken gets another, and the first stays as it was', async () => {
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
