import { halvesOf, leadStatuses, type Lead, type LeadActivity, type NewLead } from '../../contract/leads.ts';
import type { PageQuery } from '../../contract/pagination.ts';
import { leads, toActivity } from './lead-record.ts';
import { toE164 } from '../phone/phone-number.ts';
import { notFound } from '../../core/failure.ts';
import type { Page } from '../../core/page.ts';
import { type Ledger, type Write } from '../../ledger/index.ts';
import { tell } from '../events/tell.ts';

/** A page of the organization's leads, newest first. */
export function listLeads(ledger: Ledger, query: PageQuery): Promise<Page<Lead>> {
  return ledger.page(leads, query);
}

/** One lead. @throws Failure `notFound` */
export async function getLead(ledger: Ledger, leadId: string): Promise<Lead> {
  return ledger.get(ledger.ref(leads, leadId));
}

/** Those of these leads, at most 100, that exist, by id. One round trip. */
export async function findLeads(ledger: Ledger, leadIds: readonly string[]): Promise<Map<string, Lead>> {
  const numbers = leadIds.flatMap((id) => ledger.tryRef(leads, id)?.number ?? []);
  const found = await ledger.getMany(leads, numbers);
  return new Map([...found.values()].map((lead) => [lead.id, lead] as const));
}

/** The lead's key, from its id; undefined if no lead here can have that id. */
export const tryLeadRef = (ledger: Ledger, leadId: string) => ledger.tryRef(leads, leadId);

/** The lead's key, from its id. @throws Failure `notFound` if no lead here can have that id */
export const leadRef = (ledger: Ledger, leadId: string) => ledger.ref(leads, leadId);

/** A page of what happened to a lead, newest first. @throws Failure `notFound` for the lead. */
export async function listActivities(
  ledger: Ledger,
  leadId: string,
  query: PageQuery,
): Promise<Page<LeadActivity>> {
  const ref = ledger.ref(leads, leadId);
  const { owner, items, totalCount } = await ledger.eventsOf(ref, query);
  if (owner === undefined) throw notFound(leads.label);
  return { items: items.map((event) => toActivity(event, leadId)), totalCount };
}

/**
 * Creates a lead. One transaction.
 * @throws Failure `invalid` for the phone number; `conflict` if a live lead has the email or phone number
 */
export function createLead(ledger: Ledger, input: NewLead): Promise<Lead> {
  return ledger.write({}, (write) => addLead(write, input));
}

/** The part of a write that creates a lead. */
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
  }));
  tell(write, { event: 'LEAD_CREATED', about: record.id }, [ref]);
  return record;
}

/** Deletes a lead, and with it its activity list. One transaction. @throws Failure `notFound` */
export async function deleteLead(ledger: Ledger, leadId: string): Promise<void> {
  const ref = ledger.ref(leads, leadId);
  await ledger.write({ change: { lead: ref } }, (write) => {
    write.remove(ref);
    tell(write, { event: 'LEAD_DELETED', about: leadId });
  });
}

/** First and last name as given, else the halves of `name`. `""` counts as not given. */
function namesOf({ name = '', firstName, lastName }: NewLead): Pick<Lead, 'firstName' | 'lastName'> {
  const [first, last] = halvesOf(name);
  return { firstName: firstName || first, lastName: lastName || last };
}
