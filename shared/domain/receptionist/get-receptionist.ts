import * as v from 'valibot';
import {
  maxTold,
  type CalledBusiness,
  type Caller,
  type Receptionist,
  type ReceptionistQuery,
} from '../../contract/receptionist.ts';
import type { Route } from '../../contract/transfer-route.ts';
import { cutText } from '../../core/cut-text.ts';
import { fromStranger } from '../../core/from-stranger.ts';
import { numberInId } from '../../core/ids.ts';
import type { Ledger } from '../../ledger/index.ts';
import { appointments, isOpen, startOf } from '../appointments/appointment-record.ts';
import { say } from '../calendar/say.ts';
import { inquiries } from '../inquiries/inquiry-record.ts';
import { leads, phoneValue } from '../leads/lead-record.ts';
import { tryLeadRef } from '../leads/leads.ts';
import { timeZoneRef } from '../leads/pipeline-record.ts';
import { memberName, members } from '../members/members.ts';
import { openStateAt } from '../organizations/opening-hours.ts';
import { organizationRef } from '../settings/organization-record.ts';
import { firstNumberIn } from '../phone/phone-number.ts';
import { transfers } from '../transfers/transfers.ts';
import { Knowledge, knowledgeCollections, knowledgeName, knowledgeOf } from './knowledge.ts';
import { routeOf, rulesInUse } from './route.ts';

/**
 * Facts for somebody who answers the telephone: the business, the caller, the transfer rules, the knowledge. Two round
 * trips if the stored knowledge is current; one more if a number is not international.
 * @param now epoch milliseconds
 * @throws Failure `notFound`
 */
export async function getReceptionist(
  ledger: Ledger,
  { phone = '', number = '' }: ReceptionistQuery,
  now: number,
): Promise<Receptionist> {
  const [{ business, routes, namesOf }, caller, { prompt, leftOut }] = await Promise.all([
    readBusiness(ledger, number, now),
    readCaller(ledger, phone, now),
    readKnowledge(ledger),
  ]);
  return {
    business,
    caller: caller && withBookingsSaid(caller, business.hours.timeZone, namesOf),
    routes,
    prompt,
    leftOut,
  };
}

/** Caller without the sentences about appointments, which need the time zone and the members. */
export type KnownCaller = Omit<Caller, 'nextAppointments'> & {
  nextAppointments: readonly (Omit<Caller['nextAppointments'][number], 'say' | 'attendeeNames'> & {
    attendees: readonly string[];
  })[];
};

/** Names of users, by their ids. */
type NamesOf = (userIds: readonly string[]) => string[];

export const withBookingsSaid = (caller: KnownCaller, timeZone: string, namesOf: NamesOf): Caller => ({
  ...caller,
  nextAppointments: caller.nextAppointments.map(({ attendees, ...appointment }) => ({
    ...appointment,
    attendeeNames: namesOf(attendees),
    say: say(timeZone, Date.parse(appointment.start)),
  })),
});

/** The prompt alone. One round trip if the stored prompt is current. */
export const getPrompt = async (ledger: Ledger): Promise<string> => (await readKnowledge(ledger)).prompt;

/**
 * Knowledge of the business.
 * @param onOld receives the stored knowledge if it is old, before the new knowledge is made
 */
export async function readKnowledge(ledger: Ledger, onOld?: (old: Knowledge) => void): Promise<Knowledge> {
  const text = await ledger.prepared(
    knowledgeName,
    knowledgeCollections,
    (all) => JSON.stringify(knowledgeOf(all)),
    (old) => onOld?.(parse(old)),
  );
  return parse(text);
}

const parse = (text: string): Knowledge => v.parse(v.pipe(v.string(), v.parseJson(), Knowledge), text);

/**
 * The business at a time, and its transfer rules. One round trip; one more if the called number is not international.
 */
export async function readBusiness(
  ledger: Ledger,
  number: string,
  now: number,
): Promise<{ business: CalledBusiness; routes: Route[]; namesOf: NamesOf }> {
  const [[organization, { timeZone }], rules, people, calledNumber] = await Promise.all([
    ledger.getBoth(organizationRef, timeZoneRef),
    ledger.all(transfers),
    ledger.all(members),
    numberOf(ledger, number),
  ]);
  const hours = { ...organization, timeZone };
  const byNumber = new Map(people.map((member) => [member.id, member]));
  return {
    business: {
      name: organization.name,
      phone: organization.businessPhone,
      calledNumber: calledNumber || fromStranger(cutText(number, 40)),
      localTime: say(timeZone, now),
      hours: openStateAt(hours, now),
    },
    routes: rulesInUse(rules).map((rule) => routeOf(rule, byNumber, hours, now)),
    namesOf: (userIds) =>
      userIds
        .map((userId) => byNumber.get(numberInId(userId)))
        .filter((member) => member !== undefined)
        .map(memberName),
  };
}

/**
 * Facts about a caller to tell a model, as far as known; null for a hidden or unknown number. Two round trips; one more
 * for a number that is not international.
 */
export async function readCaller(ledger: Ledger, phone: string, now: number): Promise<KnownCaller | null> {
  const number = await numberOf(ledger, phone);
  if (number === '') return null;
  const leadId = await ledger.findHolder(leads, phoneValue(number));
  const ref = leadId === undefined ? undefined : tryLeadRef(ledger, leadId);
  if (leadId === undefined || !ref) return null;
  const from = startOf(leadId, new Date(now).toISOString());
  const [{ owner, items }, found] = await Promise.all([
    ledger.ownedList(ref, inquiries, 'lead', { page: 1, limit: maxTold }),
    // Reads some more, because cancelled appointments are among them.
    ledger.findBetween(appointments, 'leadStart', { from, to: startOf(leadId, '9') }, 3 * maxTold),
  ]);
  if (!owner) return null;
  return {
    leadId,
    firstName: fromStranger(owner.firstName),
    lastName: fromStranger(owner.lastName),
    email: fromStranger(owner.email),
    phone: owner.phone,
    suburb: fromStranger(owner.suburb),
    businessName: fromStranger(owner.businessName),
    status: owner.status,
    lastInquiries: items.map(({ id, source, summary, createdAt }) => ({
      inquiryId: id,
      source,
      summary: fromStranger(summary),
      createdAt,
    })),
    nextAppointments: found
      .filter((appointment) => isOpen(appointment.status))
      .slice(0, maxTold)
      .map(({ id, title, start, end, attendees }) => ({
        appointmentId: id,
        title: fromStranger(title),
        start,
        end,
        attendees,
      })),
  };
}

/** A phone number in a query, as `firstNumberIn`. A query reads the plus of a number as a space. */
const numberOf = (ledger: Ledger, phone: string): Promise<string> =>
  firstNumberIn(() => ledger.country(), phone.replace(/^ /, '+'));
