import * as v from 'valibot';
import { leadStatuses } from '../../contract/leads.ts';
import type { Collection, RecordOf } from '../../ledger/index.ts';

/**
 * One record of how many leads came in and moved per day. It owns the lists of leads by status, so that
 * their lengths are read with it.
 */
export const pipelines = {
  name: 'PIPELINE',
  label: 'pipeline',
  hasHotRecord: true,
  schema: v.object({
    id: v.number(),
    /** Whose dates the days are. */
    timeZone: v.string(),
    /** The date of the first row of `days`. */
    newest: v.string(),
    /** Counts per day: see `parseDays`. */
    days: v.string(),
  }),
} as const satisfies Collection;

/** The number of the only pipeline. */
export const pipelineNumber = 1;

export type PipelineRecord = RecordOf<typeof pipelines>;

/** Counts of one day: how many leads were created, then how many moved to each of `leadStatuses`. */
export type DayCounts = readonly number[];

/** How many days are counted. */
export const maxDays = 31;

const columns = leadStatuses.length + 1;

/**
 * The rows of `days`, newest first. Stored as short as can be, since each write stores them: rows separated by a
 * space, numbers by a comma, in base 36, a zero as nothing, and no commas at a row's end.
 */
export function parseDays(days: string): DayCounts[] {
  return days.split(' ').map((row) => {
    const numbers = row.split(',').map((digits) => (digits === '' ? 0 : Number.parseInt(digits, 36)));
    return Array.from({ length: columns }, (_, at) => numbers[at] ?? 0);
  });
}

/** The inverse of `parseDays`. */
export const formatDays = (rows: readonly DayCounts[]): string =>
  rows
    .map((row) =>
      row
        .map((count) => (count === 0 ? '' : count.toString(36)))
        .join(',')
        .replace(/,+$/, ''),
    )
    .join(' ');

const millisecondsPerDay = 86_400_000;

/** How many days a date, `YYYY-MM-DD`, is after another. */
export const daysBetween = (earlier: string, later: string): number =>
  Math.round((Date.parse(later) - Date.parse(earlier)) / millisecondsPerDay);

/** The date that many days before another. */
export const dateBefore = (date: string, days: number): string =>
  new Date(Date.parse(date) - days * millisecondsPerDay).toISOString().slice(0, 10);

/**
 * The record with one more in a column of a day's row. Newer days begin with empty rows in between; a day older than
 * `maxDays` is not counted.
 */
export function countedOn(pipeline: PipelineRecord, date: string, column: number): PipelineRecord {
  const row = daysBetween(date, pipeline.newest);
  if (row >= maxDays) return pipeline;
  const known = parseDays(pipeline.days);
  const begun = Array.from({ length: Math.min(maxDays, Math.max(0, -row)) }, () => emptyDay);
  const gap = Array.from({ length: Math.max(0, row + 1 - known.length) }, () => emptyDay);
  const rows = [...begun, ...known, ...gap].slice(0, maxDays);
  const counted = rows.map((counts, at) => (at === Math.max(0, row) ? withOneMore(counts, column) : counts));
  return { ...pipeline, newest: row < 0 ? date : pipeline.newest, days: formatDays(counted) };
}

/**
 * The last `maxDays` days, newest first. They end today, or later where a day was counted that is not yet: after a change
 * of time zone, or by a clock that is ahead.
 */
export function daysUpTo(
  today: string,
  { newest, days }: Pick<PipelineRecord, 'newest' | 'days'>,
): { date: string; counts: DayCounts }[] {
  const ahead = Math.max(0, daysBetween(newest, today));
  const last = ahead > 0 ? today : newest;
  const rows = parseDays(days);
  return Array.from({ length: maxDays }, (_, at) => ({
    date: dateBefore(last, at),
    counts: rows[at - ahead] ?? emptyDay,
  }));
}

/** A day on which nothing happened. */
export const emptyDay: DayCounts = Array.from({ length: columns }, () => 0);

const withOneMore = (counts: DayCounts, column: number): DayCounts =>
  counts.map((count, at) => (at === column ? count + 1 : count));
