import { arrivalOf, type InquiryRecord } from '../../../shared/domain/inquiries/inquiry-record.ts';
import { unreadCounts } from '../../../shared/domain/leads/lead-change.ts';
import { isLater, type Arrival, type LeadRecord } from '../../../shared/domain/leads/lead-record.ts';

/** What a lead says of its inquiries, or what they say. */
export interface LeadTally {
  /** By the name of the lead's field. */
  readonly counts: Readonly<Record<string, number>>;
  readonly hasFlaggedInquiry: boolean;
  readonly lastInquiryId: string | null;
  readonly lastInquiryDate: string | null;
}

/** The fields that are counts. */
export const countNames = [...Object.values(unreadCounts), 'flaggedInquiries'] as const;

/** What a lead says. */
export const tallyOf = (lead: LeadRecord): LeadTally => ({
  counts: Object.fromEntries(countNames.map((name) => [name, lead[name]])),
  hasFlaggedInquiry: lead.hasFlaggedInquiry,
  lastInquiryId: lead.lastInquiryId,
  lastInquiryDate: lead.lastInquiryDate,
});

/** To which counts of its lead an inquiry adds one. */
export const countsOf = ({
  source,
  isRead,
  isFlagged,
}: Pick<InquiryRecord, 'source' | 'isRead' | 'isFlagged'>): (typeof countNames)[number][] => [
  ...(isRead ? [] : [unreadCounts[source]]),
  ...(isFlagged ? (['flaggedInquiries'] as const) : []),
];

/** The names of the lead's fields that are not expected. */
export function wrongIn(stated: LeadTally, expected: LeadTally): string[] {
  const others = ['hasFlaggedInquiry', 'lastInquiryId', 'lastInquiryDate'] as const;
  return [
    ...countNames.filter((name) => stated.counts[name] !== expected.counts[name]),
    ...others.filter((name) => stated[name] !== expected[name]),
  ];
}

/** Counts the inquiries of a lead, in any order. */
export class InquiryTally {
  readonly #counts = new Map<string, number>(countNames.map((name) => [name, 0]));
  #last: Arrival | undefined;

  add(inquiry: InquiryRecord): void {
    for (const name of countsOf(inquiry)) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    const arrival = arrivalOf(inquiry);
    if (!this.#last || isLater(arrival, this.#last)) this.#last = arrival;
  }

  get result(): LeadTally {
    return {
      counts: Object.fromEntries(this.#counts),
      hasFlaggedInquiry: (this.#counts.get('flaggedInquiries') ?? 0) > 0,
      lastInquiryId: this.#last?.inquiryId ?? null,
      lastInquiryDate: this.#last?.at ?? null,
    };
  }
}
