import { timeOfLocal } from '../../core/local-time.ts';
import { day } from './hours.ts';

/**
 * Epoch milliseconds of a moment that a client gave. A local date means the beginning of the day, or its end with
 * `isEnd`.
 */
export function timeOfMoment(moment: string, timeZone: string, { isEnd = false } = {}): number {
  const local = Date.parse(moment);
  return moment.length > 'YYYY-MM-DD'.length ? local : timeOfLocal(timeZone, isEnd ? local + day : local);
}
