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

/** What no two live leads share, where it is given. */
type Identified = Pick<Lead, 'email' | 'phone'> & { importKey?: string | undefined };

/** The unique value of a lead's phone number, in E.164 or empty: one for all ways in which the number is written. */
export const phoneValue = (phone: string) => ({ field: 'phone', value: comparableNumber(phone) });

/** A lead. Its activities are the events in its list. */
export const leads = {
  name: 'LEAD',
  label: leadLabel,
  prefix: 'lead',
  schema: v.object({
    ...Lead.entries,
    /** How many of its inquiries are flagged. */
    flaggedInquiries: count,
    /** Which line of an imported file it was, where nothing else would tell that the line is there already. */
    importKey: v.optional(v.string()),
  }),
  uniques: ({ email, phone, importKey = '' }: Identified) => [
    { field: 'email', value: email },
    phoneValue(phone),
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

/** Something that a lead sent: the inquiry that shows it, and when it was stored. */
export interface Arrival {
  inquiryId: string;
  at: string;
}

/** True if something came later than another thing; of what came in one millisecond, what the newer inquiry shows did. */
export const isLater = (one: Arrival, other: Arrival): boolean =>
  one.at > other.at || (one.at === other.at && one.inquiryId > other.inquiryId);

/** First and last name as given, else the halves of `name`. `""` counts as not given. */
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

/** An event of the organization as an activity of the lead it is listed under. */
export function toActivity(entry: LedgerEvent, leadId: string): LeadActivity {
  const { id, event, data, referenceId, userId, createdAt } = entry;
  return { id, event: v.parse(ActivityEvent, event), data, referenceId, userId, leadId, createdAt };
}
