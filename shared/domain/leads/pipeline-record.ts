import * as v from 'valibot';
import { leadStatuses } from '../../contract/leads.ts';
import type { Collection, RecordOf } from '../../ledger/index.ts';

/**
 * The one record that counts leads per day: created, and moved to each status. It owns the lists of leads by
 * status, so that their lengths are read with it.
 */
export const pipelines = {
  name: 'PIPELINE',
  label: 'pipeline',
  hasHotRecord: true,
  schema: v.object({
    id: v.number(),
    /** Time zone of the dates. */
    timeZone: v.string(),
    /** Date of the first row of `days`. */
    newest: v.string(),
    /** Counts per day, as `parseDays` reads them. */
    days: v.string(),
  }),
} as const satisfies Collection;

export const pipelineNumber = 1;

export type PipelineRecord = RecordOf<typeof pipelines>;

/** Counts of one day: leads created, then leads moved to each of `leadStatuses`. */
export type DayCounts = readonly number[];

/** Number of days that are counted. */
export const maxDays = 31;

const columns = leadStatuses.length + 1;

/**
 * Parses `days` into rows, newest first. Every write stores `days`, so it is short: rows are separated by a
 * space, numbers by a comma, in base 36; a zero is empty, and commas at a row's end are left out.
 */
export function parseDays(days: string): DayCounts[] {
  return days.split(' ').map((row) => {
    const numbers = row.split(',').map((digits) => (digits === '' ? 0 : Number.parseInt(digits, 36)));
    return Array.from({ length: columns }, (_, at) => numbers[at] ?? 0);
  });
}

/** Inverse of `parseDays`. */
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

/** Number of days from one date, `YYYY-MM-DD`, to a later one. */
export const daysBetween = (earlier: string, later: string): number =>
  Math.round((Date.parse(later) - Date.parse(earlier)) / millisecondsPerDay);

/** The date so many days before another. */
export const dateBefore = (date: string, days: number): string =>
  new Date(Date.parse(date) - days * millisecondsPerDay).toISOString().slice(0, 10);

/**
 * Counts one more in a column of a day's row. A newer day adds rows, empty ones for the days between. A day
 * older than `maxDays` is not counted.
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
 * The last `maxDays` days, newest first. They end today, or later if a later day was counted: after a change
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

export const emptyDay: DayCounts = Array.from({ length: columns }, () => 0);

const withOneMore = (counts: DayCounts, column: number): DayCounts =>
  counts.map((count, at) => (at === column ? count + 1 : count));
