import { describe, expect, inject, test } from 'vitest';
import { LeaseLost, type Deliveries } from '../../../shared/ledger/index.ts';
import { answersPartition, cursorKey, deliveriesPartition } from '../../../shared/ledger/internal/keys.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import { tableItems } from '../../infra/admin/stored-items.ts';
import { atFileEnd } from '../../support/vitest/at-file-end.ts';
import { faults } from '../../support/store/faults.ts';
import { faultyStore, inOrder } from '../../support/store/faulty-store.ts';
import { never } from '../../support/filled-records.ts';
import { recordedStore } from '../../support/store/recorded-store.ts';
import {
  engine,
  limits,
  newOrganization,
  newStore,
  tableAt,
  type TestOrganization,
} from '../../support/test-organization.ts';
import { sendWebhooksWorker } from '../../../shared/contract/webhook-workers.ts';

const start = Date.parse('2026-11-02T13:00:00.000Z');
const dayLater = (days: number) => start + days * 86_400_000;
const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
const client = clientOf(engine);
atFileEnd(() => {
  client.destroy();
  return Promise.resolve();
});
const items = tableItems(client, () => inject('tableName'));
const webhook = 4;

/** The deliveries of an organization, with a clock that the test sets, and their consumption. */
function open({ code }: TestOrganization, clock: { now: number } = { now: start }, store = storeWith(clock)) {
  // The deadline moves with the clock.
  const within = {
    capacity: limits().capacity,
    get deadline() {
      return clock.now + 60_000;
    },
  };
  const reach = { access: sendWebhooksWorker.access, worker: sendWebhooksWorker.name };
  const { deliveries } = store.ledgerOf(
    Object.assign(within, { organization: code, userId: 'system', reach }),
  );
  return { deliveries, capacity: within.capacity };
}
const storeWith = (clock: { now: number }) => newStore({ now: () => clock.now });

const attempt = (at: number, body = '', status: number | null = 200) => ({
  at: iso(at),
  status,
  failure: null,
  milliseconds: 12,
  body,
});
const delivered = (
  event: number,
  at: number,
  { body = '', lead }: { body?: string; lead?: number } = {},
) => ({
  eventId: event,
  cause: event,
  type: 'lead.created',
  status: 'DELIVERED' as const,
  attempt: attempt(at, body),
  lead,
});
const failed = (event: number, at: number, lead?: number) => ({
  eventId: event,
  cause: event,
  type: 'lead.created',
  status: 'RETRYING' as const,
  attempt: attempt(at, `no ${at}`, 500),
  lead,
});

describe('a cursor', () => {
  test('begins before all events, due in a minute, and is found by who sweeps', async () => {
    const organization = await newOrganization();
    const { code } = organization;
    await organization.openLedger({ system: { now: () => start } }).ledger.write({}, (write) => {
      write.event({ event: 'TEST', data: 'A test', referenceId: '1' });
      write.addCursor(webhook);
    });
    const cursor = await open(organization).deliveries.cursor(webhook);
    expect(cursor).toMatchObject({
      after: 0,
      restarts: -1,
      wakes: -1,
      dueAt: iso(start + 60_000),
      leaseUntil: 0,
    });
    const due = async (until: number) => {
      const found: unknown[] = [];
      for await (const one of newStore().dueCursors('sweep-webhooks', iso(until), limits()))
        if (one.organization === code) found.push(one);
      return found;
    };
    expect(await due(start + 59_999)).toEqual([]);
    expect(await due(start + 60_000)).toEqual([{ organization: code, webhook }]);
  });

  test('is written by one run at a time, and by nobody who has read it before', async () => {
    const clock = { now: start };
    const { deliveries } = open(await newOrganization(), clock);
    const seen = await deliveries.cursor(webhook);
    const held = await deliveries.take(webhook, seen, start + 5000, { after: 7, dueAt: iso(start) });
    expect(await deliveries.cursor(webhook)).toEqual(held);
    expect(held).toMatchObject({ after: 7, leaseUntil: start + 5000 });
    expect(await deliveries.take(webhook, seen, start + 9000)).toBeUndefined();
    expect(await deliveries.take(webhook, held!, start + 9000)).toBeUndefined();
    const moved = await deliveries.move(webhook, held!, { after: 8 });
    // The time of a run that was cut off ends.
    clock.now = start + 5000;
    const other = await deliveries.take(webhook, moved, start + 9000);
    await expect(deliveries.move(webhook, moved, { after: 9 })).rejects.toThrow(LeaseLost);
    const ended = await deliveries.move(webhook, other!, { after: 10 }, { isEnd: true });
    expect(await deliveries.cursor(webhook)).toEqual({ ...ended, after: 10, leaseUntil: 0 });
    // Changes alone, without a lease.
    expect(await deliveries.take(webhook, ended, 0, { after: 11 })).toMatchObject({
      after: 11,
      leaseUntil: 0,
    });
    await deliveries.remove(webhook, ended);
    expect(await deliveries.cursor(webhook)).toMatchObject({ after: 11 });
    await deliveries.remove(webhook, await deliveries.cursor(webhook));
    expect(await deliveries.cursor(webhook)).toMatchObject({ after: 0, leaseId: '' });
  });

  test('is written once if a reply is lost', async () => {
    const organization = await newOrganization();
    const { store } = faultyStore(
      inOrder('UpdateItemCommand', { after: faults.reset }, { after: faults.reset }),
    );
    const { deliveries } = open(organization, { now: Date.now() }, store);
    const taken = await deliveries.take(webhook, await deliveries.cursor(webhook), Date.now() + 9000);
    expect(taken).toEqual(await deliveries.cursor(webhook));
  });

  test.each([1, 2])('is not set back by its write %i, whose first call arrives last', async (late) => {
    let calls = 0;
    let arrive: () => Promise<object> = never;
    const { store } = recordedStore(tableAt(), {}, (command, _input, send) => {
      if (command !== 'UpdateItemCommand' || ++calls !== late) return send();
      arrive = send;
      return Promise.reject(faults.reset);
    });
    const { deliveries } = open(await newOrganization(), { now: Date.now() }, store);
    const seen = await deliveries.cursor(webhook);
    const taken = await deliveries.take(webhook, seen, Date.now() + 9000, { after: 1 });
    const moved = await deliveries.move(webhook, taken!, { after: 2 });
    const ended = await deliveries.move(webhook, moved, { after: 3 }, { isEnd: true });
    await expect(arrive()).rejects.toThrow('conditional');
    expect(await deliveries.cursor(webhook)).toEqual(ended);
  });
});

describe('deliveries', () => {
  /** Records attempts as a run does, from the stored cursor. */
  async function send(deliveries: Deliveries, ...attempts: Parameters<Deliveries['record']>[2][]) {
    let cursor = (await deliveries.take(webhook, await deliveries.cursor(webhook), start * 2))!;
    for (const one of attempts)
      cursor = await deliveries.move(webhook, cursor, await deliveries.record(webhook, cursor, one));
    return deliveries.move(webhook, cursor, {}, { isEnd: true });
  }
  const idsOf = async (deliveries: Deliveries, page: number, limit: number) => {
    const { items: found, totalCount } = await deliveries.page(webhook, { page, limit });
    return [...found.map(({ id }) => id), `of ${totalCount}`];
  };

  test('are paged, newest first, with the number of all of them', async () => {
    const { deliveries } = open(await newOrganization());
    expect(await idsOf(deliveries, 1, 2)).toEqual(['of 0']);
    await send(deliveries, ...[11, 12, 13, 14, 15].map((event) => delivered(event, start)));
    expect(await idsOf(deliveries, 1, 2)).toEqual([5, 4, 'of 5']);
    expect(await idsOf(deliveries, 3, 2)).toEqual([1, 'of 5']);
    expect(await idsOf(deliveries, 4, 2)).toEqual(['of 5']);
    expect(await deliveries.one(webhook, 2)).toEqual({
      id: 2,
      eventId: 12,
      type: 'lead.created',
      status: 'DELIVERED',
      attempts: [attempt(start)],
    });
    expect(await deliveries.one(webhook, 6)).toBeUndefined();
  });

  test('are shown for 30 days, and are then deleted by DynamoDB', async () => {
    const organization = await newOrganization();
    const clock = { now: start };
    const { deliveries } = open(organization, clock);
    for (const days of [0, 1, 29]) {
      clock.now = dayLater(days);
      await send(deliveries, delivered(1, clock.now), delivered(2, clock.now));
    }
    expect(await idsOf(deliveries, 1, 9)).toEqual([6, 5, 4, 3, 2, 1, 'of 6']);
    clock.now = dayLater(30);
    expect(await idsOf(deliveries, 1, 9)).toEqual([6, 5, 4, 3, 'of 4']);
    expect(await deliveries.one(webhook, 2)).toBeUndefined();
    await send(deliveries, delivered(3, clock.now));
    expect(await idsOf(deliveries, 2, 2)).toEqual([5, 4, 'of 5']);
    clock.now = dayLater(61);
    expect(await idsOf(deliveries, 1, 9)).toEqual(['of 0']);
    const [first] = await items.partition(deliveriesPartition(organization.code, webhook));
    expect(first!['expiresAtSecond']).toBe(dayLater(30) / 1000);
    // Days are few, however long a webhook lives.
    for (let day = 62; day < 100; day++) {
      clock.now = dayLater(day);
      await send(deliveries, delivered(day, clock.now));
    }
    const cursor = await items.get(cursorKey(organization.code, webhook));
    expect(String(cursor['days']).split(' ')).toHaveLength(30);
  });

  test('have each attempt, and of many the next delivery of the same event', async () => {
    const { deliveries } = open(await newOrganization());
    const times = Array.from({ length: 21 }, (_, at) => start + at);
    await send(
      deliveries,
      ...times.map((at) => failed(5, at)),
      delivered(5, start + 21),
      delivered(6, start + 22),
    );
    const { items: found } = await deliveries.page(webhook, { page: 1, limit: 9 });
    expect(found.map(({ eventId, status, attempts }) => [eventId, status, attempts.length])).toEqual([
      [6, 'DELIVERED', 1],
      [5, 'DELIVERED', 2],
      [5, 'RETRYING', 20],
    ]);
    expect(found[1]!.attempts[0]).toEqual(attempt(start + 20, `no ${start + 20}`, 500));
  });

  test('an attempt is in the log once if a reply is lost', async () => {
    const organization = await newOrganization();
    const lost = inOrder('UpdateItemCommand', { after: faults.reset });
    const { deliveries } = open(organization, { now: Date.now() }, faultyStore(lost).store);
    await deliveries.record(webhook, await deliveries.cursor(webhook), delivered(5, start));
    const [delivery] = await items.partition(deliveriesPartition(organization.code, webhook));
    expect(delivery!['attempts']).toEqual([attempt(start)]);
  });
});

describe('what a receiver answered about a lead', () => {
  const ofLead = { lead: 9, body: 'Thanks, Ann' };

  test('is shown with the delivery, and stands apart, where an erasure finds it', async () => {
    const organization = await newOrganization();
    const { deliveries } = open(organization);
    const cursor = await deliveries.cursor(webhook);
    const after = { ...cursor, ...(await deliveries.record(webhook, cursor, failed(5, start, 9))) };
    const last = await deliveries.record(webhook, after, delivered(5, start + 1, ofLead));
    await deliveries.record(webhook, { ...after, ...last }, delivered(6, start + 2, { ...ofLead, lead: 8 }));
    await deliveries.take(webhook, cursor, 0, { deliveries: 2, days: last.days });
    const bodies = async () => {
      const system = { now: () => start };
      const { items: found } = await organization
        .openLedger({ system })
        .ledger.deliveries.page(webhook, { page: 1, limit: 9 });
      return found.map(({ attempts }) => attempts.map(({ body }) => body));
    };
    expect(await bodies()).toEqual([['Thanks, Ann'], [`no ${start}`, 'Thanks, Ann']]);
    const stored = JSON.stringify(await items.partition(deliveriesPartition(organization.code, webhook)));
    expect(stored).not.toMatch(/Ann|no \d/);
    const [{ expiresAtSecond } = {}] = await items.partition(answersPartition(organization.code, 9));
    expect(expiresAtSecond).toBe(Math.floor(dayLater(30) / 1000));
    const { ledger, capacity } = organization.openLedger({ system: { now: () => start } });
    await ledger.deliveries.removeAnswers(9);
    // The reply of a write was lost. The write's first try arrives after its repeat, and after the erasure.
    await deliveries.record(webhook, after, delivered(5, start + 1, ofLead));
    expect(await bodies()).toEqual([['Thanks, Ann'], ['', '']]);
    const emptied = { answers: [], isRemoved: true, expiresAtSecond: dayLater(1) / 1000 };
    expect(await items.partition(answersPartition(organization.code, 9))).toEqual([
      expect.objectContaining(emptied),
    ]);
    expect(capacity.writeUnits).toBe(1);
    // Nothing is left to remove.
    await ledger.deliveries.removeAnswers(9);
    expect(capacity.writeUnits).toBe(1);
  });

  test('however much it is', async () => {
    const organization = await newOrganization();
    const { deliveries } = open(organization);
    let cursor = await deliveries.cursor(webhook);
    for (let event = 1; event <= 30; event++)
      cursor = { ...cursor, ...(await deliveries.record(webhook, cursor, delivered(event, start, ofLead))) };
    await organization.openLedger().ledger.deliveries.removeAnswers(9);
    const left = await items.partition(answersPartition(organization.code, 9));
    expect(left.map(({ answers }) => answers)).toEqual(Array.from({ length: 30 }, () => []));
  });
});
