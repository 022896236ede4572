import { localTimeIn, sideOfRepeat } from '../../core/local-time.ts';
import { dayOf, weekdayOf } from './hours.ts';

/** A local date in short, for lists: `Tuesday, 8 December`. */
export function sayDate(local: number): string {
  const { weekday, month } = namesOf(local);
  return `${weekday}, ${new Date(local).getUTCDate()} ${month}`;
}

/** Names of a local date: `Tuesday`, `December`. */
function namesOf(local: number): { weekday: string; month: string } {
  const weekday = weekdayOf(dayOf(local));
  return {
    weekday: weekday.charAt(0).toUpperCase() + weekday.slice(1),
    month: new Date(local).toLocaleString('en', { month: 'long', timeZone: 'UTC' }),
  };
}

/**
 * A time, in epoch milliseconds, to read out: `Tuesday the 8th of December at 9 in the morning`, in local time. Two
 * times that the clock shows alike are told apart.
 */
export function say(timeZone: string, time: number): string {
  const local = localTimeIn(timeZone, time);
  const { weekday, month } = namesOf(local);
  const date = new Date(local);
  return `${weekday} the ${ordinal(date.getUTCDate())} of ${month} at ${timeOfDay(date.getUTCHours(), date.getUTCMinutes())}${sayRepeat(timeZone, time)}`;
}

/** Addition to a time that the clock shows twice; empty for any other time. */
export function sayRepeat(timeZone: string, time: number): string {
  const side = sideOfRepeat(timeZone, time);
  return side === undefined ? '' : `, ${side} the clocks go back`;
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
const endings: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
const ordinal = (number: number): string => `${number}${endings[ordinals.select(number)] ?? 'th'}`;

function timeOfDay(hour: number, minutes: number): string {
  if (minutes === 0 && hour % 12 === 0) return hour === 0 ? 'midnight' : 'noon';
  const past = minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`;
  const part = hour < 12 ? 'morning' : hour < 18 ? 'afternoon' : 'evening';
  return `${hour % 12 || 12}${past} in the ${part}`;
}
