/**
 * Time zone of the week. The zone is half an hour off whole hours, and its clocks go forward on the Sunday,
 * from 2:00 to 3:00. The dates are computed here by hand, independently of the service's code.
 */
export const timeZone = 'Australia/Adelaide';

const dates = {
  'Sun before': '2026-09-27',
  Mon: '2026-09-28',
  Tue: '2026-09-29',
  Wed: '2026-09-30',
  Thu: '2026-10-01',
  Fri: '2026-10-02',
  Sat: '2026-10-03',
  Sun: '2026-10-04',
  'Mon after': '2026-10-05',
  'Tue after': '2026-10-06',
} as const;
export type Day = keyof typeof dates;

const hour = 3_600_000;
const clocksGoForward = Date.parse('2026-10-03T16:30:00Z');
const offsetAt = (time: number) => (time < clocksGoForward ? 9.5 : 10.5) * hour;

/** Epoch milliseconds of a local time such as `09:20`. */
export function timeOf(day: Day, time: string): number {
  const seconds = time.length === 5 ? ':00' : '';
  const inWinter = Date.parse(`${dates[day]}T${time}${seconds}+09:30`);
  return inWinter < clocksGoForward ? inWinter : inWinter - hour;
}

/** Local time of an instant: `Mon 09:20`. */
export function wallClock(instant: string): string {
  const at = Date.parse(instant);
  const [date, time = ''] = new Date(at + offsetAt(at)).toISOString().split('T');
  const [day = date] = Object.entries(dates).find(([, other]) => other === date) ?? [];
  return `${day ?? ''} ${time.slice(0, 5)}`;
}
