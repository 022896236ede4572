import type { BookingConflict } from '../../contract/appointments.ts';
import { sentences } from '../../contract/errors.ts';
import { Failure, type FieldProblem } from '../../core/failure.ts';
import type { Ledger } from '../../ledger/index.ts';
import { day, type Hours } from '../calendar/hours.ts';
import { slotsOf, startsOf, type Job } from '../calendar/slots.ts';
import type { Staff } from '../calendar/work-calendar.ts';
import { members, type MemberRecord } from '../members/members.ts';
import { isOutside } from '../organizations/areas.ts';
import type { AppointmentRecord } from './appointment-record.ts';
import type { Attendee } from './attendees.ts';
import { bookedIn } from './conflicts.ts';
import {
  membersFor,
  staffOf,
  whyNotBy,
  whyNotOffered,
  type ServiceRecord,
  type Settings,
  type WantedOffer,
} from './offers.ts';
import { jobOf } from './times.ts';

/** Number of times that a refusal offers, and how far ahead it looks for them, in milliseconds. */
const offered = { limit: 3, ahead: 31 * day };

/** A time that is refused, for the search of others. */
interface Refused {
  /** Number of the appointment, whose present time counts as free. */
  number: number;
  hours: Hours;
  job: Job;
  /** Wanted start. Epoch milliseconds, as `now`. */
  start: number;
  now: number;
  /** Members who must all be free, or with `isAny` one of them. */
  staff: readonly Staff[];
  isAny?: boolean;
}

/** Failure of a booking, with the next times that are free. */
async function refusal(
  ledger: Ledger,
  { message, details }: { message: string; details: FieldProblem[] },
  { number, hours, job, start, now, staff, isAny = false }: Refused,
): Promise<Failure> {
  const [, latest] = startsOf(hours, job, now);
  // Nothing is offered after the last day, so the next times are the next from now on.
  const from = start >= latest ? now : Math.max(start, now);
  const range = { from, to: from + offered.ahead, now, limit: offered.limit, together: !isAny };
  const booked = staff.length === 0 ? [] : await bookedIn(ledger, job, range);
  const others = booked.filter((other) => other.number !== number);
  const alternatives = staff.length === 0 ? [] : slotsOf(hours, job, staff, others, range);
  // Messages about attendees have their ids, as the client sent them.
  const quotesInput = details.some(({ field }) => field.startsWith('attendees.'));
  return new Failure('conflict', message, { details, alternatives, ...(quotesInput && { quotesInput }) });
}

/** Failure of a booking whose attendees are not free. */
export const notFree = (ledger: Ledger, refused: Refused): Promise<Failure> =>
  refusal(
    ledger,
    refused.isAny
      ? { message: sentences.nobodyFree, details: [{ field: 'attendees', message: 'must be free' }] }
      : { message: sentences.notFree, details: [{ field: 'attendees', message: 'must all be free' }] },
    refused,
  );

/**
 * Failure of a booking at a time that is not offered, with the next offers of its attendees. Offers times of anyone if
 * the booking has no attendee, or an attendee does not do the service.
 */
export async function notOffered(
  ledger: Ledger,
  details: [FieldProblem, ...FieldProblem[]],
  wanted: WantedOffer,
  { attendees, number }: { attendees: readonly MemberRecord[]; number: number },
): Promise<Failure> {
  const { settings: hours, service, job, address, span, now } = wanted;
  const able = membersFor(service, attendees);
  const isAny = able.length === 0 || able.length < attendees.length;
  const isNever = !service.isActive || isOutside(hours.areasServed, address);
  const staff = isNever ? [] : isAny ? membersFor(service, await ledger.all(members)) : attendees;
  const [{ field, message }] = details;
  return refusal(
    ledger,
    { message: `${field} ${message}`, details },
    { number, hours, job, start: span[0], now, staff: staff.map(staffOf), isAny },
  );
}

/** Conditions of a client, and what they are judged by. */
interface Conditions {
  settings: Settings;
  /** The appointment's service; undefined if it has none, or if the write has not read it. */
  service: ServiceRecord | undefined;
  conflicts: readonly BookingConflict[];
  /** True if the client chose the end. */
  isEndGiven: boolean;
  ifFree: boolean;
  ifOffered: boolean;
  /** Epoch milliseconds. */
  now: number;
}

/**
 * Refuses the time of an appointment if it must be offered or free and is not.
 * @throws Failure `conflict`, with the next times
 */
export async function refuseTime(
  ledger: Ledger,
  appointment: Pick<AppointmentRecord, 'start' | 'end' | 'bufferBefore' | 'bufferAfter' | 'address'> & {
    number: number;
  },
  attendees: readonly Attendee[],
  { settings, service, conflicts, isEndGiven, ifFree, ifOffered, now }: Conditions,
): Promise<void> {
  const { number, address, bufferBefore, bufferAfter } = appointment;
  const staff = attendees.map((attendee) => attendee.staff);
  const job = { ...jobOf(service, appointment), bufferBefore, bufferAfter };
  const span = [Date.parse(appointment.start), Date.parse(appointment.end)] as const;
  if (ifOffered) {
    const work = service ?? { ...job, isActive: true };
    const wanted = { settings, service: work, job, span, isEndGiven, address, now };
    const people = attendees.map(({ member }) => member);
    const [first, ...rest] = [...whyNotOffered(wanted), ...whyNotBy(people, wanted)];
    if (first) throw await notOffered(ledger, [first, ...rest], wanted, { attendees: people, number });
  }
  if (ifFree && conflicts.length > 0)
    throw await notFree(ledger, { number, hours: settings, job, start: span[0], now, staff });
}
