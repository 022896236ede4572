import type { Service } from '../../contract/services.ts';
import type { Slot } from '../../contract/slot.ts';
import { localTimeIn, timeOfLocal } from '../../core/local-time.ts';
import type { Booked, Booking } from '../../ledger/index.ts';
import { day, dayOf, minute, type Hours } from './hours.ts';
import { say } from './say.ts';
import { common, contains, isSame, overlaps, without, type Span } from './spans.ts';
import { daysOffOf, WorkCalendar, type Staff } from './work-calendar.ts';

/** Work to be done in an appointment, as a service describes it. */
export interface Job {
  duration: number;
  durationUnit: Service['durationUnit'];
  /** Minutes that are kept free before it. */
  bufferBefore: number;
  /** Minutes that are kept free after it. */
  bufferAfter: number;
  /** Minutes from now to its earliest start. */
  leastNotice: number;
  /** Number of days from today to the last day when the job may begin. */
  furthestDay: number;
}

/** Times, in epoch milliseconds, between which slots are searched. */
export interface SlotRange {
  from: number;
  to: number;
  now: number;
  /** Maximum number of slots. */
  limit: number;
  /** True if all staff must be free at once. */
  together?: boolean;
}

/** Maximum length of an appointment in milliseconds: 14 days. */
export const maxLength = 14 * day;

/** Time that a booking takes, its buffers included. */
export const spanOf = ({ start, end, bufferBefore, bufferAfter }: Booking): Span => [
  Date.parse(start) - bufferBefore * minute,
  Date.parse(end) + bufferAfter * minute,
];

/**
 * Slots of a job in order: docs/reference/appointments.md, Availability. `staff` are in the order of their proposal.
 */
export function slotsOf(
  hours: Hours,
  job: Job,
  staff: readonly Staff[],
  booked: readonly Booked[],
  { from, to, now, limit, together = false }: SlotRange,
): Slot[] {
  const [soonest, latest] = startsOf(hours, job, now);
  const earliest = Math.max(Math.ceil(from / minute) * minute, soonest);
  if (earliest >= to) return [];
  const calendar = new WorkCalendar(hours, [earliest, to]);
  const teams = (together ? [staff] : staff.map((one) => [one])).map((team) => ({
    userIds: team.map(({ userId }) => userId),
    free: freeSpans(calendar, job, team, { booked, within: [earliest, to] }),
  }));
  const isDays = job.durationUnit === 'DAYS';
  // The end of a job in days depends on the team's hours, so a slot must be the whole span.
  const hasRoom = isDays ? isSame : contains;
  const spans = teams.flatMap(({ free }) =>
    free
      .flatMap((span) => (isDays ? [span] : spansIn(span, job, hours.timeZone)))
      .filter(([start]) => start < latest)
      .slice(0, limit),
  );
  return [...new Map(spans.map((span) => [span.join(), span])).values()]
    .sort(([start, end], [otherStart, otherEnd]) => start - otherStart || end - otherEnd)
    .slice(0, limit)
    .map((slot) => ({
      start: new Date(slot[0]).toISOString(),
      end: new Date(slot[1]).toISOString(),
      userIds: teams.flatMap(({ userIds, free }) =>
        free.some((span) => hasRoom(span, slot)) ? userIds : [],
      ),
      say: say(hours.timeZone, slot[0]),
    }));
}

/** The earliest start of a job by its notice, a full minute, and the end of its furthest day. */
export function startsOf(
  { timeZone }: Pick<Hours, 'timeZone'>,
  { leastNotice, furthestDay }: Pick<Job, 'leastNotice' | 'furthestDay'>,
  now: number,
): Span {
  const today = dayOf(localTimeIn(timeZone, now));
  return [
    Math.ceil((now + leastNotice * minute) / minute) * minute,
    timeOfLocal(timeZone, (today + furthestDay + 1) * day),
  ];
}

/** True if the hours allow a team to do a job at a time, whatever else they do then. */
export function isInHours(hours: Hours, job: Job, team: readonly Staff[], span: Span): boolean {
  const calendar = new WorkCalendar(hours, [span[0], span[0] + maxLength]);
  const hasRoom = job.durationUnit === 'DAYS' ? isSame : contains;
  return spansInHours(calendar, job, team).some((each) => hasRoom(each, span));
}

/** Spans when the hours allow a team to do a job. For a job in days, each span is one whole job. */
function spansInHours(calendar: WorkCalendar, job: Job, team: readonly Staff[]): readonly Span[] {
  const hours = calendar.hoursOf(team);
  if (job.durationUnit !== 'DAYS') return hours;
  return calendar.workingDays(hours).map(([start]) => [start, endIn(calendar, job, team, start)]);
}

/** Spans when a team can do a job. For a job in days, each span is one whole job; for any other job, all free time. */
function freeSpans(
  calendar: WorkCalendar,
  job: Job,
  team: readonly Staff[],
  { booked, within }: { booked: readonly Booked[]; within: Span },
): Span[] {
  const numbers = new Set(team.map(({ number }) => number));
  const taken = booked
    .filter(({ members }) => members.some((member) => numbers.has(member)))
    .map(spanOf)
    .map(([from, to]): Span => [from - job.bufferAfter * minute, to + job.bufferBefore * minute])
    .concat(team.flatMap(({ schedule }) => daysOffOf(schedule, calendar.timeAt)));
  const spans = spansInHours(calendar, job, team);
  if (job.durationUnit !== 'DAYS') return without(common(spans, [within]), taken);
  return spans.filter((span) => contains(within, span) && !taken.some((other) => overlaps(span, other)));
}

/**
 * Spans of a job in free time. The first begins with the free time, rounded up to five minutes if the job then still
 * fits. The others begin at each full half hour of local time, or quarter of an hour for a job shorter than 30 minutes.
 */
function spansIn([from, to]: Span, job: Job, timeZone: string): Span[] {
  const length = durationOf(job);
  // One offset is enough: no change of the clock moves the half hours.
  const ahead = localTimeIn(timeZone, from) - from;
  const atFull = (time: number, step: number) => Math.ceil((time + ahead) / step) * step - ahead;
  const rounded = atFull(from, 5 * minute);
  const first = rounded + length <= to ? rounded : from;
  const step = (length < 30 * minute ? 15 : 30) * minute;
  const spans: Span[] = [];
  for (let start = first; start + length <= to && length <= maxLength; start = atFull(start + minute, step))
    spans.push([start, start + length]);
  return spans;
}

/**
 * End of a job that begins at `start`, in epoch milliseconds. A job in days ends with its last working day. The member
 * who takes longest decides, or the opening hours if there is no member. Infinity if a job in days takes more than
 * `maxLength`.
 */
export function endOf(
  hours: Hours,
  job: Pick<Job, 'duration' | 'durationUnit'>,
  staff: readonly Staff[],
  start: number,
): number {
  return endIn(new WorkCalendar(hours, [start, start + maxLength]), job, staff, start);
}

function endIn(
  calendar: WorkCalendar,
  job: Pick<Job, 'duration' | 'durationUnit'>,
  staff: readonly Staff[],
  start: number,
): number {
  if (job.durationUnit !== 'DAYS') return start + durationOf(job);
  const ends = (staff.length > 0 ? staff.map((one) => [one]) : [[]])
    .map((each) => calendar.workingDays(calendar.hoursOf(each)))
    .map((days) => days.filter(([, end]) => end > start)[job.duration - 1]?.[1] ?? Infinity);
  const end = Math.max(...ends);
  return end - start > maxLength ? Infinity : end;
}

/** Length of a job in minutes or hours, in milliseconds: a change of the clock does not change the length. */
const durationOf = ({ duration, durationUnit }: Pick<Job, 'duration' | 'durationUnit'>): number =>
  duration * (durationUnit === 'HOURS' ? 60 : 1) * minute;
