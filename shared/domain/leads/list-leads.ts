import { shownBytes } from '../../contract/inquiry-data.ts';
import { leadMatches, maxCreatedInRange, type Lead, type LeadQuery } from '../../contract/leads.ts';
import { invalid } from '../../core/failure.ts';
import { pageIn, type Page } from '../../core/page.ts';
import type { Ledger } from '../../ledger/index.ts';
import { leads, toLead, type LeadRecord } from './lead-record.ts';
import { uniqueOf } from './leads.ts';
import { pipelineRef, timeZoneRef } from './pipeline-record.ts';
import { searchLeads } from './search-leads.ts';

/**
 * Page of leads, newest first: all, or the leads of a status, or of a range of time. With an email, a phone number or an
 * `externalId`, the lead that has it. With `q`, the leads that `searchLeads` finds.
 * @throws Failure `invalid` for the phone number
 */
export async function listLeads(
  ledger: Ledger,
  query: LeadQuery,
): Promise<Page<Lead> & { hasMore?: boolean }> {
  const page = await findPage(ledger, query);
  return { ...page, items: page.items.map(toLead) };
}

async function findPage(
  ledger: Ledger,
  { status, q, createdFrom, createdTo, ...query }: LeadQuery,
): Promise<Page<LeadRecord> & { hasMore?: boolean }> {
  if (status !== undefined) return ledger.ownedList(pipelineRef, leads, 'status', query, { name: status });
  if (q !== undefined) return searchLeads(ledger, q, query);
  if (createdFrom !== undefined || createdTo !== undefined) {
    const found = await createdBetween(ledger, { createdFrom, createdTo });
    return { items: (query.page ?? 1) === 1 ? found : [], totalCount: found.length };
  }
  for (const field of leadMatches) {
    const value = query[field];
    if (value === undefined) continue;
    const lead = await ledger.findByUnique(leads, await uniqueOf(ledger, field, value));
    return { ...pageIn(lead ? [lead] : [], query), nextAfter: null };
  }
  return ledger.page(leads, query);
}

/** Leads that were created in a range of time, newest first. @throws Failure `invalid` for more than an answer holds */
async function createdBetween(
  ledger: Ledger,
  { createdFrom, createdTo }: Pick<LeadQuery, 'createdFrom' | 'createdTo'>,
): Promise<LeadRecord[]> {
  // Loaded on first use: the tables of time zones are large.
  const { timeOfMoment } = await import('../calendar/moment.ts');
  const { timeZone } = await ledger.get(timeZoneRef);
  const iso = (moment: string | undefined, isEnd: boolean) =>
    moment === undefined ? undefined : new Date(timeOfMoment(moment, timeZone, { isEnd })).toISOString();
  const [from, to] = [iso(createdFrom, false), iso(createdTo, true)];
  if (from !== undefined && to !== undefined && from >= to)
    throw invalid([{ field: 'createdTo', message: 'must be after createdFrom' }]);
  const found = await ledger.createdBetween(leads, { from, to }, maxCreatedInRange + 1);
  if (found.length <= maxCreatedInRange && Buffer.byteLength(JSON.stringify(found)) <= shownBytes)
    return found;
  const message = 'must be nearer to createdFrom: this range has more leads than an answer can hold';
  throw invalid([{ field: 'createdTo', message }]);
}
