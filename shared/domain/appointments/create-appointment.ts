import * as v from 'valibot';
import type {
  Appointment,
  BookedAppointment,
  NewAppointment,
  SaidBooking,
} from '../../contract/appointments.ts';
import { noAddress } from '../../contract/address.ts';
import { notFound, noSuch, unavailable } from '../../core/failure.ts';
import { fromStranger } from '../../core/from-stranger.ts';
import { numberInId } from '../../core/ids.ts';
import { merge } from '../../core/merge.ts';
import type { Ledger, Write } from '../../ledger/index.ts';
import { say } from '../calendar/say.ts';
import { recordEvent } from '../events/record-event.ts';
import { LeadChange } from '../leads/lead-change.ts';
import { leads } from '../leads/lead-record.ts';
import { tryLeadRef } from '../leads/leads.ts';
import { timeZoneRef } from '../leads/pipeline-record.ts';
import {
  contactsNotOf,
  leadOf,
  nameNotOf,
  placeOf,
  senderOf,
  senderReads,
  type FillOptions,
  type Sender,
} from '../leads/sender.ts';
import { userIdOf } from '../members/members.ts';
import { isOutside, withArea } from '../organizations/areas.ts';
import { noNumberIn } from '../phone/phone-number.ts';
import { organizationRef } from '../settings/organization-record.ts';
import { services } from '../services/services.ts';
import { appointments, bookingOf, toAppointment } from './appointment-record.ts';
import { addAttendance, changeTurn, readAttendees } from './attendees.ts';
import { chooseAttendee } from './choose-attendee.ts';
import { bookedAround, conflictsOf } from './conflicts.ts';
import { refuseTime } from './refusals.ts';
import { checkTimes, endOfService, plainJob, refusePast } from './times.ts';

/** Settings that limit the times of appointments. Read serializably, so that the write's transaction proves them. */
export const settingsToCheck = {
  organization: organizationRef,
  zone: { ref: timeZoneRef, orElse: unavailable },
} as const;

/**
 * Books an appointment, and finds or makes its lead. One transaction.
 * @param now epoch milliseconds
 * @throws Failure `notFound` for the lead; `invalid` for the times, an attendee, the service or the lead's phone number
 * @throws Failure `conflict` with alternatives, if the time must be free or offered and is not
 */
export async function createAppointment(
  ledger: Ledger,
  input: NewAppointment,
  { now, ...fillOptions }: FillOptions & { now: number },
): Promise<BookedAppointment> {
  const { leadId = null, tradeServiceId = null, attendees: given = [] } = input;
  const { start, ifOffered = false } = input;
  const ifFree = input.ifFree === true || ifOffered;
  const isEndGiven = input.end !== undefined;
  const sender = input.lead && (await senderOf(ledger, input.lead));
  if (sender?.given.phone && sender.number === '')
    throw await noNumberIn(sender.given.phone, await ledger.country(), 'lead.phone');
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
    const settings = { ...organization, timeZone: zone.timeZone };
    if (!ifOffered) refusePast(start, settings, now);
    // The end of a service in days depends on who attends.
    const knownEnd =
      input.end ??
      (service && service.durationUnit !== 'DAYS' ? endOfService(service, start, settings, []) : undefined);
    if (knownEnd !== undefined) checkTimes(start, knownEnd);
    const { bufferBefore, bufferAfter } = service ?? plainJob;
    const buffers = { bufferBefore, bufferAfter };
    const { number, id } = write.next(appointments);
    const findPlace = async () => {
      const lead = sender
        ? await leadOf(ledger, write, sender, { ...read, ...fillOptions })
        : known && read.known && new LeadChange(write, known, read.known);
      const ofLead = lead && (sender ? placeOf(lead.lead, sender) : lead.lead.address);
      return { lead, address: merge(noAddress, input.address ?? ofLead ?? {}) };
    };
    const chosen =
      service && given.length === 0 && ifFree
        ? await chooseAttendee(ledger, write, {
            number,
            service,
            settings,
            start,
            end: knownEnd,
            isEndGiven,
            buffers,
            findPlace,
            ifOffered,
            now,
          })
        : undefined;
    const userIds = chosen ? [chosen.userId] : given;
    const bookingTo = (end: string) => bookingOf({ start, end, attendees: userIds, ...buffers });
    const readDays = async (end: string) =>
      bookedAround(write, userIds.length > 0 ? bookingTo(end) : undefined);
    const [attendees, { lead, address }] = await Promise.all([
      readAttendees(ledger, write, userIds),
      chosen ? chosen.place : findPlace(),
      // Read once: see `readBooked`.
      knownEnd === undefined ? undefined : readDays(knownEnd),
    ]);
    const staff = attendees.map((attendee) => attendee.staff);
    const end = chosen?.end ?? knownEnd ?? (service ? endOfService(service, start, settings, staff) : start);
    const booking = bookingTo(end);
    const conflicts = conflictsOf(ledger, { booking, number, staff, hours: settings }, await readDays(end));
    await refuseTime(ledger, { start, end, ...buffers, number, address }, attendees, {
      settings,
      service,
      conflicts,
      isEndGiven,
      ifFree,
      ifOffered: ifOffered && !chosen,
      now,
    });
    const { record } = write.append(appointments, () => ({
      id,
      leadId: lead?.id ?? null,
      ...givenFor(lead, sender),
      title: input.title,
      description: input.description ?? '',
      start,
      end,
      status: input.status ?? 'PENDING',
      attendees: [...userIds],
      attendances: userIds.map((userId) => addAttendance(write, { appointmentId: id, userId, start })),
      tradeServiceId,
      ...buffers,
      address,
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
      isOutside: isOutside(organization.areasServed, address),
    });
  });
}

/** Name and contacts that the sender gave and the lead does not have. */
function givenFor(
  lead: LeadChange | undefined,
  sender: Sender | undefined,
): Pick<Appointment, 'givenName' | 'givenPhone' | 'givenEmail'> {
  if (!lead || !sender) return { givenName: '', givenPhone: '', givenEmail: '' };
  const { givenPhone, givenEmail } = contactsNotOf(lead, sender);
  return { givenName: nameNotOf(lead.lead, sender), givenPhone, givenEmail };
}

/** The service of an appointment, read as a check. */
export const serviceToCheck = (tradeServiceId: number) => ({
  ref: { collection: services, number: tradeServiceId },
  orElse: () => noSuch(services.label, 'tradeServiceId'),
});

/** Booking, with a sentence for a voice. One round trip, for the time zone. @throws Failure `notFound` */
export async function sayBooking(
  ledger: Ledger,
  { appointment: { id, start, givenName }, isOutside: outside }: BookedAppointment,
): Promise<SaidBooking> {
  const { timeZone } = await ledger.get(timeZoneRef);
  const time = say(timeZone, Date.parse(start));
  // Does not tell the lead's name: whoever calls may have given the number of somebody else.
  const otherName =
    givenName === ''
      ? ''
      : ` We know that contact under another name, so the booking says ${fromStranger(givenName)}.`;
  return { say: withArea(`You are booked for ${time}.${otherName}`, outside), appointmentId: id, start };
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
