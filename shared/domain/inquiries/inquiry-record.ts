import * as v from 'valibot';
import { timestamp } from '../../contract/fields.ts';
import { inquiryLabel, InquiryListItem, type Inquiry } from '../../contract/inquiries.ts';
import type { Collection, RecordOf } from '../../ledger/index.ts';
import { leads, type Arrival } from '../leads/lead-record.ts';

const { externalInquiryId, lead, ...entries } = InquiryListItem.entries;

const ofLead = ({ leadId }: Pick<Inquiry, 'leadId'>) => ({ owner: { collection: leads, id: leadId } });

/** Name of the list of unread inquiries. */
export const unreadList = 'unread';

/**
 * An inquiry as stored. It is small, since lists read many: the data of its source is a record of its own.
 */
export const inquiries = {
  name: 'INQUIRY',
  label: inquiryLabel,
  prefix: 'inquiry',
  schema: v.object({
    ...entries,
    /** Id of the inquiry in another system. */
    externalId: v.nullable(v.string()),
    /** Number of the key that brought the `externalId`, by a form; absent if a client of the API gave it. */
    keyId: v.optional(v.number()),
    /** Digest of the fields that came with the `externalId`; absent if `keyId` is. */
    digest: v.optional(v.string()),
    /** Email address of the sender, if the lead does not have it; otherwise absent. */
    givenEmail: v.optional(v.string()),
    /** Phone number of the sender, if the lead does not have it; otherwise empty. */
    givenPhone: v.string(),
    /** True if a client wrote the summary, so that incoming SMS do not replace it; otherwise absent. */
    isSummaryGiven: v.optional(v.boolean()),
    /**
     * Time at which the newest SMS after the first message of its thread was stored; absent if there is none.
     */
    lastTextAt: v.optional(timestamp),
  }),
  uniques: ({ externalId, ...ofKey }: { externalId: string | null } & Partial<IdOfKey>) => [
    externalIdOf(externalId, ofKey),
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

/** The key that brought an `externalId`, and a digest of the fields that came with it. */
export interface IdOfKey {
  keyId: number;
  digest: string;
}

/**
 * Unique value of an inquiry's id in another system. It includes the key and the digest of a form: keys are
 * public, so an id that a stranger makes up must not block an inquiry from a client of the API, from another
 * service, or from the rightful sender by the same key.
 */
export const externalIdOf = (
  externalId: string | null,
  { keyId, digest }: { [F in keyof IdOfKey]?: IdOfKey[F] | undefined } = {},
) => ({
  ...(keyId === undefined || digest === undefined || externalId === null
    ? { field: 'externalInquiryId', value: externalId ?? '' }
    : { field: 'externalInquiryIdOfKey', value: `${keyId}#${digest}#${externalId}` }),
  isExact: true as const,
});

/** The newest arrival in an inquiry: the inquiry itself, or an SMS in its thread. */
export const arrivalOf = ({ id, createdAt, lastTextAt = createdAt }: InquiryRecord): Arrival => ({
  inquiryId: id,
  at: lastTextAt,
});

/** Fields of an inquiry that lists and the single read share, as the API shows them. */
export function toListItem({
  externalId,
  keyId,
  digest,
  givenEmail,
  givenPhone,
  isSummaryGiven,
  lastTextAt,
  ...inquiry
}: InquiryRecord): Omit<InquiryListItem, 'externalInquiryId' | 'lead'> {
  return inquiry;
}
