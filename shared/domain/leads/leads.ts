import { halvesOf, leadStatuses, type Lead, type LeadActivity, type NewLead } from '../../contract/leads.ts';
import type { PageQuery } from '../../contract/pagination.ts';
import { events } from '../../ledger/internal/collection.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';
import type { Write } from '../../ledger/internal/write.ts';
import { activities, leads, toActivity, toLead } from './lead-record.ts';
import { toE164 } from '../phone/phone-number.ts';
import { notFound } from '../../core/failure.ts';
import type { Page } from '../../core/page.ts';

/** A page of the organization's leads, newest first. */
export async function listLeads(ledger: Ledger, query: PageQuery): Promise<Page<Lead>> {
  const { items, totalCount } = await ledger.page(leads, query);
  return { items: items.map(toLead), totalCount };
}

/** One lead. @throws Failure `notFound` */
export async function getLead(ledger: Ledger, leadId: string): Promise<Lead> {
  return toLead(await ledger.get(ledger.ref(leads, leadId)));
}

/** The leads, of at most 100 ids, that are there, by id. One round trip. */
export async function findLeads(ledger: Ledger, leadIds: readonly string[]): Promise<Map<string, Lead>> {
  const numbers = leadIds.flatMap((id) => ledger.tryRef(leads, id)?.number ?? []);
  const found = await ledger.getMany(leads, numbers);
  return new Map([...found.values()].map((record) => [record.id, toLead(record)] as const));
}

/** Where a lead is that may not be there; undefined for an id that no lead here can have. */
export const tryLeadRef = (ledger: Ledger, leadId: string) => ledger.tryRef(leads, leadId);

/** Where a lead is, for a write that changes it: see `LeadChange`. @throws Failure `notFound` */
export const leadRef = (ledger: Ledger, leadId: string) => ledger.ref(leads, leadId);

/** A page of what happened to a lead, newest first. @throws Failure `notFound` for the lead. */
export async function listActivities(
  ledger: Ledger,
  leadId: string,
  query: PageQuery,
): Promise<Page<LeadActivity>> {
  const ref = ledger.ref(leads, leadId);
  const { owner, items, totalCount } = await ledger.owned(ref, events, activities, query);
  if (owner === undefined) throw notFound(leads.label);
  return { items: items.map((event) => toActivity(event, leadId)), totalCount };
}

/**
 * Creates a lead. One transaction.
 * @throws Failure `invalid` for a phone number that cannot be one; Failure `conflict` for an email or phone number
 * that a live lead has.
 */
export function createLead(ledger: Ledger, input: NewLead): Promise<Lead> {
  return ledger.write({}, (write) => addLead(write, input));
}

/** The part of a write that creates a lead, for writes that create more than the lead. */
export async function addLead(write: Write, input: NewLead): Promise<Lead> {
  const { email = '', suburb = '', businessName = '', socials = {}, status = leadStatuses[0] } = input;
  const phone = input.phone ? await toE164(input.phone, write.country) : '';
  const { ref, record } = write.append(leads, ({ id }) => ({
    id,
    ...namesOf(input),
    email,
    phone,
    suburb,
    businessName,
    socials,
    status,
    createdAt: write.now,
    read: false,
    lastInquiryId: null,
    lastInquiryDate: null,
    unreadEmails: 0,
    unreadCalls: 0,
    unreadChatbotThreads: 0,
    unreadSMS: 0,
    unreadWebformSubmissions: 0,
    hasFlaggedInquiry: false,
    activityCount: 1,
    inquiryCounts: {},
  }));
  const created = { event: 'LEAD_CREATED', data: 'The lead was created', referenceId: record.id };
  write.event(created, { ...activities, owner: ref, rank: record.activityCount });
  return toLead(record);
}

/** Deletes a lead, and with it its activity list. One transaction. @throws Failure `notFound` */
export async function deleteLead(ledger: Ledger, leadId: string): Promise<void> {
  const ref = ledger.ref(leads, leadId);
  await ledger.write({ change: { lead: ref } }, (write, { lead }) => {
    if (lead === undefined) throw notFound(leads.label);
    write.remove(ref);
    write.event({ event: 'LEAD_DELETED', data: 'The lead was deleted', referenceId: leadId });
  });
}

/** First and last name as given, else the halves of `name`. As everywhere, `""` is what was not given. */
function namesOf({ name = '', firstName, lastName }: NewLead): Pick<Lead, 'firstName' | 'lastName'> {
  const [first, last] = halvesOf(name);
  return { firstName: firstName || first, lastName: lastName || last };
}
