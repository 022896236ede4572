import { beforeEach, describe, expect, test } from 'vitest';
import type { Ledger, Write } from '../../../shared/ledger/index.ts';
import { maxBookedOfDay } from '../../../shared/ledger/internal/booked.ts';
import { bookedKey } from '../../../shared/ledger/internal/keys.ts';
import { SimulatedLedger } from './simulated-ledger.ts';
import { anHour, at, visits, type Visit } from './visits.ts';

const event = { event: 'TEST', data: 'A test', referenceId: '1' };
const ref = (number: number) => ({ collection: visits, number });

let simulated: SimulatedLedger;
beforeEach(async () => {
  simulated = await SimulatedLedger.found();
});

const add = (...all: Partial<Visit>[]) => simulated.run((ledger) => adding(ledger, ...all));
const adding = (ledger: Ledger, ...all: Partial<Visit>[]) =>
  ledger.write({}, (write) => {
    write.event(event);
    for (const one of all) append(write, one);
  });
const append = (write: Write, one: Partial<Visit>) =>
  write.append(visits, ({ number: id }) => ({ id, ...anHour, ...one }));
const change = (number: number, changes: Partial<Visit>) =>
  simulated.run((ledger) =>
    ledger.write({ change: { one: ref(number) } }, (write, { one }) => {
      write.event(event);
      write.replace(ref(number), { ...one, ...changes });
    }),
  );
const remove = (number: number) => simulated.run((ledger) => removing(ledger, number));
const removing = (ledger: Ledger, number: number) =>
  ledger.write({ change: { one: ref(number) } }, (write) => {
    write.event(event);
    write.remove(ref(number));
  });

/** Text of a day of December; undefined if nothing is booked. */
const on = (day: number) => itemOf(day)?.['booked']?.S;
const itemOf = (day: number) =>
  simulated.item({ ...bookedKey(simulated.code, at(`${String(day).padStart(2, '0')} 00:00`).slice(0, 10)) });

test.each<[string, Partial<Visit>, Record<number, string>]>([
  ['an hour', {}, { 8: '1/540/60/0/0/1' }],
  ['members', { who: [12, 3] }, { 8: '1/540/60/0/0/12,3' }],
  ['buffers within the day', { before: 15, after: 540 }, { 8: '1/540/60/15/540/1' }],
  ['up to midnight', { end: at('09 00:00') }, { 8: '1/540/900/0/0/1' }],
  [
    'a buffer before midnight',
    { start: at('08 00:05'), end: at('08 00:10'), before: 6 },
    { 7: '1/1445/5/6/0/1', 8: '1/5/5/6/0/1' },
  ],
  [
    'a buffer after midnight',
    { start: at('08 23:00'), end: at('09 00:00'), after: 1 },
    { 8: '1/1380/60/0/1/1', 9: '1/-60/60/0/1/1' },
  ],
  [
    'a day and a half',
    { start: at('08 12:00'), end: at('10 00:00') },
    { 8: '1/720/2160/0/0/1', 9: '1/-720/2160/0/0/1' },
  ],
  ['nobody', { who: [] }, {}],
])('each day that a booking touches has it whole: %s', async (_, visit, expected) => {
  await add(visit);
  for (let day = 6; day <= 11; day++) expect(on(day), `the ${day}th`).toBe(expected[day]);
});

test('a day names its records by number, with the revision of the write that changed it last', async () => {
  await add({ start: at('08 11:00'), end: at('08 12:00') }, { who: [2] });
  expect(itemOf(8)).toEqual({
    pk: { S: 'ORG#6H8EV880#BOOKED' },
    sk: { S: '2026-12-08' },
    revision: { N: '2' },
    booked: { S: '1/660/60/0/0/1 2/540/60/0/0/2' },
  });
  await change(1, { end: at('08 13:00') });
  expect(itemOf(8)).toMatchObject({
    revision: { N: '3' },
    booked: { S: '1/660/120/0/0/1 2/540/60/0/0/2' },
  });
  // Nothing of the booking changes, so neither does the day.
  await change(1, { text: 'Bring a ladder' });
  expect(itemOf(8)).toMatchObject({ revision: { N: '3' } });
});

describe('a write', () => {
  test('builds again if a day is not as it was read', async () => {
    await add({});
    let tries = 0;
    const seen = await simulated.run((ledger) =>
      ledger.write({}, async (write) => {
        const booked = await write.readBooked(at('08 00:00'), at('09 00:00'));
        // As if another write had stored the day's item.
        if (++tries === 1)
          simulated.put({
            ...bookedKey(simulated.code, '2026-12-08'),
            booked: '1/540/90/0/0/1',
            revision: 7,
          });
        write.event(event);
        append(write, { who: [2] });
        return booked.map(({ end }) => end);
      }),
    );
    expect(tries).toBe(2);
    expect(seen.result).toEqual([at('08 10:30')]);
    expect(on(8)).toBe('1/540/90/0/0/1 2/540/60/0/0/2');
  });

  test('is refused if a day has too many, and one that makes room is not', async () => {
    const full = Array.from({ length: maxBookedOfDay }, (_, index) => `${index + 5}/60/60/0/0/1`).join(' ');
    await add({}, {});
    simulated.put({
      ...bookedKey(simulated.code, '2026-12-08'),
      booked: `1/540/60/0/0/1 ${full}`,
      revision: 2,
    });
    await expect(add({})).rejects.toMatchObject({
      kind: 'conflict',
      message: 'There are too many appointments on 2026-12-08 (UTC)',
    });
    await change(1, { end: at('08 11:00') });
    await remove(1);
    expect(on(8)).toBe(full);
  });

  test('is not refused once a full day has room, although the day is late', async () => {
    const others = Array.from({ length: maxBookedOfDay - 1 }, (_, index) => `${index + 50}/60/60/0/0/1`);
    for (let number = 1; number <= 15; number += 2) {
      simulated.remove(bookedKey(simulated.code, '2026-12-08'));
      await add({});
      const booked = [`${number}/540/60/0/0/1`, ...others].join(' ');
      simulated.put({ ...bookedKey(simulated.code, '2026-12-08'), booked, revision: 1 });
      simulated.be({ lateApplyChance: 0.5, lateApply: 5000 });
      await simulated.together<unknown>([
        (ledger) => removing(ledger, number),
        async (ledger) => {
          while (await ledger.getOrUndefined(ref(number))) await simulated.sleep(5);
          await adding(ledger, {});
        },
      ]);
      simulated.be({ lateApplyChance: 0 });
      expect(on(8)).toMatch(new RegExp(`^${number + 1}/`));
    }
  });

  test('refuses a part of a minute', async () => {
    await expect(add({ end: '2026-12-08T10:00:01.000Z' })).rejects.toThrow('not of whole minutes');
  });
});

test('records are found between two values of a field, those values in order, however many have one', async () => {
  await add(
    { start: at('08 09:00'), text: 'b' },
    { start: at('07 09:00'), text: 'A' },
    { start: at('08 09:00'), text: 'ab' },
    { start: at('09 09:00'), end: at('09 10:00'), text: 'aB c' },
    { start: at('10 09:00'), end: at('10 10:00'), text: '' },
  );
  const find = async (searchable: 'start' | 'text', from: string, to: string, max = 100) => {
    const { result, cost } = await simulated.run((ledger) =>
      ledger.findBetween(visits, searchable, { from, to }, max),
    );
    return [result.map(({ id }) => id), cost.itemsQueried];
  };
  expect(await find('start', at('08 09:00'), at('10 09:00'))).toEqual([[1, 3, 4], 3]);
  expect(await find('start', at('08 09:01'), at('10 09:01'))).toEqual([[4, 5], 2]);
  expect(await find('start', at('01 00:00'), at('31 00:00'), 2)).toEqual([[2, 1], 2]);
  expect(await find('text', 'a', 'ab')).toEqual([[2], 1]);
  expect(await find('text', 'AB', 'B')).toEqual([[3, 4], 2]);
  expect(await find('text', 'b', 'a')).toEqual([[], 0]);
  expect(await find('text', 'b', 'b')).toEqual([[], 0]);
});
