import { describe, expect, test } from 'vitest';
import {
  countedOn,
  daysUpTo,
  formatDays,
  maxDays,
  parseDays,
} from '../../../../shared/domain/leads/pipeline-record.ts';

const empty = { id: 1, timeZone: 'UTC', newest: '2026-03-01', days: '' };
const created = 0;
const won = 4;

/** A pipeline with counts in these columns on these dates, one after the other. */
const countAll = (counted: readonly (readonly [date: string, column: number])[], pipeline = empty) =>
  counted.reduce((record, [date, column]) => countedOn(record, date, column), pipeline);

describe('an event of a day', () => {
  test('is counted in its row, the newest first', () => {
    const pipeline = countAll([
      ['2026-03-01', created],
      ['2026-03-01', created],
      ['2026-03-02', created],
      ['2026-03-02', won],
    ]);
    expect(pipeline).toEqual({ ...empty, newest: '2026-03-02', days: '1,,,,1 2' });
  });

  test('leaves empty rows for the days on which nothing happened', () => {
    expect(countAll([['2026-03-01', created]])).toMatchObject({ days: '1' });
    const pipeline = countAll([
      ['2026-02-28', created],
      ['2026-03-03', won],
    ]);
    expect(pipeline).toMatchObject({ newest: '2026-03-03', days: ',,,,1   1' });
  });

  test('counts for its day also after the next has begun, by a clock that is behind', () => {
    const pipeline = countAll([
      ['2026-03-02', created],
      ['2026-03-01', created],
      ['2026-02-27', won],
    ]);
    expect(pipeline).toMatchObject({ newest: '2026-03-02', days: '1 1  ,,,,1' });
  });

  test(`is kept for ${maxDays} days, and not counted when it is older`, () => {
    const first = countAll([['2026-03-01', created]]);
    const last = countAll([['2026-03-31', created]], first);
    expect(parseDays(last.days)).toHaveLength(31);
    expect(parseDays(last.days).at(-1)).toEqual([1, 0, 0, 0, 0, 0, 0]);
    expect(countedOn(last, '2026-02-28', created)).toBe(last);
    expect(countAll([['2026-04-01', won]], last)).toMatchObject({
      newest: '2026-04-01',
      days: `,,,,1 1${' '.repeat(29)}`,
    });
    expect(countAll([['2027-04-01', won]], last)).toMatchObject({
      newest: '2027-04-01',
      days: `,,,,1${' '.repeat(30)}`,
    });
  });

  test('is stored in one line with the others, also with large numbers', () => {
    const rows = [
      [35, 36, 0, 1_000_000, 0, 0, 0],
      [0, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0, 0, 46_655],
    ];
    expect(formatDays(rows)).toBe('z,10,,lfls  ,,,,,,zzz');
    expect(parseDays(formatDays(rows))).toEqual(rows);
  });

  // With the states of the lists by status, the item has some 850 bytes then: below 1 KB, so two write units.
  test('takes at most 433 bytes with the others if each count is below 36', () => {
    const busy = Array.from({ length: maxDays }, () => Array.from({ length: 7 }, () => 35));
    expect(formatDays(busy)).toHaveLength(433);
  });
});

describe('the last days', () => {
  const dates = (today: string, pipeline: Parameters<typeof daysUpTo>[1]) =>
    daysUpTo(today, pipeline).map(({ date, counts: [count] }) => `${date}: ${count}`);

  test('are 31, each of them, ending today', () => {
    const pipeline = countAll([
      ['2026-02-27', created],
      ['2026-03-01', created],
    ]);
    const days = dates('2026-03-02', pipeline);
    expect(days.slice(0, 5)).toEqual([
      '2026-03-02: 0',
      '2026-03-01: 1',
      '2026-02-28: 0',
      '2026-02-27: 1',
      '2026-02-26: 0',
    ]);
    expect(days).toHaveLength(31);
    expect(days.at(-1)).toBe('2026-01-31: 0');
    expect(dates('2026-03-31', pipeline).at(-1)).toBe('2026-03-01: 1');
    expect(dates('2026-08-31', pipeline).every((day) => day.endsWith(': 0'))).toBe(true);
  });

  test('end with the newest counted day, if today is before it', () => {
    expect(dates('2026-02-28', countAll([['2026-03-01', created]])).slice(0, 2)).toEqual([
      '2026-03-01: 1',
      '2026-02-28: 0',
    ]);
  });
});
