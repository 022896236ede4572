import { isDeepStrictEqual } from 'node:util';
import type { Collection, Ledger, Write } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { memberRef } from '../members/members.ts';
import { appointments, attendanceRef, isOpen, type AppointmentRecord } from './appointment-record.ts';
import { changeTurn } from './attendees.ts';

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
  const members = listed.attendees.map(memberRef);
  const [found] = await Promise.all([
    Promise.all(refs.map((each) => write.read<Collection>(each, { mayStayUnchanged: true }))),
    // A member owns the lists that attendances leave, also once the member is removed.
    ...members.map(async (member) => {
      if (!(await write.read(member, { mayStayUnchanged: true }))) await write.readFormer(member);
    }),
  ]);
  const [record] = found;
  if (record === undefined) return 'gone';
  if (!isDeepStrictEqual(record, listed)) return 'has more';
  for (const [at, each] of refs.entries()) if (found[at] !== undefined) write.remove<Collection>(each);
  if (isOpen(listed.status)) for (const member of members) changeTurn(write, member, { opened: -1 });
  recordEvent(write, { event: 'APPOINTMENT_ERASED', about: listed.id });
  return 'removed';
}
