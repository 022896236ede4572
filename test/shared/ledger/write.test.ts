import * as v from 'valibot';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Collection, UniqueValue, Write } from '../../../shared/ledger/index.ts';
import {
  formatTouchedRecords,
  parseTouchedRecords,
} from '../../../shared/ledger/internal/touched-records.ts';
import { SimulatedLedger } from './simulated-ledger.ts';

const Pen = v.object({ id: v.number(), color: v.string() });
const pens = {
  name: 'PEN',
  label: 'pen',
  schema: Pen,
  uniques: ({ color }: { color: string }): UniqueValue[] => [{ field: 'color', value: color }],
} as const satisfies Collection;
const cups = {
  name: 'CUP',
  label: 'cup',
  schema: v.object({ id: v.number() }),
  eventListIndex: 0,
} as const satisfies Collection;

const event = { event: 'TEST', data: 'A test', referenceId: '1' };
const ofCup = { collection: cups, number: 1 };
const ofPen = (number: number) => ({ collection: pens, number });
const color = (value: string): UniqueValue => ({ field: 'color', value });

let simulated: SimulatedLedger;
beforeEach(async () => {
  simulated = await SimulatedLedger.found();
});

const addPen = (write: Write, value: string) =>
  write.append(pens, ({ number }) => ({ id: number, color: value })).ref;
const addPens = (colors: readonly string[]) =>
  simulated.run((ledger) =>
    ledger.write({}, (write) => {
      for (const value of colors) addPen(write, value);
      write.event(event);
    }),
  );

describe('the remaining items of a write', () => {
  test('are a hundred, less the head, ten for holes and what the write has collected', async () => {
    await addPens(['red']);
    await simulated.run((ledger) =>
      ledger.write({ change: { pen: ofPen(1) } }, async (write) => {
        // The pen that was read to change.
        expect(write.remainingItems).toBe(100 - 10 - 1 - 1);
        write.replace(ofPen(1), { id: 1, color: 'blue' });
        // The old color and the new one.
        expect(write.remainingItems).toBe(86);
        write.event(event);
        expect(write.remainingItems).toBe(85);
        // A record and its unique value.
        addPen(write, 'Größe');
        expect(write.remainingItems).toBe(83);
        await write.read(ofPen(9), { mayStayUnchanged: true });
        write.addGrant('hash', { tokenId: 1, userId: 'user', scopes: [], sites: [], expiresAt: null });
        write.claimPhoneNumber('+61480000100');
        expect(write.remainingItems).toBe(81);
      }),
    );
  });

  test('are none at the end, and a write of that size is stored', async () => {
    const { result } = await simulated.run((ledger) =>
      ledger.write({}, (write) => {
        write.event(event);
        let added = 0;
        for (; write.remainingItems > 1; added++) addPen(write, `color ${added}`);
        return added;
      }),
    );
    expect(result).toBe(44);
    expect((await simulated.run((ledger) => ledger.all(pens))).result).toHaveLength(44);
  });
});

describe('the holders of several values', () => {
  test('are given in the order of the values, by one read, with the changes of this write', async () => {
    await addPens(['red', 'Größe', 'blue']);
    const { cost } = await simulated.run((ledger) =>
      ledger.write({ change: { pen: ofPen(3) } }, async (write) => {
        write.replace(ofPen(3), { id: 3, color: 'green' });
        addPen(write, 'blue');
        const wanted = ['GRÖSSE', 'none', '', 'red', 'green', 'blue', 'RED'];
        expect(await write.holdersOf(pens, wanted.map(color))).toEqual([2, undefined, undefined, 1, 3, 4, 1]);
        expect(await write.holdersOf(pens, [])).toEqual([]);
        write.event(event);
      }),
    );
    // Calls: head, pen, the values, the transaction.
    expect(cost.calls).toBe(4);
  });

  test('are read for any number of values, by one read for each hundred, all at once', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `color ${at}`);
    await addPens(names);
    const many = Array.from({ length: 230 }, (_, at) => `color ${at}`);
    const { result, cost } = await simulated.run((ledger) =>
      ledger.write({}, (write) => write.holdersOf(pens, many.map(color))),
    );
    expect(result).toEqual(many.map((_, at) => (at < 40 ? at + 1 : undefined)));
    expect(cost.calls).toBe(1 + 3);
    expect(cost.roundTrips).toBeLessThan(1 + 3);
  });
});

test('a write knows without a call which records have existed', async () => {
  await addPens(['red', 'blue']);
  const { cost } = await simulated.run((ledger) =>
    ledger.write({ change: { pen: ofPen(2) } }, (write) => {
      write.remove(ofPen(2));
      expect([1, 2, 3].map((number) => write.hasExisted(ofPen(number)))).toEqual([true, true, false]);
      expect(write.hasExisted(ofCup)).toBe(false);
      write.event(event);
    }),
  );
  expect(cost.calls).toBe(3);
});

test('a record is current with the changes so far, without a call, if the write has read or appended it', async () => {
  await addPens(['red', 'blue']);
  const gone = { ref: ofPen(9), mayBeAbsent: true } as const;
  const { cost } = await simulated.run((ledger) =>
    ledger.write({ change: { one: ofPen(1), two: ofPen(2), gone } }, (write) => {
      expect(write.current(ofPen(1))).toEqual({ id: 1, color: 'red' });
      write.replace(ofPen(1), { id: 1, color: 'green' });
      write.remove(ofPen(2));
      const added = addPen(write, 'white');
      const colors = [ofPen(1), ofPen(2), added, ofPen(9)].map((ref) => write.current(ref)?.color);
      expect(colors).toEqual(['green', undefined, 'white', undefined]);
      expect(() => write.current(ofCup)).toThrow('A write uses a cup that it has not read');
      write.event(event);
    }),
  );
  expect(cost.calls).toBe(5);
});

test('the attribute touched is parsed as it was formatted, and nothing else is', () => {
  const touched = [
    { collection: 'LEAD', number: 5, isRemoved: false },
    { collection: 'MESSAGE', number: 123_456_789_012, isRemoved: true },
  ];
  expect(formatTouchedRecords(touched)).toBe('LEAD#5 -MESSAGE#123456789012');
  expect(parseTouchedRecords(formatTouchedRecords(touched))).toEqual(touched);
  expect(parseTouchedRecords('')).toEqual([]);
  for (const text of ['LEAD', 'LEAD#', 'LEAD#0', 'LEAD#x', '--LEAD#1', 'LEAD#1  LEAD#2', ' ', '#1'])
    expect(parseTouchedRecords(text), text).toBeUndefined();
});
