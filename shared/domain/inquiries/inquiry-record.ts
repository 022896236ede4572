import * as v from 'valibot';
import { Platform } from '../../contract/call-events.ts';
import { timestamp } from '../../contract/fields.ts';
import { inquiryLabel, InquiryListItem, type Inquiry } from '../../contract/inquiries.ts';
import type { Collection, RecordOf } from '../../ledger/index.ts';
import { leads, type Arrival } from '../leads/lead-record.ts';

const { externalInquiryId, lead, ...entries } = InquiryListItem.entries;

const ofLead = ({ leadId }: Pick<Inquiry, 'leadId'>) => ({ owner: { collection: leads, id: leadId } });

/** Name of the list of unread inquiries. */
export const unreadList = 'unread';

/**
 * An inquiry as stored. Each is small, because lists read many: the data of its source is a separate record.
 */
export const inquiries = {
  name: 'INQUIRY',
  label: inquiryLabel,
  prefix: 'inquiry',
  schema: v.object({
    ...entries,
    /** Id of the inquiry in another system. */
    externalId: v.nullable(v.string()),
    /** Number of the key that brought the `externalId`, by a form; absent for any other inquiry. */
    keyId: v.optional(v.number()),
    /** Voice platform that gave a call its `externalId`; absent for any other inquiry. */
    platform: v.optional(Platform),
    /** Email address of the sender, if the lead does not have it; otherwise absent. */
    givenEmail: v.optional(v.string()),
    /** Phone number of the sender, if the lead does not have it; otherwise empty. */
    givenPhone: v.string(),
    /** True if a client wrote the summary, so that incoming SMS do not replace it; otherwise absent. */
    isSummaryGiven: v.optional(v.boolean()),
    /**
     * Time when the newest SMS after the first message of its thread was stored; absent if there is none.
     */
    lastTextAt: v.optional(timestamp),
  }),
  uniques: ({ externalId, ...from }: { externalId: string | null } & Partial<Giver>) => [
    externalIdOf(externalId, from),
  ],
  lists: {
    source: { of: ({ source }: Pick<Inquiry, 'source'>) => ({ name: source }) },
    lead: { of: ofLead },
    leadAndSource: {
      of: (inquiry: Pick<Inquiry, 'leadId' | 'source'>) => ({ ...ofLead(inquiry), name: inquiry.source }),
    },
    unread: { of: ({ isRead }: Pick<Inquiry, 'isRead'>) => (isRead ? undefined : { name: unreadList }) },
    tag: {
      hasManyNames: true,
      of: ({ tag }: Pick<Inquiry, 'tag'>) => (tag === '' ? undefined : { name: tag }),
    },
  },
} as const satisfies Collection;

export type InquiryRecord = RecordOf<typeof inquiries>;

/** Giver of an `externalId`: a form's key, or a voice platform. Neither, if a client of the API gave it. */
export interface Giver {
  keyId?: number | undefined;
  platform?: Platform | undefined;
}

/**
 * Unique value of an inquiry's id in another system. Each key and each platform has separate ids, because strangers can
 * know keys. An id that a stranger makes up must not meet an inquiry from a client of the API, or from another service.
 */
export function externalIdOf(externalId: string | null, { keyId, platform }: Giver = {}) {
  const value = externalId ?? '';
  if (value !== '' && platform !== undefined)
    return { field: 'callId', value: `${platform}#${value}`, isExact: true } as const;
  if (value !== '' && keyId !== undefined)
    return { field: 'externalInquiryIdOfKey', value: `${keyId}#${value}`, isExact: true } as const;
  return { field: 'externalInquiryId', value, isExact: true } as const;
}

/** The newest arrival in an inquiry: the inquiry itself, or an SMS in its thread. */
export const arrivalOf = ({ id, createdAt, lastTextAt = createdAt }: InquiryRecord): Arrival => ({
  inquiryId: id,
  at: lastTextAt,
});

/** Fields of an inquiry that its own read shows, without those of its source. */
export function toFields(record: InquiryRecord) {
  const { sourceId, source, ...item } = toListItem(record);
  const { givenEmail = '', givenPhone } = record;
  return { ...item, givenEmail, givenPhone };
}

/** Fields of an inquiry that lists and the single read share, as the API shows them. */
export function toListItem({
  externalId,
  keyId,
  platform,
  givenEmail,
  givenPhone,
  isSummaryGiven,
  lastTextAt,
  ...inquiry
}: InquiryRecord): Omit<InquiryListItem, 'externalInquiryId' | 'lead'> {
  return inquiry;
}
