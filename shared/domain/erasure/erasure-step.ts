import type { Ledger, RecordRef } from '../../ledger/index.ts';
import { appointments, type AppointmentRecord } from '../appointments/appointment-record.ts';
import { inquiries, type InquiryRecord } from '../inquiries/inquiry-record.ts';
import type { leads } from '../leads/lead-record.ts';
import { newestMessages } from '../threads/remove-messages.ts';

/** An inquiry, and the numbers of its thread's messages, if it has a thread. */
export interface ErasedInquiry {
  inquiry: InquiryRecord;
  messages: readonly number[];
}

/** The records that one transaction of an erasure removes. */
export interface ErasureStep {
  complete: readonly ErasedInquiry[];
  /** The newest messages of the newest inquiry, if its thread is too long for one transaction. */
  partial: ErasedInquiry | undefined;
  /** Appointments, once no inquiry is left. */
  booked: readonly AppointmentRecord[];
  /** True if nothing is left after this step. This stays true, because a removed lead gets no more inquiries. */
  isLast: boolean;
}

/**
 * Number of items of a transaction that a step may use. DynamoDB allows a hundred. The others are reserved for the
 * head, the principal's request, the last event, and the item that the lead's removal left. Some are for the counts of
 * holes that all steps share, and nine for the holes of long lists that end.
 */
const maxItems = 83;

/**
 * Number of items that each removed record takes: the record itself, and, for each list that it leaves, the bucket that
 * gets the hole.
 *
 * - An inquiry: four for itself, its source, its `externalInquiryId` and its event. Six for the lists of all, of its
 *   source, of its lead, of both, of unread inquiries, and of its tag. Two for the state and the counts of the tag's
 *   list. One for the list of all records of its source, and three for the counts of the three lists by source.
 * - An appointment: itself, its event, the lists of all and of its lead, and three counts: of its lead's list, and of
 *   the two lists of all.
 * - Each attendee: the attendance, the member, the lists of all and of the member, and the counts of the member's list.
 * - Each day that the appointment touches: its length in days, one day more, and two days more by its buffers.
 * - A message: itself, its `providerId`, and the list of all.
 * - A thread: one or two buckets of its list of messages, and the counts of that list.
 */
const itemsOf = { inquiry: 16, thread: 3, message: 3, appointment: 7, attendee: 5, furtherDays: 3 };

/** Number of inquiries that fit into a step if none has a thread. */
const maxInquiries = Math.floor(maxItems / itemsOf.inquiry);
/** Number of appointments that fit into a step if none has an attendee. */
const maxAppointments = Math.floor(maxItems / itemsOf.appointment);
/** Number of messages that fit into a step that removes only messages. */
const maxMessages = Math.floor((maxItems - itemsOf.thread) / itemsOf.message);

/** The next step of erasing a removed lead, newest records first; undefined if nothing is left. */
export async function nextErasureStep(
  ledger: Ledger,
  lead: RecordRef<typeof leads>,
): Promise<ErasureStep | undefined> {
  const [ofInquiries, ofAppointments] = await Promise.all([
    ledger.ownedList(lead, inquiries, 'lead', { page: 1, limit: maxInquiries }),
    ledger.ownedList(lead, appointments, 'lead', { page: 1, limit: maxAppointments }),
  ]);
  const left = ofInquiries.totalCount + ofAppointments.totalCount;
  if (left === 0) return undefined;
  const found = await Promise.all(ofInquiries.items.map((inquiry) => withMessages(ledger, inquiry)));
  const complete = fitting(found);
  if (found.length > 0)
    return {
      complete,
      partial: complete.length === 0 ? found[0] : undefined,
      booked: [],
      isLast: complete.length === left,
    };
  const booked = fitting(ofAppointments.items.map(withItems)).map(({ appointment }) => appointment);
  return { complete: [], partial: undefined, booked, isLast: booked.length === left };
}
/** The first records that fit into a step together. */
function fitting<T extends { items: number }>(found: readonly T[]): T[] {
  let room = maxItems;
  const end = found.findIndex(({ items }) => (room -= items) < 0);
  return end === -1 ? [...found] : found.slice(0, end);
}

/**
 * An inquiry with the newest messages of its thread, and the number of items that their removal takes. The number is
 * Infinity if the thread has more messages.
 */
async function withMessages(ledger: Ledger, inquiry: InquiryRecord) {
  if (inquiry.source !== 'SMS') return { inquiry, messages: [], items: itemsOf.inquiry };
  const { items, totalCount } = await newestMessages(ledger, inquiry.sourceId, maxMessages);
  const needed = itemsOf.inquiry + itemsOf.thread + itemsOf.message * items.length;
  return {
    inquiry,
    messages: items.map(({ id }) => id),
    items: items.length === totalCount ? needed : Infinity,
  };
}

/** An appointment, and the number of items that removing it takes. */
function withItems(appointment: AppointmentRecord) {
  const days = (Date.parse(appointment.end) - Date.parse(appointment.start)) / 86_400_000;
  const items =
    itemsOf.appointment +
    itemsOf.attendee * appointment.attendees.length +
    Math.ceil(days) +
    itemsOf.furtherDays;
  return { appointment, items };
}
