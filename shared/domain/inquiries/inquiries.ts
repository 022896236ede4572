import { isDeepStrictEqual } from 'node:util';
import { refuseOtherValues } from '../../contract/fixed-fields.ts';
import type { Inquiry, InquiryListItem, InquiryQuery } from '../../contract/inquiries.ts';
import type { Lead } from '../../contract/leads.ts';
import type { InquiryChanges } from '../../contract/new-inquiry.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { merge } from '../../core/merge.ts';
import type { Page } from '../../core/page.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import { changedFields } from '../events/changed-fields.ts';
import { recordEvent } from '../events/record-event.ts';
import { LeadChange, readLead } from '../leads/lead-change.ts';
import { findLeads, leadRef, tryLeadRef } from '../leads/leads.ts';
import {
  inquiries,
  toFields,
  toListItem,
  unreadList,
  type Giver,
  type InquiryRecord,
} from './inquiry-record.ts';
import { addSource, readSource, toInquiry, type SourceToStore, type Source } from './sources.ts';

/**
 * Page of inquiries, newest first, with what `expand` asks for. The query can select by lead, by source or by both, or
 * by tag, or only unread inquiries. Expanded leads take one more round trip, unless the query names the lead.
 */
export async function listInquiries(ledger: Ledger, query: InquiryQuery): Promise<Page<InquiryListItem>> {
  const { expand } = query;
  const { page, lead } = await findPage(ledger, query);
  const withExternal = expand === 'external' || expand === 'both';
  const withLead = expand === 'lead' || expand === 'both';
  const leads = withLead ? (lead ?? (await leadsOf(ledger, page.items))) : undefined;
  const items = page.items.map((inquiry) => ({
    ...toListItem(inquiry),
    ...(withExternal && { externalInquiryId: inquiry.externalId }),
    ...(leads && { lead: leadInfo(leads.get(inquiry.leadId)) }),
  }));
  return { ...page, items };
}

/** One inquiry, with the data of its source. Two round trips. @throws Failure `notFound` */
export async function getInquiry(ledger: Ledger, inquiryId: string): Promise<Inquiry> {
  const record = await ledger.get(ledger.ref(inquiries, inquiryId));
  return toInquiry(record, await sourceOf(ledger, record));
}

/** Data of an inquiry's source. @throws Failure `notFound` if the inquiry was erased after it was read */
async function sourceOf(ledger: Ledger, { id, source, sourceId }: InquiryRecord): Promise<Source> {
  try {
    return await readSource(ledger, { source, sourceId });
  } catch (error) {
    await ledger.getSettled(ledger.ref(inquiries, id));
    throw error;
  }
}

export type InquiryToStore = SourceToStore & {
  tag?: string;
  summary: string;
  isRead?: boolean;
  /** Id of the inquiry in another system. */
  externalId?: string | null;
  /** Giver of the `externalId`, if no client of the API did. */
  giver?: Giver;
  /** Email address of the sender, if the lead does not have it. */
  givenEmail?: string;
  /** Phone number of the sender, if the lead does not have it. */
  givenPhone?: string;
  /** True if a client wrote the summary. */
  isSummaryGiven?: boolean;
};

/**
 * Stores an inquiry of an existing lead, for the demonstration and for tests. One transaction.
 * @throws Failure `notFound` for the lead
 */
export function storeInquiry(ledger: Ledger, leadId: string, input: InquiryToStore): Promise<InquiryRecord> {
  const ref = leadRef(ledger, leadId);
  return ledger.write(
    { change: { lead: ref } },
    (write, { lead }) => addInquiry(write, new LeadChange(write, ref, lead), input).record,
  );
}

/** Stores an inquiry and the data of its source, and updates its lead, as part of a write. */
export function addInquiry(
  write: Write,
  lead: LeadChange,
  input: InquiryToStore,
): { record: InquiryRecord; recorded: Source } {
  const { source, tag = '', summary, isRead = false, externalId = null, giver } = input;
  const { givenEmail = '', givenPhone = '' } = input;
  const recorded = addSource(write, { leadId: lead.id, inquiryId: write.next(inquiries).id }, input);
  const { record } = write.append(inquiries, ({ id }) => ({
    id,
    source,
    sourceId: recorded.data.id,
    tag,
    summary,
    isFirstInquiry: !lead.hasInquiries,
    isRead,
    isFlagged: false,
    leadId: lead.id,
    externalId,
    ...(externalId !== null && giver),
    ...(givenEmail !== '' && { givenEmail }),
    givenPhone,
    ...(input.isSummaryGiven && { isSummaryGiven: true }),
    createdAt: write.now,
    updatedAt: write.now,
  }));
  lead.recordInquiry(record);
  lead.recordActivity({ event: 'INQUIRY_CREATED', variant: source, about: record.id });
  return { record, recorded };
}

/**
 * Changes an inquiry, and updates the counts of its lead, unless the lead was deleted. One transaction, or
 * none if nothing changes.
 * @param exact the same ledger with serializable reads. The source's data may be old, and its messages come from an
 * index. So both are read once more before the inquiry is refused as outdated.
 * @throws Failure `notFound`; as `refuseOutdated` does; `invalid` for another `sourceId` or `externalInquiryId`;
 * `unavailable` if an index is behind
 */
export function updateInquiry(
  ledger: Ledger,
  inquiryId: string,
  { sourceId, externalInquiryId, ...changes }: InquiryChanges,
  { refuseOutdated }: ChangeConditions<Inquiry> = {},
  exact: Ledger = ledger,
): Promise<Inquiry> {
  const ref = ledger.ref(inquiries, inquiryId);
  return ledger.write({ change: { inquiry: ref } }, async (write, { inquiry: before }) => {
    const fixed = { sourceId: before.sourceId, externalInquiryId: before.externalId };
    refuseOtherValues({ sourceId, externalInquiryId }, fixed);
    const merged = merge(before, changes);
    const isSummaryNew = merged.summary !== before.summary;
    const after = { ...merged, ...(isSummaryNew && { isSummaryGiven: true }) };
    const isMarked = after.isRead !== before.isRead;
    const isFlagChanged = after.isFlagged !== before.isFlagged;
    const [found, lead] = await Promise.all([
      sourceOf(ledger, before),
      isMarked || isFlagChanged ? readLead(ledger, write, before.leadId) : undefined,
    ]);
    let recorded = found;
    try {
      refuseOutdated?.(toInquiry(before, recorded));
    } catch {
      recorded = await sourceOf(exact, before);
      refuseOutdated?.(toInquiry(before, recorded));
    }
    if (isDeepStrictEqual(after, before)) return toInquiry(before, recorded);
    const stored = { ...after, updatedAt: write.now };
    write.replace(ref, stored);
    if (isMarked) lead?.countRead(after.source, after.isRead);
    if (isFlagChanged) lead?.countFlagged(after.isFlagged);
    const fields = changedFields(toFields(before), toFields(stored));
    recordEvent(write, { event: 'INQUIRY_UPDATED', about: inquiryId, fields });
    return toInquiry(stored, recorded);
  });
}

/** The page that the query asks for, and the lead that the query names, by id, if the lead exists. */
async function findPage(
  ledger: Ledger,
  { leadId, source, isRead, tag, ...query }: InquiryQuery,
): Promise<{ page: Page<InquiryRecord>; lead?: Map<string, LeadNamed> }> {
  if (isRead !== undefined) return { page: await ledger.list(inquiries, 'unread', unreadList, query) };
  if (tag !== undefined) return { page: await ledger.list(inquiries, 'tag', tag, query) };
  if (leadId === undefined) {
    const page =
      source === undefined
        ? await ledger.page(inquiries, query)
        : await ledger.list(inquiries, 'source', source, query);
    return { page };
  }
  const ref = tryLeadRef(ledger, leadId);
  if (!ref) return { page: { items: [], totalCount: 0, nextAfter: null } };
  // A deleted lead's inquiries stay.
  const { owner, ...page } =
    source === undefined
      ? await ledger.ownedList(ref, inquiries, 'lead', query)
      : await ledger.ownedList(ref, inquiries, 'leadAndSource', query, { name: source });
  return { page, lead: new Map(owner && [[owner.id, owner]]) };
}

const leadsOf = (ledger: Ledger, items: readonly InquiryRecord[]) =>
  findLeads(
    ledger,
    items.map(({ leadId }) => leadId),
  );

type LeadNamed = Pick<Lead, 'id' | 'firstName' | 'lastName' | 'email' | 'phone'>;

function leadInfo(lead: LeadNamed | undefined): InquiryListItem['lead'] {
  if (!lead) return null;
  const { id, firstName, lastName, email, phone } = lead;
  return { id, firstName, lastName, email, phone };
}
