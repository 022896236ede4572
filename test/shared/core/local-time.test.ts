import { expect, test } from 'vitest';
import { localTimeIn, timeOfLocal } from '../../../shared/core/local-time.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  ['Australia/Adelaide', 4],
  ['Australia/Lord_Howe', 4],
  ['Pacific/Auckland', 4],
  ['Europe/London', 4],
  ['Asia/Kolkata', 0],
])('the times of two years in %s are those of Intl, with %i changes of the clock', (timeZone, changes) => {
  const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const shownAt = (time: number) => Date.parse(`${format.format(time).replace(' ', 'T')}Z`);
  const first = new Map<number, number>();
  const wrong: string[] = [];
  const check = (local: number, expected: number) => {
    const got = timeOfLocal(timeZone, local);
    if (got !== expected) wrong.push(`${new Date(local).toISOString()} is ${got}, not ${expected}`);
  };
  let changed = 0;
  for (let date = Date.UTC(2026, 0, 1); date < Date.UTC(2028, 0, 1); date += day) {
    const isChange = shownAt(date + day) - shownAt(date) !== day;
    if (isChange) changed++;
    const step = isChange ? 15 * minute : 13 * hour;
    for (let time = date; time < date + day; time += step) {
      const local = shownAt(time);
      if (localTimeIn(timeZone, time) !== local) wrong.push(`${time} is not ${local}`);
      if (!first.has(local)) first.set(local, time);
      check(local, first.get(local)!);
      // Times that the clock skips before the next step.
      for (let late = step; isChange && late < shownAt(time + step) - local; late += step)
        check(local + late, time + late);
    }
  }
  expect({ changed, wrong }).toEqual({ changed: changes, wrong: [] });
});

test('a time in a time zone that is not known is one in UTC', () => {
  const noon = Date.parse('2026-11-22T12:00:00.123Z');
  expect([localTimeIn('Mars/Olympus', noon), timeOfLocal('', noon)]).toEqual([noon, noon]);
});
