import * as v from 'valibot';
import { InquiryListItem, inquirySources, type InquirySource } from '../../contract/inquiries.ts';
import type { Collection, OwnedList, RecordOf } from '../../ledger/internal/collection.ts';
import type { View } from '../../ledger/internal/write.ts';

const { externalInquiryId, lead, ...entries } = InquiryListItem.entries;

/** An inquiry as it is stored: small, so that a page of a list is; what its source recorded is a record of its own. */
export const inquiries = {
  name: 'INQUIRY',
  label: 'inquiry',
  prefix: 'inquiry',
  schema: v.object({
    ...entries,
    /** Its id in another system. */
    externalId: v.nullable(v.string()),
  }),
} as const satisfies Collection;

export type InquiryRecord = RecordOf<typeof inquiries>;

/** The lists that an inquiry is in, beside the list of all. */
export const views = {
  ofSource: (source: InquirySource) => ({ index: 'view1', filter: source }),
  ofLead: { index: 'view2' },
  ofLeadAndSource: (source: InquirySource) => ({ index: 'view3', filter: source }),
} as const satisfies Record<string, Omit<View, 'owner'> | ((source: InquirySource) => Omit<View, 'owner'>)>;

/** How many inquiries a lead has, by source. */
export type InquiryCounts = Partial<Record<InquirySource, number>>;

/** How many inquiries a lead has. */
export function inquiryTotal(counts: InquiryCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** How long the lists of a lead's inquiries are. */
export const inquiryLists = (counts: InquiryCounts): OwnedList[] => [
  { of: inquiries.name, ...views.ofLead, length: inquiryTotal(counts) },
  ...inquirySources.map((source) => ({
    of: inquiries.name,
    ...views.ofLeadAndSource(source),
    length: counts[source] ?? 0,
  })),
];
