import type { Address, NewAddress } from '../../contract/address.ts';
import type { ActivityName } from '../../contract/events.ts';
import type { InquirySource } from '../../contract/inquiries.ts';
import { maxSocials } from '../../contract/fields.ts';
import type { Lead } from '../../contract/leads.ts';
import { foldName } from '../../core/fold-case.ts';
import type { Ledger, RecordRef, Write } from '../../ledger/index.ts';
import { changedFields } from '../events/changed-fields.ts';
import { recordEvent, type EventInput } from '../events/record-event.ts';
import { isOptedOut } from '../opt-outs/opt-outs.ts';
import { isLater, leads, placeWith, toLead, type Arrival, type LeadRecord } from './lead-record.ts';

/** The lead's unread count for each source of inquiries. */
export const unreadCounts = {
  CALL: 'unreadCalls',
  EMAIL: 'unreadEmails',
  CHATBOT: 'unreadChatbotThreads',
  SMS: 'unreadSMS',
  WEBFORM: 'unreadWebformSubmissions',
} as const satisfies Record<InquirySource, keyof LeadRecord>;

const fillable = ['firstName', 'lastName', 'email', 'phone', 'businessName'] as const;

/** Fields that `fillIn` can fill. The address has the suburb. */
export type LeadDetails = Partial<Pick<Lead, (typeof fillable)[number] | 'socials'>> & {
  address?: NewAddress;
};

/** Changes to a lead that the write has read, combined into one record. */
export class LeadChange {
  readonly #ref: RecordRef<typeof leads>;
  readonly #write: Write;
  readonly #before: LeadRecord;
  #record: LeadRecord;

  constructor(write: Write, ref: RecordRef<typeof leads>, record: LeadRecord) {
    this.#ref = ref;
    this.#write = write;
    this.#before = record;
    this.#record = record;
  }

  get id(): string {
    return this.#record.id;
  }

  /** Email as given, or empty. */
  get email(): string {
    return this.#record.email;
  }

  /** Phone number in E.164, or empty. */
  get phone(): string {
    return this.#record.phone;
  }

  /** True if the lead's phone number has opted out of SMS. */
  get isOptedOut(): boolean {
    return this.#record.isOptedOut;
  }

  get hasInquiries(): boolean {
    return this.#record.lastInquiryId !== null;
  }

  /** The lead before these changes, as the API shows it. */
  get before(): Lead {
    return toLead(this.#before);
  }

  /** The lead with these changes, as the API shows it. */
  get lead(): Lead {
    return toLead(this.#record);
  }

  /** Number of the lead's newest SMS thread, if it has one. */
  get newestThreadId(): number | undefined {
    return this.#record.newestThreadId;
  }

  /**
   * Makes a new inquiry the lead's last inquiry, and its thread the newest thread. Counts the inquiry if it is unread.
   */
  recordInquiry(inquiry: {
    id: string;
    source: InquirySource;
    sourceId: string;
    isRead: boolean;
    createdAt: string;
  }): void {
    this.recordArrival({ inquiryId: inquiry.id, at: inquiry.createdAt });
    if (inquiry.source === 'SMS') this.#change({ newestThreadId: Number(inquiry.sourceId) });
    if (!inquiry.isRead) this.#countUnread(inquiry.source, 1);
  }

  /**
   * Makes the arrival's inquiry the lead's last inquiry, unless another writer with a clock ahead stored a later
   * arrival.
   */
  recordArrival(arrival: Arrival): void {
    const { lastInquiryId, lastInquiryDate } = this.#record;
    const last = { inquiryId: lastInquiryId ?? '', at: lastInquiryDate ?? '' };
    const { inquiryId, at } = isLater(last, arrival) ? last : arrival;
    this.#change({ lastInquiryId: inquiryId, lastInquiryDate: at });
  }

  /** Counts an inquiry that was marked as read, or as unread again. */
  countRead(source: InquirySource, isRead: boolean): void {
    this.#countUnread(source, isRead ? -1 : 1);
  }

  /** Counts an inquiry that was flagged, or is no longer flagged. */
  countFlagged(isFlagged: boolean): void {
    const flaggedInquiries = added(this.#record.flaggedInquiries, isFlagged ? 1 : -1);
    this.#change({ flaggedInquiries, hasFlaggedInquiry: flaggedInquiries > 0 });
  }

  /**
   * Fills empty fields of the lead, and records an activity if a field was filled. Fills the first name only if the
   * stored last name is empty or equal to the given last name, and the other way round. Fills the address only if no
   * part of it differs. The caller must know that no other lead has the given email or phone number. Returns true if a
   * field was filled.
   */
  async fillIn({
    socials = {},
    address = {},
    firstName = '',
    lastName = '',
    ...details
  }: LeadDetails): Promise<boolean> {
    const given = {
      ...details,
      ...(agrees(this.#record.lastName, lastName) && { firstName }),
      ...(agrees(this.#record.firstName, firstName) && { lastName }),
    };
    const lacking = fillable.flatMap((field) => {
      const value = given[field];
      return value && this.#record[field] === '' ? [[field, value] as const] : [];
    });
    const known = this.#record.socials;
    const more = Object.entries(socials)
      .filter(([name]) => !Object.hasOwn(known, name))
      .slice(0, Math.max(0, maxSocials - Object.keys(known).length));
    const parts = partsLacking(this.lead.address, address);
    if (lacking.length + more.length + parts.length === 0) return false;
    const before = this.lead;
    const filled = Object.fromEntries(lacking);
    const place = placeWith(this.#record, { address: Object.fromEntries(parts) });
    this.#change({ ...filled, ...place, socials: { ...known, ...Object.fromEntries(more) } });
    if ('phone' in filled) this.#change({ isOptedOut: await isOptedOut(this.#write, this.phone) });
    const fields = changedFields(before, this.lead);
    this.recordActivity({ event: 'LEAD_UPDATED', about: this.id, fields });
    return true;
  }

  /** Stores that the lead's phone number has opted out of SMS, or in again. */
  setOptedOut(isOptedOut: boolean): void {
    if (this.#record.isOptedOut === isOptedOut) return;
    this.#change({ isOptedOut });
    this.recordActivity({ event: isOptedOut ? 'LEAD_OPTED_OUT' : 'LEAD_OPTED_IN', about: this.id });
  }

  /** Appends an event that is also an activity of the lead. */
  recordActivity(input: EventInput<ActivityName>): void {
    recordEvent(this.#write, input, [this.#ref]);
  }

  #countUnread(source: InquirySource, by: 1 | -1): void {
    const count = unreadCounts[source];
    this.#change({ [count]: added(this.#record[count], by) });
  }

  #change(changes: Partial<LeadRecord>): void {
    this.#record = { ...this.#record, ...changes, updatedAt: this.#write.now };
    this.#write.replace(this.#ref, this.#record);
  }
}

/**
 * Reads the lead with an id to change it, as part of a write. Undefined if the lead was deleted. The write may
 * leave it unchanged.
 */
export async function readLead(
  ledger: Ledger,
  write: Write,
  leadId: string,
): Promise<LeadChange | undefined> {
  const ref = ledger.ref(leads, leadId);
  const record = await write.read(ref, { mayStayUnchanged: true });
  return record && new LeadChange(write, ref, record);
}

/** True if a known text is empty or equal to the given one, in any case, and whatever marks they are typed with. */
const agrees = (known: string, given: string): boolean => known === '' || foldName(known) === foldName(given);

/**
 * Parts that the known address lacks and the given address has. None if the two differ in a part: they are different
 * places.
 */
function partsLacking(known: Address, given: NewAddress): (readonly [name: string, value: string])[] {
  const parts = Object.entries(given).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  const knownPart = new Map(Object.entries(known));
  const differ = parts.some(([name, value]) => !agrees(knownPart.get(name) ?? '', value));
  return differ ? [] : parts.filter(([name]) => knownPart.get(name) === '');
}

/** Count one up or down. Never below 0: a damaged count must not become invalid. */
const added = (count: number, by: 1 | -1): number => Math.max(0, count + by);
