import { invalid } from '../../core/failure.ts';
import { localTimeIn } from '../../core/local-time.ts';
import { day, minute, type Hours } from '../calendar/hours.ts';
import { say } from '../calendar/say.ts';
import { endOf, maxLength, type Job } from '../calendar/slots.ts';
import type { Staff } from '../calendar/work-calendar.ts';

/** Job of an appointment without a service, except its duration. The appointment may begin in any year. */
export const plainJob = { bufferBefore: 0, bufferAfter: 0, leastNotice: 0, furthestDay: 366_000 } as const;

/** @throws Failure `invalid` for an end that is not after the start, or more than `maxLength` after it */
export function checkTimes(start: string, end: string): void {
  const milliseconds = Date.parse(end) - Date.parse(start);
  if (milliseconds <= 0) throw invalid([{ field: 'end', message: 'must be after start' }]);
  if (milliseconds > maxLength) throw tooLong();
}

const tooLong = () => invalid([{ field: 'end', message: 'must be at most 14 days after start' }]);

/** Clause that tells a client the time now, with its year: models mistake years. */
export function nowIn({ timeZone }: Pick<Hours, 'timeZone'>, now: number): string {
  return `it is ${say(timeZone, now)} now, in ${new Date(localTimeIn(timeZone, now)).getUTCFullYear()}`;
}

/**
 * Refuses a start more than a day in the past: somebody has mistaken the year or the month.
 * @param now epoch milliseconds
 * @throws Failure `invalid`
 */
export function refusePast(start: string, hours: Pick<Hours, 'timeZone'>, now: number): void {
  if (Date.parse(start) >= now - day) return;
  throw invalid([
    { field: 'start', message: `must not be more than a day in the past: ${nowIn(hours, now)}` },
  ]);
}

/** Duration of an appointment. */
const durationBetween = (start: string, end: string): Pick<Job, 'duration' | 'durationUnit'> => ({
  duration: (Date.parse(end) - Date.parse(start)) / minute,
  durationUnit: 'MINUTES',
});

/**
 * End of a service that begins at `start`. The end of a service in days depends on the attendees' schedules.
 * @throws Failure `invalid` if that takes more than `maxLength`
 */
export function endOfService(
  service: Pick<Job, 'duration' | 'durationUnit'>,
  start: string,
  hours: Hours,
  staff: readonly Staff[],
): string {
  const end = endOf(hours, service, staff, Date.parse(start));
  if (!Number.isFinite(end))
    throw invalid([
      { field: 'tradeServiceId', message: 'names a service that takes more than 14 days from start' },
    ]);
  return new Date(end).toISOString();
}

/** Job of an appointment: its service, as long as the appointment takes. A service in days takes its days. */
export const jobOf = (service: Job | undefined, { start, end }: { start: string; end: string }): Job =>
  service?.durationUnit === 'DAYS' ? service : { ...plainJob, ...service, ...durationBetween(start, end) };
