import { localTimeIn } from '../../../../shared/core/local-time.ts';
import { say } from '../../../../shared/domain/calendar/say.ts';
import { isOutside, withArea } from '../../../../shared/domain/organizations/areas.ts';
import { endOf } from '../../../../shared/domain/calendar/slots.ts';
import { bookingOf, isOpen } from '../model/booked-days.ts';
import { allAppointments, conflictsOf } from '../model/bookings.ts';
import type { Change } from '../model/change.ts';
import { numberAtEnd } from '../model/ids.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { invalid, notFound, Refused, unlessRefused, type ErrorResponse } from '../model/refusal.ts';
import { isGranted } from '../model/rules.ts';
import { anyTag, type TagList } from '../model/tags.ts';
import type { Read, Window } from '../model/window.ts';
import { listing, listOf } from '../pages.ts';
import { nothingChanges, once, type Plan, type Progress, type WeightedPlan } from '../plan.ts';
import { someId, someIfMatch, someNumber, someUniqueWord, type Planner } from '../planner.ts';
import { same, without, type Fields } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';
import { inActivities, shownLead } from './leads.ts';
import { leadOf, readSender, someSender } from './new-inquiries.ts';

const minute = 60_000;
const day = 86_400_000;

/** An appointment as the API shows it. */
export const shownAppointment = (appointment: Fields): Fields =>
  without(appointment, 'attendances', 'bufferBefore', 'bufferAfter');

/** Beginning of the two days on which all appointments are, so that many overlap. */
const firstStart = Date.UTC(2026, 0, 7);

const isoOf = (time: number) => new Date(time).toISOString();
export const someStart = ({ draw }: Planner) => firstStart + draw.whole(0, 96) * 30 * minute;
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

const noAddress = { line1: '', line2: '', suburb: '', state: '', postcode: '', country: '', access: '' };
const someAddress = (planner: Planner): Fields =>
  planner.draw.pick<Fields>([{ suburb: 'Glebe' }, { postcode: '2050' }, { line1: someUniqueWord(planner) }]);

/** Settings and other records on which a booking depends. */
const namesOf = (
  organization: OrganizationModel,
  given: Fields,
  attendees: readonly string[],
): (readonly [string, number])[] => [
  ['ORGANIZATION', 1],
  ['PIPELINE', 1],
  ...(typeof given['tradeServiceId'] === 'number' ? [['SERVICE', given['tradeServiceId']] as const] : []),
  ...attendees.map((userId) => ['MEMBER', organization.numberOf('USER', userId)] as const),
  ...allAppointments(organization),
];

const notFree: ErrorResponse = { status: 409 };

/** @throws Refused for a service that does not exist */
function serviceIn(read: Read, { tradeServiceId }: Fields): Fields | undefined {
  if (typeof tradeServiceId !== 'number') return undefined;
  const service = read('SERVICE', tradeServiceId);
  if (!service) throw new Refused(invalid);
  return service;
}

/** The attendees' members. @throws Refused for a user that does not exist */
const membersIn = (read: Read, organization: OrganizationModel, attendees: readonly string[]): Fields[] =>
  attendees.map((userId) => {
    const number = organization.numberOf('USER', userId);
    const member = number > 0 && read('MEMBER', number);
    if (!member) throw new Refused(invalid);
    return member;
  });

/** @throws Refused for an end before the start, or too long after it */
function checkTimes({ start, end }: Fields): void {
  const length = Date.parse(String(end)) - Date.parse(String(start));
  if (!(length > 0)) throw new Refused(invalid);
  if (length > 14 * day) throw new Refused(invalid);
}

/** Conflicts of an appointment, and whether it is outside the areas served. @throws Refused if it must be free and is not */
function outcomeOf(
  read: Read,
  organization: OrganizationModel,
  number: number,
  appointment: Fields,
  ifFree: unknown,
): { conflicts: Fields[]; isOutside: boolean } {
  const conflicts = isOpen(appointment['status'])
    ? conflictsOf(read, organization, bookingOf(number, appointment))
    : [];
  if (ifFree === true && conflicts.length > 0) throw new Refused(notFree);
  const { areasServed } = read('ORGANIZATION', 1) as { areasServed: string[] };
  return { conflicts, isOutside: isOutside(areasServed, appointment['address'] as Fields) };
}

/** Keeps an outcome that no record tells: by numbers, since the other appointments may be erased. */
function keepOutcome(change: Change, outcome: { conflicts: Fields[]; isOutside: boolean }): void {
  if (outcome.conflicts.length === 0 && !outcome.isOutside) return;
  const conflicts = outcome.conflicts.map(({ userId, appointmentId }) => [
    numberAtEnd(userId),
    appointmentId === null ? null : numberAtEnd(appointmentId),
  ]);
  change.note(JSON.stringify({ conflicts, isOutside: outcome.isOutside }));
}

/** A new appointment for what was given, as far as the organization's records decide it. @throws Refused */
function appointmentFor(read: Read, organization: OrganizationModel, given: Fields, number: number) {
  const service = serviceIn(read, given);
  const attendees = (given['attendees'] ?? []) as string[];
  const members = membersIn(read, organization, attendees);
  const times = { start: given['start'], end: given['end'] ?? endBy(read, service!, members, given) };
  checkTimes(times);
  const { bufferBefore = 0, bufferAfter = 0 } = service ?? {};
  const appointment: Fields = {
    ...times,
    ...{ attendees, bufferBefore, bufferAfter, status: given['status'] ?? 'PENDING' },
    address: { ...noAddress, ...(given['address'] as Fields | undefined) },
  };
  return { appointment, ...outcomeOf(read, organization, number, appointment, given['ifFree']) };
}

/** End by the duration of a service. The service's own calendar is tested elsewhere. */
function endBy(read: Read, service: Fields, members: readonly Fields[], { start }: Fields): string {
  const hours = { ...read('ORGANIZATION', 1), timeZone: read('PIPELINE', 1)!['timeZone'] };
  const end = endOf(
    hours as unknown as Parameters<typeof endOf>[0],
    service as unknown as Parameters<typeof endOf>[1],
    members as unknown as Parameters<typeof endOf>[2],
    Date.parse(String(start)),
  );
  // There may be too few working days.
  return isoOf(Math.min(end, Date.parse(String(start)) + 15 * day));
}

/** An event about an appointment, which is an activity of its lead if there is one. */
function storeEvent(change: Change, event: string, said: string, { id, leadId }: Fields): void {
  const lead = change.organization.numberOf('LEAD', leadId);
  const isThere = lead > 0 && change.get('LEAD', lead) !== undefined;
  change.event(event, said, String(id), isThere ? [inActivities(change.organization, lead)] : []);
}

/** Notes that it was a member's turn. */
function takeTurn(change: Change, userId: string, appointment: number): void {
  const number = numberAtEnd(userId);
  const member = change.get('MEMBER', number)!;
  const newestAppointment = Math.max(Number(member['newestAppointment']), appointment);
  change.replace('MEMBER', number, { ...member, newestAppointment });
}

/** Stores a new appointment. Returns the response. */
function storeAppointment(change: Change, given: Fields, lead: number): unknown {
  const { organization, now } = change;
  const number = change.next('APPOINTMENT');
  const { appointment, ...outcome } = appointmentFor(
    (...record) => change.get(...record),
    organization,
    given,
    number,
  );
  const { start, attendees } = appointment as { start: string; attendees: string[] };
  const id = organization.idOf('APPOINTMENT', number);
  const first = change.next('ATTENDANCE');
  const { title, tradeServiceId = null, notes = '', status: _, ifFree, end, lead: sender, ...about } = given;
  const stored = change.append('APPOINTMENT', () => ({
    ...{ description: '', customerNotes: '', ...about, ...appointment },
    ...{ id, title, notes, tradeServiceId, isRescheduled: false, createdAt: now, updatedAt: now },
    leadId: lead > 0 ? organization.idOf('LEAD', lead) : null,
    attendances: attendees.map((_user, at) => first + at),
  }));
  for (const userId of attendees) {
    change.append('ATTENDANCE', (attendance) => ({ id: attendance, appointmentId: id, userId, start }));
    takeTurn(change, userId, number);
  }
  storeEvent(change, 'APPOINTMENT_CREATED', 'An appointment was made', stored);
  change.keep('APPOINTMENT', number);
  keepOutcome(change, outcome);
  return { appointment: shownAppointment(stored), ...outcome };
}

/** Books an appointment: with a known lead, with one that is found or made, or with nobody. */
export function createAppointment(planner: Planner): Plan {
  const { draw } = planner;
  const start = someStart(planner);
  const service = draw.happens(0.5) ? someNumber(planner, 'SERVICE') : undefined;
  const given: Fields = {
    ...{ title: someUniqueWord(planner), start: isoOf(start), attendees: someAttendees(planner) },
    ...(service !== undefined && { tradeServiceId: service }),
    ...((service === undefined || draw.happens(0.5)) && { end: isoOf(start + someLength(planner)) }),
    ...(draw.happens(0.6) && { ifFree: true }),
    ...(draw.happens(0.3) && { status: 'CONFIRMED' }),
  };
  return bookingAs(planner, 'createAppointment', given);
}

/** Books as given, with a lead and an address. */
export function bookingAs(planner: Planner, operation: string, fields: Fields): Plan {
  const { draw, organization } = planner;
  const leadId = draw.happens(0.4) ? someId(planner, 'LEAD') : undefined;
  const sender =
    leadId === undefined && draw.happens(0.5)
      ? readSender(someSender(planner), organization.country)
      : undefined;
  const given: Fields = { ...fields, ...(draw.happens(0.4) && { address: someAddress(planner) }) };
  const body = { ...given, ...(leadId !== undefined && { leadId }), ...(sender && { lead: sender.given }) };
  const wanted = organization.numberOf('LEAD', leadId);
  const isSaid = draw.happens(0.2);
  return {
    operation,
    organization,
    call: {
      ...{ endpoint: 'createAppointment', body: JSON.stringify(body) },
      ...(isSaid && { query: { format: 'say' } }),
    },
    ...(isSaid && { repeated: 'answersAgain', check: checkSaid }),
    stages: once((change, { scopes }) => {
      if (leadId !== undefined && !change.get('LEAD', wanted)) throw new Refused(notFound);
      // Refuses what it would refuse below, before it stores anything.
      appointmentFor((...record) => change.get(...record), organization, given, change.next('APPOINTMENT'));
      const fillsContacts = isGranted(scopes, 'leads:write');
      const lead = sender ? leadOf(change, sender, { fillsContacts }) : wanted;
      const known = change.get('LEAD', lead);
      const address = given['address'] ?? (known ? shownLead(known)['address'] : {});
      return storeAppointment(change, { ...given, address }, lead);
    }),
  };
}

/** Checks a booking as it is told. @throws Violation */
function checkSaid(body: unknown, window: Window, { made }: Pick<Progress, 'made'>): void {
  const { appointment, isOutside } = made[0]?.response as { appointment: Fields; isOutside: boolean };
  const { id: appointmentId, start } = appointment;
  const told = window.present('PIPELINE', 1).map(({ timeZone }) => {
    const time = say(localTimeIn(String(timeZone), Date.parse(String(start))));
    return { say: withArea(`You are booked for ${time}.`, isOutside), appointmentId, start };
  });
  checkOneOf('A booking must be told as it was stored', told, body);
}

/** A change of an appointment as given. */
interface AppointmentChange {
  number: number;
  tags: TagList;
  given: Fields;
  /** True if a final appointment refuses it even if it changes nothing. */
  mustBeOpen?: boolean;
}

/** The appointment before and after a change, and its outcome. @throws Refused */
function changedIn(
  read: Read,
  organization: OrganizationModel,
  { number, tags, given, mustBeOpen = false }: AppointmentChange,
) {
  const before = read('APPOINTMENT', number);
  if (!before) throw new Refused(notFound);
  tags.check(shownAppointment(before));
  const { ifFree, address, ...changes } = given;
  const start = String(changes['start'] ?? before['start']);
  const length = Date.parse(String(before['end'])) - Date.parse(String(before['start']));
  const { end = isoOf(Date.parse(start) + length) } = changes;
  const times = { start, end };
  checkTimes(times);
  const isMoved = times.start !== before['start'] || times.end !== before['end'];
  const isOther =
    changes['tradeServiceId'] !== undefined && changes['tradeServiceId'] !== before['tradeServiceId'];
  const { bufferBefore = 0, bufferAfter = 0 } = (isOther ? serviceIn(read, changes) : before) ?? {};
  const after: Fields = {
    ...{ ...before, ...changes, ...times, bufferBefore, bufferAfter },
    address: { ...(before['address'] as Fields), ...(address as Fields | undefined) },
    isRescheduled: before['isRescheduled'] === true || isMoved,
  };
  const isChanged = !same(before, after);
  const { status } = before;
  if ((isChanged || mustBeOpen) && !isOpen(status)) throw new Refused({ status: 409 });
  membersIn(read, organization, after['attendees'] as string[]);
  return { before, after, isChanged, isMoved, outcome: outcomeOf(read, organization, number, after, ifFree) };
}

/** Lists a changed appointment for its attendees. Who is new takes over the attendance of one who leaves. */
function changeAttendances(change: Change, number: number, before: Fields, after: Fields): number[] {
  const [had, has] = [before['attendees'], after['attendees']] as [string[], string[]];
  const numbers = before['attendances'] as number[];
  const { id: appointmentId, start } = after;
  const known = new Map(had.map((userId, at) => [userId, numbers[at]!]));
  const spare = had.flatMap((userId) => (has.includes(userId) ? [] : [known.get(userId)!]));
  const attendances = has.map((userId) => {
    const own = known.get(userId);
    if (own === undefined) takeTurn(change, userId, number);
    const fields = { appointmentId, userId, start };
    const taken = own ?? spare.shift();
    if (taken === undefined) return Number(change.append('ATTENDANCE', (id) => ({ id, ...fields }))['id']);
    if (!same(change.get('ATTENDANCE', taken), { id: taken, ...fields }))
      change.replace('ATTENDANCE', taken, { id: taken, ...fields });
    return taken;
  });
  for (const left of spare) change.remove('ATTENDANCE', left);
  return attendances;
}

/** Expectations of a request that changes an appointment. `answer` makes its response. */
function changingAppointment(
  organization: OrganizationModel,
  one: AppointmentChange,
  answer: (appointment: Fields, outcome: Fields) => unknown,
) {
  const { number, given } = one;
  const readersOf = (window: Window) => {
    const attendees = [
      ...((given['attendees'] ?? []) as string[]),
      ...window.present('APPOINTMENT', number).flatMap((record) => record['attendees'] as string[]),
    ];
    return window.readersOf(namesOf(organization, given, [...new Set(attendees)]));
  };
  return {
    stages: once((change) => {
      const { before, after, isChanged, outcome } = changedIn(
        (...record) => change.get(...record),
        organization,
        one,
      );
      if (!isChanged) throw new Refused(nothingChanges);
      const stored = change.replace('APPOINTMENT', number, { ...after, updatedAt: change.now });
      stored['attendances'] = changeAttendances(change, number, before, after);
      const isCancelled = after['status'] === 'CANCELLED';
      const [event, what] = isCancelled
        ? ['APPOINTMENT_CANCELLED', 'cancelled']
        : ['APPOINTMENT_UPDATED', 'changed'];
      storeEvent(change, event, `An appointment was ${what}`, stored);
      change.keep('APPOINTMENT', number);
      keepOutcome(change, outcome);
      return answer(shownAppointment(stored), outcome);
    }),
    unchanged: (window: Window) =>
      readersOf(window).flatMap((read) => {
        const found = unlessRefused(() => changedIn(read, organization, one));
        return found && !found.isChanged ? [answer(shownAppointment(found.before), found.outcome)] : [];
      }),
  };
}

/** Moves an appointment, changes who attends it, or how far it has come. */
export function updateAppointment(planner: Planner): Plan {
  const { draw, organization } = planner;
  const appointmentId = someId(planner, 'APPOINTMENT');
  const number = organization.numberOf('APPOINTMENT', appointmentId);
  const { headers, tags } = someIfMatch(planner, 'appointment', appointmentId);
  const start = someStart(planner);
  const given: Fields = {
    ...(draw.happens(0.5) && { start: isoOf(start) }),
    ...(draw.happens(0.2) && { end: isoOf(start + someLength(planner)) }),
    ...(draw.happens(0.3) && { attendees: someAttendees(planner) }),
    ...(draw.happens(0.15) && { status: draw.pick(['CONFIRMED', 'CANCELLED', 'COMPLETED', 'NO_SHOW']) }),
    ...(draw.happens(0.2) && { notes: someUniqueWord(planner), address: someAddress(planner) }),
    ...(draw.happens(0.15) && { tradeServiceId: draw.pick([null, someNumber(planner, 'SERVICE')]) }),
    ...(draw.happens(0.5) && { ifFree: true }),
  };
  return {
    operation: 'updateAppointment',
    organization,
    call: { endpoint: 'updateAppointment', params: { appointmentId }, body: JSON.stringify(given), headers },
    ...changingAppointment(organization, { number, tags, given }, (appointment, outcome) => ({
      appointment,
      ...outcome,
    })),
  };
}

export function cancelAppointment(planner: Planner): Plan {
  const { organization } = planner;
  const appointmentId = someId(planner, 'APPOINTMENT');
  const number = organization.numberOf('APPOINTMENT', appointmentId);
  const change = { number, tags: anyTag, given: { status: 'CANCELLED' }, mustBeOpen: true };
  return {
    operation: 'cancelAppointment',
    organization,
    call: { endpoint: 'cancelAppointment', params: { appointmentId } },
    ...changingAppointment(organization, change, (appointment) => ({ appointment })),
  };
}

/** Appointment that a member's attendance names: it never changes. */
const namedBy = (attendance: number, window: Window): number =>
  numberAtEnd(window.present('ATTENDANCE', attendance, { fromIndex: true })[0]?.['appointmentId']);

/** Reads a page of all appointments, of those with a lead, or of those of a user; or those of a range of time. */
export function listAppointments(planner: Planner): Plan {
  const { draw, organization } = planner;
  const of = { collection: 'APPOINTMENT', key: 'appointments', shown: shownAppointment } as const;
  const [lead, member] = [someNumber(planner, 'LEAD'), someNumber(planner, 'MEMBER')];
  const filter = draw.pick<Record<string, string>>([
    {},
    { leadId: organization.idOf('LEAD', lead) },
    { userId: organization.userId(member) },
  ]);
  if (draw.happens(0.4)) return listRange(planner, filter);
  if (filter['leadId'] === undefined && filter['userId'] === undefined)
    return listOf(planner, 'listAppointments', of);
  const owner = filter['leadId'] === undefined ? (['MEMBER', member] as const) : (['LEAD', lead] as const);
  const [listed, named] = owner[0] === 'LEAD' ? ['APPOINTMENT', undefined] : ['ATTENDANCE', namedBy];
  const list = organization.list(organization.partitionOf('gsi1', listed, { owner }));
  return listing(planner, {
    ...{ operation: `listAppointments ${Object.keys(filter).join()}`, endpoint: 'listAppointments', filter },
    ...{ list, states: (window) => window.statesOwned(list, owner), fromIndex: true, ...of },
    ...(named && { named }),
  });
}

/** Reads the appointments that begin in a range of time. */
function listRange(planner: Planner, filter: Record<string, string>): Plan {
  const { draw, organization } = planner;
  const begin = someStart(planner);
  const [from, to] = [isoOf(begin), isoOf(begin + draw.pick([1, 12, 48]) * 60 * minute)] as const;
  const { leadId, userId } = filter;
  const isIn = (one: Fields) =>
    String(one['start']) >= from &&
    String(one['start']) < to &&
    (leadId === undefined || one['leadId'] === leadId) &&
    (userId === undefined || (one['attendees'] as string[]).includes(userId));
  return {
    operation: `listAppointments from ${Object.keys(filter).join()}`.trimEnd(),
    organization,
    call: { endpoint: 'listAppointments', query: { from, to, ...filter } },
    check: (body, window) => {
      const { appointments: items, ...page } = body as { appointments: Fields[] };
      const numbers = items.map(({ id }) => organization.numberOf('APPOINTMENT', id));
      const valuesOf = (number: number) => window.records('APPOINTMENT', number, { fromIndex: true });
      const sure = allAppointments(organization).flatMap(([, number]) =>
        valuesOf(number).every((one) => one && isIn(one)) ? number : [],
      );
      const missing = sure.filter((number) => !numbers.includes(number));
      const wrong = items.filter((item, at) => {
        const values = valuesOf(numbers[at]!).filter((one) => one !== undefined);
        return !values.some(isIn) || !values.some((one) => same(shownAppointment(one), item));
      });
      const known = items.filter((_, at) => sure.includes(numbers[at]!)).map(({ start }) => String(start));
      if (missing.length > 0 || wrong.length > 0 || !same(known, known.toSorted()))
        throw new Violation(
          'A range must have the appointments that begin in it, in order',
          { missing, wrong },
          items,
        );
      const pages = { totalCount: items.length, totalPages: Math.sign(items.length), currentPage: 1 };
      checkOneOf('The page fields must fit the total and the query', [pages], page);
    },
  };
}

export const plans: readonly WeightedPlan[] = [
  [createAppointment, 5],
  [updateAppointment, 4],
  [cancelAppointment, 1],
  [listAppointments, 3],
];
