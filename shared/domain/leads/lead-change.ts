import type { ActivityName } from '../../contract/events.ts';
import type { InquirySource } from '../../contract/inquiries.ts';
import type { RecordRef, Write } from '../../ledger/index.ts';
import { tell, type Happening } from '../events/tell.ts';
import type { leads, LeadRecord } from './lead-record.ts';

/** The unread count of a lead that an inquiry of each source adds to. */
const unreadCounts = {
  CALL: 'unreadCalls',
  EMAIL: 'unreadEmails',
  CHATBOT: 'unreadChatbotThreads',
  SMS: 'unreadSMS',
  WEBFORM: 'unreadWebformSubmissions',
} as const satisfies Record<InquirySource, keyof LeadRecord>;

/** An existing lead in a write that has read it. Combines several changes into one record. */
export class LeadChange {
  readonly #ref: RecordRef<typeof leads>;
  readonly #write: Write;
  #record: LeadRecord;

  constructor(write: Write, ref: RecordRef<typeof leads>, record: LeadRecord) {
    this.#ref = ref;
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

  get hasInquiries(): boolean {
    return this.#record.lastInquiryId !== null;
  }

  /** Makes the inquiry the lead's last one, and counts it as unread if nobody has read it. */
  noteInquiry(inquiry: { id: string; source: InquirySource; isRead: boolean; createdAt: string }): void {
    const unread = unreadCounts[inquiry.source];
    this.#change({
      lastInquiryId: inquiry.id,
      lastInquiryDate: inquiry.createdAt,
      ...(!inquiry.isRead && { [unread]: this.#record[unread] + 1 }),
    });
  }

  /** Appends an event that is also one of the lead's activities. */
  tell(happening: Happening<ActivityName>): void {
    tell(this.#write, happening, [this.#ref]);
  }

  #change(changes: Partial<LeadRecord>): void {
    this.#record = { ...this.#record, ...changes };
    this.#write.replace(this.#ref, this.#record);
  }
}
