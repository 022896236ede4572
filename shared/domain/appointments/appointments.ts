import {
  maxInRange,
  type Appointment,
  type AppointmentQuery,
  type ListedAppointment,
} from '../../contract/appointments.ts';
import { shownBytes } from '../../contract/inquiry-data.ts';
import { invalid } from '../../core/failure.ts';
import type { Page, PageQuery } from '../../core/page.ts';
import { partsOf } from '../../core/parts-of.ts';
import { numberInId } from '../../core/ids.ts';
import type { Collection, Ledger, RecordOf } from '../../ledger/index.ts';
import { timeOfMoment } from '../calendar/moment.ts';
import { timeZoneRef } from '../leads/pipeline-record.ts';
import { leads } from '../leads/lead-record.ts';
import { tryLeadRef } from '../leads/leads.ts';
import { memberName, members, tryUserRef } from '../members/members.ts';
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

/** Kinds of names that a caller may read. */
interface MayRead {
  leads: boolean;
  members: boolean;
}

/**
 * Page of the appointments, newest first: all, or only a lead's, or only an attendee's. With a range of time, one page
 * with the appointments that begin in the range, earliest first. With `expand`, each has names: see `withNames`.
 * @throws Failure `invalid` if an answer cannot hold all appointments of the range
 */
export async function listAppointments(
  ledger: Ledger,
  { from, to, leadId, userId, expand, ...query }: AppointmentQuery,
  mayRead: MayRead = { leads: false, members: false },
): Promise<Page<ListedAppointment>> {
  const show = async (found: readonly AppointmentRecord[]) =>
    expand ? withNames(ledger, found.map(toAppointment), mayRead) : found.map(toAppointment);
  if (from !== undefined && to !== undefined) {
    const found = await listRange(ledger, { from, to, leadId, userId });
    const totalCount = found.length;
    const items = totalCount > maxInRange ? [] : await show(found);
    if (totalCount > maxInRange || Buffer.byteLength(JSON.stringify(items)) > shownBytes)
      throw invalid([
        { field: 'to', message: 'must be nearer to from: this range has more than an answer can hold' },
      ]);
    return { items: (query.page ?? 1) === 1 ? items : [], totalCount };
  }
  const page = await findPage(ledger, { leadId, userId, ...query });
  return { ...page, items: await show(page.items) };
}

/**
 * Appointments with the names of their leads and attendees, as far as the caller may read them. One round trip for each
 * hundred leads and members.
 */
async function withNames(
  ledger: Ledger,
  all: readonly Appointment[],
  mayRead: MayRead,
): Promise<ListedAppointment[]> {
  const leadNumbers = all.flatMap(({ leadId }) => (leadId === null ? [] : numberInId(leadId)));
  const [people, users] = await Promise.all([
    mayRead.leads ? readMany(ledger, leads, leadNumbers) : undefined,
    mayRead.members
      ? readMany(
          ledger,
          members,
          all.flatMap(({ attendees }) => attendees.map(numberInId)),
        )
      : undefined,
  ]);
  const nameIn = <R extends Parameters<typeof memberName>[0]>(
    named: ReadonlyMap<number, R> | undefined,
    id: string,
  ) => {
    const one = named?.get(numberInId(id));
    return one ? memberName(one) : '';
  };
  return all.map((appointment) => ({
    ...appointment,
    leadName: appointment.leadId === null ? '' : nameIn(people, appointment.leadId),
    attendeeNames: appointment.attendees.map((userId) => nameIn(users, userId)),
  }));
}

/** The existing records among these numbers, by number: one read for each hundred. */
async function readMany<C extends Collection>(
  ledger: Ledger,
  collection: C,
  numbers: readonly number[],
): Promise<Map<number, RecordOf<C>>> {
  const parts = partsOf([...new Set(numbers)], 100).map((some) => ledger.getMany(collection, some));
  return new Map((await Promise.all(parts)).flatMap((part) => [...part]));
}

type Listed = Pick<AppointmentQuery, 'leadId' | 'userId'>;
const nothing: Page<AppointmentRecord> = { items: [], totalCount: 0, nextAfter: null };

async function findPage(
  ledger: Ledger,
  { leadId, userId, ...query }: Listed & PageQuery,
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
  const found = await readMany(ledger, appointments, numbers);
  return numbers.flatMap((number) => found.get(number) ?? []);
}
