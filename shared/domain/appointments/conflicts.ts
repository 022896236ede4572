import { maxConflicts, type BookingConflict } from '../../contract/appointments.ts';
import type { Booked, Booking, Ledger, Write } from '../../ledger/index.ts';
import { localTimeReader, minute, type Hours } from '../calendar/hours.ts';
import { spanOf, type Job } from '../calendar/slots.ts';
import { overlaps, type Span } from '../calendar/spans.ts';
import { daysOffOf, type Staff } from '../calendar/work-calendar.ts';
import { appointments } from './appointment-record.ts';

/** Time to book, and the members who must be free. */
export interface Wanted {
  booking: Booking;
  /** Number of the appointment, which does not conflict with itself. */
  number: number;
  staff: readonly Staff[];
  hours: Hours;
}

/**
 * Bookings on the days of a booking. One serializable read, so that the write's transaction proves the result. No read
 * for an undefined booking, which takes nobody's time.
 */
export async function bookedAround(write: Write, booking: Booking | undefined): Promise<Booked[]> {
  if (!booking) return [];
  const [from, to] = spanOf(booking);
  return write.readBooked(isoOf(from), isoOf(to));
}

/**
 * Conflicts of a booking, at most `maxConflicts`: other appointments and days off of its attendees at the same time.
 */
export function conflictsOf(
  ledger: Ledger,
  { booking, number, staff, hours }: Wanted,
  booked: readonly Booked[],
): BookingConflict[] {
  const span = spanOf(booking);
  const others = booked.filter((other) => other.number !== number && overlaps(spanOf(other), span));
  const timeAt = localTimeReader(hours.timeZone);
  const conflicts = staff.flatMap(({ number: member, userId, schedule }) => [
    ...others
      .filter(({ members }) => members.includes(member))
      .map((other) => ({ userId, appointmentId: ledger.idOf(appointments, other.number) })),
    ...(isOff(booking, daysOffOf(schedule, timeAt)) ? [{ userId, appointmentId: null }] : []),
  ]);
  return conflicts.slice(0, maxConflicts);
}

const isOff = ({ start, end }: Booking, daysOff: readonly Span[]): boolean =>
  daysOff.some((off) => overlaps(off, [Date.parse(start), Date.parse(end)]));

/** Bookings in a range of time, and bookings so near that the buffers of a job can touch them. */
export const bookedIn = (
  ledger: Ledger,
  { bufferBefore, bufferAfter }: Pick<Job, 'bufferBefore' | 'bufferAfter'>,
  { from, to }: { from: number; to: number },
): Promise<Booked[]> => ledger.booked(isoOf(from - bufferBefore * minute), isoOf(to + bufferAfter * minute));

const isoOf = (time: number): string => new Date(time).toISOString();
