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
import { SparseNumbers } from './sparse-numbers.ts';

/**
 * What an event stands for, as a number: the founding, which is counted nowhere but is the first moment there is; then the
 * columns of a row, of which the first is of leads that were created.
 */
const founding = 0;
const created = 1;
const columns = emptyDay.length;
/** A moment times this, plus column an event stands for, is the one number that is kept of the event. */
const perInstant = columns + 1;

const quarterHour = 900_000;
/** In some time zones a day begins up to 14 hours before it does in UTC. This is more than enough for any. */
const margin = 2 * 86_400_000;

/** To which column a change of status counts, by its sentence. */
const movedTo = new Map(
  leadStatuses.flatMap((from) =>
    leadStatuses.map((to, at) => [eventKinds.LEAD_STATUS_CHANGED.sentence({ from, to }), created + 1 + at]),
  ),
);
const zoneChanged = new RegExp(
  `^${eventKinds.TIME_ZONE_CHANGED.sentence({ from: String.raw`(\S*)`, to: String.raw`(\S+)` })}$`,
);

const columnOf = new Map<string, number>([
  ['ORGANIZATION_CREATED', founding],
  ['LEAD_CREATED', created],
] satisfies [EventName, number][]);

/** A part of an event. */
export interface PipelineEvent {
  event: string;
  data: string;
  createdAt: string;
}

/** What happened to leads, by the events: it says column the pipeline's days are, up to any event. */
export class CountedDays {
  /** By the event's number. */
  readonly #changes = new SparseNumbers();
  readonly #zones: { number: number; from: string; to: string }[] = [];
  /** The events of which it cannot be told column they say. */
  readonly #unreadable: number[] = [];

  observe(number: number, { event, data, createdAt }: PipelineEvent): void {
    const isRead =
      event === 'TIME_ZONE_CHANGED'
        ? this.#observeZone(number, data)
        : this.#observeChange(number, event, data, createdAt);
    if (!isRead) this.#unreadable.push(number);
  }

  /** False for column cannot be read. */
  #observeZone(number: number, data: string): boolean {
    const [, from = '', to = ''] = zoneChanged.exec(data) ?? [];
    // Which was none, or is not known here, was taken for UTC.
    if (!isTimeZone(to)) return false;
    this.#zones.push({ number, from, to });
    return true;
  }

  #observeChange(number: number, event: string, data: string, createdAt: string): boolean {
    const isMove = event === 'LEAD_STATUS_CHANGED';
    const column = isMove ? movedTo.get(data) : columnOf.get(event);
    if (column === undefined) return !isMove;
    const at = Date.parse(createdAt);
    if (Number.isNaN(at)) return false;
    this.#changes.set(number, at * perInstant + column);
    return true;
  }

  /** Those events up to this one of which it cannot be told column they say. */
  unreadableTo(last: number): number[] {
    return this.#unreadable.filter((number) => number <= last).sort((one, other) => one - other);
  }

  /** The last event up to this one with which the pipeline was written; 0 where there is none. */
  lastWrittenTo(last: number): number {
    let latest = 0;
    for (const { number } of this.#zones) if (number <= last) latest = Math.max(latest, number);
    for (const [number, value] of this.#changes)
      if (number <= last && value % perInstant !== founding) latest = Math.max(latest, number);
    return latest;
  }

  /**
   * The pipeline as events up to this one say, without those that cannot be read. Which zone it was in before any
   * was chosen, and which it is in where none was, only the record says: `zone`.
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

/** Whether two records say the same. */
export function isSamePipeline(one: PipelineRecord, other: PipelineRecord): boolean {
  if (one.timeZone !== other.timeZone || one.newest !== other.newest) return false;
  const [rows, others] = [parseDays(one.days), parseDays(other.days)];
  return Array.from({ length: Math.max(rows.length, others.length) }, (_, at) => at).every((at) =>
    (rows[at] ?? emptyDay).every((count, column) => count === (others[at] ?? emptyDay)[column]),
  );
}

/**
 * What `now` is to be, where it once stated `stated` and should have stated `expected`: column it lacked is added to it, since writers
 * only add to it.
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

/** Whether a record's dates and counts can be read. */
const isReadable = ({ newest, days }: PipelineRecord): boolean =>
  !Number.isNaN(daysBetween(newest, newest)) &&
  parseDays(days).every((row) => row.every(Number.isSafeInteger));
