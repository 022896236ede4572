import type { Inquiry, InquiryListItem, InquiryQuery } from '../../contract/inquiries.ts';
import type { Lead } from '../../contract/leads.ts';
import { LeadChange } from '../leads/lead-change.ts';
import { tryLeadRef, findLeads, leadRef } from '../leads/leads.ts';
import { inquiries, type InquiryRecord } from './inquiry-record.ts';
import { addSource, withData, type NewSource } from './sources.ts';
import type { Page } from '../../core/page.ts';
import type { Ledger, Write } from '../../ledger/index.ts';

/**
 * A page of inquiries, newest first, of a lead or source or both if the query names them, each with what
 * `expand` asks for. Expanded leads take one more round trip, unless the query names the lead.
 */
export async function listInquiries(ledger: Ledger, query: InquiryQuery): Promise<Page<InquiryListItem>> {
  const { expand } = query;
  const { page, lead } = await findPage(ledger, query);
  const withExternal = expand === 'external' || expand === 'both';
  const withLead = expand === 'lead' || expand === 'both';
  const leads = withLead ? (lead ?? (await leadsOf(ledger, page.items))) : undefined;
  const items = page.items.map(({ externalId, ...item }) => ({
    ...item,
    ...(withExternal && { externalInquiryId: externalId }),
    ...(leads && { lead: leadInfo(leads.get(item.leadId)) }),
  }));
  return { ...page, items };
}

/** One inquiry, with what its source recorded. Two round trips. @throws Failure `notFound` */
export async function getInquiry(ledger: Ledger, inquiryId: string): Promise<Inquiry> {
  return withData(ledger, await ledger.get(ledger.ref(inquiries, inquiryId)));
}

export type NewInquiry = NewSource & {
  tag?: string;
  summary: string;
  isRead?: boolean;
  /** Its id in another system. */
  externalId?: string | null;
};

/** Stores an inquiry of an existing lead. One transaction. @throws Failure `notFound` for the lead. */
export function createInquiry(ledger: Ledger, leadId: string, input: NewInquiry): Promise<InquiryRecord> {
  const ref = leadRef(ledger, leadId);
  return ledger.write({ change: { lead: ref } }, (write, { lead }) =>
    addInquiry(write, new LeadChange(write, ref, lead), input),
  );
}

/** The part of a write that stores an inquiry and what its source recorded, and updates its lead. */
export function addInquiry(write: Write, lead: LeadChange, input: NewInquiry): InquiryRecord {
  const { source, tag = '', summary, isRead = false, externalId = null } = input;
  const sourceId = addSource(write, { leadId: lead.id, inquiryId: write.next(inquiries).id }, input);
  const { record } = write.append(inquiries, ({ id }) => ({
    id,
    source,
    sourceId,
    tag,
    summary,
    isFirstInquiry: !lead.hasInquiries,
    isRead,
    leadId: lead.id,
    externalId,
    createdAt: write.now,
  }));
  lead.noteInquiry(record);
  lead.tell({ event: 'INQUIRY_CREATED', variant: source, about: record.id });
  return record;
}

/** The page of the query, and its lead if the query names one that exists, by id. */
async function findPage(
  ledger: Ledger,
  { leadId, source, ...query }: InquiryQuery,
): Promise<{ page: Page<InquiryRecord>; lead?: Map<string, Lead> }> {
  if (leadId === undefined) {
    const page =
      source === undefined
        ? await ledger.page(inquiries, query)
        : await ledger.list(inquiries, 'source', source, query);
    return { page };
  }
  const ref = tryLeadRef(ledger, leadId);
  if (!ref) return { page: { items: [], totalCount: 0 } };
  // The inquiries of a lead that was deleted stay.
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

function leadInfo(lead: Lead | undefined): InquiryListItem['lead'] {
  if (!lead) return null;
  const { id, firstName, lastName, email, phone } = lead;
  return { id, firstName, lastName, email, phone };
}
