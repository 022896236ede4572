import type { Fields } from '../same.ts';

/**
 * Statuses of leads. A day counts the changes to each status in this order (`docs/reference/enumerations.md`").
 */
export const leadStatuses = ['pending', 'active', 'quoted', 'won', 'lost', 'archived'] as const;
type LeadStatus = (typeof leadStatuses)[number];

/** Number of days that are counted. */
const keptDays = 31;

/** Dates by time zone and quarter of an hour. No day begins within a quarter. */
const dates = new Map<string, string>();

/** Date in a time zone. The Swedish format is the format of ISO 8601. */
export function dateIn(timeZone: string, time: number): string {
  const name = `${timeZone} ${Math.floor(time / 900_000)}`;
  const date =
    dates.get(name) ?? new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(time);
  dates.set(name, date);
  return date;
}

const dayBefore = (date: string, days = 1) =>
  new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10);

const laterOf = (one: string, other: string) => (one > other ? one : other);

/** Counts of a day, by what happened. */
type Counts = Partial<Record<'created' | LeadStatus, number>>;

/** Meaning of each number of a day. */
const columns = ['created', ...leadStatuses] as const;

/** Counts by date, the newest first. */
function daysOf({ newest, days }: Fields): Map<string, Counts> {
  let date = String(newest);
  const counts = new Map<string, Counts>();
  for (const row of String(days).split(' ')) {
    const numbers = row.split(',').map((digits) => parseInt(digits || '0', 36));
    counts.set(date, Object.fromEntries(numbers.map((count, at) => [columns[at], count])) as Counts);
    date = dayBefore(date);
  }
  return counts;
}

/** Sums of the counts of all days, by what happened; none for a pipeline that is not there. */
export function totalsOf(pipeline: Fields | undefined): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const counts of pipeline ? daysOf(pipeline).values() : [])
    for (const [name, count] of Object.entries(counts)) totals[name] = (totals[name] ?? 0) + count;
  return totals;
}

/** Counts of the last days up to `today`, or up to a later date of another time zone. */
export function daysIn(pipeline: Fields, today: string): (Counts & { date: string })[] {
  const days = daysOf(pipeline);
  const newest = laterOf(today, String(pipeline['newest']));
  return Array.from({ length: keptDays }, (_, at) => {
    const date = dayBefore(newest, at);
    return { date, ...days.get(date) };
  });
}

/** Number of changes of a day to each status. */
export const movedTo = (counts: Counts): Counts =>
  Object.fromEntries(leadStatuses.map((status) => [status, counts[status] ?? 0]));
