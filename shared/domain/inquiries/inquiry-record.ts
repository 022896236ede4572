import * as v from 'valibot';
import { InquiryListItem, type Inquiry } from '../../contract/inquiries.ts';
import type { Collection, RecordOf } from '../../ledger/index.ts';
import { leads } from '../leads/lead-record.ts';

const { externalInquiryId, lead, ...entries } = InquiryListItem.entries;

const ofLead = ({ leadId }: Pick<Inquiry, 'leadId'>) => ({ owner: { collection: leads, id: leadId } });

/** An inquiry as stored: small, since lists read many. What its source recorded is a record of its own. */
export const inquiries = {
  name: 'INQUIRY',
  label: 'inquiry',
  prefix: 'inquiry',
  schema: v.object({
    ...entries,
    /** Its id in another system. */
    externalId: v.nullable(v.string()),
  }),
  lists: {
    source: { of: ({ source }: Pick<Inquiry, 'source'>) => ({ name: source }) },
    lead: { of: ofLead },
    leadAndSource: {
      of: (inquiry: Pick<Inquiry, 'leadId' | 'source'>) => ({ ...ofLead(inquiry), name: inquiry.source }),
    },
  },
} as const satisfies Collection;

export type InquiryRecord = RecordOf<typeof inquiries>;
