import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import type { Collection, Ledger, RecordOf } from '../../../shared/ledger/index.ts';
import { countsKey, holesKey, listPartition } from '../../../shared/ledger/internal/keys.ts';
import { bucketSize } from '../../../shared/ledger/internal/list-state.ts';
import { SimulatedLedger } from './simulated-ledger.ts';

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
