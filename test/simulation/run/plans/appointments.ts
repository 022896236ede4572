import type { Address } from '../../../../shared/contract/address.ts';
import type { Appointment, BookingConflict } from '../../../../shared/contract/appointments.ts';
import type { FieldProblem } from '../../../../shared/core/failure.ts';
import {
  appointments,
  isOpen,
  type AppointmentRecord,
} from '../../../../shared/domain/appointments/appointment-record.ts';
import { conflictsOf } from '../../../../shared/domain/appointments/conflicts.ts';
import {
  whyNotBy,
  whyNotOffered,
  type ServiceRecord,
  type Settings,
} from '../../../../shared/domain/appointments/offers.ts';
import { jobOf } from '../../../../shared/domain/appointments/times.ts';
import type { Hours } from '../../../../shared/domain/calendar/hours.ts';
import type { Staff } from '../../../../shared/domain/calendar/work-calendar.ts';
import type { MemberRecord } from '../../../../shared/domain/members/members.ts';
import { isOutside } from '../../../../shared/domain/organizations/areas.ts';
import type { Booked, Ledger } from '../../../../shared/ledger/index.ts';
import type { Change } from '../model/change.ts';
import { Refused } from '../model/refusal.ts';
import { numberAtEnd } from '../model/rules.ts';
import type { Read } from '../model/window.ts';
import type { Hint, Plan, WeightedPlan } from '../plan.ts';
import { someId, someNumber, someUniqueWord, type Planner } from '../planner.ts';
import { same, shows, without, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';
import { isoOf, someOffer, someStart } from './availability.ts';
import { someSender } from './inquiries.ts';

const minute = 60_000;

const someLength = ({ draw }: Planner) => draw.pick([15, 30, 60, 90, 120, 26 * 60]) * minute;

/** Users who attend: mostly of the first members, so that they are often taken. */
function someAttendees(planner: Planner): string[] {
  const { draw, organization, organizations } = planner;
  if (draw.happens(0.02)) return [draw.pick(organizations).userId(someNumber(planner, 'MEMBER'))];
  const numbers = Array.from({ length: draw.pick([0, 1, 1, 1, 2, 3]) }, () =>
    draw.happens(0.8)
      ? draw.whole(1, Math.min(3, organization.lastOf('MEMBER')))
      : someNumber(planner, 'MEMBER'),
  );
  return [...new Set(numbers)].map((number) => organization.userId(number));
}

const someAddress = (planner: Planner): Fields =>
  planner.draw.pick<Fields>([{ suburb: 'Glebe' }, { postcode: '2050' }, { line1: someUniqueWord(planner) }]);

/**
 * Conflicts of a stored appointment, and whether it is outside the areas served, as an answer tells. @throws Refused if
 * its attendees must be free and are not, or if its time must be offered and is not. @throws Refused if a chosen
 * attendee does not do the service
 */
function judge(change: Change, { ifFree, ifOffered, attendees: asked }: Fields, appointment: Fields): Fields {
  const { organization } = change;
  const read = (collection: string, number: number) => change.get(collection, number);
  const number = numberAtEnd(appointment['id']);
  const conflicts = conflictsAt(change, number, appointment as AppointmentRecord);
  const isFor = ifFree === true || ifOffered === true;
  if (isFor && conflicts.length > 0) throw new Refused('an attendee is not free');
  const { areasServed } = read('ORGANIZATION', 1) as { areasServed: string[] };
  const before = organization.record('APPOINTMENT', number);
  const isSame = ['start', 'end', 'attendees', 'tradeServiceId', 'address'].every(
    (field) => before && same(before[field], appointment[field]),
  );
  const isChosen = isFor && !same(asked ?? before?.['attendees'] ?? [], appointment['attendees']);
  if (isOpen(appointment['status'] as Appointment['status']) && !isSame && (ifOffered === true || isChosen)) {
    // Whoever is chosen must do the service. Hours count for an offer alone.
    const problems = problemsOf(read, appointment).filter(
      ({ message }) => ifOffered === true || /who (is disabled|does not do)/.test(message),
    );
    if (problems.length > 0) throw new Refused(problems.map(({ message }) => message).join());
  }
  return { conflicts, isOutside: isOutside(areasServed, appointment['address'] as Fields) };
}

/** Conflicts of an appointment by the rules of the product, for the records of the model. */
function conflictsAt(change: Change, number: number, appointment: AppointmentRecord): BookingConflict[] {
  const { organization } = change;
  const booking = appointments.booked(appointment);
  if (!booking) return [];
  const booked = organization.numbersOf('APPOINTMENT').flatMap((one): Booked[] => {
    const other = change.get('APPOINTMENT', one) as AppointmentRecord | undefined;
    const taken = other && appointments.booked(other);
    return taken ? [{ ...taken, number: one }] : [];
  });
  const inOrder = booked.sort(
    (one, other) => Date.parse(one.start) - Date.parse(other.start) || one.number - other.number,
  );
  const staff = booking.members.map((member) => ({ ...change.get('MEMBER', member), number: member }));
  const ledger = { idOf: (_: unknown, other: number) => organization.idOf('APPOINTMENT', other) } as unknown;
  const wanted = {
    booking,
    number,
    staff: staff as Staff[],
    hours: change.get('PIPELINE', 1) as unknown as Hours,
  };
  return conflictsOf(ledger as Ledger, wanted, inOrder);
}

/** Reasons why an appointment is not offered, by the rules of the product, for the records of the model. */
function problemsOf(read: Read, appointment: Fields): FieldProblem[] {
  const one = (collection: string, number: unknown) => read(collection, Number(number)) as unknown;
  const { timeZone } = one('PIPELINE', 1) as { timeZone: string };
  const settings = { ...(one('ORGANIZATION', 1) as Settings), timeZone };
  const { start, end, address } = appointment as { start: string; end: string; address: Address };
  const stored = one('SERVICE', appointment['tradeServiceId']) as ServiceRecord | undefined;
  // The limits of time are those of the moment when the function read its clock.
  const service = stored
    ? { ...stored, leastNotice: 0, furthestDay: 1000 }
    : { ...jobOf(undefined, { start, end }), isActive: true };
  const job = jobOf(service, { start, end });
  const people = (appointment['attendees'] as string[]).map(
    (userId) => one('MEMBER', numberAtEnd(userId)) as MemberRecord,
  );
  const span = [Date.parse(start), Date.parse(end)] as const;
  const wanted = { settings, service, job, span, isEndGiven: false, address, now: span[0] };
  return [...whyNotOffered(wanted), ...whyNotBy(people, wanted)];
}

/** Times and attendees of a new appointment, often in a slot that was offered. */
function someBooking(planner: Planner): Fields {
  const { draw } = planner;
  const offer = draw.happens(0.4) ? someOffer(planner) : undefined;
  const condition = draw.pick<Fields>([{ ifFree: true }, { ifOffered: true }]);
  if (offer) return { ...(draw.happens(0.5) ? offer : without(offer, 'attendees')), ...condition };
  const start = someStart(planner);
  const service = draw.happens(0.5) ? someNumber(planner, 'SERVICE') : undefined;
  return {
    start: isoOf(start),
    attendees: someAttendees(planner),
    ...(service !== undefined && { tradeServiceId: service }),
    ...((service === undefined || draw.happens(0.5)) && { end: isoOf(start + someLength(planner)) }),
    ...(draw.happens(0.6) && { ifFree: true }),
    ...(draw.happens(0.1) && { ifOffered: true }),
    ...(draw.happens(0.3) && { status: 'CONFIRMED' }),
  };
}

/** Hints about bookings: with a known lead, with a lead that is found or made, or with nobody. */
export const bookings: Readonly<Record<string, Hint>> = {
  createAppointment: {
    judge,
    wholeBody: (planner) => ({
      title: someUniqueWord(planner),
      ...someBooking(planner),
      ...planner.draw.pick<Fields>([{}, { leadId: someId(planner, 'LEAD') }, { lead: someSender(planner) }]),
      ...(planner.draw.happens(0.4) && { address: someAddress(planner) }),
    }),
  },
  updateAppointment: {
    judge,
    // An appointment that begins at another time keeps its length.
    // Without an attendee who is to be free, one is chosen.
    alsoChanges: ['end', 'attendees'],
    wholeBody: (planner) => {
      const { draw } = planner;
      const start = someStart(planner);
      return {
        ...(draw.happens(0.5) && { start: isoOf(start) }),
        ...(draw.happens(0.2) && { end: isoOf(start + someLength(planner)) }),
        ...(draw.happens(0.3) && { attendees: someAttendees(planner) }),
        ...(draw.happens(0.15) && { status: draw.pick(['CONFIRMED', 'CANCELLED', 'COMPLETED', 'NO_SHOW']) }),
        ...(draw.happens(0.2) && { notes: someUniqueWord(planner), address: someAddress(planner) }),
        ...(draw.happens(0.15) && { tradeServiceId: draw.pick([null, someNumber(planner, 'SERVICE')]) }),
        ...draw.pick<Fields>([{}, { ifFree: true }, { ifFree: true }, { ifOffered: true }]),
      };
    },
  },
};

/** Reads the appointments that begin in a range of time. */
function listAppointmentsInRange(planner: Planner): Plan {
  const { draw, organization } = planner;
  const begin = someStart(planner);
  const [from, to] = [isoOf(begin), isoOf(begin + draw.pick([1, 12, 48]) * 60 * minute)] as const;
  const isIn = ({ start }: Fields) => String(start) >= from && String(start) < to;
  return {
    operation: 'listAppointments from',
    organization,
    call: { endpoint: 'listAppointments', query: { from, to } },
    check: (body, window) => {
      const { appointments: items, totalCount } = body as Fields & { appointments: Fields[] };
      const numbers = items.map(({ id }) => organization.numberOf('APPOINTMENT', id));
      const valuesOf = (number: number) => window.records('APPOINTMENT', number, { fromIndex: true });
      const sure = organization
        .numbersOf('APPOINTMENT')
        .flatMap((number) => (valuesOf(number).every((one) => one && isIn(one)) ? number : []));
      const missing = sure.filter((number) => !numbers.includes(number));
      const wrong = items.filter(
        (item, at) => !valuesOf(numbers[at]!).some((one) => one && isIn(one) && shows(one, item)),
      );
      const known = items.filter((_, at) => sure.includes(numbers[at]!)).map(({ start }) => String(start));
      if (
        missing.length > 0 ||
        wrong.length > 0 ||
        !same(known, known.toSorted()) ||
        totalCount !== items.length
      )
        throw new Violation(
          'A range must have the appointments that begin in it, in order',
          { missing, wrong },
          body,
        );
    },
  };
}

export const plans: readonly WeightedPlan[] = [[listAppointmentsInRange, 1.5]];
