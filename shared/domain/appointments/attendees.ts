import { noSuch } from '../../core/failure.ts';
import type { Ledger, RecordOf, RecordRef, Write } from '../../ledger/index.ts';
import type { Staff } from '../calendar/work-calendar.ts';
import { members, tryUserRef } from '../members/members.ts';
import { attendances } from './appointment-record.ts';
import { staffOf } from './offers.ts';

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
      return { ref, member, staff: staffOf(member) };
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
