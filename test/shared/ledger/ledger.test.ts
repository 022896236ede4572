import { beforeEach, describe, expect, test } from 'vitest';
import { seededRandom } from '../../../infra/local/seeded-random.ts';
import type { Failure } from '../../../shared/endpoints/errors.ts';
import { createLead, deleteLead, getLead, listActivities, listLeads } from '../../../shared/leads/leads.ts';
import { events } from '../../../shared/ledger/collection.ts';
import type { Ledger } from '../../../shared/ledger/ledger.ts';
import { faults, faultyStore, inOrder, type Fault } from '../../support/faulty-store.ts';
import { newOrganization, newStore, type TestOrganization } from '../../support/world.ts';

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
    const writers = Array.from({ length: 100 }, (_, at) => {
      const { ledger } = organization.openLedger({ store: newStore() });
      return createLead(ledger, { name: `Writer ${at}` });
    });
    const ids = (await Promise.all(writers)).map(({ id }) => id);
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
      expect({ tries, waits }).toEqual({ tries: 3, waits: [5, 10] });
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

test('an index that trails behind is read again until it has all that the count promises', async () => {
  const { id } = await createLead(organization.openLedger().ledger, { name: 'Ann' });
  let reads = 0;
  const trailing = faultyStore(
    () => 'pass',
    { sleep: () => Promise.resolve() },
    (name, output) => (name === 'QueryCommand' && ++reads < 3 ? { ...output, Items: [] } : output),
  );
  const { items } = await listActivities(organization.openLedger({ store: trailing.store }).ledger, id, page);
  expect(items).toHaveLength(1);
  expect(reads).toBe(3);
});
