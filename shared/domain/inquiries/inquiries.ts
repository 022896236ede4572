import type { Inquiry, InquiryListItem, InquiryQuery, InquirySource } from '../../contract/inquiries.ts';
import type { Lead } from '../../contract/leads.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';
import type { Write } from '../../ledger/internal/write.ts';
import { LeadChange } from '../leads/lead-change.ts';
import { tryLeadRef, findLeads, leadRef } from '../leads/leads.ts';
import { toLead } from '../leads/lead-record.ts';
import { inquiries, views, type InquiryRecord } from './inquiry-record.ts';
import { addSource, withData, type NewSource } from './sources.ts';
import type { Page } from '../../core/page.ts';

/**
 * A page of inquiries, newest first, of one lead or source where the query says so, with what it asks to add to each.
 * Reads the head, or the lead, then the page, then the leads of the page where they are asked for and not known yet.
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

const arrivals: Record<InquirySource, string> = {
  CALL: 'There was a call',
  EMAIL: 'An email came in',
  CHATBOT: 'There was a chat',
  SMS: 'A conversation by SMS began',
  WEBFORM: 'A web form was sent',
};

/** The part of a write that stores an inquiry and what its source recorded, and tells its lead's record of it. */
export function addInquiry(write: Write, lead: LeadChange, input: NewInquiry): InquiryRecord {
  const { source, tag = '', summary, isRead = false, externalId = null } = input;
  const sourceId = addSource(write, { leadId: lead.id, inquiryId: write.next(inquiries).id }, input);
  const { ofLead, ofSource } = lead.countInquiry(source);
  const { record } = write.append(
    inquiries,
    ({ id }) => ({
      id,
      source,
      sourceId,
      tag,
      summary,
      isFirstInquiry: ofLead === 1,
      isRead,
      leadId: lead.id,
      externalId,
      createdAt: write.now,
    }),
    [
      { ...views.ofSource(source), rank: write.nextRank(inquiries, source) },
      { ...views.ofLead, owner: lead.ref, rank: ofLead },
      { ...views.ofLeadAndSource(source), owner: lead.ref, rank: ofSource },
    ],
  );
  lead.noteInquiry(record);
  lead.tell({ event: 'INQUIRY_CREATED', data: arrivals[source], referenceId: record.id });
  return record;
}

/** The page of the query, and the lead where the query names one that is there. */
async function findPage(
  ledger: Ledger,
  { leadId, source, ...query }: InquiryQuery,
): Promise<{ page: Page<InquiryRecord>; lead?: Map<string, Lead> }> {
  if (leadId === undefined) {
    const page =
      source === undefined
        ? await ledger.page(inquiries, query)
        : await ledger.filtered(inquiries, views.ofSource(source), query);
    return { page };
  }
  const ref = tryLeadRef(ledger, leadId);
  if (!ref) return { page: { items: [], totalCount: 0 } };
  const view = source === undefined ? views.ofLead : views.ofLeadAndSource(source);
  // The inquiries of a lead that was deleted stay.
  const { owner, ...page } = await ledger.owned(ref, inquiries, view, query);
  return { page, lead: new Map(owner && [[owner.id, toLead(owner)]]) };
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
