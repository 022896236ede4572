import { leadStatuses, type LeadStatus } from '../../contract/leads.ts';
import type { Pipeline, PipelineDay, StatusCounts } from '../../contract/pipeline.ts';
import { unavailable } from '../../core/failure.ts';
import { dateIn } from '../../core/time-zones.ts';
import type { Ledger } from '../../ledger/index.ts';
import { leads } from './lead-record.ts';
import { daysUpTo, pipelineRef, type DayCounts } from './pipeline-record.ts';

/**
 * Number of leads in each status, and counts of the last days. `now` is in epoch milliseconds. One read.
 * @throws Failure `unavailable` if the pipeline is lost
 */
export async function getPipeline(ledger: Ledger, now: number): Promise<Pipeline> {
  const found = await ledger.getWithCounts(pipelineRef, leads, 'status');
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
