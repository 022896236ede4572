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

/** The pipeline, for the `change` of a write that creates, deletes or may move a lead. */
export const pipelineIn = (ledger: Ledger) =>
  ({ ref: ledger.ref(pipelines, pipelineNumber), mayBeAbsent: true, mayStayUnchanged: true }) as const;

/** @throws Failure `unavailable` if a write has read no pipeline, which every organization has */
export function checkPipeline(pipeline: PipelineRecord | undefined): asserts pipeline is PipelineRecord {
  if (pipeline === undefined) throw unavailable();
}

/** Adds the pipeline of a new organization, as part of a write. */
export function addPipeline(write: Write, timeZone = usualTimeZoneOf(write.country)): void {
  const newest = dateIn(timeZone, Date.parse(write.now));
  write.append(pipelines, () => ({ id: pipelineNumber, timeZone, newest, days: '' }));
}

/** Changes to the pipeline that the write has read, combined into one record. */
export class PipelineChange {
  readonly #write: Write;
  readonly #ref: RecordRef<typeof pipelines>;
  #record: PipelineRecord;

  /** @throws Failure `unavailable` without a record */
  constructor(write: Write, ref: RecordRef<typeof pipelines>, record: PipelineRecord | undefined) {
    checkPipeline(record);
    this.#write = write;
    this.#ref = ref;
    this.#record = record;
  }

  /** Counts a created lead, whatever its status. */
  countCreated(): void {
    this.#count(0);
  }

  /** Counts a lead that moved to another status. */
  countMoved(to: LeadStatus): void {
    this.#count(1 + leadStatuses.indexOf(to));
  }

  /**
   * Counts the days from now on in another time zone. Returns the previous one; undefined if it is the same.
   */
  setTimeZone(timeZone: string): string | undefined {
    const before = this.#record.timeZone;
    if (before === timeZone) return undefined;
    this.#replace({ ...this.#record, timeZone });
    return before;
  }

  #count(column: number): void {
    const date = dateIn(this.#record.timeZone, Date.parse(this.#write.now));
    this.#replace(countedOn(this.#record, date, column));
  }

  #replace(record: PipelineRecord): void {
    this.#record = record;
    this.#write.replace(this.#ref, record);
  }
}

/**
 * Number of leads in each status, and counts of the last days. `now` is in epoch milliseconds. One read.
 * @throws Failure `unavailable` if the pipeline is lost
 */
export async function getPipeline(ledger: Ledger, now: number): Promise<Pipeline> {
  const found = await ledger.getWithCounts(pipelineIn(ledger).ref, leads, 'status');
  if (found === undefined) throw unavailable();
  const { record, counts } = found;
  const today = dateIn(record.timeZone, now);
  const statuses = byStatus((status) => counts.get(status) ?? 0);
  return {
    statuses,
    total: leadStatuses.reduce((sum, status) => sum + statuses[status], 0),
    days: daysUpTo(today, record).map(toDay),
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
