import * as v from 'valibot';
import { timestamp } from '../../contract/fields.ts';
import { inquiryLabel, InquiryListItem, type Inquiry } from '../../contract/inquiries.ts';
import type { Collection, RecordOf } from '../../ledger/index.ts';
import { leads, type Arrival } from '../leads/lead-record.ts';

const { externalInquiryId, lead, ...entries } = InquiryListItem.entries;

const ofLead = ({ leadId }: Pick<Inquiry, 'leadId'>) => ({ owner: { collection: leads, id: leadId } });

/** The name of the list of inquiries that nobody has read. */
export const unreadList = 'unread';

/** An inquiry as stored: small, since lists read many. What its source recorded is a record of its own. */
export const inquiries = {
  name: 'INQUIRY',
  label: inquiryLabel,
  prefix: 'inquiry',
  schema: v.object({
    ...entries,
    /** Its id in another system. */
    externalId: v.nullable(v.string()),
    /** The number of the key that the `externalId` came by, as of a form; absent where a client of the API gave it. */
    keyId: v.optional(v.number()),
    /** A digest of what came with it then; absent as `keyId` is. */
    digest: v.optional(v.string()),
    /** The email address that it came with, where its lead does not have it; absent where there is none. */
    givenEmail: v.optional(v.string()),
    /** The phone number that it came with, where its lead does not have it. */
    givenPhone: v.string(),
    /** True where a client has said the summary, so that texts that come in leave it as it is; else absent. */
    isSummaryGiven: v.optional(v.boolean()),
    /** When the newest text was stored that came into its thread after the first message; absent where none did. */
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

/** The key that an id in another system came by, and a digest of what came with it. */
export interface IdOfKey {
  keyId: number;
  digest: string;
}

/**
 * An inquiry's id in another system, as the value that no other inquiry has. Those of each key are apart, and so are those that come
 * with something else: keys are public, and an id that somebody makes up must not keep out what a client of the API, another service,
 * or the one with this key sends.
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

/** The last thing that came into an inquiry: itself, or a text of its thread. */
export const arrivalOf = ({ id, createdAt, lastTextAt = createdAt }: InquiryRecord): Arrival => ({
  inquiryId: id,
  at: lastTextAt,
});

/** The fields that a list and the single read share, as the API shows them. */
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
