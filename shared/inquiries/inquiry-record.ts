import * as v from 'valibot';
import { InquiryListItem, type InquirySource } from '../endpoints/inquiries.ts';
import type { Collection, Place, RecordOf } from '../ledger/collection.ts';
import type { View } from '../ledger/write.ts';

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
  ofLead: (owner: Place) => ({ index: 'view2', owner }),
  ofLeadAndSource: (owner: Place, source: InquirySource) => ({ index: 'view3', owner, filter: source }),
} as const satisfies Record<string, (...key: never[]) => View>;
