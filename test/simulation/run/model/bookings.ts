import { timeOfLocal } from '../../../../shared/core/local-time.ts';
import type { Fields } from '../same.ts';
import { bookingOf, isOpen, type Booking } from './booked-days.ts';
import { numberAtEnd } from './ids.ts';
import type { OrganizationModel } from './organization-model.ts';
import type { Read } from './window.ts';

const day = 86_400_000;

/** Maximum number of conflicts that an answer names. */
const maxConflicts = 50;

/** Names of all appointments of an organization, for a reader of them. */
export const allAppointments = (organization: OrganizationModel): (readonly [string, number])[] =>
  Array.from({ length: organization.lastOf('APPOINTMENT') }, (_, at) => ['APPOINTMENT', at + 1] as const);

/** Bookings that take time of members, by their starts. */
export const bookingsIn = (read: Read, organization: OrganizationModel): Booking[] =>
  allAppointments(organization)
    .flatMap(([collection, number]) => {
      const appointment = read(collection, number);
      return appointment && isOpen(appointment['status']) ? [bookingOf(number, appointment)] : [];
    })
    .sort((one, other) => one.start - other.start || one.number - other.number);

/** Local days off of a member, as times. */
const daysOffOf = (member: Fields, timeZone: string): { from: number; to: number }[] =>
  ((member['schedule'] as Fields)['daysOff'] as Record<'from' | 'to', string>[]).map(({ from, to }) => ({
    from: timeOfLocal(timeZone, Date.parse(from)),
    to: timeOfLocal(timeZone, Date.parse(to) + day),
  }));

/** Other bookings of the attendees, and their days off, at the time of a booking. */
export function conflictsOf(read: Read, organization: OrganizationModel, booking: Booking): Fields[] {
  const timeZone = String(read('PIPELINE', 1)!['timeZone']);
  const others = bookingsIn(read, organization).filter(
    ({ number, from, to }) => number !== booking.number && from < booking.to && booking.from < to,
  );
  return booking.attendees
    .flatMap((userId) => [
      ...others
        .filter(({ attendees }) => attendees.includes(userId))
        .map(({ number }) => ({ userId, appointmentId: organization.idOf('APPOINTMENT', number) })),
      ...(daysOffOf(read('MEMBER', numberAtEnd(userId))!, timeZone).some(
        ({ from, to }) => from < booking.end && booking.start < to,
      )
        ? [{ userId, appointmentId: null }]
        : []),
    ])
    .slice(0, maxConflicts);
}
