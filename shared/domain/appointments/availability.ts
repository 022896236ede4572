import {
  maxDays,
  maxSaidSlots,
  type Availability,
  type AvailabilityQuery,
  type SaidAvailability,
} from '../../contract/availability.ts';
import { shownBytes } from '../../contract/inquiry-data.ts';
import type { Service } from '../../contract/services.ts';
import { invalid, noSuch } from '../../core/failure.ts';
import { localTimeIn, timeOfLocal } from '../../core/local-time.ts';
import type { Ledger } from '../../ledger/index.ts';
import { day, minute } from '../calendar/hours.ts';
import { timeOfMoment } from '../calendar/moment.ts';
import { slotsOf } from '../calendar/slots.ts';
import type { Staff } from '../calendar/work-calendar.ts';
import { timeZoneRef } from '../leads/pipeline-record.ts';
import { members, tryUserRef, type MemberRecord } from '../members/members.ts';
import { isOutside, withArea } from '../organizations/areas.ts';
import { organizationRef } from '../settings/organization-record.ts';
import { services } from '../services/services.ts';

/**
 * Times at which a service can be booked. One round trip.
 * @param now epoch milliseconds
 * @throws Failure `invalid` for an unknown service, for a wrong range, and for more slots than an answer can hold
 */
export async function getAvailability(
  ledger: Ledger,
  { serviceId, userId, limit, suburb = '', postcode = '', ...range }: AvailabilityQuery,
  now: number,
): Promise<Availability> {
  const [[organization, { timeZone }], service, people, booked] = await Promise.all([
    ledger.getBoth(organizationRef, timeZoneRef),
    ledger.getOrUndefined({ collection: services, number: serviceId }),
    userId === undefined ? ledger.all(members) : findMember(ledger, userId),
    ledger.booked(...daysAround(range, now)),
  ]);
  if (!service) throw noSuch(services.label, 'serviceId');
  const hours = { ...organization, timeZone };
  const within = { ...rangeIn(timeZone, range, now), now, limit };
  const slots = slotsOf(hours, service, staffFor(service, people), booked, within);
  if (Buffer.byteLength(JSON.stringify(slots)) > shownBytes)
    throw invalid([{ field: 'limit', message: 'must be less: an answer cannot hold so many' }]);
  return { slots, isOutside: isOutside(organization.areasServed, { suburb, postcode }) };
}

/** Times for a voice to offer: `getAvailability`, with a sentence. */
export async function offerTimes(
  ledger: Ledger,
  query: AvailabilityQuery,
  now: number,
): Promise<SaidAvailability> {
  const limit = Math.min(query.limit, maxSaidSlots);
  const { slots, isOutside } = await getAvailability(ledger, { ...query, limit }, now);
  const times = slots.map(({ say }) => say);
  const offer = times.length === 0 ? 'There is no free time then.' : `I can offer ${either.format(times)}.`;
  return { say: withArea(offer, isOutside), slots };
}

const either = new Intl.ListFormat('en', { type: 'disjunction' });

async function findMember(ledger: Ledger, userId: string): Promise<MemberRecord[]> {
  const ref = tryUserRef(ledger, userId);
  const member = ref && (await ledger.getOrUndefined(ref));
  return member ? [member] : [];
}

/** Members who do a service, in the order of their proposal. */
function staffFor(
  { id, teamAssignmentMethod }: Pick<Service, 'id' | 'teamAssignmentMethod'>,
  people: readonly MemberRecord[],
): Staff[] {
  const turnOf = ({ newestAppointment }: MemberRecord) =>
    teamAssignmentMethod === 'ROUND_ROBIN' ? newestAppointment : 0;
  const does = ({ isDisabled, schedule: { serviceIds } }: MemberRecord) =>
    !isDisabled && (serviceIds.length === 0 || serviceIds.includes(id));
  return people
    .filter(does)
    .sort(
      (one, other) =>
        turnOf(one) - turnOf(other) || one.schedule.priority - other.schedule.priority || one.id - other.id,
    )
    .map(({ id: number, userId, schedule }) => ({ number, userId, schedule }));
}

type Range = Pick<AvailabilityQuery, 'from' | 'to'>;

/** Length of a range without a given end, in days. */
const usualDays = 7;

/** The range, in epoch milliseconds. @throws Failure `invalid` */
function rangeIn(timeZone: string, { from, to }: Range, now: number): { from: number; to: number } {
  const begin = from === undefined ? now : timeOfMoment(from, timeZone);
  const local = localTimeIn(timeZone, begin);
  const end =
    to === undefined
      ? timeOfLocal(timeZone, local + usualDays * day)
      : timeOfMoment(to, timeZone, { isEnd: true });
  if (end <= begin) throw invalid([{ field: 'to', message: 'must be after from' }]);
  if (localTimeIn(timeZone, end) - local > maxDays * day)
    throw invalid([{ field: 'to', message: `must be at most ${maxDays} days after from` }]);
  return { from: begin, to: end };
}

/**
 * Span that includes every booking that can matter, before the time zone and the service are known. Local dates begin
 * within 14 hours of the UTC dates, and a buffer is at most a day long.
 */
function daysAround({ from, to }: Range, now: number): [from: string, to: string] {
  const begin = from === undefined ? now : Date.parse(from);
  const end = to === undefined ? begin + usualDays * day : Date.parse(to) + day;
  const margin = day + 14 * 60 * minute;
  // A range that is too long is refused later, so its excess is not read.
  const last = Math.min(end, begin + maxDays * day) + margin;
  return [new Date(begin - margin).toISOString(), new Date(last).toISOString()];
}
