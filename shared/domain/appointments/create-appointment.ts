import * as v from 'valibot';
import type {
  Appointment,
  BookedAppointment,
  NewAppointment,
  SaidBooking,
} from '../../contract/appointments.ts';
import { noAddress } from '../../contract/address.ts';
import { invalid, notFound, noSuch, unavailable } from '../../core/failure.ts';
import { numberInId } from '../../core/ids.ts';
import { merge } from '../../core/merge.ts';
import type { Ledger, RecordOf, RecordRef, Write } from '../../ledger/index.ts';
import { minute, type Hours } from '../calendar/hours.ts';
import { say } from '../calendar/say.ts';
import { endOf, maxLength, type Job } from '../calendar/slots.ts';
import type { Staff } from '../calendar/work-calendar.ts';
import { recordEvent } from '../events/record-event.ts';
import { LeadChange } from '../leads/lead-change.ts';
import { leads } from '../leads/lead-record.ts';
import { tryLeadRef } from '../leads/leads.ts';
import { timeZoneRef } from '../leads/pipeline-record.ts';
import { leadOf, senderOf, senderReads, type FillOptions } from '../leads/sender.ts';
import { members, tryUserRef, userIdOf } from '../members/members.ts';
import { isOutside, withArea } from '../organizations/areas.ts';
import { organizationRef } from '../settings/organization-record.ts';
import { services } from '../services/services.ts';
import { appointments, attendances, bookingOf, toAppointment } from './appointment-record.ts';
import { bookedAround, conflictsOf, notFree } from './conflicts.ts';

/** Job of an appointment without a service, except its duration. The appointment may begin in any year. */
export const plainJob = { bufferBefore: 0, bufferAfter: 0, leastNotice: 0, furthestDay: 366_000 } as const;

/** Settings that limit the times of appointments. Read serializably, so that the write's transaction proves them. */
export const settingsToCheck = {
  organization: organizationRef,
  zone: { ref: timeZoneRef, orElse: unavailable },
} as const;

/**
 * Books an appointment, and finds or makes its lead. One transaction.
 * @param now epoch milliseconds
 * @throws Failure `notFound` for the lead; `invalid` for the times, an attendee or the service
 * @throws Failure `conflict` with alternatives, if the time must be free and is not
 */
export async function createAppointment(
  ledger: Ledger,
  input: NewAppointment,
  { now, ...fillOptions }: FillOptions & { now: number },
): Promise<BookedAppointment> {
  const { leadId = null, tradeServiceId = null, attendees: userIds = [], ifFree = false } = input;
  const sender = input.lead && (await senderOf(ledger, input.lead));
  const ofSender = sender && senderReads(sender);
  const known = leadId === null ? undefined : tryLeadRef(ledger, leadId);
  if (leadId !== null && !known) throw notFound(leads.label);
  const reading = {
    change: { ...(known && { known }), ...ofSender?.change },
    check: {
      ...settingsToCheck,
      ...(tradeServiceId !== null && { service: serviceToCheck(tradeServiceId) }),
    },
    holders: { ...ofSender?.holders },
  };
  return ledger.write(reading, async (write, read) => {
    const { organization, zone, service } = read;
    const hours = { ...organization, timeZone: zone.timeZone };
    const { start } = input;
    const readingAttendees = readAttendees(ledger, write, userIds);
    const end = input.end ?? (service ? await endOfService(service, start, hours, readingAttendees) : start);
    checkTimes(start, end);
    const { bufferBefore, bufferAfter } = service ?? plainJob;
    const fields = { start, end, attendees: userIds, bufferBefore, bufferAfter };
    const booking = bookingOf(fields);
    const [attendees, booked, lead] = await Promise.all([
      readingAttendees,
      bookedAround(write, userIds.length > 0 ? booking : undefined),
      sender
        ? leadOf(ledger, write, sender, { ...read, ...fillOptions })
        : known && read.known && new LeadChange(write, known, read.known),
    ]);
    const { number, id } = write.next(appointments);
    const wanted = { booking, number, staff: attendees.map(({ staff }) => staff), hours };
    const conflicts = conflictsOf(ledger, wanted, booked);
    if (ifFree && conflicts.length > 0) {
      const length = service && input.end === undefined ? service : durationBetween(start, end);
      throw await notFree(ledger, wanted, { ...plainJob, ...service, ...length }, now);
    }
    const { record } = write.append(appointments, () => ({
      ...fields,
      id,
      leadId: lead?.id ?? null,
      title: input.title,
      description: input.description ?? '',
      status: input.status ?? 'PENDING',
      attendances: userIds.map((userId) => addAttendance(write, { appointmentId: id, userId, start })),
      tradeServiceId,
      address: merge(noAddress, input.address ?? lead?.lead.address ?? {}),
      notes: input.notes ?? '',
      customerNotes: input.customerNotes ?? '',
      isRescheduled: false,
      createdAt: write.now,
      updatedAt: write.now,
    }));
    for (const { ref } of attendees) changeTurn(write, ref, { newest: number, opened: 1 });
    const event = { event: 'APPOINTMENT_CREATED', about: id } as const;
    if (lead) lead.recordActivity(event);
    else recordEvent(write, event);
    write.keep({ collection: appointments, number });
    return answerOf(write, toAppointment(record), {
      conflicts,
      isOutside: isOutside(organization.areasServed, record.address),
    });
  });
}

/** End of a service that begins at `start`. The end of a service in days depends on the attendees' schedules. */
async function endOfService(
  service: Job,
  start: string,
  hours: Hours,
  attendees: Promise<readonly Attendee[]>,
): Promise<string> {
  const staff = service.durationUnit === 'DAYS' ? (await attendees).map(({ staff }) => staff) : [];
  const end = endOf(hours, service, staff, Date.parse(start));
  if (!Number.isFinite(end)) throw tooLong();
  return new Date(end).toISOString();
}

/** The service of an appointment, read as a check. */
export const serviceToCheck = (tradeServiceId: number) => ({
  ref: { collection: services, number: tradeServiceId },
  orElse: () => noSuch(services.label, 'tradeServiceId'),
});

/** An attendee. The write has read the member to change it. */
export interface Attendee {
  ref: RecordRef<typeof members>;
  member: RecordOf<typeof members>;
  staff: Staff;
}

/** Reads attendees to change them. One round trip. @throws Failure `invalid` for an id that names no user here */
export function readAttendees(ledger: Ledger, write: Write, userIds: readonly string[]): Promise<Attendee[]> {
  return Promise.all(
    userIds.map(async (userId, at) => {
      const ref = tryUserRef(ledger, userId);
      const member = ref && (await write.read(ref, { mayStayUnchanged: true }));
      if (!ref || !member) throw noSuch('user', `attendees.${at}`);
      return { ref, member, staff: { number: ref.number, userId, schedule: member.schedule } };
    }),
  );
}

/**
 * Notes what an appointment changes for a member, in a write that has read the member to change it. `newest`: number of
 * an appointment that the member is given, so that ROUND_ROBIN proposes another member next. `opened`: 1 for an open
 * appointment that the member gets, -1 for an open appointment that the member loses.
 */
export function changeTurn(
  write: Write,
  ref: RecordRef<typeof members>,
  { newest = 0, opened }: { newest?: number; opened: number },
): void {
  const member = write.current(ref);
  if (member)
    write.replace(ref, {
      ...member,
      newestAppointment: Math.max(member.newestAppointment, newest),
      openAppointments: Math.max(0, member.openAppointments + opened),
    });
}

/**
 * Adds an appointment to an attendee's list, as part of a write that has read the member. Returns the attendance's
 * number.
 */
export const addAttendance = (write: Write, attendance: Omit<RecordOf<typeof attendances>, 'id'>): number =>
  write.append(attendances, ({ number }) => ({ id: number, ...attendance })).ref.number;

/** @throws Failure `invalid` for an end that is not after the start, or more than `maxLength` after it */
export function checkTimes(start: string, end: string): void {
  const milliseconds = Date.parse(end) - Date.parse(start);
  if (milliseconds <= 0) throw invalid([{ field: 'end', message: 'must be after start' }]);
  if (milliseconds > maxLength) throw tooLong();
}

const tooLong = () => invalid([{ field: 'end', message: 'must be at most 14 days after start' }]);

/** Duration of an appointment. */
export const durationBetween = (start: string, end: string): Pick<Job, 'duration' | 'durationUnit'> => ({
  duration: (Date.parse(end) - Date.parse(start)) / minute,
  durationUnit: 'MINUTES',
});

/** Booking, with a sentence for a voice. One round trip, for the time zone. @throws Failure `notFound` */
export async function sayBooking(
  ledger: Ledger,
  { appointment: { id, start }, isOutside: outside }: BookedAppointment,
): Promise<SaidBooking> {
  const { timeZone } = await ledger.get(timeZoneRef);
  const time = say(timeZone, Date.parse(start));
  return { say: withArea(`You are booked for ${time}.`, outside), appointmentId: id, start };
}

type BookingOutcome = Omit<BookedAppointment, 'appointment'>;

/** Replay data of a booking: its outcome with numbers instead of ids, because the other appointments may be erased. */
const KeptOutcome = v.object({
  conflicts: v.array(v.tuple([v.number(), v.nullable(v.number())])),
  isOutside: v.boolean(),
});

/** Answer to a booking. Keeps the outcome for a repeat of the request, because no record has the outcome. */
export function answerOf(write: Write, appointment: Appointment, outcome: BookingOutcome): BookedAppointment {
  const conflicts = outcome.conflicts.map(({ userId, appointmentId }) => [
    numberInId(userId),
    appointmentId === null ? null : numberInId(appointmentId),
  ]);
  if (conflicts.length > 0 || outcome.isOutside)
    write.keepReplayData(JSON.stringify({ conflicts, isOutside: outcome.isOutside }));
  return { appointment, ...outcome };
}

/** Outcome of a booking that `answerOf` kept of the principal's request. No call. */
export function keptOutcome(ledger: Ledger): BookingOutcome {
  if (ledger.replayData === '') return { conflicts: [], isOutside: false };
  const { conflicts, isOutside } = v.parse(KeptOutcome, JSON.parse(ledger.replayData));
  return {
    conflicts: conflicts.map(([member, appointment]) => ({
      userId: userIdOf(ledger, member),
      appointmentId: appointment === null ? null : ledger.idOf(appointments, appointment),
    })),
    isOutside,
  };
}
