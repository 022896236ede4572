import {
  maxDays,
  maxSaidSlots,
  type Availability,
  type AvailabilityQuery,
  type NoSlotsReason,
  type SaidAvailability,
} from '../../contract/availability.ts';
import { shownBytes } from '../../contract/inquiry-data.ts';
import { invalid, noSuch } from '../../core/failure.ts';
import { localTimeIn, timeOfLocal } from '../../core/local-time.ts';
import type { Booked, Ledger } from '../../ledger/index.ts';
import { day, minute } from '../calendar/hours.ts';
import { timeOfMoment } from '../calendar/moment.ts';
import { slotsOf, type SlotRange } from '../calendar/slots.ts';
import { timeZoneRef } from '../leads/pipeline-record.ts';
import { members, tryUserRef, type MemberRecord } from '../members/members.ts';
import { isOutside } from '../organizations/areas.ts';
import { organizationRef } from '../settings/organization-record.ts';
import { services } from '../services/services.ts';
import { bookedIn } from './conflicts.ts';
import { membersFor, staffOf, whyNoSlots } from './offers.ts';

/**
 * Times at which a service can be booked. One round trip; one more if there is none, or for a service in days whose range
 * has no end.
 * @param now epoch milliseconds
 * @throws Failure `invalid` for an unknown service, for a wrong range, and for more slots than an answer can hold
 */
export async function getAvailability(
  ledger: Ledger,
  { serviceId, userId, limit, suburb = '', postcode = '', ...range }: AvailabilityQuery,
  now: number,
): Promise<Availability> {
  const [[organization, { timeZone }], service, people, near] = await Promise.all([
    ledger.getBoth(organizationRef, timeZoneRef),
    ledger.getOrUndefined({ collection: services, number: serviceId }),
    userId === undefined ? ledger.all(members) : findMember(ledger, userId),
    ledger.booked(...daysAround(range, now)),
  ]);
  if (!service) throw noSuch(services.label, 'serviceId');
  const settings = { ...organization, timeZone };
  const outside = isOutside(organization.areasServed, { suburb, postcode });
  const staff = service.isActive && !outside ? membersFor(service, people).map(staffOf) : [];
  const find = (booked: readonly Booked[], within: SlotRange) =>
    slotsOf(settings, service, staff, booked, within);
  const days =
    range.to === undefined && service.durationUnit === 'DAYS' ? usualDays.ofDays : usualDays.ofHours;
  const within = { ...rangeIn(timeZone, range, days, now), now, limit };
  const slots = find(days === usualDays.ofDays ? await bookedIn(ledger, service, within) : near, within);
  if (Buffer.byteLength(JSON.stringify(slots)) > shownBytes)
    throw invalid([{ field: 'limit', message: 'must be less: an answer cannot hold so many' }]);
  if (slots.length > 0) return { slots, isOutside: outside };
  const reason = whyNoSlots(settings, service, staff, { ...within, isOutside: outside });
  const beyond = { from: Math.max(within.from, now), to: Math.max(within.to, now) + maxDays * day };
  const [nextOffer] =
    staff.length === 0 ? [] : find(await bookedIn(ledger, service, beyond), { ...beyond, now, limit: 1 });
  return { slots, isOutside: outside, reason, ...(nextOffer && { nextOffer }) };
}

/** Times for a voice to offer: `getAvailability`, with a sentence. Without a time, the next one after the range. */
export async function offerTimes(
  ledger: Ledger,
  query: AvailabilityQuery,
  now: number,
): Promise<SaidAvailability> {
  const limit = Math.min(query.limit, maxSaidSlots);
  const { slots, reason, nextOffer } = await getAvailability(ledger, { ...query, limit }, now);
  if (reason === undefined)
    return { say: `I can offer ${either.format(slots.map((slot) => slot.say))}.`, slots };
  const why = `${reasonsSaid[reason]}.`;
  return nextOffer
    ? { say: `${why} The next free time is ${nextOffer.say}.`, slots: [nextOffer] }
    : { say: why, slots };
}

const reasonsSaid: Record<NoSlotsReason, string> = {
  NOT_OFFERED: 'We do not offer that at present',
  OUTSIDE_AREA: 'The place is outside the area that we serve',
  NOBODY: 'Nobody can do that at present',
  PAST: 'That time has passed',
  TOO_SOON: 'That is too soon for us',
  TOO_FAR: 'That is too far ahead',
  CLOSED: 'Nobody works then for long enough',
  BOOKED: 'There is no free time then',
};

const either = new Intl.ListFormat('en', { type: 'disjunction' });

async function findMember(ledger: Ledger, userId: string): Promise<MemberRecord[]> {
  const ref = tryUserRef(ledger, userId);
  const member = ref && (await ledger.getOrUndefined(ref));
  return member ? [member] : [];
}

type Range = Pick<AvailabilityQuery, 'from' | 'to'>;

/** Length of a range without a given end, in days. A service in days can take two weeks. */
const usualDays = { ofHours: 7, ofDays: 21 } as const;

/** The range, in epoch milliseconds. @throws Failure `invalid` */
function rangeIn(
  timeZone: string,
  { from, to }: Range,
  usual: number,
  now: number,
): { from: number; to: number } {
  const begin = from === undefined ? now : timeOfMoment(from, timeZone);
  const local = localTimeIn(timeZone, begin);
  const end =
    to === undefined
      ? timeOfLocal(timeZone, local + usual * day)
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
  const end = to === undefined ? begin + usualDays.ofHours * day : Date.parse(to) + day;
  const margin = day + 14 * 60 * minute;
  // A range that is too long is refused later, so its excess is not read.
  const last = Math.min(end, begin + maxDays * day) + margin;
  return [new Date(begin - margin).toISOString(), new Date(last).toISOString()];
}
