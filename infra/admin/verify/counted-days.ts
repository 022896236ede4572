import { isDeepStrictEqual } from 'node:util';
import { eventKinds, type EventName } from '../../../shared/contract/events.ts';
import { leadStatuses } from '../../../shared/contract/leads.ts';
import { dateIn, isTimeZone } from '../../../shared/core/time-zones.ts';
import {
  dateBefore,
  daysBetween,
  emptyDay,
  formatDays,
  maxDays,
  parseDays,
  pipelineNumber,
  type PipelineRecord,
} from '../../../shared/domain/leads/pipeline-record.ts';
import type { LedgerEvent } from '../../../shared/ledger/internal/collection.ts';
import { SparseNumbers } from './sparse-numbers.ts';

/**
 * Codes of events. 0 is the founding: it gives the first instant, and is not counted. The others are the
 * columns of a row; the first column counts created leads.
 */
const founding = 0;
const created = 1;
const columns = emptyDay.length;
/** Factor of the packed number of an event: instant in milliseconds times this, plus the event's code. */
const perInstant = columns + 1;

const quarterHour = 900_000;
/** More than the 14 hours by which a day in some time zone begins before the day in UTC. */
const margin = 2 * 86_400_000;

/** Status to which a lead moved, by the sentence of an event without values: the first release stored none. */
const movedTo = new Map<string, string>(
  leadStatuses.flatMap((from) =>
    leadStatuses.map((to) => [eventKinds.LEAD_STATUS_CHANGED.sentence({ from, to }), to] as const),
  ),
);
const columnOfStatus = new Map<string, number>(leadStatuses.map((status, at) => [status, created + 1 + at]));

const columnOf = new Map<string, number>([
  ['ORGANIZATION_CREATED', founding],
  ['LEAD_CREATED', created],
] satisfies [EventName, number][]);

export type PipelineEvent = Pick<LedgerEvent, 'event' | 'data' | 'values' | 'createdAt'>;

/** Computes the pipeline's days, as of any event, from the events. */
export class CountedDays {
  /** Packed instant and code, by event number. */
  readonly #changes = new SparseNumbers();
  readonly #zones: { number: number; from: string; to: string }[] = [];
  /** Numbers of events that cannot be read. */
  readonly #unreadable: number[] = [];

  observe(number: number, event: PipelineEvent): void {
    const isRead =
      event.event === 'TIME_ZONE_CHANGED'
        ? this.#observeZone(number, event)
        : this.#observeChange(number, event);
    if (!isRead) this.#unreadable.push(number);
  }

  /** False if the event cannot be read. */
  #observeZone(number: number, { values: { from, to } = { from: '', to: '' } }: PipelineEvent): boolean {
    // A former time zone that is missing or unknown was taken for UTC.
    if (!isTimeZone(to)) return false;
    this.#zones.push({ number, from, to });
    return true;
  }

  #observeChange(number: number, { event, data, values, createdAt }: PipelineEvent): boolean {
    const isMove = event === 'LEAD_STATUS_CHANGED';
    const column = isMove ? columnOfStatus.get(values?.to ?? movedTo.get(data) ?? '') : columnOf.get(event);
    if (column === undefined) return !isMove;
    const at = Date.parse(createdAt);
    if (Number.isNaN(at)) return false;
    this.#changes.set(number, at * perInstant + column);
    return true;
  }

  /** Unreadable events up to `last`. */
  unreadableTo(last: number): number[] {
    return this.#unreadable.filter((number) => number <= last).sort((one, other) => one - other);
  }

  /** Last event up to `last` whose write also wrote the pipeline, or 0. */
  lastWrittenTo(last: number): number {
    let latest = 0;
    for (const { number } of this.#zones) if (number <= last) latest = Math.max(latest, number);
    for (const [number, value] of this.#changes)
      if (number <= last && value % perInstant !== founding) latest = Math.max(latest, number);
    return latest;
  }

  /**
   * Pipeline as the readable events up to `last` say. `zone` is the time zone of the pipeline's record:
   * without a change of time zone, the events do not tell it.
   */
  upTo(last: number, zone: string): PipelineRecord {
    const zones = this.#zones.toSorted((one, other) => one.number - other.number);
    const zoneAt = (number: number) =>
      zones.findLast((one) => one.number <= number)?.to ?? zones[0]?.from ?? zone;
    let latest = 0;
    for (const [number, value] of this.#changes)
      if (number <= last) latest = Math.max(latest, Math.floor(value / perInstant));
    const counts = new Map<string, number[]>();
    const dates = new Map<string, string>();
    const first = latest - maxDays * 86_400_000 - margin;
    for (const [number, value] of this.#changes) {
      const at = Math.floor(value / perInstant);
      if (number > last || at < first) continue;
      const timeZone = zoneAt(number);
      const name = `${timeZone} ${Math.floor(at / quarterHour)}`;
      let date = dates.get(name);
      if (date === undefined) dates.set(name, (date = dateIn(timeZone, at)));
      const row = counts.get(date) ?? [...emptyDay];
      counts.set(date, row);
      const column = value - at * perInstant;
      if (column !== founding) row[column - created] = (row[column - created] ?? 0) + 1;
    }
    const newest = [...counts.keys()].sort().at(-1) ?? dateIn(zone, latest);
    return recordOf(zoneAt(last), newest, counts);
  }
}

function recordOf(
  timeZone: string,
  newest: string,
  counts: ReadonlyMap<string, readonly number[]>,
): PipelineRecord {
  const rows = Array.from({ length: maxDays }, (_, at) => counts.get(dateBefore(newest, at)) ?? emptyDay);
  const end = rows.findLastIndex((row) => row.some((count) => count > 0));
  return { id: pipelineNumber, timeZone, newest, days: formatDays(rows.slice(0, end + 1)) };
}

/** True if both say the same, however their rows are padded. */
export function isSamePipeline(one: PipelineRecord, other: PipelineRecord): boolean {
  if (one.timeZone !== other.timeZone || one.newest !== other.newest) return false;
  const [rows, others] = [parseDays(one.days), parseDays(other.days)];
  return Array.from({ length: Math.max(rows.length, others.length) }, (_, at) => at).every((at) =>
    (rows[at] ?? emptyDay).every((count, column) => count === (others[at] ?? emptyDay)[column]),
  );
}

/**
 * Corrects the pipeline `now`. Verify read it earlier as `stated`, and computed that it should have been
 * `expected`. Adds the difference of those two to `now`, since writers only add.
 */
export function correctedPipeline(
  now: PipelineRecord,
  stated: PipelineRecord,
  expected: PipelineRecord,
): PipelineRecord {
  if (isDeepStrictEqual(now, stated) || !isReadable(now) || !isReadable(stated)) return expected;
  const { timeZone } = now.timeZone === stated.timeZone ? expected : now;
  const counts = new Map<string, number[]>();
  const add = (record: PipelineRecord, sign: number) => {
    for (const [at, row] of parseDays(record.days).entries()) {
      const date = dateBefore(record.newest, at);
      const sums = counts.get(date) ?? [...emptyDay];
      counts.set(
        date,
        sums.map((sum, column) => sum + sign * (row[column] ?? 0)),
      );
    }
  };
  add(now, 1);
  add(stated, -1);
  add(expected, 1);
  const days = [...counts].map(([date, row]) => [date, row.map((count) => Math.max(0, count))] as const);
  const busy = days.filter(([, row]) => row.some((count) => count > 0)).map(([date]) => date);
  const newest = [expected.newest, ...busy].sort().at(-1) ?? expected.newest;
  return recordOf(timeZone, newest, new Map(days));
}

/** True if the dates and counts are well-formed. */
const isReadable = ({ newest, days }: PipelineRecord): boolean =>
  !Number.isNaN(daysBetween(newest, newest)) &&
  parseDays(days).every((row) => row.every(Number.isSafeInteger));
