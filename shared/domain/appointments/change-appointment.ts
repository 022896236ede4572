import { isDeepStrictEqual } from 'node:util';
import type { Appointment, AppointmentChanges, BookedAppointment } from '../../contract/appointments.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { Failure } from '../../core/failure.ts';
import { numberInId } from '../../core/ids.ts';
import { merge } from '../../core/merge.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { readLead, type LeadChange } from '../leads/lead-change.ts';
import { memberRef } from '../members/members.ts';
import { isOutside } from '../organizations/areas.ts';
import {
  appointments,
  attendanceRef,
  bookingOf,
  isOpen,
  toAppointment,
  type AppointmentRecord,
} from './appointment-record.ts';
import {
  addAttendance,
  answerOf,
  changeTurn,
  checkTimes,
  durationBetween,
  plainJob,
  readAttendees,
  serviceToCheck,
  settingsToCheck,
} from './create-appointment.ts';
import { bookedAround, conflictsOf, notFree } from './conflicts.ts';

/**
 * Condition of a change that ends an appointment. With `mustBeOpen`, refuses a final appointment even if nothing
 * changes.
 */
interface Ending {
  mustBeOpen?: boolean;
}

/**
 * Changes an appointment. One transaction, or none if nothing changes.
 * @param now epoch milliseconds
 * @throws Failure `notFound`; as `refuseOutdated` does; `invalid` for the times, an attendee or the service
 * @throws Failure `conflict` if the appointment is final, or with alternatives, if the time must be free and is not
 */
export function updateAppointment(
  ledger: Ledger,
  appointmentId: string,
  changes: AppointmentChanges,
  { refuseOutdated, mustBeOpen = false, now }: ChangeConditions<Appointment> & Ending & { now: number },
): Promise<BookedAppointment> {
  const ref = ledger.ref(appointments, appointmentId);
  const reading = { change: { appointment: ref }, check: settingsToCheck };
  return ledger.write(reading, async (write, { appointment: before, organization, zone }) => {
    refuseOutdated?.(toAppointment(before));
    const after = await changed(write, before, changes);
    const isChanged = !isDeepStrictEqual(after, before);
    if (isChanged || mustBeOpen) refuseFinal(before);
    const booking = appointments.booked(after);
    const [attendees, booked, others] = await Promise.all([
      readAttendees(ledger, write, attendeesToRead(before, after)),
      bookedAround(write, booking),
      isChanged ? readOthers(ledger, write, { before, after }) : undefined,
    ]);
    const staff = attendees.map(({ staff }) => staff);
    const hours = { ...organization, timeZone: zone.timeZone };
    const wanted = { booking: bookingOf(after), number: ref.number, staff, hours };
    const conflicts = booking ? conflictsOf(ledger, wanted, booked) : [];
    if (changes.ifFree && conflicts.length > 0) {
      const job = { ...plainJob, ...after, ...durationBetween(after.start, after.end) };
      throw await notFree(ledger, wanted, job, now);
    }
    const outcome = { conflicts, isOutside: isOutside(organization.areasServed, after.address) };
    if (!others) return { appointment: toAppointment(after), ...outcome };
    const numbers = changeAttendances(write, others.found, { before, after });
    changeTurns(write, { before, after });
    const stored = { ...after, attendances: numbers, updatedAt: write.now };
    write.replace(ref, stored);
    const isCancelled = after.status === 'CANCELLED' && before.status !== 'CANCELLED';
    const event = isCancelled ? 'APPOINTMENT_CANCELLED' : 'APPOINTMENT_UPDATED';
    if (others.lead) others.lead.recordActivity({ event, about: appointmentId });
    else recordEvent(write, { event, about: appointmentId });
    write.keep(ref);
    return answerOf(write, toAppointment(stored), outcome);
  });
}

/**
 * Cancels an appointment: its time is then free. One transaction.
 * @throws Failure `notFound`; `conflict` if it is final
 */
export async function cancelAppointment(
  ledger: Ledger,
  appointmentId: string,
  { now }: { now: number },
): Promise<Appointment> {
  const options = { mustBeOpen: true, now };
  const { appointment } = await updateAppointment(ledger, appointmentId, { status: 'CANCELLED' }, options);
  return appointment;
}

/** The appointment with its changes. @throws Failure `invalid` for its times and its service */
async function changed(
  write: Write,
  before: AppointmentRecord,
  { ifFree, address = {}, start = before.start, end, ...changes }: AppointmentChanges,
): Promise<AppointmentRecord> {
  const length = Date.parse(before.end) - Date.parse(before.start);
  const times = { start, end: end ?? new Date(Date.parse(start) + length).toISOString() };
  checkTimes(times.start, times.end);
  const isMoved = times.start !== before.start || times.end !== before.end;
  return merge(before, {
    ...changes,
    ...times,
    ...(await buffersOf(write, before, changes.tradeServiceId)),
    address: merge(before.address, address),
    isRescheduled: before.isRescheduled || isMoved,
  });
}

/** Buffers of the new service. If the service stays the same, the booked buffers stay, too. */
async function buffersOf(
  write: Write,
  before: AppointmentRecord,
  tradeServiceId: number | null = before.tradeServiceId,
): Promise<Partial<Pick<AppointmentRecord, 'bufferBefore' | 'bufferAfter'>>> {
  if (tradeServiceId === before.tradeServiceId) return {};
  if (tradeServiceId === null) return { bufferBefore: 0, bufferAfter: 0 };
  const { ref, orElse } = serviceToCheck(tradeServiceId);
  const service = await write.check(ref);
  if (!service) throw orElse();
  const { bufferBefore, bufferAfter } = service;
  return { bufferBefore, bufferAfter };
}

function refuseFinal({ status }: AppointmentRecord): void {
  if (isOpen(status)) return;
  throw new Failure('conflict', `The appointment is ${status}, which is final`, {
    details: [{ field: 'status', message: 'is final' }],
  });
}

/** An appointment before and after its change. */
interface Changed {
  before: AppointmentRecord;
  after: AppointmentRecord;
}

/** Attendees to read: all if the appointment is open, otherwise only the new attendees. */
const attendeesToRead = (
  { attendees: known }: AppointmentRecord,
  { status, attendees }: AppointmentRecord,
) => (isOpen(status) ? attendees : attendees.filter((userId) => !known.includes(userId)));

const without = (some: readonly string[], others: readonly string[]) =>
  some.filter((one) => !others.includes(one));

/** Attendances by user id. */
const attendancesOf = ({ attendees, attendances }: AppointmentRecord) =>
  new Map(attendances.map((each, at) => [attendees[at] ?? '', attendanceRef(each)] as const));

/**
 * Reads the other records that change: attendances, members whom the appointment leaves, and the days of the former
 * booking. Returns the lead, if it still exists, and the numbers of the attendances that exist. If an attendance is missing, it was removed
 * after the appointment was read, and the write is built again.
 */
async function readOthers(
  ledger: Ledger,
  write: Write,
  { before, after }: Changed,
): Promise<{ lead: LeadChange | undefined; found: ReadonlySet<number> }> {
  const left = without(before.attendees, after.attendees);
  const known = attendancesOf(before);
  const refs =
    after.start === before.start ? left.flatMap((userId) => known.get(userId) ?? []) : known.values();
  const found = new Set<number>();
  const [lead] = await Promise.all([
    before.leadId === null ? undefined : readLead(ledger, write, before.leadId),
    isDeepStrictEqual(appointments.booked(before), appointments.booked(after))
      ? undefined
      : bookedAround(write, appointments.booked(before)),
    ...[...refs].map(async (ref) => {
      if (await write.read(ref)) found.add(ref.number);
    }),
    // A member owns the list that an attendance leaves, and counts the open appointments.
    ...(isOpen(after.status) ? left : before.attendees).map((userId) =>
      write.read(memberRef(userId), { mayStayUnchanged: true }),
    ),
  ]);
  return { lead, found };
}

/**
 * Adds, changes and removes attendances for the new attendees and the new start, in a write that has called
 * `readOthers`. Returns the attendances' numbers. A new attendee takes over the attendance of an attendee who leaves,
 * so that a change of all ten fits into the transaction.
 */
function changeAttendances(
  write: Write,
  found: ReadonlySet<number>,
  { before, after: { id, start, attendees: userIds } }: Changed,
): number[] {
  const known = attendancesOf(before);
  const spare = without(before.attendees, userIds).flatMap((userId) => known.get(userId) ?? []);
  const numbers = userIds.map((userId) => {
    const own = known.get(userId);
    const attendance = { appointmentId: id, userId, start };
    const ref = own ?? spare.shift();
    if (!ref) return addAttendance(write, attendance);
    if (found.has(ref.number)) write.replace(ref, { id: ref.number, ...attendance });
    return ref.number;
  });
  for (const ref of spare) if (found.has(ref.number)) write.remove(ref);
  return numbers;
}

/** Notes the change for each attendee before or after it, in a write that has called `readOthers`. */
function changeTurns(write: Write, { before, after }: Changed): void {
  const opens = ({ status, attendees }: AppointmentRecord, userId: string) =>
    isOpen(status) && attendees.includes(userId) ? 1 : 0;
  for (const userId of new Set([...before.attendees, ...after.attendees])) {
    const newest = before.attendees.includes(userId) ? 0 : numberInId(after.id);
    const opened = opens(after, userId) - opens(before, userId);
    if (newest > 0 || opened !== 0) changeTurn(write, memberRef(userId), { newest, opened });
  }
}
