import { arrivalOf, type InquiryRecord } from '../../../shared/domain/inquiries/inquiry-record.ts';
import { unreadCounts } from '../../../shared/domain/leads/lead-change.ts';
import { isLater, type Arrival, type LeadRecord } from '../../../shared/domain/leads/lead-record.ts';

/**
 * Counts of a lead's inquiries and the last inquiry: as the lead states them, or as the inquiries show them.
 */
export interface LeadTally {
  /** Keys are field names of the lead. */
  readonly counts: Readonly<Record<string, number>>;
  readonly hasFlaggedInquiry: boolean;
  readonly lastInquiryId: string | null;
  readonly lastInquiryDate: string | null;
}

export const countNames = [...Object.values(unreadCounts), 'flaggedInquiries'] as const;

/** Tally that the lead states. */
export const tallyOf = (lead: LeadRecord): LeadTally => ({
  counts: Object.fromEntries(countNames.map((name) => [name, lead[name]])),
  hasFlaggedInquiry: lead.hasFlaggedInquiry,
  lastInquiryId: lead.lastInquiryId,
  lastInquiryDate: lead.lastInquiryDate,
});

/** Names of the counts to which the inquiry adds 1. */
export const countsOf = ({
  source,
  isRead,
  isFlagged,
}: Pick<InquiryRecord, 'source' | 'isRead' | 'isFlagged'>): (typeof countNames)[number][] => [
  ...(isRead ? [] : [unreadCounts[source]]),
  ...(isFlagged ? (['flaggedInquiries'] as const) : []),
];

/** Names of the fields that differ. */
export function wrongIn(stated: LeadTally, expected: LeadTally): string[] {
  const others = ['hasFlaggedInquiry', 'lastInquiryId', 'lastInquiryDate'] as const;
  return [
    ...countNames.filter((name) => stated.counts[name] !== expected.counts[name]),
    ...others.filter((name) => stated[name] !== expected[name]),
  ];
}

/** Counts the inquiries of one lead, in any order. */
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
