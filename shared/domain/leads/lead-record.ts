import * as v from 'valibot';
import {
  ActivityEvent,
  halvesOf,
  Lead,
  leadLabel,
  type LeadActivity,
  type NewLead,
} from '../../contract/leads.ts';
import { count } from '../../contract/fields.ts';
import type { Collection, LedgerEvent, RecordOf } from '../../ledger/index.ts';
import { comparableNumber } from '../phone/phone-number.ts';
import { pipelineNumber, pipelines } from './pipeline-record.ts';

/** Values that no two live leads share, unless they are empty. */
type Identified = Pick<Lead, 'email' | 'phone' | 'externalId'> & { importKey?: string | undefined };

/**
 * The unique value of a lead's phone number, in E.164 or empty. It is the same for each way to write the
 * number.
 */
export const phoneValue = (phone: string) => ({ field: 'phone', value: comparableNumber(phone) });

/** A lead. Its activities are the events in its list. */
export const leads = {
  name: 'LEAD',
  label: leadLabel,
  prefix: 'lead',
  schema: v.object({
    ...Lead.entries,
    /** Number of the lead's inquiries that are flagged. */
    flaggedInquiries: count,
    /** Identifies the line of an imported file that has no email, phone number or `externalId`. */
    importKey: v.optional(v.string()),
  }),
  uniques: ({ email, phone, externalId, importKey = '' }: Identified) => [
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

/** A lead as the API shows it. */
export function toLead({ flaggedInquiries, importKey, ...lead }: LeadRecord): Lead {
  return lead;
}

/** An event as an activity of the lead in whose list it is. */
export function toActivity(entry: LedgerEvent, leadId: string): LeadActivity {
  const { id, event, data, referenceId, userId, createdAt } = entry;
  return { id, event: v.parse(ActivityEvent, event), data, referenceId, userId, leadId, createdAt };
}
