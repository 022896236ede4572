import { fromStranger } from '../../../../shared/core/from-stranger.ts';
import { isOpen } from '../model/booked-days.ts';
import { allAppointments } from '../model/bookings.ts';
import { unlessRefused } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import type { Planner } from '../planner.ts';
import { only, type Fields } from '../same.ts';
import { combinations, distinct, maxStates } from './availability.ts';
import { somePhone, storedNumber } from './contacts.ts';
import { leadValue } from './conversations.ts';
import { ofLead } from './inquiries.ts';

/** Number of inquiries and of appointments that are told of a caller. */
const maxTold = 3;
/** Number of appointments, cancelled ones included, among which those are found. */
const maxSearched = 9;

/** Number of a caller in one of the ways that platforms write it; a query reads a plus as a space. */
export function someCallingNumber(planner: Planner): string {
  const { draw, organization } = planner;
  if (draw.happens(0.1)) return draw.pick(['', 'anonymous']);
  const leads = Array.from({ length: 5 }, () => draw.whole(1, Math.max(1, organization.lastOf('LEAD'))));
  const known = leads
    .map((lead) => (organization.record('LEAD', lead)?.['phone'] ?? '') as string)
    .find((phone) => phone !== '');
  const number = known !== undefined && draw.happens(0.7) ? known : somePhone(planner);
  return draw.happens(0.1) ? number.replace('+', ' ') : number;
}

/** Number in E.164; empty for a hidden or invalid one. */
export const numberIn = (phone: string, country: string): string =>
  unlessRefused(() => storedNumber(phone.replace(/^ /, '+'), country, 'phone')) ?? '';

/** Times within which a request reads its clock, in epoch milliseconds. Clocks are off by two seconds at most. */
export interface Times {
  from: number;
  to: number;
}

export const timesOf = ({ since }: Window): Times => ({ from: since - 2001, to: Date.now() + 2001 });

/** Callers with a number at some time in the window. `isUnknown`: no lead had the number at some time. */
export interface CallersIn {
  isUnknown: boolean;
  known: Fields[];
}

/**
 * Callers with this number, as they were in the window: the lead, its newest inquiries, its next open appointments. Undefined if they
 * are too many to compare.
 */
export function callersIn(window: Window, phone: string, times: Times): CallersIn | undefined {
  const { organization } = window;
  const number = numberIn(phone, organization.country);
  if (number === '') return { isUnknown: true, known: [] };
  const holders = window.values(leadValue(organization, 'phone', number));
  const leads = [...new Set(holders.map((held) => held && organization.numberOf('LEAD', held.fields['id'])))];
  const found: CallersIn = { isUnknown: leads.includes(undefined), known: [] };
  for (const lead of leads) {
    if (lead === undefined) continue;
    if (window.canMiss('LEAD', lead)) found.isUnknown = true;
    const [inquiries, appointments] = [inquiriesIn(window, lead), appointmentsIn(window, lead, times)];
    if (!inquiries || !appointments) return undefined;
    const people = distinct(window.present('LEAD', lead).map(shownPerson));
    const ways = combinations([people, inquiries, appointments]) as [Fields, Fields[], Fields[]][];
    if (ways.length > maxStates) return undefined;
    for (const [person, lastInquiries, nextAppointments] of ways)
      found.known.push({ ...person, lastInquiries, nextAppointments });
  }
  return found;
}

const shownPerson = ({ id, ...lead }: Fields): Fields => ({
  leadId: id,
  ...only(lead, 'phone', 'status'),
  ...marked(lead, 'firstName', 'lastName', 'email', 'suburb', 'businessName'),
});

/** Texts from outside, as the service's own function shows them, which has tests of its own. */
const marked = (fields: Fields, ...names: string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, fromStranger(String(fields[name]))]));

/** The newest inquiries of a lead at each version of the window. Undefined if they are too many to compare. */
function inquiriesIn(window: Window, lead: number): Fields[][] | undefined {
  const { organization } = window;
  const list = organization.list(ofLead(organization, lead));
  const found: Fields[][] = [];
  for (const { version, end } of window.statesOwned(list, ['LEAD', lead])) {
    const values = list.pageAt(version, { page: 1, limit: maxTold }).map((number) =>
      distinct(
        window
          .spans('INQUIRY', number, { fromIndex: true })
          .filter(({ from }) => from < end)
          .map(({ fields: { id, ...inquiry } }) => ({
            inquiryId: id,
            ...only(inquiry, 'source', 'createdAt'),
            ...marked(inquiry, 'summary'),
          })),
      ),
    );
    if (values.reduce((count, some) => count * some.length, found.length + 1) > maxStates) return undefined;
    found.push(...(combinations(values) as Fields[][]));
  }
  return distinct(found);
}

/**
 * The next open appointments of a lead, as an index can show them: each as it was at some time, and one that moved perhaps not at all.
 * Undefined if they are too many to compare.
 */
function appointmentsIn(window: Window, lead: number, { from, to }: Times): Fields[][] | undefined {
  const { organization } = window;
  const leadId = organization.idOf('LEAD', lead);
  const states = allAppointments(organization).flatMap(([collection, number]) => {
    const values = window.records(collection, number, { fromIndex: true });
    const starts = new Set(values.map((one) => one && String(one['start'])));
    const isPassing = [...starts].some(
      (start) => start && Date.parse(start) >= from && Date.parse(start) <= to,
    );
    if (!values.some((one) => one?.['leadId'] === leadId)) return [];
    return [distinct([...values, ...(starts.size > 1 || isPassing ? [undefined] : [])])];
  });
  if (states.reduce((count, values) => count * values.length, 1) > maxStates) return undefined;
  const now = new Date(from).toISOString();
  return distinct(
    combinations(states).map((values) =>
      (values as (Fields | undefined)[])
        .filter((one) => one !== undefined && String(one['start']) >= now)
        .toSorted((one, other) => (String(one!['start']) < String(other!['start']) ? -1 : 1))
        .slice(0, maxSearched)
        .filter((one) => isOpen(one!['status']))
        .slice(0, maxTold)
        .map((one) => ({
          appointmentId: one!['id'],
          ...only(one!, 'start', 'end'),
          ...marked(one!, 'title'),
        })),
    ),
  );
}
