import * as v from 'valibot';
import { leadStatuses, type LeadStatus } from '../../contract/leads.ts';
import { unavailable } from '../../core/failure.ts';
import { dateIn, usualTimeZoneOf } from '../../core/time-zones.ts';
import type { Collection, RecordOf, RecordRef, Write } from '../../ledger/index.ts';

/**
 * The one record that counts leads per day: created, and moved to each status. The pipeline owns the lists of leads by
 * status, so that one read returns their lengths, too.
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

export const pipelineRef: RecordRef<typeof pipelines> = { collection: pipelines, number: pipelineNumber };

/** The record that holds the organization's time zone: the pipeline, because it counts days. */
export const timeZoneRef = pipelineRef;

/** The pipeline, for the `change` of a write that creates, deletes or may move a lead. */
export const pipelineRead = { ref: pipelineRef, mayBeAbsent: true, mayStayUnchanged: true } as const;

/** Adds the pipeline of a new organization, as part of a write. */
export function addPipeline(write: Write, timeZone = usualTimeZoneOf(write.country)): void {
  const newest = dateIn(timeZone, Date.parse(write.now));
  write.append(pipelines, () => ({ id: pipelineNumber, timeZone, newest, days: '' }));
}

/**
 * The pipeline of a write that has read it. @throws Failure `unavailable` if it is lost: every organization has a
 * pipeline
 */
export function pipelineOf(write: Write): PipelineRecord {
  const pipeline = write.current(pipelineRef);
  if (pipeline === undefined) throw unavailable();
  return pipeline;
}

/** Counts a lead that was created, or that moved to another status, as part of a write. */
export function countLead(write: Write, as: 'created' | LeadStatus): void {
  const pipeline = pipelineOf(write);
  const column = as === 'created' ? 0 : 1 + leadStatuses.indexOf(as);
  const date = dateIn(pipeline.timeZone, Date.parse(write.now));
  write.replace(pipelineRef, countedOn(pipeline, date, column));
}

/** Counts the days from now on in another time zone, as part of a write that has read the pipeline. */
export function moveToTimeZone(write: Write, timeZone: string): void {
  write.replace(pipelineRef, { ...pipelineOf(write), timeZone });
}

/** Counts of one day: leads created, then leads moved to each of `leadStatuses`. */
export type DayCounts = readonly number[];

/** Number of days that are counted. */
export const maxDays = 31;

const columns = leadStatuses.length + 1;

/**
 * Parses `days` into rows, newest first. Every write of the pipeline stores `days`, so its form is short. A space
 * separates rows, and a comma separates numbers in base 36. A zero is empty, and commas at a row's end are left out.
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

/** The date that is `days` days before another date. */
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
  const counted = rows.map((counts, at) =>
    at === Math.max(0, row) ? counts.with(column, (counts[column] ?? 0) + 1) : counts,
  );
  return { ...pipeline, newest: row < 0 ? date : pipeline.newest, days: formatDays(counted) };
}

/**
 * The last `maxDays` days, newest first. The newest day is today, or a later day that was counted: after a change of
 * time zone, or by a clock that is ahead.
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
