import * as v from 'valibot';
import { inquirySources } from '../endpoints/inquiries.ts';
import { activityEvents, Lead, type LeadActivity } from '../endpoints/leads.ts';
import type { Collection, LedgerEvent, Place, RecordOf } from '../ledger/collection.ts';
import type { Unique, View } from '../ledger/write.ts';

/** A lead as it is stored: what the API shows, and how long the lists are that belong to it. */
export const leads = {
  name: 'LEAD',
  label: 'lead',
  prefix: 'lead',
  schema: v.object({
    ...Lead.entries,
    activityCount: v.number(),
    /** Its inquiries, by source. */
    inquiryCounts: v.optional(v.record(v.picklist(inquirySources), v.number()), {}),
  }),
} as const satisfies Collection;

export type LeadRecord = RecordOf<typeof leads>;

/** The lead as the API shows it. */
export function toLead({ activityCount, inquiryCounts, ...lead }: LeadRecord): Lead {
  return lead;
}

/** The values that no other live lead of the organization may have. */
export function uniquesOf({ email, phone }: Pick<Lead, 'email' | 'phone'>): Unique[] {
  return [
    { collection: leads, field: 'email', value: email },
    { collection: leads, field: 'phone', value: phone },
  ].filter(({ value }) => value !== '');
}

/** The list of a lead's activities: those of the organization's events that are about the lead. */
export const activitiesOf = (owner: Place) => ({ index: 'view1', owner }) as const satisfies View;

/** An event of the organization as an activity of the lead it is listed under. */
export function toActivity(entry: LedgerEvent, leadId: string): LeadActivity {
  const { id, event, data, referenceId, userId, createdAt } = entry;
  return {
    id,
    event: v.parse(v.picklist(activityEvents), event),
    data,
    referenceId,
    userId,
    leadId,
    createdAt,
  };
}
