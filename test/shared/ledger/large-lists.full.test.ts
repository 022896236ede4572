import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import type { Page, PageQuery } from '../../../shared/core/page.ts';
import type { Collection, Ledger, RecordOf } from '../../../shared/ledger/index.ts';
import {
  countsKey,
  headKey,
  holesKey,
  listPartition,
  recordKey,
  stateKey,
} from '../../../shared/ledger/internal/keys.ts';
import { bucketSize } from '../../../shared/ledger/internal/list-state.ts';
import { SimulatedLedger, type SimulatedCost } from './simulated-ledger.ts';

const event = { event: 'TEST', data: 'A test', referenceId: '1' };
/** The most that notes of who left may add to a page: two small items, read strongly. */
const mostForNotes = 2;

const cards = {
  name: 'CARD',
  label: 'card',
  schema: v.object({ id: v.number(), stage: v.string() }),
  lists: { stage: { of: ({ stage }: { stage: string }) => ({ name: stage }) } },
} as const satisfies Collection;

/** Adds cards, in as few writes as that takes. */
async function grow(ledger: Ledger, stage: string, count: number): Promise<void> {
  // The rest of a transaction has the head, the event and the counts of a list.
  const perWrite = 97;
  for (let done = 0; done < count; done += perWrite) {
    await ledger.write({}, (write) => {
      for (let at = done; at < Math.min(count, done + perWrite); at++) {
        write.append(cards, ({ number }) => ({ id: number, stage }));
      }
      write.event(event);
    });
  }
}

/** Moves cards to other stages, in as few writes as that takes. */
async function move(
  ledger: Ledger,
  numbers: readonly number[],
  stageOf: (card: RecordOf<typeof cards>) => string,
): Promise<void> {
  const perWrite = 45;
  for (let done = 0; done < numbers.length; done += perWrite) {
    const part = numbers.slice(done, done + perWrite);
    const change = Object.fromEntries(
      part.map((number) => [`card ${number}`, { collection: cards, number }] as const),
    );
    await ledger.write({ change }, (write, records) => {
      for (const [name, card] of Object.entries(records)) {
        write.replace(change[name]!, { ...card, stage: stageOf(card) });
      }
      write.event(event);
    });
  }
}
const to = (stage: string) => () => stage;
const numbersFrom = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);
const newestFirst = (numbers: Iterable<number>) => [...numbers].reverse();

/** Takes a card out of the stage where it is, and adds it to another one as the newest. */
function moveTo(stages: Readonly<Record<string, Set<number>>>, card: number, from: string, to: string): void {
  stages[from]!.delete(card);
  stages[to]!.add(card);
}

/** A page of the cards of one stage, in the form that the test compares, and its cost. */
async function pageOf(simulated: SimulatedLedger, stage: string, number: number, limit = 50) {
  const { result, cost } = await simulated.run((ledger) =>
    ledger.list(cards, 'stage', stage, { page: number, limit }),
  );
  return { ids: result.items.map(({ id }) => id), totalCount: result.totalCount, cost };
}

/** A walk through the cards of one stage has these cards. No step costs more than the first page and the notes. */
async function checkWalks(simulated: SimulatedLedger, all: readonly number[], stage: string, limit: number) {
  for (const order of ['newest', 'oldest'] as const) {
    const ids: number[] = [];
    const costs: SimulatedCost[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const query = after === undefined ? { order, limit } : { after, limit };
      const { result, cost } = await simulated.run((ledger) => ledger.list(cards, 'stage', stage, query));
      ids.push(...result.items.map(({ id }) => id));
      costs.push(cost);
      after = result.nextAfter;
    }
    expect(ids, `${order} of ${stage}`).toEqual(order === 'newest' ? all : all.toReversed());
    for (const { readUnits, roundTrips } of costs) {
      expect(readUnits - costs[0]!.readUnits).toBeLessThanOrEqual(mostForNotes);
      expect(roundTrips).toBeLessThanOrEqual(3);
    }
  }
}

/**
 * Every page of the cards of one stage: each has these cards. Returns the most that a page costs beyond the
 * first page.
 */
async function checkPages(simulated: SimulatedLedger, stage: string, all: readonly number[], limit = 50) {
  const first = await pageOf(simulated, stage, 1, limit);
  const more = { calls: 0, readUnits: 0, roundTrips: 0 };
  for (let number = 1; number <= Math.ceil(all.length / limit) + 1; number++) {
    const { ids, totalCount, cost } = await pageOf(simulated, stage, number, limit);
    expect(ids, `page ${number} of ${stage}`).toEqual(all.slice((number - 1) * limit, number * limit));
    expect(totalCount).toBe(all.length);
    more.calls = Math.max(more.calls, cost.calls - first.cost.calls);
    more.readUnits = Math.max(more.readUnits, cost.readUnits - first.cost.readUnits);
    more.roundTrips = Math.max(more.roundTrips, cost.roundTrips - first.cost.roundTrips);
  }
  await checkWalks(simulated, all, stage, limit);
  return more;
}

describe('a page of a list', () => {
  let simulated: SimulatedLedger;
  const growing = (count: number) => simulated.run((ledger) => grow(ledger, 'open', count));
  const leaving = (numbers: readonly number[]) =>
    simulated.run((ledger) => move(ledger, numbers, to('done')));
  const item = (key: (partition: string) => { pk: string; sk: string }) =>
    simulated.item(key(listPartition(simulated.code, { collection: 'CARD', index: 'gsi1', name: 'open' })));

  beforeAll(async () => {
    simulated = await SimulatedLedger.found();
  });

  // One list grows from test to test.
  let open: number[] = [];
  const left = (numbers: readonly number[]) => {
    const gone = new Set(numbers);
    open = open.filter((number) => !gone.has(number));
  };

  test('takes one round trip if it is the first and the newest 128 numbers have enough members, else two', async () => {
    await growing(1000);
    open = newestFirst(numbersFrom(1, 1000));
    const gone = [1, ...numbersFrom(923, 1000)];
    await leaving(gone);
    left(gone);
    const enough = await pageOf(simulated, 'open', 1);
    expect(enough).toMatchObject({ ids: open.slice(0, 50), totalCount: 921 });
    expect(enough.cost).toMatchObject({ calls: 2, roundTrips: 1 });
    await leaving([922]);
    left([922]);
    const more = await pageOf(simulated, 'open', 1);
    expect(more).toMatchObject({ ids: open.slice(0, 50), totalCount: 920 });
    // The bucket is read eventually consistent.
    expect(more.cost).toMatchObject({ calls: 3, roundTrips: 2, readUnits: enough.cost.readUnits + 0.5 });
    expect(item(countsKey)).toBeUndefined();
  });

  test('needs no second try if the list got its second bucket after members had left', async () => {
    const count = bucketSize + 1000;
    await growing(count - 1000);
    open = [...newestFirst(numbersFrom(1001, count)), ...open];
    expect(item(countsKey)).toMatchObject({ left: { N: '80' } });
    const more = await checkPages(simulated, 'open', open);
    expect(more).toEqual({ calls: 2, readUnits: 1, roundTrips: 2 });
  });

  test('is complete if its members are in more than two buckets', async () => {
    await growing(4000);
    const last = bucketSize + 5000;
    open = [...newestFirst(numbersFrom(last - 3999, last)), ...open];
    const most = open.filter((number) => number % 400 !== 0);
    await leaving(most);
    left(most);
    expect(open).toHaveLength(22);
    for (const limit of [4, 20, 50]) {
      const more = await checkPages(simulated, 'open', open, limit);
      expect(more.readUnits).toBeLessThanOrEqual(mostForNotes);
    }
    // Reads: the state, the page, the counts and two buckets. Beyond them only the number of members is
    // checked.
    expect((await pageOf(simulated, 'open', 1)).cost.calls).toBe(5);
  });

  test('is empty if all members have left, and shows those that come back, in that order', async () => {
    await leaving(open);
    expect(await pageOf(simulated, 'open', 1)).toMatchObject({ ids: [], totalCount: 0 });
    expect((await pageOf(simulated, 'open', 2)).cost).toMatchObject({ calls: 1 });
    const back = [7000, 3, 5000];
    await simulated.run((ledger) => move(ledger, back, to('open')));
    expect(await pageOf(simulated, 'open', 1)).toMatchObject({ ids: newestFirst(back), totalCount: 3 });
    expect(item((partition) => holesKey(partition, 0))).toBeDefined();
  });
});

test('no page shows stale counts or buckets, however often they do not fit the state', async () => {
  const { random } = seededRandom(2);
  const simulated = await SimulatedLedger.found();
  const total = 2 * bucketSize + 500;
  const stages = { open: new Set(numbersFrom(1, total)), done: new Set<number>() };
  await simulated.run((ledger) => grow(ledger, 'open', total));
  // Indexes trail the table, and retries seldom help.
  simulated.be({ staleReadChance: 0.8, staleness: [1000, 1000], indexLag: [0, 20] });
  let readAgain = 0;
  for (let round = 0; round < 100; round++) {
    const moving = Array.from({ length: 3 }, () => 1 + Math.floor(random() * total));
    await simulated.run((ledger) =>
      move(ledger, moving, ({ id, stage }) => {
        const other = stage === 'open' ? 'done' : 'open';
        moveTo(stages, id, stage, other);
        return other;
      }),
    );
    const all = newestFirst(stages.open);
    const number = 1 + Math.floor((random() * all.length) / 50);
    const { ids, totalCount, cost } = await pageOf(simulated, 'open', number);
    expect(ids, `page ${number}, round ${round}`).toEqual(all.slice((number - 1) * 50, number * 50));
    expect(totalCount).toBe(all.length);
    if (cost.calls > 5) readAgain++;
  }
  expect(readAgain).toBeGreaterThan(25);
});

describe('a list of a million records', () => {
  const million = 1_000_000;
  const kinds = {
    name: 'KIND',
    label: 'kind',
    schema: v.object({ id: v.number() }),
    lists: {
      fixed: { of: () => ({ name: 'all' }) },
      many: { of: () => ({ name: 'all' }), hasManyNames: true },
      owned: { of: () => ({ owner: { collection: cards, id: 1 } }) },
    },
  } as const satisfies Collection;
  const owner = { collection: cards, number: 1 };
  const lists: Record<string, (ledger: Ledger, query: PageQuery) => Promise<Page<{ id: number }>>> = {
    'a whole collection': (ledger, query) => ledger.page(kinds, query),
    'a fixed name': (ledger, query) => ledger.list(kinds, 'fixed', 'all', query),
    'one of many names': (ledger, query) => ledger.list(kinds, 'many', 'all', query),
    'an owner': (ledger, query) => ledger.ownedList(owner, kinds, 'owned', query),
  };
  const WithLists = v.looseObject({ lists: v.optional(v.record(v.string(), v.string())) });
  /** One record a second. */
  const createdAtOf = (number: number) => new Date(number * 1000).toISOString();
  let simulated: SimulatedLedger;

  /** The oldest, the newest and some members in the middle exist. Nobody asks for the others. */
  beforeAll(async () => {
    simulated = await SimulatedLedger.found();
    await simulated.run((ledger) => grow(ledger, 'open', 1));
    const state = million.toString(36).toUpperCase();
    const partition = (index: 'gsi1' | 'gsi2' | 'gsi3') =>
      listPartition(simulated.code, {
        collection: 'KIND',
        index,
        ...(index === 'gsi3' ? { owner: { collection: 'CARD', number: 1 } } : { name: 'all' }),
      });
    const stored = (key: { pk: string; sk: string }) =>
      v.parse(WithLists, unmarshall(simulated.item(key) ?? {}));
    const head = stored(headKey(simulated.code));
    const first = stored(recordKey(simulated.code, 'CARD', 1));
    simulated.put({ ...head, lists: { ...head.lists, KIND: state, 'KIND#1#all': state } });
    simulated.put({ ...first, lists: { 'KIND#3': state } });
    simulated.put({ ...stateKey(partition('gsi2')), state, revision: 1 });
    for (const start of [1, million / 2 - 99, million - 199])
      for (const number of numbersFrom(start, start + 199)) {
        const places = (['gsi1', 'gsi2', 'gsi3'] as const).map((index) => ({
          [`${index}pk`]: partition(index),
          [`${index}sk`]: number,
        }));
        const createdAt = createdAtOf(number);
        const item = { ...recordKey(simulated.code, 'KIND', number), id: number, createdAt, revision: 1 };
        simulated.put(places.reduce((all, place) => ({ ...all, ...place }), item));
      }
  });

  test.each(Object.keys(lists))(
    'of %s costs the same on each page, and at each step of a walk',
    async (name) => {
      const read = async (query: PageQuery) => {
        const { result, cost } = await simulated.run((ledger) => lists[name]!(ledger, query));
        const { readUnits, calls, roundTrips } = cost;
        const ids = result.items.map(({ id }) => id);
        return { ids, next: result.nextAfter ?? '', cost: { readUnits, calls, roundTrips } };
      };
      const first = await read({ page: 1, limit: 50 });
      // A strong read of the head or the owner, and the page: strongly from the table, eventually from an index.
      expect(first.cost).toEqual({
        readUnits: name === 'a whole collection' ? 4 : 2.5,
        calls: 2,
        roundTrips: 1,
      });
      const last = { ids: newestFirst(numbersFrom(1, 50)), cost: { ...first.cost, roundTrips: 2 } };
      expect(await read({ page: million / 50, limit: 50 })).toMatchObject(last);
      expect(await read({ page: 1, limit: 50, order: 'oldest' })).toMatchObject({ cost: first.cost });
      const deep = await read({ page: million / 100, limit: 50 });
      for (const [start, order] of [
        [first, 'newest'],
        [deep, 'newest'],
        [await read({ page: million / 100, limit: 50, order: 'oldest' }), 'oldest'],
      ] as const) {
        const step = await read({ after: start.next, limit: 50 });
        expect(step.cost).toEqual(first.cost);
        const edge = start.ids.at(-1)!;
        expect(step.ids).toEqual(
          order === 'newest'
            ? newestFirst(numbersFrom(edge - 50, edge - 1))
            : numbersFrom(edge + 1, edge + 50),
        );
      }
    },
  );

  test('is searched by the time of creation in so many units', async () => {
    const [from, to] = [createdAtOf(million - 40), createdAtOf(million - 10)];
    const { result, cost } = await simulated.run((ledger) => ledger.createdBetween(kinds, { from, to }, 100));
    expect(result.map(({ id }) => id)).toEqual(newestFirst(numbersFrom(million - 40, million - 11)));
    // The head, at most ten rounds of three reads for each end, and the records.
    expect(cost.readUnits).toBeLessThanOrEqual(1 + 2 * 30 + 2);
    expect(cost.roundTrips).toBeLessThanOrEqual(12);
  });
});
