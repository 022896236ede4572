import * as v from 'valibot';
import { Address } from '../../contract/address.ts';
import {
  ActivityEvent,
  Lead,
  leadLabel,
  type LeadActivity,
  type LeadChanges,
  type NewLead,
} from '../../contract/leads.ts';
import { count } from '../../contract/fields.ts';
import { halvesOf } from '../../contract/halves-of.ts';
import { merge } from '../../core/merge.ts';
import type { Collection, LedgerEvent, RecordOf } from '../../ledger/index.ts';
import { comparableNumber } from '../phone/phone-number.ts';
import { pipelineNumber, pipelines } from './pipeline-record.ts';

/** Values that no two live leads share, unless they are empty. */
type UniqueFields = Pick<Lead, 'email' | 'phone' | 'externalId'> & { importKey?: string | undefined };

/**
 * The unique value of a lead's phone number, in E.164 or empty: the same for each way to write the number.
 */
export const phoneValue = (phone: string) => ({ field: 'phone', value: comparableNumber(phone) });

/** A lead. Its activities are the events in its list. */
export const leads = {
  name: 'LEAD',
  label: leadLabel,
  prefix: 'lead',
  schema: v.object({
    ...Lead.entries,
    /** Address without its suburb, which is a field of the lead. */
    address: v.omit(Address, ['suburb']),
    /** Number of the lead's inquiries that are flagged. */
    flaggedInquiries: count,
    /**
     * Number of the lead's newest SMS thread; absent if it has none. A write cannot find the thread in a list, because
     * an index is behind the table.
     */
    newestThreadId: v.optional(v.number()),
    /** Identifies the line of an imported file that has no email, phone number or `externalId`. */
    importKey: v.optional(v.string()),
  }),
  uniques: ({ email, phone, externalId, importKey = '' }: UniqueFields) => [
    { field: 'email', value: email },
    phoneValue(phone),
    { field: 'externalId', value: externalId, isExact: true as const },
    { field: 'importKey', value: importKey, isExact: true as const },
  ],
  lists: {
    status: {
      of: ({ status }: Pick<Lead, 'status'>) => ({
        name: status,
        owner: { collection: pipelines, id: pipelineNumber },
      }),
    },
  },
  searchables: {
    firstName: ({ firstName }: Pick<Lead, 'firstName'>) => firstName,
    lastName: ({ lastName }: Pick<Lead, 'lastName'>) => lastName,
    businessName: ({ businessName }: Pick<Lead, 'businessName'>) => businessName,
  },
  eventListIndex: 0,
} as const satisfies Collection;

export type LeadRecord = RecordOf<typeof leads>;

/** An inquiry or an SMS from a lead: the inquiry that shows it, and the time at which it was stored. */
export interface Arrival {
  inquiryId: string;
  at: string;
}

/** True if `one` arrived later than `other`; in the same millisecond, if its inquiry is newer. */
export const isLater = (one: Arrival, other: Arrival): boolean =>
  one.at > other.at || (one.at === other.at && one.inquiryId > other.inquiryId);

/** First and last name: as given, otherwise the halves of `name`. `""` counts as not given. */
export function namesOf({
  name = '',
  firstName,
  lastName,
}: Pick<NewLead, 'name' | 'firstName' | 'lastName'>): Pick<Lead, 'firstName' | 'lastName'> {
  const [first, last] = halvesOf(name);
  return { firstName: firstName || first, lastName: lastName || last };
}

/** Suburb and address, as stored. */
type Place = Pick<LeadRecord, 'suburb' | 'address'>;

/** Place of a lead with the parts that an input has. The suburb can be given as a part of the address. */
export function placeWith(known: Place, given: Pick<LeadChanges, 'suburb' | 'address'>): Place {
  const { suburb: part, ...parts } = given.address ?? {};
  return { suburb: given.suburb ?? part ?? known.suburb, address: merge(known.address, parts) };
}

/** A lead as the API shows it. */
export function toLead({ flaggedInquiries, newestThreadId, importKey, ...lead }: LeadRecord): Lead {
  return { ...lead, address: { ...lead.address, suburb: lead.suburb } };
}

/** An event of a lead's list, as an activity of the lead. */
export function toActivity(entry: LedgerEvent, leadId: string): LeadActivity {
  const { id, event, data, referenceId, userId, createdAt } = entry;
  return { id, event: v.parse(ActivityEvent, event), data, referenceId, userId, leadId, createdAt };
}
