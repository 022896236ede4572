import { weekdays, type Holiday, type TimeRange, type WeekHours } from '../../contract/opening-hours.ts';
import { timeOfLocal } from '../../core/local-time.ts';
import { joined, type Span } from './spans.ts';

/** Settings that say when an organization is open. */
export interface Hours {
  timeZone: string;
  openingHours: Partial<WeekHours>;
  holidays: readonly Holiday[];
}

/** The ranges that begin on a day, counted from 1 January 1970. */
export type RangesOn = (day: number) => readonly TimeRange[];

export const minute = 60_000;
export const day = 24 * 60 * minute;

/** Numbers of days ahead to search for a time, in turn until it is found: most times are near. */
export const daysSearched = [1, 15, 120, 366] as const;

/** Hours of an organization that has set none: a missing setting must not lose a lead. */
const always: readonly TimeRange[] = [{ from: '00:00', to: '24:00' }];

export const dayOf = (local: number): number => Math.floor(local / day);

/** 1 January 1970 was a Thursday. */
export const weekdayOf = (each: number) => weekdays[(each + 4) % 7] ?? 'sunday';

/** True if a week has any hours. */
export const hasHours = (week: Partial<WeekHours>): boolean =>
  Object.values(week).some((ranges) => ranges.length > 0);

export const rangesOf =
  (week: Partial<WeekHours>): RangesOn =>
  (each) =>
    week[weekdayOf(each)] ?? [];

/** Opening hours on a day: the holiday's, otherwise the weekday's. */
export function opensOn({ openingHours, holidays }: Hours): RangesOn {
  const ofHolidays = new Map(holidays.map(({ date, hours }) => [dayOf(Date.parse(date)), hours]));
  const weekly: RangesOn = hasHours(openingHours) ? rangesOf(openingHours) : () => always;
  return (each) => ofHolidays.get(each) ?? weekly(each);
}

/** Reads local times as `timeOfLocal` does, each only once: many people of an organization begin and end together. */
export function localTimeReader(timeZone: string): (local: number) => number {
  const known = new Map<number, number>();
  return (local) => {
    const time = known.get(local) ?? timeOfLocal(timeZone, local);
    known.set(local, time);
    return time;
  };
}

/** Spans of the ranges that begin on some days, in order and apart. `timeAt` is a `localTimeReader`. */
export function spansOf(
  timeAt: (local: number) => number,
  on: RangesOn,
  first: number,
  last: number,
): Span[] {
  const local: Span[] = [];
  for (let each = first; each <= last; each++) {
    for (const { from, to } of on(each)) {
      const [begin, end] = [each * day + timeOf(from), each * day + timeOf(to)];
      local.push([begin, end > begin ? end : end + day]);
    }
  }
  // Joined twice: as local times, so that only the ends of an opening are converted, and after the conversion.
  const spans = joined(local).map(([from, to]): Span => [timeAt(from), timeAt(to)]);
  return joined(spans.filter(([from, to]) => from < to));
}

/** Milliseconds from midnight to a time such as `08:00`. */
const timeOf = (text: string): number => (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * minute;
