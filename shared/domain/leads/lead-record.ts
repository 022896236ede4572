import * as v from 'valibot';
import { ActivityEvent, halvesOf, Lead, type LeadActivity, type NewLead } from '../../contract/leads.ts';
import { count, timestamp } from '../../contract/fields.ts';
import type { Collection, LedgerEvent, RecordOf } from '../../ledger/index.ts';
import { pipelineNumber, pipelines } from './pipeline-record.ts';

/** A lead. Its activities are the events in its list. */
export const leads = {
  name: 'LEAD',
  label: 'lead',
  prefix: 'lead',
  schema: v.object({
    ...Lead.entries,
    /** Absent in what version 1.0.0 stored. */
    updatedAt: v.optional(timestamp),
    /** How many of its inquiries are flagged. */
    flaggedInquiries: v.optional(count, 0),
    /** Absent in what was stored before numbers could opt out. */
    isOptedOut: v.optional(v.boolean(), false),
  }),
  uniques: ({ email, phone }: Pick<Lead, 'email' | 'phone'>) => [
    { field: 'email', value: email },
    { field: 'phone', value: phone },
  ],
  lists: {
    status: {
      of: ({ status }: Pick<Lead, 'status'>) => ({
        name: status,
        owner: { collection: pipelines, id: pipelineNumber },
      }),
    },
  },
  texts: {
    firstName: ({ firstName }: Pick<Lead, 'firstName'>) => firstName,
    lastName: ({ lastName }: Pick<Lead, 'lastName'>) => lastName,
    businessName: ({ businessName }: Pick<Lead, 'businessName'>) => businessName,
  },
  eventsAt: 0,
} as const satisfies Collection;

export type LeadRecord = RecordOf<typeof leads>;

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
export function toLead({ flaggedInquiries, updatedAt, ...lead }: LeadRecord): Lead {
  return { ...lead, updatedAt: updatedAt ?? lead.createdAt };
}

/** An event of the organization as an activity of the lead it is listed under. */
export function toActivity(entry: LedgerEvent, leadId: string): LeadActivity {
  const { id, event, data, referenceId, userId, createdAt } = entry;
  return { id, event: v.parse(ActivityEvent, event), data, referenceId, userId, leadId, createdAt };
}
