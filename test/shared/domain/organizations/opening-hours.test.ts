import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { weekdays, type Holiday, type TimeRange } from '../../../../shared/contract/opening-hours.ts';
import { openStateAt, type SaidHours } from '../../../../shared/domain/organizations/opening-hours.ts';

const workday = [{ from: '08:00', to: '17:00' }];
const week = {
  monday: workday,
  tuesday: workday,
  wednesday: workday,
  thursday: workday,
  friday: [
    { from: '08:00', to: '12:00' },
    { from: '13:00', to: '16:30' },
    { from: '22:00', to: '02:00' },
  ],
};
const holidays: Holiday[] = [
  { date: '2026-12-25', name: 'Christmas Day', hours: [] },
  { date: '2026-12-31', name: 'New Year’s Eve', hours: [{ from: '09:30', to: '24:00' }] },
];
const hours: SaidHours = {
  timeZone: 'Australia/Sydney',
  timeFormat: '12h',
  openingHours: week,
  holidays,
  onCallHours: { saturday: [{ from: '00:00', to: '24:00' }] },
};

/** A local time of Sydney in summer. */
const sydney = (local: string) => Date.parse(`${local}+11:00`);

test.each([
  ['2026-11-23T07:59', 'Closed until 8 am'],
  ['2026-11-23T08:00', 'Open until 5 pm'],
  ['2026-11-23T17:00', 'Closed until 8 am on Tuesday, 24 November'],
  ['2026-11-27T12:30', 'Closed until 1 pm'],
  ['2026-11-27T14:00', 'Open until 4:30 pm'],
  ['2026-11-27T23:00', 'Open until 2 am on Saturday, 28 November'],
  ['2026-11-28T01:00', 'Open until 2 am'],
  ['2026-11-28T02:00', 'Closed until 8 am on Monday, 30 November'],
  ['2026-12-24T18:00', 'Closed until 8 am on Monday, 28 December'],
  ['2026-12-25T10:00', 'Closed for Christmas Day until 8 am on Monday, 28 December'],
  ['2026-12-31T08:00', 'Closed until 9:30 am'],
  ['2026-12-31T10:00', 'Open until midnight'],
])('at %s: %s', (local, say) => {
  expect(openStateAt(hours, sydney(local)).say).toBe(say);
});

test('times have 24 hours where the organization says them so', () => {
  const by24: SaidHours = { ...hours, timeFormat: '24h' };
  expect(openStateAt(by24, sydney('2026-11-27T14:00')).say).toBe('Open until 16:30');
  expect(openStateAt(by24, sydney('2026-11-27T17:00')).say).toBe('Closed until 22:00');
});

const day = [{ from: '08:00', to: '17:00' }];
const everyMonday = Array.from({ length: 60 }, (_, week) => {
  const date = new Date(Date.parse('2026-11-23') + week * 7 * 86_400_000).toISOString().slice(0, 10);
  return { date, name: 'Rest', hours: [] };
});

test.each<[string, Partial<SaidHours>, string, string | null]>([
  ['has no hours', { openingHours: {} }, 'Open around the clock', null],
  ['has days without hours', { openingHours: { monday: [] } }, 'Open around the clock', null],
  [
    'has a holiday on each day that it would open, for more than a year',
    { openingHours: { monday: day }, holidays: everyMonday },
    'Closed until further notice',
    null,
  ],
  [
    'closes in a year at most',
    { openingHours: {}, holidays: [{ date: '2027-11-24', name: 'Party', hours: [] }] },
    'Open until 12 am on Wednesday, 24 November',
    '2027-11-23T13:00:00.000Z',
  ],
  [
    'closes in the hour that the clock repeats',
    {
      openingHours: {},
      holidays: [{ date: '2027-04-04', name: 'Party', hours: [{ from: '00:00', to: '02:30' }] }],
    },
    'Open until 2:30 am on Sunday, 4 April, before the clocks go back',
    '2027-04-03T15:30:00.000Z',
  ],
  [
    'closes later',
    { openingHours: {}, holidays: [{ date: '2027-11-26', name: 'Party', hours: [] }] },
    'Open around the clock',
    null,
  ],
])('an organization that %s', (_, given, say, until) => {
  const state = openStateAt({ ...hours, holidays: [], ...given }, sydney('2026-11-23T12:00'));
  expect(state).toMatchObject({ say, until });
});

test('on-call hours are apart from opening hours and holidays', () => {
  const onCall = (local: string) => openStateAt(hours, sydney(local)).isOnCall;
  expect(
    ['2026-11-27T23:59', '2026-11-28T00:00', '2026-11-28T23:59', '2026-11-29T00:00'].map(onCall),
  ).toEqual([...[false, true, true, false]]);
  expect(openStateAt({ ...hours, holidays: [] }, sydney('2026-12-26T10:00')).isOnCall).toBe(true);
  const closed = { date: '2026-12-26', name: 'Boxing Day', hours: [] };
  expect(openStateAt({ ...hours, holidays: [closed] }, sydney('2026-12-26T10:00'))).toMatchObject({
    isOpen: false,
    isOnCall: true,
    holiday: 'Boxing Day',
  });
});

/** Days that Luxon is asked about. */
const minutesPerDay = 1440;
const [daysBefore, daysAfter] = [2, 30];

/**
 * The state by Luxon, minute by minute of the local days. Open minutes in a row are an opening. The ends of an
 * opening are then read as times. The state has no sentence.
 */
function byLuxon({ timeZone: zone, openingHours, holidays }: SaidHours, at: number) {
  const first = DateTime.fromMillis(at, { zone }).startOf('day').minus({ days: daysBefore });
  const isOpen = new Uint8Array((daysBefore + daysAfter + 3) * minutesPerDay);
  for (let day = 0; day < daysBefore + daysAfter; day++) {
    const date = first.plus({ days: day });
    const holiday = holidays.find((one) => one.date === date.toISODate());
    const weekday = date.setLocale('en').toFormat('cccc').toLowerCase() as (typeof weekdays)[number];
    const isGiven = Object.values(openingHours).some((ranges) => ranges.length > 0);
    const weekly = isGiven ? openingHours[weekday] : [{ from: '00:00', to: '24:00' }];
    for (const { from, to } of holiday?.hours ?? weekly ?? []) {
      const [begin, end] = [minutesOf(from), minutesOf(to)];
      const start = day * minutesPerDay;
      isOpen.fill(1, start + begin, start + (end > begin ? end : end + minutesPerDay));
    }
  }
  const timeAt = (minute: number) => {
    const date = first.plus({ days: Math.floor(minute / minutesPerDay) });
    const [hour, rest] = [Math.floor((minute % minutesPerDay) / 60), minute % 60];
    const local = DateTime.fromObject({ ...date.toObject(), hour, minute: rest }, { zone });
    return Math.min(...local.getPossibleOffsets().map((one) => one.toMillis()));
  };
  const ends: number[] = [];
  // From the day before: 15 openings are more than the next change can need.
  for (let minute = (daysBefore - 1) * minutesPerDay; minute < isOpen.length && ends.length < 30; minute++)
    if (isOpen[minute] !== ends.length % 2) ends.push(minute);
  const openings = ends
    .flatMap((minute, index) =>
      index % 2 === 0 ? [[timeAt(minute), timeAt(ends[index + 1] ?? isOpen.length)] as const] : [],
    )
    .filter(([from, to]) => from < to);
  const isAt = (time: number) => openings.some(([from, to]) => from <= time && time < to);
  const last = first.plus({ days: daysBefore + daysAfter - 1 }).toMillis();
  const until = openings
    .flat()
    .sort((one, other) => one - other)
    .find((end) => end > at && end < last && isAt(end) !== isAt(at));
  return { isOpen: isAt(at), until: until === undefined ? null : new Date(until).toISOString() };
}

const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
const textOf = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

const zones = [
  'Australia/Sydney',
  'Europe/London',
  'America/New_York',
  'Australia/Lord_Howe',
  'Africa/Cairo',
];

/** The hours of two years at which a zone changes its clock. */
function changesOf(zone: string): number[] {
  const hour = 3_600_000;
  const offsetAt = (time: number) => DateTime.fromMillis(time, { zone }).offset;
  const changes: number[] = [];
  for (let day = Date.UTC(2026, 0, 1); day < Date.UTC(2028, 0, 1); day += 24 * hour)
    if (offsetAt(day) !== offsetAt(day + 24 * hour))
      for (let time = day; time < day + 24 * hour; time += hour)
        if (offsetAt(time) !== offsetAt(time + hour)) changes.push(time + hour);
  return changes;
}

/** Minutes of a day, often minutes that a change of the clock skips or repeats. */
const someMinutes = fc.oneof(
  fc.integer({ min: 0, max: 1439 }),
  fc.integer({ min: 0, max: 16 }).map((quarters) => quarters * 15),
  fc.constantFrom(0, 90, 120, 150, 180),
);
const someRange = fc
  .tuple(someMinutes, fc.oneof(someMinutes, fc.constant(minutesPerDay)))
  .filter(([from, to]) => from !== to)
  .map(([from, to]): TimeRange => ({ from: textOf(from), to: textOf(to) }));
const someRanges = fc.array(someRange, { maxLength: 3 });

test.each(zones)(
  'hours of any week are those that Luxon computes, also where the clock changes: %s',
  (timeZone) => {
    const changes = changesOf(timeZone);
    expect(changes).toHaveLength(4);
    const property = fc.property(
      fc.record(Object.fromEntries(weekdays.map((day) => [day, someRanges])), { requiredKeys: [] }),
      fc.array(fc.tuple(fc.integer({ min: -4, max: 9 }), someRanges), { maxLength: 4 }),
      fc.constantFrom(...changes),
      fc.integer({ min: -3 * minutesPerDay, max: 2 * minutesPerDay }),
      (openingHours, special, change, minutes) => {
        const date = DateTime.fromMillis(change, { zone: timeZone });
        const byDate = new Map(special.map(([days, hours]) => [date.plus({ days }).toISODate()!, hours]));
        const given: SaidHours = {
          timeZone,
          timeFormat: '12h',
          openingHours,
          onCallHours: {},
          holidays: [...byDate].map(([date, hours]) => ({ date, name: 'Fair', hours })),
        };
        const at = change + minutes * 60_000;
        const { isOpen, until } = openStateAt(given, at);
        expect({ isOpen, until }).toEqual(byLuxon(given, at));
      },
    );
    fc.assert(property, { seed: 20261123, numRuns: 40 });
  },
);
