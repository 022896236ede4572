import { expect, test } from 'vitest';
import {
  correctedPipeline,
  CountedDays,
  isSamePipeline,
  type PipelineEvent,
} from '../../../infra/admin/verify/counted-days.ts';

const record = (newest: string, days: string, timeZone = 'UTC') => ({ id: 1, timeZone, newest, days });
const happened = (event: string, createdAt: string, said: Partial<PipelineEvent> = {}): PipelineEvent => ({
  event,
  createdAt,
  data: '',
  ...said,
});
const founded = happened('ORGANIZATION_CREATED', '2026-11-01T12:00:00.000Z');
const lead = (createdAt: string) => happened('LEAD_CREATED', createdAt);
const won = (createdAt: string) =>
  happened('LEAD_STATUS_CHANGED', createdAt, { values: { from: 'active', to: 'won' } });
const zone = (from: string, to: string) =>
  happened('TIME_ZONE_CHANGED', '2026-11-03T12:00:00.000Z', { values: { from, to } });

/** Pipeline from events that are numbered in this order, and observed in another. */
function daysOf(all: PipelineEvent[], { last = all.length, timeZone = 'UTC' } = {}) {
  const numbered = [...all.entries()].map(([at, one]) => [at + 1, one] as const);
  const read = (order: typeof numbered) => {
    const days = new CountedDays();
    for (const [number, one] of order) days.observe(number, one);
    return days.upTo(last, timeZone);
  };
  const found = read(numbered);
  expect(read(numbered.toReversed())).toEqual(found);
  return found;
}

test('the days begin with the founding, and end with the newest event', () => {
  expect(daysOf([founded])).toEqual(record('2026-11-01', ''));
  const all = [
    founded,
    lead('2026-11-01T13:00:00.000Z'),
    lead('2026-11-03T01:00:00.000Z'),
    won('2026-11-03T02:00:00.000Z'),
  ];
  expect(daysOf(all)).toEqual(record('2026-11-03', '1,,,,1  1'));
  expect(daysOf(all, { last: 2 })).toEqual(record('2026-11-01', '1'));
});

test('a change of status without values is read by its sentence: the first release stored none', () => {
  const data = 'Status changed from active to won';
  const moved = happened('LEAD_STATUS_CHANGED', '2026-11-03T02:00:00.000Z', { data });
  expect(daysOf([founded, moved])).toEqual(record('2026-11-03', ',,,,1'));
});

test('a day is one of the time zone in force at the event', () => {
  const at = '2026-11-02T20:00:00.000Z';
  expect(daysOf([founded, lead(at)], { timeZone: 'Australia/Sydney' }).newest).toBe('2026-11-03');
  const moved = [founded, lead(at), zone('Australia/Sydney', 'America/New_York'), lead(at)];
  // The event names the time zone before it.
  expect(daysOf(moved, { timeZone: 'UTC' })).toEqual(record('2026-11-03', '1 1', 'America/New_York'));
  expect(daysOf(moved, { last: 2, timeZone: 'UTC' })).toEqual(record('2026-11-03', '1', 'Australia/Sydney'));
});

test('events older than 31 days are not counted', () => {
  const days = daysOf([founded, lead('2026-11-02T00:00:00.000Z'), lead('2026-12-02T00:00:00.000Z')]);
  expect(days).toEqual(record('2026-12-02', `1${' '.repeat(30)}1`));
  expect(daysOf([founded, lead('2026-11-01T23:59:59.000Z'), lead('2026-12-02T00:00:00.000Z')])).toEqual(
    record('2026-12-02', '1'),
  );
});

test.each([
  happened('LEAD_STATUS_CHANGED', '2026-11-03T12:00:00.000Z', { data: 'Status changed' }),
  happened('LEAD_STATUS_CHANGED', '2026-11-03T12:00:00.000Z', { values: { from: 'active', to: 'sold' } }),
  happened('TIME_ZONE_CHANGED', '2026-11-03T12:00:00.000Z'),
  zone('UTC', 'Nowhere'),
  lead('yesterday'),
])('it is told which event cannot be read, and the others count: %o', (event) => {
  const days = new CountedDays();
  const all = [founded, event, lead('2026-11-01T13:00:00.000Z')];
  for (const [at, one] of all.entries()) days.observe(at + 1, one);
  expect([1, 2, 3].map((last) => days.unreadableTo(last))).toEqual([[], [2], [2]]);
  expect(days.upTo(3, 'UTC')).toEqual(record('2026-11-01', '1'));
});

test('an unknown time zone counts as UTC', () => {
  const at = '2026-11-02T20:00:00.000Z';
  for (const from of ['', 'Nowhere'])
    expect(daysOf([founded, lead(at), zone(from, 'Australia/Sydney'), lead(at)])).toEqual(
      record('2026-11-03', '1 1', 'Australia/Sydney'),
    );
});

test('the pipeline is written with each event that counts, and with a change of the time zone', () => {
  const days = new CountedDays();
  const at = '2026-11-02T20:00:00.000Z';
  const all = [founded, happened('LEAD_UPDATED', at), lead(at), zone('UTC', 'Asia/Tokyo'), won(at), founded];
  for (const [index, one] of all.entries()) days.observe(index + 1, one);
  expect([1, 2, 3, 4, 5, 6].map((last) => days.lastWrittenTo(last))).toEqual([0, 0, 3, 4, 5, 5]);
});

test('days stored in different forms can be equal', () => {
  expect(isSamePipeline(record('2026-11-03', '1,,,,1  1'), record('2026-11-03', '1,,,,1,0  1   '))).toBe(
    true,
  );
  for (const other of [
    record('2026-11-03', '1,,,,1  2'),
    record('2026-11-04', '1,,,,1  1'),
    record('2026-11-03', `1,,,,1  1${' '.repeat(31)}1`),
  ])
    expect(isSamePipeline(record('2026-11-03', '1,,,,1  1'), other)).toBe(false);
});

test('a correction keeps later counts', () => {
  const said = record('2026-11-02', '1 7');
  const right = record('2026-11-02', '2,1');
  expect(correctedPipeline(said, said, right)).toEqual(right);
  const now = record('2026-11-04', '3  1,,1 7', 'Asia/Tokyo');
  expect(correctedPipeline(now, said, right)).toEqual(record('2026-11-04', '3  2,1,1', 'Asia/Tokyo'));
  // A date that does not exist is dropped, and later counts stay.
  expect(
    correctedPipeline(record('2026-11-09', '      1'), record('2026-11-09', ''), record('2026-11-02', '1')),
  ).toEqual(record('2026-11-03', '1 1'));
  for (const unreadable of [record('2026-11-02', '!'), record('soon', '')])
    expect(correctedPipeline(now, unreadable, right)).toEqual(right);
});
