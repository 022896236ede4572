import * as v from 'valibot';
import { Address } from '../../contract/address.ts';
import {
  ActivityEvent,
  Lead,
  leadLabel,
  type LeadActivity,
  type LeadChanges,
  type NewLead,
} from '../../contract/leads.ts';
import { count } from '../../contract/fields.ts';
import { halvesOf } from '../../contract/halves-of.ts';
import { numberInId } from '../../core/ids.ts';
import { merge } from '../../core/merge.ts';
import { firstCodePoints, fromEnd, wordsIn } from '../../core/search-terms.ts';
import type { Collection, LedgerEvent, RecordOf, UniqueValue } from '../../ledger/index.ts';
import { comparableNumber } from '../phone/phone-number.ts';
import { pipelineNumber, pipelines } from './pipeline-record.ts';

/** Values that no two live leads share, unless they are empty. */
type Identifiers = Pick<Lead, 'email' | 'phone' | 'externalId'> & { importKey?: string | undefined };

/** Fields that a search finds a lead by, beside its email and the beginning of its phone number. */
type Searched = Pick<Lead, 'firstName' | 'lastName' | 'businessName' | 'phone'>;

/**
 * The unique value of a lead's phone number, in E.164 or empty: the same for each way to write the number.
 */
export const phoneValue = (phone: string) => ({ field: 'phone', value: comparableNumber(phone) });

/** Unique values of a lead that no other live lead has. */
export const identifiersOf = ({ email, phone, externalId, importKey = '' }: Identifiers): UniqueValue[] => [
  { field: 'email', value: email },
  phoneValue(phone),
  { field: 'externalId', value: externalId, isExact: true },
  { field: 'importKey', value: importKey, isExact: true },
];

/** Words of each name of a lead that a search can begin with. */
const maxWords = 4;
/** Code points of a lead's other words that a searched word has beside it. */
const maxBeside = 100;

/**
 * Values that a search finds a lead by. Each word of its names is one, with the lead's other words behind it, so one
 * query answers a search by several words. Another is its phone number from the last digit to the first.
 *
 * @param number the lead's number, which makes the values its own; empty for a lead that has none yet
 */
export function searchedValues(
  { firstName, lastName, businessName, phone }: Searched,
  number: string,
): UniqueValue[] {
  const [first, last, business] = [wordsIn(firstName), wordsIn(lastName), wordsIn(businessName)];
  const valuesOf = (words: readonly string[], ...others: readonly string[]) =>
    words.slice(0, maxWords).map((word, at) => {
      const beside = [...others, ...words.toSpliced(at, 1)].join(' ');
      return [word, firstCodePoints(beside, maxBeside).trim(), number].filter(Boolean).join(' ');
    });
  const words = new Set([
    ...valuesOf(first, ...last, ...business),
    ...valuesOf(last, ...first, ...business),
    ...valuesOf(business, ...first, ...last),
  ]);
  const isSearched = true;
  return [
    ...Array.from(words, (value) => ({ field: 'word', value, isSearched }) as const),
    ...(phone === ''
      ? []
      : [{ field: 'phoneEnd', value: `${fromEnd(phone)} ${number}`, isSearched } as const]),
  ];
}

/** A lead. Its activities are the events in its list. */
export const leads = {
  name: 'LEAD',
  label: leadLabel,
  prefix: 'lead',
  schema: v.object({
    ...Lead.entries,
    /** Address without its suburb, which is a field of the lead. */
    address: v.omit(Address, ['suburb']),
    /** Number of the lead's inquiries that are flagged. */
    flaggedInquiries: count,
    /**
     * Number of the lead's newest SMS thread; absent if it has none. A write cannot find the thread in a list, because
     * an index is behind the table.
     */
    newestThreadId: v.optional(v.number()),
    /** Identifies the line of an imported file that has no email, phone number or `externalId`. */
    importKey: v.optional(v.string()),
  }),
  uniques: (lead: Identifiers & Searched & Pick<Lead, 'id'>) => [
    ...identifiersOf(lead),
    ...searchedValues(lead, String(numberInId(lead.id)).padStart(12, '0')),
  ],
  lists: {
    status: {
      of: ({ status }: Pick<Lead, 'status'>) => ({
        name: status,
        owner: { collection: pipelines, id: pipelineNumber },
      }),
    },
  },
  eventListIndex: 0,
} as const satisfies Collection;

export type LeadRecord = RecordOf<typeof leads>;

/** An inquiry or an SMS from a lead: the inquiry that shows it, and the time at which it was stored. */
export interface Arrival {
  inquiryId: string;
  at: string;
}

/** True if `one` arrived later than `other`; in the same millisecond, if its inquiry is newer. */
export const isLater = (one: Arrival, other: Arrival): boolean =>
  one.at > other.at || (one.at === other.at && one.inquiryId > other.inquiryId);

/** First and last name: as given, otherwise the halves of `name`. `""` counts as not given. */
export function namesOf({
  name = '',
  firstName,
  lastName,
}: Pick<NewLead, 'name' | 'firstName' | 'lastName'>): Pick<Lead, 'firstName' | 'lastName'> {
  const [first, last] = halvesOf(name);
  return { firstName: firstName || first, lastName: lastName || last };
}

/** Suburb and address, as stored. */
type Place = Pick<LeadRecord, 'suburb' | 'address'>;

/** Place of a lead with the parts that an input has. The suburb can be given as a part of the address. */
export function placeWith(known: Place, given: Pick<LeadChanges, 'suburb' | 'address'>): Place {
  const { suburb: part, ...parts } = given.address ?? {};
  return { suburb: given.suburb ?? part ?? known.suburb, address: merge(known.address, parts) };
}

/** A lead as the API shows it. */
export function toLead({ flaggedInquiries, newestThreadId, importKey, ...lead }: LeadRecord): Lead {
  return { ...lead, address: { ...lead.address, suburb: lead.suburb } };
}

/** An event of a lead's list, as an activity of the lead. */
export function toActivity(entry: LedgerEvent, leadId: string): LeadActivity {
  const { id, event, data, referenceId, userId, createdAt } = entry;
  return { id, event: v.parse(ActivityEvent, event), data, referenceId, userId, leadId, createdAt };
}
