import * as v from 'valibot';
import { inquirySources } from '../../contract/inquiries.ts';
import { activityEvents, Lead, type LeadActivity } from '../../contract/leads.ts';
import { inquiryLists, type InquiryCounts } from '../inquiries/inquiry-record.ts';
import {
  events,
  type Collection,
  type LedgerEvent,
  type RecordOf,
} from '../../ledger/internal/collection.ts';

/** The list of a lead's activities: those of the organization's events that are about the lead. */
export const activities = { index: 'view1' } as const;

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
  uniques: ({ email, phone }: Pick<Lead, 'email' | 'phone'>) => [
    { field: 'email', value: email },
    { field: 'phone', value: phone },
  ],
  lists: ({ activityCount, inquiryCounts }: { activityCount: number; inquiryCounts: InquiryCounts }) => [
    { of: events.name, ...activities, length: activityCount },
    ...inquiryLists(inquiryCounts),
  ],
} as const satisfies Collection;

export type LeadRecord = RecordOf<typeof leads>;

/** The lead as the API shows it. */
export function toLead({ activityCount, inquiryCounts, ...lead }: LeadRecord): Lead {
  return lead;
}

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
