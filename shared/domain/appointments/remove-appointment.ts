import { isDeepStrictEqual } from 'node:util';
import type { Collection, Ledger, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { userRef } from '../members/members.ts';
import { appointments, attendanceRef, type AppointmentRecord } from './appointment-record.ts';

/**
 * Removes an appointment, as part of a write that has read the owner of the removed lead's lists.
 * @returns 'has more' if the appointment changed after it was listed. Everything stays then, because the write may have
 * no room for the changed appointment
 */
export async function removeAppointment(
  ledger: Ledger,
  write: Write,
  listed: AppointmentRecord,
): Promise<'removed' | 'gone' | 'has more'> {
  const ref = ledger.ref(appointments, listed.id);
  const refs = [ref, ...listed.attendances.map(attendanceRef)];
  const members = listed.attendees.map((userId) => userRef(ledger, userId));
  const [found] = await Promise.all([
    Promise.all(refs.map((each) => write.read<Collection>(each, { mayStayUnchanged: true }))),
    // Members own the lists that attendances leave.
    ...members.map((member) => write.read(member, { mayStayUnchanged: true })),
  ]);
  const [record] = found;
  if (record === undefined) return 'gone';
  if (!isDeepStrictEqual(record, listed)) return 'has more';
  for (const [at, each] of refs.entries()) if (found[at] !== undefined) write.remove<Collection>(each);
  recordEvent(write, { event: 'APPOINTMENT_ERASED', about: listed.id });
  return 'removed';
}
