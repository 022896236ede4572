import {
  weekdays,
  type Holiday,
  type OpenState,
  type TimeFormat,
  type TimeRange,
  type WeekHours,
} from '../../contract/opening-hours.ts';
import { localTimeIn, timeOfLocal } from '../../core/time-zones.ts';

/** Settings that say when an organization is open. */
export interface Hours {
  timeZone: string;
  timeFormat: TimeFormat;
  openingHours: Partial<WeekHours>;
  holidays: readonly Holiday[];
  onCallHours: Partial<WeekHours>;
}

/** Begin and end of a span of time in milliseconds: local ones, or since the epoch. The end is not part of it. */
type Span = readonly [from: number, to: number];

/** The ranges that begin on a day, counted from 1 January 1970. */
type RangesOn = (day: number) => readonly TimeRange[];

const minute = 60_000;
const day = 24 * 60 * minute;

/** Numbers of days ahead that are searched for a change, one after the other: usually it is near. */
const searched = [1, 15, 120, 366] as const;

/** Hours of an organization that never gave any: a lead must not be lost for lack of a setting. */
const always: readonly TimeRange[] = [{ from: '00:00', to: '24:00' }];

/**
 * State of an organization at a time, in epoch milliseconds from 1970 on. The ends of its hours are local times:
 * `timeOfLocal` says how they are read when the clock changes. Ranges that touch or overlap are one.
 */
export function openStateAt(hours: Hours, at: number): OpenState {
  const { timeZone, openingHours, holidays, onCallHours } = hours;
  const today = dayOf(localTimeIn(timeZone, at));
  const byDay = new Map(holidays.map((holiday) => [dayOf(Date.parse(holiday.date)), holiday]));
  const isGiven = Object.values(openingHours).some((ranges) => ranges.length > 0);
  const weekly: RangesOn = isGiven ? (each) => rangesOf(openingHours, each) : () => always;
  const openOn: RangesOn = (each) => byDay.get(each)?.hours ?? weekly(each);
  const onCallOn: RangesOn = (each) => rangesOf(onCallHours, each);
  const holiday = byDay.get(today);
  const { isOpen, until } = stateAt(timeZone, openOn, at);
  return {
    at: new Date(at).toISOString(),
    timeZone,
    isOpen,
    isOnCall: spansOf(timeZone, onCallOn, today - 1, today + 1).some((span) => isWithin(span, at)),
    until: until === undefined ? null : new Date(until).toISOString(),
    holiday: holiday?.name ?? null,
    say: sentence({ isOpen, until, holiday, today }, hours),
  };
}

const dayOf = (local: number): number => Math.floor(local / day);

/** 1 January 1970 was a Thursday. */
const weekdayOf = (each: number) => weekdays[(each + 4) % 7] ?? 'sunday';

const rangesOf = (week: Partial<WeekHours>, each: number): readonly TimeRange[] =>
  week[weekdayOf(each)] ?? [];

const isWithin = ([from, to]: Span, at: number): boolean => from <= at && at < to;

/** True within the spans of these ranges, and the next time at which that changes, if it is within a year. */
function stateAt(timeZone: string, on: RangesOn, at: number): { isOpen: boolean; until?: number } {
  const today = dayOf(localTimeIn(timeZone, at));
  let isOpen = false;
  for (const days of searched) {
    // A day more, as a span that ends with the last day may go on.
    const end = today + days + 1;
    const next = spansOf(timeZone, on, today - 1, end).find(([, to]) => to > at);
    isOpen = next !== undefined && isWithin(next, at);
    const until = next?.[isOpen ? 1 : 0];
    if (until !== undefined && until < timeOfLocal(timeZone, end * day)) return { isOpen, until };
  }
  return { isOpen };
}

/** Spans of the ranges that begin on some days, in order and apart. */
function spansOf(timeZone: string, on: RangesOn, first: number, last: number): Span[] {
  const local: Span[] = [];
  for (let each = first; each <= last; each++) {
    for (const { from, to } of on(each)) {
      const [begin, end] = [each * day + timeOf(from), each * day + timeOf(to)];
      local.push([begin, end > begin ? end : end + day]);
    }
  }
  // Joined before they are read as times, so that only the ends of an opening count, and after it.
  const spans = joined(local).map(([from, to]): Span => [
    timeOfLocal(timeZone, from),
    timeOfLocal(timeZone, to),
  ]);
  return joined(spans.filter(([from, to]) => from < to));
}

/** Milliseconds from midnight to a time such as `08:00`. */
const timeOf = (text: string): number => (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * minute;

/** Spans in order, with those that touch or overlap joined. */
function joined(spans: Span[]): Span[] {
  const apart: Span[] = [];
  for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
    const last = apart.at(-1);
    if (last && from <= last[1]) apart[apart.length - 1] = [last[0], Math.max(last[1], to)];
    else apart.push([from, to]);
  }
  return apart;
}

interface Said {
  isOpen: boolean;
  until?: number | undefined;
  holiday: Holiday | undefined;
  today: number;
}

function sentence({ isOpen, until, holiday, today }: Said, { timeZone, timeFormat }: Hours): string {
  const state = isOpen ? 'Open' : 'Closed';
  if (until === undefined) return isOpen ? 'Open around the clock' : 'Closed until further notice';
  const isForHoliday = !isOpen && holiday?.hours.length === 0;
  const reason = isForHoliday ? ` for ${holiday.name}` : '';
  return `${state}${reason} until ${momentOf(localTimeIn(timeZone, until), today, timeFormat)}`;
}

/** A local time as people say it on a day: `5 pm`, or `8 am on Monday, 30 November`. */
function momentOf(local: number, today: number, timeFormat: TimeFormat): string {
  const on = dayOf(local);
  if (local === (today + 1) * day) return 'midnight';
  const time = clockTime(local, timeFormat);
  if (on === today) return time;
  const weekday = weekdayOf(on);
  const date = new Date(local);
  const named = weekday.charAt(0).toUpperCase() + weekday.slice(1);
  const month = date.toLocaleString('en', { month: 'long', timeZone: 'UTC' });
  return `${time} on ${named}, ${date.getUTCDate()} ${month}`;
}

function clockTime(local: number, timeFormat: TimeFormat): string {
  const time = new Date(local).toISOString().slice(11, 16);
  if (timeFormat === '24h') return time;
  const [hour, minutes] = [Number(time.slice(0, 2)), time.slice(3)];
  const past = minutes === '00' ? '' : `:${minutes}`;
  return `${hour % 12 || 12}${past} ${hour < 12 ? 'am' : 'pm'}`;
}
