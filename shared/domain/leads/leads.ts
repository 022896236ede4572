import {
  leadStatuses,
  type Lead,
  type LeadActivity,
  type LeadChanges,
  type LeadMatch,
  type NewLead,
} from '../../contract/leads.ts';
import type { PageQuery } from '../../contract/pagination.ts';
import { leads, namesOf, phoneValue, toActivity, toLead, type LeadRecord } from './lead-record.ts';
import { countLead, pipelineOf, pipelineRead } from './pipeline-record.ts';
import { addOptOut, isOptedOut } from '../opt-outs/opt-outs.ts';
import { optOutRefusal } from './opt-out-refusal.ts';
import { isInternational, toE164 } from '../phone/phone-number.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { notFound } from '../../core/failure.ts';
import type { Page } from '../../core/page.ts';
import type { Ledger, RecordRef, UniqueValue, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';

/** A unique value of a lead, from a client's text. @throws Failure `invalid` for the phone number */
export async function uniqueOf(ledger: Ledger, field: LeadMatch, value: string): Promise<UniqueValue> {
  switch (field) {
    case 'email':
      return { field, value };
    case 'phone': {
      // A national number is parsed as a number of the organization's country.
      const country = isInternational(value) ? '' : await ledger.country();
      return phoneValue(await toE164(value, country));
    }
    case 'externalId':
      return { field, value, isExact: true };
  }
}

/** One lead. @throws Failure `notFound` */
export async function getLead(ledger: Ledger, leadId: string): Promise<Lead> {
  return toLead(await ledger.get(ledger.ref(leads, leadId)));
}

/** Finds leads by their ids, at most 100. Unknown ids are left out. One round trip. */
export async function findLeads(ledger: Ledger, leadIds: readonly string[]): Promise<Map<string, Lead>> {
  const numbers = leadIds.flatMap((id) => ledger.tryRef(leads, id)?.number ?? []);
  const found = await ledger.getMany(leads, numbers);
  return new Map([...found.values()].map((lead) => [lead.id, toLead(lead)] as const));
}

/** The lead's key, from its id; undefined if no lead here can have that id. */
export const tryLeadRef = (ledger: Ledger, leadId: string) => ledger.tryRef(leads, leadId);

/** The lead's key, from its id. @throws Failure `notFound` if no lead here can have that id */
export const leadRef = (ledger: Ledger, leadId: string) => ledger.ref(leads, leadId);

/** Page of a lead's activities, newest first. @throws Failure `notFound` for the lead. */
export async function listLeadActivities(
  ledger: Ledger,
  leadId: string,
  query: PageQuery,
): Promise<Page<LeadActivity>> {
  const ref = ledger.ref(leads, leadId);
  const { owner, ...page } = await ledger.eventsOf(ref, query);
  if (owner === undefined) throw notFound(leads.label);
  return { ...page, items: page.items.map((event) => toActivity(event, leadId)) };
}

/**
 * Creates a lead. One transaction.
 * @throws Failure `invalid` for the phone number, and as `optOutRefusal`
 * @throws Failure `conflict` if a live lead has the email, phone number or `externalId`
 */
export function createLead(ledger: Ledger, input: NewLead): Promise<Lead> {
  return ledger.write({ change: { pipeline: pipelineRead } }, async (write) => {
    const phone = input.phone ? await toE164(input.phone, write.country) : '';
    const { record } = await addLead(write, { ...input, phone });
    return toLead(record);
  });
}

type LeadToAdd = LeadChanges & { phone: string; importKey?: string | undefined };

interface AddedLead {
  ref: RecordRef<typeof leads>;
  record: LeadRecord;
}

/**
 * Creates a lead, as part of a write that has read the pipeline. The phone number is in E.164, or empty. The number is
 * opted out if the input asks for it. Reads whether the number has opted out, unless `hasOptedOut` says so.
 * @throws Failure `invalid` as `optOutRefusal`
 */
export async function addLead(
  write: Write,
  { phone, read = false, importKey, isOptedOut: asked, ...input }: LeadToAdd,
  hasOptedOut?: boolean,
): Promise<AddedLead> {
  const wasOptedOut = hasOptedOut ?? (await isOptedOut(write, phone));
  const refusal = optOutRefusal(asked, { phone, isOptedOut: wasOptedOut });
  if (refusal) throw refusal;
  const optsOut = asked === true && !wasOptedOut;
  const { email = '', businessName = '', socials = {}, externalId = '' } = input;
  const { status = leadStatuses[0], address = {} } = input;
  const {
    line1 = '',
    line2 = '',
    suburb = '',
    state = '',
    postcode = '',
    country = '',
    access = '',
  } = address;
  const added = write.append(leads, ({ id }) => ({
    id,
    ...namesOf(input),
    email,
    phone,
    suburb: input.suburb ?? suburb,
    address: { line1, line2, state, postcode, country, access },
    businessName,
    socials,
    externalId,
    status,
    createdAt: write.now,
    updatedAt: write.now,
    read,
    lastInquiryId: null,
    lastInquiryDate: null,
    unreadEmails: 0,
    unreadCalls: 0,
    unreadChatbotThreads: 0,
    unreadSMS: 0,
    unreadWebformSubmissions: 0,
    hasFlaggedInquiry: false,
    flaggedInquiries: 0,
    isOptedOut: wasOptedOut || optsOut,
    ...(importKey !== undefined && { importKey }),
  }));
  countLead(write, 'created');
  recordEvent(write, { event: 'LEAD_CREATED', about: added.record.id }, [added.ref]);
  if (optsOut) {
    addOptOut(write, phone);
    recordEvent(write, { event: 'LEAD_OPTED_OUT', about: added.record.id }, [added.ref]);
  }
  return added;
}

/**
 * Deletes a lead. One transaction. The events of its activities stay, but can no longer be listed.
 * `refuseOutdated` gets the lead as the API shows it.
 * @throws Failure `notFound`; what `refuseOutdated` throws
 */
export async function deleteLead(
  ledger: Ledger,
  leadId: string,
  { refuseOutdated }: ChangeConditions<Lead> = {},
): Promise<void> {
  const ref = ledger.ref(leads, leadId);
  await ledger.write({ change: { lead: ref, pipeline: pipelineRead } }, (write, { lead }) => {
    refuseOutdated?.(toLead(lead));
    removeLead(write, ref, leadId);
  });
}

/** Deletes a lead, as part of a write that has read the pipeline. The events of its activities stay. */
export function removeLead(write: Write, ref: RecordRef<typeof leads>, leadId: string): void {
  // The lead leaves a list that the pipeline owns.
  pipelineOf(write);
  write.remove(ref);
  recordEvent(write, { event: 'LEAD_DELETED', about: leadId });
}
