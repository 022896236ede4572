import { timeOfLocal } from '../../core/local-time.ts';
import { day } from './hours.ts';

/**
 * The time, in epoch milliseconds, of a moment that a client gave: of a time as it is, of a local date its beginning,
 * or its end if it ends a range.
 */
export function timeOfMoment(moment: string, timeZone: string, { isEnd = false } = {}): number {
  const local = Date.parse(moment);
  return moment.length > 'YYYY-MM-DD'.length ? local : timeOfLocal(timeZone, isEnd ? local + day : local);
}
