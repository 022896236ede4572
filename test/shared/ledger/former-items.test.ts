import * as v from 'valibot';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Collection, Ledger, RecordRef, Write } from '../../../shared/ledger/index.ts';
import { toItem } from '../../../shared/ledger/internal/attributes.ts';
import {
  countsKey,
  formerKey,
  holesKey,
  listPartition,
  parseFormerKey,
  recordKey,
  stateKey,
  type Key,
} from '../../../shared/ledger/internal/keys.ts';
import { holeBits, increments } from '../../../shared/ledger/internal/packed-numbers.ts';
import { bucketSize } from '../../../shared/ledger/internal/list-state.ts';
import { defaultBehaviour } from '../../simulation/behaviour.ts';
import { SimulatedLedger } from './simulated-ledger.ts';

const boards = {
  name: 'BOARD',
  label: 'board',
  schema: v.object({ id: v.number() }),
  eventListIndex: 2,
} as const satisfies Collection;
const Note = v.object({ id: v.number(), board: v.number(), color: v.string() });
type Note = v.InferOutput<typeof Note>;
const onBoard = ({ board }: Note) => ({ owner: { collection: boards, id: board } });
const notes = {
  name: 'NOTE',
  label: 'note',
  schema: Note,
  lists: {
    board: { of: onBoard },
    color: { of: (note: Note) => ({ ...onBoard(note), name: note.color }) },
  },
} as const satisfies Collection;

const event = { event: 'TEST', data: 'A test', referenceId: '1' };
const board = { collection: boards, number: 1 };
const owner = { ref: board, mayBeAbsent: true, mayStayUnchanged: true } as const;
const note = (number: number) => ({ collection: notes, number });

let simulated: SimulatedLedger;
beforeEach(async () => {
  simulated = await SimulatedLedger.found();
  await write((one) => {
    one.append(boards, ({ number }) => ({ id: number }));
  });
});

const write = (build: (write: Write) => unknown) =>
  simulated.run((ledger) =>
    ledger.write({ change: { owner } }, async (one) => {
      await build(one);
      one.event(event);
    }),
  );
const addNotes = (...colors: string[]) =>
  write((one) => {
    for (const color of colors) one.append(notes, ({ number }) => ({ id: number, board: 1, color }));
  });
const removing = (...refs: RecordRef[]) => {
  const change = { owner, ...Object.fromEntries(refs.map((ref, at) => [`ref${at}`, ref] as const)) };
  return (ledger: Ledger) =>
    ledger.write({ change }, async (one) => {
      const isLeft = await one.readFormer(board);
      for (const ref of refs) one.remove(ref);
      one.event(event);
      return isLeft;
    });
};
const remove = (...refs: RecordRef[]) => simulated.run(removing(...refs));
const page = async (limit = 2, name?: string) => {
  const query = { page: 1, limit };
  const { result, cost } = await simulated.run((ledger) =>
    name === undefined
      ? ledger.ownedList(board, notes, 'board', query)
      : ledger.ownedList(board, notes, 'color', query, { name }),
  );
  return { ids: result.items.map(({ id }) => id), total: result.totalCount, cost };
};
const listOf = (name?: string) =>
  listPartition(simulated.code, {
    collection: 'NOTE',
    index: name === undefined ? 'gsi1' : 'gsi2',
    owner: { collection: 'BOARD', number: 1 },
    name,
  });
const itemAt = (key: Key) => {
  const attributes = simulated.item(key);
  return attributes && toItem(attributes);
};
const former = () => itemAt(formerKey(simulated.code, 'BOARD', 1));
const noted = () =>
  [holesKey(listOf(), 0), holesKey(listOf(), 1), countsKey(listOf()), holesKey(listOf('red'), 0)].map(
    (key) => simulated.item(key) !== undefined,
  );

describe('what is left of a removed record', () => {
  test('is the states of its lists, not of its events, as long as one of them has members', async () => {
    await addNotes('red', 'red', 'blue');
    await write((one) => {
      one.event(event, [board]);
    });
    await remove(note(2));
    expect(former()).toBeUndefined();
    await remove(board);
    expect(former()).toMatchObject({
      pk: `ORG#${simulated.code}#BOARD#000000000001#LIST`,
      sk: 'STATE',
      lists: { 'NOTE#1': '3-1~Ag', 'NOTE#2#red': '2-1~AQ', 'NOTE#2#blue': '1' },
      revision: 7,
    });
    expect((await remove(note(1))).result).toBe(true);
    expect(former()).toMatchObject({
      lists: { 'NOTE#1': '3-2~Bg', 'NOTE#2#red': '2-2~Aw', 'NOTE#2#blue': '1' },
      revision: 8,
    });
    expect(noted()).toEqual([true, false, false, true]);
    // With the last member it goes, and so does what is noted of all its lists.
    await remove(note(3));
    expect(former()).toBeUndefined();
    expect(noted()).toEqual([false, false, false, false]);
    expect(await page()).toMatchObject({ ids: [], total: 0 });
    await write(async (one) => {
      expect(await one.readFormer(board)).toBe(false);
    });
  });

  test('tells the length of a list, whatever left it before and after, at no more than one round trip more', async () => {
    await addNotes('red', 'red', 'red', 'red', 'red', 'blue');
    await remove(note(5));
    const live = await page();
    expect(live).toMatchObject({ ids: [6, 4], total: 5 });
    await remove(board);
    const gone = await page();
    expect(gone).toMatchObject({ ids: [6, 4], total: 5 });
    expect(gone.cost.calls).toBe(live.cost.calls + 1);
    expect(gone.cost.roundTrips).toBe(live.cost.roundTrips + 1);
    await remove(note(6), note(3));
    expect(await page()).toMatchObject({ ids: [4, 2], total: 3 });
    expect(await page(2, 'red')).toMatchObject({ ids: [4, 2], total: 3 });
    expect(await page(2, 'blue')).toMatchObject({ ids: [], total: 0 });
    expect(await page(2, 'green')).toMatchObject({ ids: [], total: 0 });
  });

  test('is looked for by a page of its lists, and where it is nothing, that is proved', async () => {
    await addNotes('red', 'red');
    simulated.be({ transactRead: [0, 0] });
    expect((await page()).cost).toMatchObject({ calls: 2, readUnits: 1.5, roundTrips: 1 });
    await remove(board);
    expect((await page()).cost).toMatchObject({ calls: 3, readUnits: 2.5, roundTrips: 2 });
    await remove(note(1), note(2));
    expect((await page()).cost).toMatchObject({ calls: 4, readUnits: 4.5, roundTrips: 3 });
  });

  test('is nothing where its lists are empty: what is noted of them goes with it', async () => {
    await addNotes('red', 'red');
    await remove(note(1));
    expect(noted()).toEqual([true, false, false, true]);
    // The last member leaves in the transaction that removes the owner.
    await remove(board, note(2));
    expect(former()).toBeUndefined();
    expect(noted()).toEqual([false, false, false, false]);
  });

  test('is removed with the holes of every bucket, and their counts', async () => {
    await addNotes('red', 'red');
    // As if it had had as many members as a bucket has numbers, all but one of which have left.
    const item = itemAt(recordKey(simulated.code, 'BOARD', 1))!;
    const holes = increments(
      holeBits,
      Array.from({ length: bucketSize - 2 }, (_, at) => at),
    );
    const state = `${bucketSize}-${bucketSize - 2}`;
    simulated.put({ ...item, lists: { 'NOTE#1': state, 'NOTE#2#red': '2' } });
    simulated.put({ ...Object.fromEntries(holes), ...holesKey(listOf(), 0) });
    await addNotes('red', 'red', 'red');
    await remove(note(3), note(5));
    expect(noted()).toEqual([true, true, true, true]);
    await remove(board);
    // Two that were there before never leave: the lists are told that they did.
    const left = former()!;
    simulated.put({ ...left, lists: { 'NOTE#1': `4099-4098`, 'NOTE#2#red': '5-4' } });
    await remove(note(4));
    expect(former()).toBeUndefined();
    expect(noted()).toEqual([false, false, false, false]);
  });

  test('goes even if more is noted of its lists than a transaction takes: it removes what it has room for', async () => {
    await addNotes('red', 'red');
    await remove(board, note(1));
    // As if its lists had had sixty buckets each, and all but the last member had left.
    const last = 60 * bucketSize;
    const lists = { 'NOTE#1': `${last}-${last - 1}`, 'NOTE#2#red': `${last}-${last - 1}` };
    simulated.put({ ...former()!, lists });
    const keys = [listOf(), listOf('red')].flatMap((list) => [
      countsKey(list),
      ...Array.from({ length: 60 }, (_, bucket) => holesKey(list, bucket)),
    ]);
    for (const key of keys) simulated.put({ 0: 1, ...key });
    await remove(note(2));
    expect(former()).toBeUndefined();
    expect(await page()).toMatchObject({ ids: [], total: 0 });
    // Of a hundred items the head, the record, its hole, the event and what was left of the owner are five.
    expect(keys.filter((key) => simulated.item(key) !== undefined)).toHaveLength(keys.length - 95);
  });

  test('takes the place of what is there from an earlier time, such as a restore brings back', async () => {
    await addNotes('red', 'red');
    const key = formerKey(simulated.code, 'BOARD', 1);
    simulated.put({ lists: { 'NOTE#1': '9' }, revision: 99, ...key });
    await remove(board);
    expect(former()).toEqual({ lists: { 'NOTE#1': '2', 'NOTE#2#red': '2' }, revision: 4, ...key });
    expect(await page()).toMatchObject({ ids: [2, 1], total: 2 });
    await remove(note(1), note(2));
    expect(former()).toBeUndefined();
  });

  test('must be read by a write whose members leave', async () => {
    await addNotes('red');
    await remove(board);
    const blind = simulated.run((ledger) =>
      ledger.write({ change: { owner, one: note(1) } }, (one) => {
        one.remove(note(1));
        one.event(event);
      }),
    );
    await expect(blind).rejects.toThrow(
      'A list of NOTE#1 changes, and the former item of its BOARD was not read',
    );
  });

  test('costs a write one read; that nothing is left is proved by one more', async () => {
    await addNotes('red', 'red');
    await remove(board);
    const asking = (ledger: Ledger) =>
      ledger.write({}, async (one) => {
        const isLeft = await one.readFormer(board);
        expect(await one.readFormer(board)).toBe(isLeft);
        // Who left something is not there, which costs nothing more to know.
        if (isLeft) expect(await one.read(board)).toBeUndefined();
        return isLeft;
      });
    // Beside the head.
    expect(await simulated.run(asking)).toMatchObject({ result: true, cost: { calls: 2, readUnits: 2 } });
    await remove(note(1), note(2));
    expect(await simulated.run(asking)).toMatchObject({ result: false, cost: { calls: 3, readUnits: 4 } });
  });

  test('is proved by the transaction: a write that read it too early is built again', async () => {
    await addNotes('red', 'red', 'red');
    await remove(board);
    const early = former()!;
    await remove(note(1));
    const late = former()!;
    simulated.put(early);
    let builds = 0;
    await simulated.run((ledger) =>
      ledger.write({ change: { owner, one: note(2) } }, async (one) => {
        await one.readFormer(board);
        // What was on its way to it has come.
        if (builds++ === 0) simulated.put(late);
        one.remove(note(2));
        one.event(event);
      }),
    );
    expect(builds).toBe(2);
    expect(former()).toMatchObject({ lists: { 'NOTE#1': '3-2~Bg', 'NOTE#2#red': '3-2~Bg' } });
  });

  test('is looked at again by a page that does not find it at once', async () => {
    await addNotes('red', 'red', 'red');
    await remove(note(2));
    await remove(board);
    const left = former()!;
    simulated.remove(formerKey(simulated.code, 'BOARD', 1));
    // Without these, the members alone do not tell how many there are.
    simulated.remove(holesKey(listOf(), 0));
    const query = { page: 1, limit: 1 };
    const [seen] = await simulated.together<unknown>([
      (ledger) => ledger.ownedList(board, notes, 'board', query),
      // When both plain reads have been carried out, and before the serializable one.
      async () => {
        await simulated.sleep(3.5);
        simulated.put(left);
      },
    ]);
    expect(seen).toMatchObject({ items: [{ id: 3 }], totalCount: 2 });
  });

  test('that does not exist means that the list is empty: a member that leaves makes no hole', async () => {
    await addNotes('red', 'red', 'red');
    await remove(board);
    simulated.remove(formerKey(simulated.code, 'BOARD', 1));
    expect((await remove(note(3))).result).toBe(false);
    expect(noted()).toEqual([false, false, false, false]);
    expect(await page()).toMatchObject({ ids: [], total: 0 });
  });
});

test('whoever removes a record and its members at the same time, every page is one that was, and nothing is left', async () => {
  simulated.be({ ...defaultBehaviour, lateApplyChance: 0.3 });
  await addNotes(...Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? 'red' : 'blue')));
  const totals: number[] = [];
  const look = async (ledger: Ledger) => {
    for (let times = 0; times < 40; times++) {
      await simulated.sleep(10);
      const { items, totalCount } = await ledger.ownedList(board, notes, 'board', { page: 1, limit: 50 });
      expect(items).toHaveLength(totalCount);
      totals.push(totalCount);
    }
  };
  const members = Array.from({ length: 12 }, (_, at) => removing(note(at + 1)));
  await simulated.together<unknown>([removing(board), ...members, look]);
  expect(totals).toEqual(totals.toSorted((a, b) => b - a));
  expect(new Set(totals).size).toBeGreaterThan(3);
  expect(former()).toBeUndefined();
  expect(noted()).toEqual([false, false, false, false]);
  expect(await page()).toMatchObject({ ids: [], total: 0 });
});

test('its key is told from any other', () => {
  const key = formerKey(simulated.code, 'BOARD', 7);
  expect(parseFormerKey(key)).toEqual({ organization: simulated.code, collection: 'BOARD', number: 7 });
  for (const other of [
    recordKey(simulated.code, 'BOARD', 7),
    countsKey(listOf()),
    stateKey(listOf()),
    stateKey(listPartition(simulated.code, { collection: 'NOTE', index: 'gsi2', name: '7' })),
    { ...key, sk: 'COUNTS' },
  ])
    expect(parseFormerKey(other)).toBeUndefined();
});
