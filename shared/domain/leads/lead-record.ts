import * as v from 'valibot';
import { ActivityEvent, Lead, type LeadActivity } from '../../contract/leads.ts';
import type { Collection, LedgerEvent, RecordOf } from '../../ledger/index.ts';

/** A lead, stored as the API shows it. Its activities are the events in its list. */
export const leads = {
  name: 'LEAD',
  label: 'lead',
  prefix: 'lead',
  schema: v.object(Lead.entries),
  uniques: ({ email, phone }: Pick<Lead, 'email' | 'phone'>) => [
    { field: 'email', value: email },
    { field: 'phone', value: phone },
  ],
  eventsAt: 0,
} as const satisfies Collection;

export type LeadRecord = RecordOf<typeof leads>;

/** An event of the organization as an activity of the lead it is listed under. */
export function toActivity(entry: LedgerEvent, leadId: string): LeadActivity {
  const { id, event, data, referenceId, userId, createdAt } = entry;
  return { id, event: v.parse(ActivityEvent, event), data, referenceId, userId, leadId, createdAt };
}
