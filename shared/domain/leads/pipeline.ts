import { leadStatuses, type LeadStatus } from '../../contract/leads.ts';
import type { Pipeline, PipelineDay, StatusCounts } from '../../contract/pipeline.ts';
import { unavailable } from '../../core/failure.ts';
import { dateIn, usualTimeZoneOf } from '../../core/time-zones.ts';
import type { Ledger, RecordRef, Write } from '../../ledger/index.ts';
import { leads } from './lead-record.ts';
import {
  countedOn,
  daysUpTo,
  pipelineNumber,
  pipelines,
  type DayCounts,
  type PipelineRecord,
} from './pipeline-record.ts';

/** The pipeline, for the `change` of a write that creates or deletes a lead, or may move one. */
export const pipelineIn = (ledger: Ledger) =>
  ({ ref: ledger.ref(pipelines, pipelineNumber), mayBeAbsent: true, mayStayUnchanged: true }) as const;

/**
 * Checks that there is no pipeline where a write has read none: a transaction that has just added it may not be visible
 * yet, but the head tells of it. @throws Failure `unavailable`
 */
export function checkAbsence(write: Write, pipeline: PipelineRecord | undefined): void {
  if (pipeline === undefined && write.count(pipelines) > 0) throw unavailable();
}

/** The part of a write that adds an organization's pipeline, while it has none. */
export function addPipeline(write: Write, timeZone = usualTimeZoneOf(write.country)): PipelineRecord {
  const newest = dateIn(timeZone, Date.parse(write.now));
  return write.append(pipelines, () => ({ id: pipelineNumber, timeZone, newest, days: '' })).record;
}

/** The pipeline in a write that has read it. Combines several changes into one record. */
export class PipelineChange {
  readonly #write: Write;
  readonly #ref: RecordRef<typeof pipelines>;
  #record: PipelineRecord | undefined;

  /**
   * `record` is undefined in an organization that has none yet: what is noted first adds it.
   * @throws Failure `unavailable` if it has one all the same
   */
  constructor(write: Write, ref: RecordRef<typeof pipelines>, record: PipelineRecord | undefined) {
    checkAbsence(write, record);
    this.#write = write;
    this.#ref = ref;
    this.#record = record;
  }

  /** Counts a lead that is created, whatever its status. */
  countCreated(): void {
    this.#count(0);
  }

  /** Counts a lead whose status changes. */
  countMoved(to: LeadStatus): void {
    this.#count(1 + leadStatuses.indexOf(to));
  }

  /** Counts the days from now on in another time zone. Returns the one before; undefined where it is the same. */
  setTimeZone(timeZone: string): string | undefined {
    const before = this.#record?.timeZone ?? usualTimeZoneOf(this.#write.country);
    if (before === timeZone) return undefined;
    this.#replace({ ...(this.#record ?? addPipeline(this.#write)), timeZone });
    return before;
  }

  #count(column: number): void {
    const before = this.#record ?? addPipeline(this.#write);
    this.#replace(countedOn(before, dateIn(before.timeZone, Date.parse(this.#write.now)), column));
  }

  #replace(record: PipelineRecord): void {
    this.#record = record;
    this.#write.replace(this.#ref, record);
  }
}

/**
 * How many leads are in each status, and what happened on each of the last days. `now` is in epoch milliseconds. One
 * read; in an organization that has no pipeline yet, another one.
 */
export async function getPipeline(ledger: Ledger, now: number): Promise<Pipeline> {
  const found = await ledger.getWithCounts(pipelineIn(ledger).ref, leads, 'status');
  const timeZone = found?.record.timeZone ?? usualTimeZoneOf(await ledger.country());
  const today = dateIn(timeZone, now);
  const statuses = byStatus((status) => found?.counts.get(status) ?? 0);
  return {
    statuses,
    total: leadStatuses.reduce((sum, status) => sum + statuses[status], 0),
    days: daysUpTo(today, found?.record).map(toDay),
  };
}

function toDay({ date, counts }: { date: string; counts: DayCounts }): PipelineDay {
  const [created = 0, ...moved] = counts;
  return { date, created, moved: byStatus((status) => moved[leadStatuses.indexOf(status)] ?? 0) };
}

const byStatus = (countOf: (status: LeadStatus) => number): StatusCounts => ({
  pending: countOf('pending'),
  active: countOf('active'),
  quoted: countOf('quoted'),
  won: countOf('won'),
  lost: countOf('lost'),
  archived: countOf('archived'),
});
