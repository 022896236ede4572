import type { Holiday, OpenState, TimeFormat, WeekHours } from '../../contract/opening-hours.ts';
import { localTimeIn } from '../../core/local-time.ts';
import {
  day,
  dayOf,
  daysSearched,
  localTimeReader,
  opensOn,
  rangesOf,
  spansOf,
  type Hours,
  type RangesOn,
} from '../calendar/hours.ts';
import { sayDate, sayRepeat } from '../calendar/say.ts';
import type { Span } from '../calendar/spans.ts';

/** Settings that say when an organization is open or on call, and how times are said. */
export interface SaidHours extends Hours {
  timeFormat: TimeFormat;
  onCallHours: Partial<WeekHours>;
}

/**
 * State of an organization at a time, in epoch milliseconds from 1970 on. The ends of its hours are local times:
 * `timeOfLocal` says how they are read when the clock changes. Ranges that touch or overlap are joined.
 */
export function openStateAt(hours: SaidHours, at: number): OpenState {
  const { timeZone, holidays, onCallHours } = hours;
  const timeAt = localTimeReader(timeZone);
  const today = dayOf(localTimeIn(timeZone, at));
  const holiday = holidays.find(({ date }) => dayOf(Date.parse(date)) === today);
  const onCall = spansOf(timeAt, rangesOf(onCallHours), today - 1, today + 1);
  const { isOpen, until } = stateAt(timeAt, opensOn(hours), { at, today });
  return {
    at: new Date(at).toISOString(),
    timeZone,
    isOpen,
    isOnCall: onCall.some((span) => isWithin(span, at)),
    until: until === undefined ? null : new Date(until).toISOString(),
    holiday: holiday?.name ?? null,
    say: sentence({ isOpen, until, holiday, today }, hours),
  };
}

const isWithin = ([from, to]: Span, at: number): boolean => from <= at && at < to;

/** True within the spans of these ranges, and the next time when this changes, if that time is within a year. */
function stateAt(
  timeAt: (local: number) => number,
  on: RangesOn,
  { at, today }: { at: number; today: number },
): { isOpen: boolean; until?: number } {
  let isOpen = false;
  for (const days of daysSearched) {
    // Reads a day more, because a span that ends with the last day may go on.
    const end = today + days + 1;
    const next = spansOf(timeAt, on, today - 1, end).find(([, to]) => to > at);
    isOpen = next !== undefined && isWithin(next, at);
    const until = next?.[isOpen ? 1 : 0];
    if (until !== undefined && until < timeAt(end * day)) return { isOpen, until };
  }
  return { isOpen };
}

interface Said {
  isOpen: boolean;
  until?: number | undefined;
  holiday: Holiday | undefined;
  today: number;
}

function sentence({ isOpen, until, holiday, today }: Said, { timeZone, timeFormat }: SaidHours): string {
  const state = isOpen ? 'Open' : 'Closed';
  if (until === undefined) return isOpen ? 'Open around the clock' : 'Closed until further notice';
  const isForHoliday = !isOpen && holiday?.hours.length === 0;
  const reason = isForHoliday ? ` for ${holiday.name}` : '';
  return `${state}${reason} until ${momentOf(localTimeIn(timeZone, until), today, timeFormat)}${sayRepeat(timeZone, until)}`;
}

/** A local time as people say it on a day: `5 pm`, or `8 am on Monday, 30 November`. */
function momentOf(local: number, today: number, timeFormat: TimeFormat): string {
  const on = dayOf(local);
  if (local === (today + 1) * day) return 'midnight';
  const time = clockTime(local, timeFormat);
  if (on === today) return time;
  return `${time} on ${sayDate(local)}`;
}

function clockTime(local: number, timeFormat: TimeFormat): string {
  const time = new Date(local).toISOString().slice(11, 16);
  if (timeFormat === '24h') return time;
  const [hour, minutes] = [Number(time.slice(0, 2)), time.slice(3)];
  const past = minutes === '00' ? '' : `:${minutes}`;
  return `${hour % 12 || 12}${past} ${hour < 12 ? 'am' : 'pm'}`;
}
