import { isDeepStrictEqual } from 'node:util';
import {
  requiredIfFree,
  type Appointment,
  type AppointmentChanges,
  type BookedAppointment,
} from '../../contract/appointments.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { Failure, invalid } from '../../core/failure.ts';
import { numberInId } from '../../core/ids.ts';
import { merge } from '../../core/merge.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import { changedFields } from '../events/changed-fields.ts';
import { recordEvent } from '../events/record-event.ts';
import { readLead, type LeadChange } from '../leads/lead-change.ts';
import { memberRef } from '../members/members.ts';
import { isOutside } from '../organizations/areas.ts';
import {
  appointments,
  attendanceRef,
  isOpen,
  toAppointment,
  type AppointmentRecord,
} from './appointment-record.ts';
import { addAttendance, changeTurn, readAttendees } from './attendees.ts';
import { chooseAttendee } from './choose-attendee.ts';
import { bookedAround, conflictsOf } from './conflicts.ts';
import { answerOf, serviceToCheck, settingsToCheck } from './create-appointment.ts';
import type { ServiceRecord, Settings } from './offers.ts';
import { refuseTime } from './refusals.ts';
import { checkTimes, endOfService, refusePast } from './times.ts';

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
    const settings = { ...organization, timeZone: zone.timeZone };
    const wanted = await changed(write, before, changes);
    if (mustBeOpen || !isDeepStrictEqual(wanted, before)) refuseFinal(before);
    const conditions = conditionsOf(changes, { before, after: wanted });
    if (wanted.start !== before.start && !conditions.ifOffered) refusePast(wanted.start, settings, now);
    const service = await serviceFor(write, { before, after: wanted }, conditions);
    const after = service
      ? await withService(ledger, write, { before, after: wanted }, { ...conditions, settings, service, now })
      : wanted;
    const isChanged = !isDeepStrictEqual(after, before);
    const booking = appointments.booked(after);
    const [attendees, booked, others] = await Promise.all([
      readAttendees(ledger, write, attendeesToRead(before, after)),
      bookedAround(write, booking),
      isChanged ? readOthers(ledger, write, { before, after }) : undefined,
    ]);
    const [{ number }, staff] = [ref, attendees.map((attendee) => attendee.staff)];
    const conflicts = booking ? conflictsOf(ledger, { booking, number, staff, hours: settings }, booked) : [];
    await refuseTime(ledger, { ...after, number }, attendees, {
      ...conditions,
      settings,
      service,
      conflicts,
      now,
    });
    const outcome = { conflicts, isOutside: isOutside(organization.areasServed, after.address) };
    if (!others) return { appointment: toAppointment(after), ...outcome };
    const numbers = changeAttendances(write, others.found, { before, after });
    changeTurns(write, { before, after });
    const stored = { ...after, attendances: numbers, updatedAt: write.now };
    write.replace(ref, stored);
    const isCancelled = after.status === 'CANCELLED' && before.status !== 'CANCELLED';
    const event = {
      event: isCancelled ? 'APPOINTMENT_CANCELLED' : 'APPOINTMENT_UPDATED',
      about: appointmentId,
      fields: changedFields(toAppointment(before), toAppointment(stored)),
    } as const;
    if (others.lead) others.lead.recordActivity(event);
    else recordEvent(write, event);
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
  { ifFree, ifOffered, address = {}, start = before.start, end, ...changes }: AppointmentChanges,
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

/** Conditions of a client for the time of a changed appointment. */
interface TimeConditions {
  ifFree: boolean;
  ifOffered: boolean;
  /** True if the service chooses who attends. */
  choosesAttendee: boolean;
  /** True if the client chose the end. */
  isEndGiven: boolean;
}

/**
 * Conditions that hold for a changed appointment. An appointment that keeps its time, attendees, service and place need
 * not be offered. @throws Failure `invalid` if nobody can be chosen for lack of a service
 */
function conditionsOf(changes: AppointmentChanges, { before, after }: Changed): TimeConditions {
  const { start, end, attendees, tradeServiceId, address } = after;
  const isSame = isDeepStrictEqual({ ...before, start, end, attendees, tradeServiceId, address }, before);
  const isToBeOffered = changes.ifOffered === true && (!isSame || attendees.length === 0);
  const ifOffered = isOpen(after.status) && isToBeOffered;
  const ifFree = isOpen(after.status) && (isToBeOffered || changes.ifFree === true);
  const choosesAttendee = ifFree && attendees.length === 0;
  if (choosesAttendee && tradeServiceId === null)
    throw invalid([{ field: 'attendees', message: requiredIfFree }]);
  return { ifFree, ifOffered, choosesAttendee, isEndGiven: changes.end !== undefined };
}

/** A service. One round trip, a serializable read. @throws Failure `invalid` if there is none */
async function readService(write: Write, tradeServiceId: number): Promise<ServiceRecord> {
  const { ref, orElse } = serviceToCheck(tradeServiceId);
  const service = await write.check(ref);
  if (!service) throw orElse();
  return service;
}

/** The service that conditions ask for; undefined if the appointment keeps a service that was deleted, or has none. */
async function serviceFor(
  write: Write,
  { before, after: { tradeServiceId } }: Changed,
  { ifOffered, choosesAttendee }: TimeConditions,
): Promise<ServiceRecord | undefined> {
  if (tradeServiceId === null || !(ifOffered || choosesAttendee)) return undefined;
  const isKept = tradeServiceId === before.tradeServiceId && !choosesAttendee;
  return isKept ? write.check(serviceToCheck(tradeServiceId).ref) : readService(write, tradeServiceId);
}

/**
 * The appointment as its service has it. An appointment without attendees gets a member who is chosen. It ends as an
 * offer of the service does, unless the client chose the end, or an appointment that is not in days only moves.
 */
async function withService(
  ledger: Ledger,
  write: Write,
  { before, after }: Changed,
  {
    service,
    choosesAttendee,
    ...given
  }: TimeConditions & { settings: Settings; service: ServiceRecord; now: number },
): Promise<AppointmentRecord> {
  const { start, end, attendees, tradeServiceId } = after;
  const isSameTime = start === before.start && end === before.end && tradeServiceId === before.tradeServiceId;
  const changesDays =
    service.durationUnit === 'DAYS' && !(isSameTime && isDeepStrictEqual(attendees, before.attendees));
  const endsAsOffer =
    given.ifOffered && !given.isEndGiven && (tradeServiceId !== before.tradeServiceId || changesDays);
  if (choosesAttendee) {
    const chosen = await chooseAttendee(ledger, write, {
      ...given,
      number: numberInId(after.id),
      service,
      start,
      buffers: after,
      end: endsAsOffer ? undefined : end,
      first: isSameTime ? before.attendees[0] : undefined,
      findPlace: () => Promise.resolve(after),
    });
    return ending({ ...after, attendees: [chosen.userId] }, chosen.end);
  }
  if (!endsAsOffer) return after;
  const staff = (await readAttendees(ledger, write, attendees)).map((attendee) => attendee.staff);
  return ending(after, endOfService(service, start, given.settings, staff));
}

const ending = (appointment: AppointmentRecord, end: string): AppointmentRecord => ({
  ...appointment,
  end,
  isRescheduled: appointment.isRescheduled || appointment.end !== end,
});

/** Buffers of the new service. If the service stays the same, the booked buffers stay, too. */
async function buffersOf(
  write: Write,
  before: AppointmentRecord,
  tradeServiceId: number | null = before.tradeServiceId,
): Promise<Partial<Pick<AppointmentRecord, 'bufferBefore' | 'bufferAfter'>>> {
  if (tradeServiceId === before.tradeServiceId) return {};
  if (tradeServiceId === null) return { bufferBefore: 0, bufferAfter: 0 };
  const { bufferBefore, bufferAfter } = await readService(write, tradeServiceId);
  return { bufferBefore, bufferAfter };
}

function refuseFinal({ status, updatedAt }: AppointmentRecord): void {
  if (isOpen(status)) return;
  throw new Failure('conflict', `The appointment is ${status}, which is final`, {
    details: [{ field: 'status', message: `is ${status} since ${updatedAt}` }],
  });
}

/** An appointment before and after its change. */
interface Changed {
  before: AppointmentRecord;
  after: AppointmentRecord;
}

/** Attendees to read: all if the appointment is open, otherwise only the new attendees. */
const attendeesToRead = ({ attendees: known }: AppointmentRecord, { status, attendees }: AppointmentRecord) =>
  isOpen(status) ? attendees : attendees.filter((userId) => !known.includes(userId));

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
