import * as v from 'valibot';
import {
  Appointment,
  appointmentLabel,
  openStatuses,
  type AppointmentStatus,
} from '../../contract/appointments.ts';
import { timestamp } from '../../contract/fields.ts';
import { numberInId } from '../../core/ids.ts';
import type { Booking, Collection, RecordOf, RecordRef } from '../../ledger/index.ts';
import { leads } from '../leads/lead-record.ts';
import { members } from '../members/members.ts';

/** True if an appointment with this status takes the time of its attendees, and can change. */
export const isOpen = (status: AppointmentStatus): boolean => openStatuses.some((each) => each === status);

/** Time without seconds: bookings are counted in minutes. */
const minute = v.pipe(timestamp, v.regex(/:00\.000Z$/));

/** An appointment as stored. */
export const appointments = {
  name: 'APPOINTMENT',
  label: appointmentLabel,
  prefix: 'appointment',
  schema: v.object({
    ...Appointment.entries,
    start: minute,
    end: minute,
    /** Numbers of the attendances, in the order of `attendees`. */
    attendances: v.array(v.number()),
    /** Minutes that stay free around the appointment, copied from its service when the service was set. */
    bufferBefore: v.number(),
    bufferAfter: v.number(),
  }),
  lists: {
    lead: {
      of: ({ leadId }: Pick<Appointment, 'leadId'>) =>
        leadId === null ? undefined : { owner: { collection: leads, id: leadId } },
    },
  },
  searchables: {
    start: ({ start }: Pick<Appointment, 'start'>) => start,
    leadStart: ({ leadId, start }: Pick<Appointment, 'leadId' | 'start'>) =>
      leadId === null ? '' : startOf(leadId, start),
  },
  booked: (appointment: BookedFields): Booking | undefined =>
    isOpen(appointment.status) && appointment.attendees.length > 0 ? bookingOf(appointment) : undefined,
} as const satisfies Collection;

export type AppointmentRecord = RecordOf<typeof appointments>;

type BookedFields = Pick<Appointment, 'start' | 'end' | 'status' | 'attendees'> &
  Pick<Booking, 'bufferBefore' | 'bufferAfter'>;

/** Time that an appointment takes from its attendees while it is open. */
export const bookingOf = (appointment: Omit<BookedFields, 'status'>): Booking => ({
  start: appointment.start,
  end: appointment.end,
  bufferBefore: appointment.bufferBefore,
  bufferAfter: appointment.bufferAfter,
  members: appointment.attendees.map(numberInId),
});

/** One attendee of an appointment. A member's list of attendances is the list of the member's appointments. */
export const attendances = {
  name: 'ATTENDANCE',
  label: 'attendance',
  schema: v.object({ id: v.number(), appointmentId: v.string(), userId: v.string(), start: timestamp }),
  lists: {
    member: {
      of: ({ userId }: { userId: string }) => ({ owner: { collection: members, id: numberInId(userId) } }),
    },
  },
  searchables: {
    start: ({ userId, start }: { userId: string; start: string }) => startOf(userId, start),
  },
} as const satisfies Collection;

/** Key of an attendance, from its number. */
export const attendanceRef = (number: number): RecordRef<typeof attendances> => ({
  collection: attendances,
  number,
});

/** Search value that sorts the appointments of a lead or a user by their start. */
export const startOf = (id: string, start: string): string => `${id} ${start}`;

/** An appointment as the API shows it. */
export function toAppointment({
  attendances: _,
  bufferBefore,
  bufferAfter,
  ...appointment
}: AppointmentRecord): Appointment {
  return appointment;
}
