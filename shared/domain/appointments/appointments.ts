import { maxInRange, type Appointment, type AppointmentQuery } from '../../contract/appointments.ts';
import { shownBytes } from '../../contract/inquiry-data.ts';
import { invalid } from '../../core/failure.ts';
import type { Page } from '../../core/page.ts';
import { partsOf } from '../../core/parts-of.ts';
import type { Ledger } from '../../ledger/index.ts';
import { timeOfMoment } from '../calendar/moment.ts';
import { timeZoneRef } from '../leads/pipeline-record.ts';
import { tryLeadRef } from '../leads/leads.ts';
import { tryUserRef } from '../members/members.ts';
import {
  appointments,
  attendances,
  startOf,
  toAppointment,
  type AppointmentRecord,
} from './appointment-record.ts';

/** One appointment. One round trip. @throws Failure `notFound` */
export async function getAppointment(ledger: Ledger, appointmentId: string): Promise<Appointment> {
  return toAppointment(await ledger.get(ledger.ref(appointments, appointmentId)));
}

/**
 * Page of the appointments, newest first: all, or only a lead's, or only an attendee's. With a range of time, one page
 * with the appointments that begin in the range, earliest first.
 * @throws Failure `invalid` if an answer cannot hold all appointments of the range
 */
export async function listAppointments(
  ledger: Ledger,
  { from, to, leadId, userId, ...query }: AppointmentQuery,
): Promise<Page<Appointment>> {
  if (from !== undefined && to !== undefined) {
    const found = await listRange(ledger, { from, to, leadId, userId });
    const items = found.map(toAppointment);
    if (items.length > maxInRange || Buffer.byteLength(JSON.stringify(items)) > shownBytes)
      throw invalid([
        { field: 'to', message: 'must be nearer to from: this range has more than an answer can hold' },
      ]);
    return { items: query.page === 1 ? items : [], totalCount: items.length };
  }
  const { items, totalCount } = await findPage(ledger, { leadId, userId, ...query });
  return { items: items.map(toAppointment), totalCount };
}

type Listed = Pick<AppointmentQuery, 'leadId' | 'userId'>;
const nothing: Page<AppointmentRecord> = { items: [], totalCount: 0 };

async function findPage(
  ledger: Ledger,
  { leadId, userId, ...query }: Listed & Pick<AppointmentQuery, 'page' | 'limit'>,
): Promise<Page<AppointmentRecord>> {
  if (leadId !== undefined) {
    const lead = tryLeadRef(ledger, leadId);
    return lead ? ledger.ownedList(lead, appointments, 'lead', query) : nothing;
  }
  if (userId === undefined) return ledger.page(appointments, query);
  const user = tryUserRef(ledger, userId);
  if (!user) return nothing;
  const page = await ledger.withReferenced(
    () => ledger.ownedList(user, attendances, 'member', query),
    appointments,
    ({ appointmentId }) => ledger.ref(appointments, appointmentId).number,
  );
  return { ...page, items: page.items.map(({ referenced }) => referenced) };
}

/** Appointments that begin in a range of time, earliest first: at most `maxInRange` and one more. */
async function listRange(
  ledger: Ledger,
  { from, to, leadId, userId }: Listed & { from: string; to: string },
): Promise<AppointmentRecord[]> {
  const { timeZone } = await ledger.get(timeZoneRef);
  const start = new Date(timeOfMoment(from, timeZone)).toISOString();
  const end = new Date(timeOfMoment(to, timeZone, { isEnd: true })).toISOString();
  if (start >= end) throw invalid([{ field: 'to', message: 'must be after from' }]);
  const max = maxInRange + 1;
  const of = (id: string) => ({ from: startOf(id, start), to: startOf(id, end) });
  if (leadId !== undefined)
    return tryLeadRef(ledger, leadId) ? ledger.findBetween(appointments, 'leadStart', of(leadId), max) : [];
  if (userId === undefined) return ledger.findBetween(appointments, 'start', { from: start, to: end }, max);
  if (!tryUserRef(ledger, userId)) return [];
  const attended = await ledger.findBetween(attendances, 'start', of(userId), max);
  const numbers = attended.map(({ appointmentId }) => ledger.ref(appointments, appointmentId).number);
  const parts = partsOf(numbers, 100).map((some) => ledger.getMany(appointments, some));
  const found = new Map((await Promise.all(parts)).flatMap((part) => [...part]));
  return numbers.flatMap((number) => found.get(number) ?? []);
}
