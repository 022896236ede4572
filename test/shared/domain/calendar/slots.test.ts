import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noHours, weekdays, type TimeRange } from '../../../../shared/contract/opening-hours.ts';
import { localTimeIn, timeOfLocal } from '../../../../shared/core/local-time.ts';
import type { Hours } from '../../../../shared/domain/calendar/hours.ts';
import { say } from '../../../../shared/domain/calendar/say.ts';
import {
  endOf,
  slotsOf,
  spanOf,
  type Job,
  type SlotRange,
} from '../../../../shared/domain/calendar/slots.ts';
import { overlaps } from '../../../../shared/domain/calendar/spans.ts';
import type { Staff } from '../../../../shared/domain/calendar/work-calendar.ts';
import type { Booked } from '../../../../shared/ledger/index.ts';

const minute = 60_000;
const day = 1440 * minute;

const workday = [{ from: '08:00', to: '17:00' }];
const week = {
  monday: workday,
  tuesday: workday,
  wednesday: workday,
  thursday: workday,
  friday: workday,
};
const adelaide: Hours = {
  timeZone: 'Australia/Adelaide',
  openingHours: week,
  holidays: [{ date: '2026-12-25', name: 'Christmas Day', hours: [] }],
};
const hourly: Job = {
  duration: 60,
  durationUnit: 'MINUTES',
  bufferBefore: 0,
  bufferAfter: 0,
  leastNotice: 0,
  furthestDay: 90,
};
const ana: Staff = { number: 1, userId: 'user_ana', schedule: { workingHours: noHours, daysOff: [] } };
const ben: Staff = {
  number: 2,
  userId: 'user_ben',
  schedule: {
    workingHours: { ...noHours, monday: [{ from: '07:00', to: '10:10' }] },
    daysOff: [{ from: '2026-12-14', to: '2026-12-14', reason: '' }],
  },
};
const at = (local: string) => Date.parse(`${local}+10:30`);
const range: SlotRange = {
  from: at('2026-12-07T00:00'),
  to: at('2026-12-08T00:00'),
  now: at('2026-12-01T00:00'),
  limit: 1000,
};
const booking = (start: string, end: string, members: number[], number = 1): Booked => ({
  number,
  start: new Date(at(start)).toISOString(),
  end: new Date(at(end)).toISOString(),
  bufferBefore: 0,
  bufferAfter: 0,
  members,
});
/** The local times of slots on one day, with who is free. */
const told = (slots: ReturnType<typeof slotsOf>) =>
  slots.map(({ start, userIds }) => {
    const local = new Date(localTimeIn('Australia/Adelaide', Date.parse(start))).toISOString();
    return `${local.slice(11, 16)} ${userIds.map((id) => id.slice(5, 6)).join('')}`;
  });

test.each<[string, Partial<Job>, Staff[], Booked[], Partial<SlotRange>, string[]]>([
  [
    'are at full half hours',
    { duration: 3, durationUnit: 'HOURS' },
    [ana],
    [booking('2026-12-07T08:00', '2026-12-07T12:00', [1])],
    {},
    ['12:00 a', '12:30 a', '13:00 a', '13:30 a', '14:00 a'],
  ],
  [
    'begin where time is free, at five full minutes, and at quarters of an hour if short',
    { duration: 20 },
    [ana],
    [
      booking('2026-12-07T08:00', '2026-12-07T08:07', [1]),
      booking('2026-12-07T09:00', '2026-12-07T16:32', [1]),
    ],
    {},
    ['08:10 a', '08:15 a', '08:30 a', '16:35 a'],
  ],
  [
    'begin at once where five minutes more do not fit',
    {},
    [ana],
    [
      booking('2026-12-07T08:00', '2026-12-07T09:01', [1]),
      booking('2026-12-07T10:01', '2026-12-07T17:00', [1]),
    ],
    {},
    ['09:01 a'],
  ],
  [
    'name all who are free, whoever is proposed first',
    {},
    [ben, ana],
    [booking('2026-12-07T09:15', '2026-12-07T16:00', [1])],
    {},
    ['08:00 ba', '08:30 b', '09:00 b', '16:00 a'],
  ],
  [
    'keep the buffers of the service and of what is booked free, which may reach out of the hours',
    { duration: 7, durationUnit: 'HOURS', bufferBefore: 30, bufferAfter: 30 },
    [ana],
    [{ ...booking('2026-12-07T06:00', '2026-12-07T08:45', [1]), bufferAfter: 15 }],
    {},
    ['09:30 a', '10:00 a'],
  ],
])('slots %s', (_, job, staff, booked, more, expected) => {
  const slots = slotsOf(adelaide, { ...hourly, ...job }, staff, booked, { ...range, ...more });
  expect(told(slots)).toEqual(expected);
});

const local = (time: number) =>
  Number.isFinite(time) ? new Date(localTimeIn('Australia/Adelaide', time)).toISOString().slice(0, 16) : '';

test.each<[string, number, Staff[], string, string]>([
  ['by the opening hours without a member', 2, [], '2026-12-04T16:00', '2026-12-07T17:00'],
  ['from the next day after the hours', 1, [], '2026-12-04T18:00', '2026-12-07T17:00'],
  ['over a holiday', 2, [ana], '2026-12-24T08:00', '2026-12-28T17:00'],
  ['of whoever takes longest', 2, [ana, ben], '2026-12-07T08:00', '2026-12-14T10:10'],
  ['never, within two weeks', 3, [ben], '2026-12-07T08:00', ''],
])('a job of days ends %s', (_, duration, staff, start, end) => {
  expect(local(endOf(adelaide, { duration, durationUnit: 'DAYS' }, staff, at(start)))).toBe(end);
});

test.each([
  [14 * 24, 1],
  [14 * 24 + 1, 0],
])('a job of %i hours has %i slots', (duration, count) => {
  const job: Job = { ...hourly, duration, durationUnit: 'HOURS' };
  const more = { to: range.from + 30 * day, limit: 1 };
  expect(slotsOf({ ...adelaide, openingHours: {} }, job, [ana], [], { ...range, ...more })).toHaveLength(
    count,
  );
});

test.each([
  ['2026-12-08T09:00', 'Tuesday the 8th of December at 9 in the morning'],
  ['2027-01-01T00:00', 'Friday the 1st of January at midnight'],
  ['2027-02-22T12:00', 'Monday the 22nd of February at noon'],
  ['2027-03-03T14:30', 'Wednesday the 3rd of March at 2:30 in the afternoon'],
  ['2027-04-11T18:05', 'Sunday the 11th of April at 6:05 in the evening'],
  ['2027-05-31T00:30', 'Monday the 31st of May at 12:30 in the morning'],
])('%s is said: %s', (time, said) => {
  expect(say('UTC', Date.parse(`${time}Z`))).toBe(said);
});

const back = 'Sunday the 4th of April at';
test.each([
  ['Australia/Sydney', '2027-04-03T14:30Z', `${back} 1:30 in the morning`],
  ['Australia/Sydney', '2027-04-03T15:00Z', `${back} 2 in the morning, before the clocks go back`], // reported
  ['Australia/Sydney', '2027-04-03T15:59Z', `${back} 2:59 in the morning, before the clocks go back`],
  ['Australia/Sydney', '2027-04-03T16:00Z', `${back} 2 in the morning, after the clocks go back`], // reported
  ['Australia/Sydney', '2027-04-03T17:00Z', `${back} 3 in the morning`],
  ['Australia/Lord_Howe', '2027-04-03T14:30Z', `${back} 1:30 in the morning, before the clocks go back`],
  ['Australia/Lord_Howe', '2027-04-03T15:00Z', `${back} 1:30 in the morning, after the clocks go back`],
  ['Australia/Sydney', '2027-10-02T16:00Z', 'Sunday the 3rd of October at 3 in the morning'],
])('in %s, %s is said: %s', (timeZone, time, said) => {
  expect(say(timeZone, Date.parse(time))).toBe(said);
});

/** Zones, each with a date on which it changes its clock. */
const changes = [
  ...[['Australia/Adelaide', '2027-04-04'] as const, ['Australia/Adelaide', '2027-10-03'] as const],
  ...[['Australia/Lord_Howe', '2027-04-04'] as const, ['Australia/Lord_Howe', '2027-10-03'] as const],
  ...[['Pacific/Auckland', '2027-04-04'] as const, ['Europe/London', '2027-03-28'] as const],
  ...[['Europe/London', '2027-10-31'] as const, ['Asia/Kolkata', '2027-10-31'] as const],
];

const someHour = fc.integer({ min: 0, max: 24 });
const textOf = (hour: number) => `${String(hour).padStart(2, '0')}:00`;
const someRange = fc
  .tuple(fc.integer({ min: 0, max: 23 }), someHour)
  .filter(([from, to]) => from !== to)
  .map(([from, to]): TimeRange => ({ from: textOf(from), to: textOf(to) }));
const someRanges = fc.array(someRange, { maxLength: 2 });
const someWeek = fc.oneof(
  fc.constant(noHours),
  fc
    .record(Object.fromEntries(weekdays.map((each) => [each, someRanges])))
    .map((week) => ({ ...noHours, ...week })),
);
const someMembers = fc.uniqueArray(fc.constantFrom(1, 2, 3), { minLength: 1 });

/** A question for slots around a change of the clock. Times are `grain` minutes apart. */
const someQuestion = (grain: number, days: number, durationUnit: Job['durationUnit'], longest: number) => {
  const some = (max: number) =>
    fc.integer({ min: 0, max: Math.floor(max / grain) }).map((each) => each * grain);
  const [someStart, whole] = [some(days * 1440), 1440 * days];
  return fc
    .record({
      change: fc.constantFrom(...changes),
      openingHours: someWeek,
      isClosed: fc.boolean(),
      people: fc.array(fc.tuple(someWeek, fc.integer({ min: -1, max: 12 })), { minLength: 1, maxLength: 3 }),
      taken: fc.array(fc.tuple(someStart, some(600), some(60), some(60), someMembers), { maxLength: 6 }),
      duration: fc.integer({ min: 1, max: longest }),
      buffers: fc.tuple(some(60), some(60)),
      notice: some(1440),
      furthestDay: fc.integer({ min: 1, max: days + 1 }),
      from: fc.integer({ min: 0, max: 1440 * minute }),
      to: some(whole),
      limit: fc.integer({ min: 1, max: 80 }),
      together: fc.boolean(),
    })
    .map(({ change: [timeZone, date], openingHours, people, taken, buffers, from, to, ...given }) => {
      const first = timeOfLocal(timeZone, Date.parse(date) - day);
      const dateAfter = (after: number) =>
        new Date(Date.parse(date) + after * day).toISOString().slice(0, 10);
      const holidays = given.isClosed ? [{ date: dateAfter(1), name: 'Fair', hours: [] }] : [];
      const hours: Hours = { timeZone, openingHours, holidays };
      const [bufferBefore, bufferAfter] = buffers;
      const job: Job = {
        duration: given.duration,
        durationUnit,
        bufferBefore,
        bufferAfter,
        leastNotice: given.notice,
        furthestDay: given.furthestDay,
      };
      const staff = people.map(([workingHours, off], each): Staff => {
        const daysOff = off < days ? [{ from: dateAfter(off), to: dateAfter(off), reason: '' }] : [];
        return { number: each + 1, userId: `user_${each + 1}`, schedule: { workingHours, daysOff } };
      });
      const booked = taken.map(([start, length, before, after, members], each): Booked => ({
        number: each + 1,
        members,
        bufferBefore: before,
        bufferAfter: after,
        start: new Date(first + start * minute).toISOString(),
        end: new Date(first + (start + length + grain) * minute).toISOString(),
      }));
      const asked = { limit: given.limit, together: given.together, now: first + from - 60 * minute };
      return {
        hours,
        job,
        staff,
        booked,
        range: { ...asked, from: first + from, to: first + (whole - to / 2) * minute },
      };
    });
};
type Question = ReturnType<typeof someQuestion> extends fc.Arbitrary<infer Asked> ? Asked : never;

/** Ranges of the dates around a question, each by itself. */
function rangesOf(week: Hours['openingHours'], { hours, range: { from, to } }: Question, isOpening: boolean) {
  const [first, last] = [from, to].map((time) => Math.floor(localTimeIn(hours.timeZone, time) / day));
  const isAlways = isOpening && !Object.values(week).some(({ length }) => length > 0);
  const spans: [from: number, to: number][] = [];
  for (let date = first! - 2; date <= last!; date++) {
    const name = new Date(date * day).toISOString().slice(0, 10);
    const holiday = isOpening ? hours.holidays.find((one) => one.date === name) : undefined;
    const weekly = isAlways ? [{ from: '00', to: '24' }] : week[weekdays[(date + 4) % 7]!];
    for (const { from: begins, to: ends } of holiday?.hours ?? weekly ?? []) {
      const [begin, end] = [Number.parseInt(begins) * 60 * minute, Number.parseInt(ends) * 60 * minute];
      const after = end > begin ? end : end + day;
      spans.push([
        timeOfLocal(hours.timeZone, date * day + begin),
        timeOfLocal(hours.timeZone, date * day + after),
      ]);
    }
  }
  return spans;
}

/** The slots as the reference describes them, by asking each moment of the grain by itself. */
function slotsByMoment(question: Question, grain: number) {
  const { hours, job, staff, booked, range } = question;
  const [step, notice] = [grain * minute, range.now + job.leastNotice * minute];
  const earliest = Math.ceil(Math.max(range.from, notice) / step) * step;
  const isDays = job.durationUnit === 'DAYS';
  // Jobs of days count the hours of whole days.
  const [base, limit] = isDays ? [earliest - day, range.to + day] : [earliest, range.to];
  const times: number[] = [];
  for (let time = base; time + step <= limit; time += step) times.push(time);
  const isIn = (spans: (readonly [number, number])[], time: number) =>
    spans.some(([from, to]) => from <= time && time < to);
  const dateOf = (time: number) => Math.floor(localTimeIn(hours.timeZone, time) / day);
  const open = rangesOf(hours.openingHours, question, true);
  const each = staff.map(({ number, schedule: { workingHours, daysOff } }) => {
    const work = rangesOf(workingHours, question, false);
    const isAnyTime = !Object.values(workingHours).some(({ length }) => length > 0);
    const off = daysOff.map(({ from }) => Math.floor(Date.parse(from) / day));
    const taken = booked
      .filter(({ members }) => members.includes(number))
      .map(
        ({ start, end, bufferBefore, bufferAfter }) =>
          [
            Date.parse(start) - (bufferBefore + job.bufferAfter) * minute,
            Date.parse(end) + (bufferAfter + job.bufferBefore) * minute,
          ] as const,
      );
    const works = times.map((time) => isIn(open, time) && (isAnyTime || isIn(work, time)));
    const isFree = times.map((time) => !off.includes(dateOf(time)) && !isIn(taken, time));
    return { works, isFree };
  });
  const teams = range.together ? [staff.map((_, at) => at)] : staff.map((_, at) => [at]);
  const today = dateOf(range.now);
  const length = (job.duration * (job.durationUnit === 'HOURS' ? 60 : 1)) / grain;
  const all = (team: number[], test: (member: number) => boolean) => team.every(test);
  const daysOf = (is: (at: number) => boolean) => {
    const days = new Map<number, [first: number, last: number]>();
    times.forEach((time, at) => {
      if (is(at)) days.set(dateOf(time), [days.get(dateOf(time))?.[0] ?? at, at + 1]);
    });
    return [...days.values()];
  };
  const found = teams.map((team) => {
    const [can, is] = [
      (at: number) => all(team, (member) => each[member]!.works[at]!),
      (at: number) => all(team, (member) => each[member]!.isFree[at]!),
    ];
    const isWhole = (from: number, to: number) =>
      times.slice(from, to).every((_, at) => is(from + at) && (isDays || can(from + at))) &&
      to <= times.length;
    const spans: [from: number, to: number][] = [];
    if (isDays)
      for (const [first] of daysOf(can)) {
        const ends = team.map(
          (member) =>
            daysOf((at) => each[member]!.works[at]!).filter(([, end]) => end > first)[job.duration - 1]?.[1],
        );
        const end = Math.max(...ends.map((one) => one ?? Infinity));
        if (times[first]! >= earliest && base + end * step <= range.to && isWhole(first, end))
          spans.push([first, end]);
      }
    else {
      let begin = 0;
      for (let at = 0; at < times.length; at++) {
        if (!can(at) || !is(at)) begin = at + 1;
        if (!isWhole(at, at + length)) continue;
        const isOn = (time: number, minutes: number) =>
          localTimeIn(hours.timeZone, time) % (minutes * minute) === 0;
        let rounded = begin;
        while (!isOn(base + rounded * step, 5)) rounded++;
        const first = isWhole(rounded, rounded + length) ? rounded : begin;
        const isMark = isOn(times[at]!, length * grain < 30 ? 15 : 30);
        if (at === first || (at > first && isMark)) spans.push([at, at + length]);
      }
    }
    return {
      team,
      spans: spans.filter(([from]) => dateOf(times[from]!) <= today + job.furthestDay),
      isWhole,
    };
  });
  return [...new Set(found.flatMap(({ spans }) => spans.map((span) => span.join())))]
    .map((text) => text.split(',').map(Number) as [number, number])
    .sort(([one, end], [other, otherEnd]) => one - other || end - otherEnd)
    .slice(0, range.limit)
    .map(([from, to]) => ({
      start: new Date(base + from * step).toISOString(),
      end: new Date(base + to * step).toISOString(),
      userIds: found.flatMap(({ team, spans, isWhole }) =>
        (isDays ? spans.some(([one, other]) => one === from && other === to) : isWhole(from, to))
          ? team.map((member) => staff[member]!.userId)
          : [],
      ),
    }));
}

test.each<[Job['durationUnit'], number, number, number]>([
  ['MINUTES', 1, 2, 300],
  ['HOURS', 5, 3, 10],
  ['DAYS', 30, 9, 4],
])(
  'slots of %s are those found by asking each moment, also where the clock changes',
  (unit, grain, days, most) => {
    let count = 0;
    const property = fc.property(someQuestion(grain, days, unit, most), (question) => {
      const { hours, job, staff, booked, range } = question;
      const slots = slotsOf(hours, job, staff, booked, range);
      expect(slots.map(({ start, end, userIds }) => ({ start, end, userIds }))).toEqual(
        slotsByMoment(question, grain),
      );
      count += slots.length;
      for (const { start, end, userIds } of slots) {
        const asked = staff.filter(({ userId }) => userIds.includes(userId));
        const members = asked.map(({ number }) => number);
        const span = spanOf({ ...job, start, end, members });
        const others = booked.filter((one) => one.members.some((member) => members.includes(member)));
        expect(others.filter((one) => overlaps(span, spanOf(one)))).toEqual([]);
        expect(endOf(hours, job, asked, Date.parse(start))).toBe(Date.parse(end));
      }
    });
    fc.assert(property, { seed: 20261124, numRuns: 20 });
    expect(count).toBeGreaterThan(20);
  },
);
