import type { InquirySource } from '../../contract/inquiries.ts';
import type { LeadActivity } from '../../contract/leads.ts';
import type { LedgerEvent, RecordRef } from '../../ledger/internal/collection.ts';
import { inquiryTotal } from '../inquiries/inquiry-record.ts';
import type { Write } from '../../ledger/internal/write.ts';
import { activities, leads, type LeadRecord } from './lead-record.ts';
import { notFound } from '../../core/failure.ts';

/** Which of a lead's counts of unread things an inquiry adds to. */
const unreadCounts = {
  CALL: 'unreadCalls',
  EMAIL: 'unreadEmails',
  CHATBOT: 'unreadChatbotThreads',
  SMS: 'unreadSMS',
  WEBFORM: 'unreadWebformSubmissions',
} as const satisfies Record<InquirySource, keyof LeadRecord>;

/** An existing lead in a write that has read it: whatever happens to it there ends up in its one record. */
export class LeadChange {
  readonly ref: RecordRef<typeof leads>;
  readonly #write: Write;
  #record: LeadRecord;

  /** @throws Failure `notFound` when nothing was read. */
  constructor(write: Write, ref: RecordRef<typeof leads>, record: LeadRecord | undefined) {
    if (record === undefined) throw notFound(leads.label);
    this.ref = ref;
    this.#write = write;
    this.#record = record;
  }

  get id(): string {
    return this.#record.id;
  }

  /** In E.164, or empty. */
  get phone(): string {
    return this.#record.phone;
  }

  /** Counts one more inquiry of the lead; tells how many it has, and how many of that source. */
  countInquiry(source: InquirySource): { ofLead: number; ofSource: number } {
    const inquiryCounts = { ...this.#record.inquiryCounts };
    const ofSource = (inquiryCounts[source] ?? 0) + 1;
    inquiryCounts[source] = ofSource;
    this.#change({ inquiryCounts });
    return { ofLead: inquiryTotal(inquiryCounts), ofSource };
  }

  /** Notes the inquiry as the lead's last, and, where nobody has read it, as unread. */
  noteInquiry(inquiry: { id: string; source: InquirySource; isRead: boolean; createdAt: string }): void {
    const unread = unreadCounts[inquiry.source];
    this.#change({
      lastInquiryId: inquiry.id,
      lastInquiryDate: inquiry.createdAt,
      ...(!inquiry.isRead && { [unread]: this.#record[unread] + 1 }),
    });
  }

  /** Tells something that happened to the lead: an event of the organization, and in the lead's list of activities. */
  tell(event: Pick<LedgerEvent, 'data' | 'referenceId'> & Pick<LeadActivity, 'event'>): void {
    const rank = this.#record.activityCount + 1;
    this.#change({ activityCount: rank });
    this.#write.event(event, { ...activities, owner: this.ref, rank });
  }

  #change(changes: Partial<LeadRecord>): void {
    this.#record = { ...this.#record, ...changes };
    this.#write.replace(this.ref, this.#record);
  }
}
