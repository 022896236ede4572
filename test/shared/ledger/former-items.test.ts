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
import { bucketSize, formatState } from '../../../shared/ledger/internal/list-state.ts';
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

describe('the former item of a removed record', () => {
  test('has the states of its lists, except its events, while one of them has members', async () => {
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
      lists: { 'N#1': '3-1~Ag', 'N#2#red': '2-1~AQ', 'N#2#blue': '1' },
      revision: 7,
    });
    expect((await remove(note(1))).result).toBe(true);
    expect(former()).toMatchObject({
      lists: { 'N#1': '3-2~Bg', 'N#2#red': '2-2~Aw', 'N#2#blue': '1' },
      revision: 8,
    });
    expect(noted()).toEqual([true, false, false, true]);
    // With the last member, the former item and all holes and counts are deleted.
    await remove(note(3));
    expect(former()).toBeUndefined();
    expect(noted()).toEqual([false, false, false, false]);
    expect(await page()).toMatchObject({ ids: [], total: 0 });
    await write(async (one) => {
      expect(await one.readFormer(board)).toBe(false);
    });
  });

  test('gives the exact length of a list, whoever left before and after, at one round trip more at most', async () => {
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

  test('is deleted with the holes of every bucket, and the counts', async () => {
    await addNotes('red', 'red');
    // The state is set as if the list had had as many members as a bucket has numbers, and all but two had
    // left.
    const item = itemAt(recordKey(simulated.code, 'BOARD', 1))!;
    const holes = increments(
      holeBits,
      Array.from({ length: bucketSize - 2 }, (_, at) => at),
    );
    const state = formatState({ last: bucketSize, left: bucketSize - 2, newest: 0n });
    simulated.put({ ...item, lists: { 'N#1': state, 'N#2#red': '2' } });
    simulated.put({ ...Object.fromEntries(holes), ...holesKey(listOf(), 0) });
    await addNotes('red', 'red', 'red');
    await remove(note(3), note(5));
    expect(noted()).toEqual([true, true, true, true]);
    await remove(board);
    // Two earlier members never leave, so the states are changed as if they had.
    const left = former()!;
    simulated.put({
      ...left,
      lists: { 'N#1': formatState({ last: 4099, left: 4098, newest: 0n }), 'N#2#red': '5-4' },
    });
    await remove(note(4));
    expect(former()).toBeUndefined();
    expect(noted()).toEqual([false, false, false, false]);
  });

  test('is deleted even if the lists have more holes than a transaction takes; the transaction deletes as many as fit', async () => {
    await addNotes('red', 'red');
    await remove(board, note(1));
    // The state is set as if the lists had sixty buckets each, and all but the last member had left.
    const last = 60 * bucketSize;
    const state = formatState({ last, left: last - 1, newest: 0n });
    const lists = { 'N#1': state, 'N#2#red': state };
    simulated.put({ ...former()!, lists });
    const keys = [listOf(), listOf('red')].flatMap((list) => [
      countsKey(list),
      ...Array.from({ length: 60 }, (_, bucket) => holesKey(list, bucket)),
    ]);
    for (const key of keys) simulated.put({ 0: 1, ...key });
    await remove(note(2));
    expect(former()).toBeUndefined();
    expect(await page()).toMatchObject({ ids: [], total: 0 });
    // The head, the record, its hole, the event and the former item are five of the hundred operations.
    expect(keys.filter((key) => simulated.item(key) !== undefined)).toHaveLength(keys.length - 95);
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

  test('outlives its last member by a day if it is read as settled, and costs two reads more then', async () => {
    await addNotes('red');
    await remove(board);
    const { result } = await simulated.run((ledger) =>
      ledger.write({ change: { one: note(1) } }, async (one) => {
        await one.readFormer(board, { settled: true });
        one.remove(note(1));
        one.event(event);
        return { expiresAtSecond: Math.floor(Date.parse(one.now) / 1000) + 86_400 };
      }),
    );
    const key = formerKey(simulated.code, 'BOARD', 1);
    expect(former()).toEqual({ lists: {}, revision: 5, ...result, ...key });
    expect(await page()).toMatchObject({ ids: [], total: 0 });
    const waiting = (ledger: Ledger) => ledger.write({}, (one) => one.readFormer(board, { settled: true }));
    // The head, the former item, the last event of that write, and the record that it removed.
    const cost = { calls: 4, readUnits: 6, writeUnits: 0 };
    expect(await simulated.run(waiting)).toMatchObject({ result: true, cost });
  });

  test('is checked by the transaction: a write that read it too early is built again', async () => {
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
        // The former item becomes visible.
        if (builds++ === 0) simulated.put(late);
        one.remove(note(2));
        one.event(event);
      }),
    );
    expect(builds).toBe(2);
    expect(former()).toMatchObject({ lists: { 'N#1': '3-2~Bg', 'N#2#red': '3-2~Bg' } });
  });
});

test('no other key is parsed as that of a former item', () => {
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
