import { isOutside } from '../../../../shared/domain/organizations/areas.ts';
import { slotsOf } from '../../../../shared/domain/calendar/slots.ts';
import { bookedIn } from '../../../../shared/ledger/internal/booked.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import type { Plan, WeightedPlan } from '../plan.ts';
import { someNumber, type Planner } from '../planner.ts';
import { only, same, type Fields } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';

const day = 86_400_000;

/** Maximum number of states of the organization with which an answer is compared. */
export const maxStates = 200;

interface Slot {
  start: string;
  end: string;
  userIds: string[];
  say: string;
}

/** Beginning of the two days on which all appointments are, so that many overlap. */
const firstStart = Date.UTC(2026, 0, 7);

export const isoOf = (time: number): string => new Date(time).toISOString();
export const someStart = ({ draw }: Planner): number => firstStart + draw.whole(0, 96) * 1_800_000;

/** Name of the item with what is booked on a day. */
const bookedName = ({ code }: OrganizationModel, date: string) => `ORG#${code}#BOOKED ${date}`;

/** The days (UTC) with bookings that can matter to a span of time. */
const daysAround = (from: number, to: number): string[] => {
  const days: string[] = [];
  for (let at = from - 2 * day; at <= to + 2 * day; at += day) days.push(isoOf(at).slice(0, 10));
  return days;
};

/** Different values, each once. */
export const distinct = <T>(values: readonly T[]): T[] =>
  values.filter((one, at) => values.findIndex((other) => same(one, other)) === at);

/** All combinations of one value of each list. */
export const combinations = (lists: readonly (readonly unknown[])[]): unknown[][] =>
  lists.reduce<unknown[][]>((all, list) => all.flatMap((some) => list.map((one) => [...some, one])), [[]]);

/** Members who do a service, with only the data that matters to slots. */
const staffIn = (members: readonly (Fields | undefined)[], service: number) =>
  members.flatMap((member) => {
    const schedule = member?.['schedule'] as { serviceIds: number[] } | undefined;
    const does = schedule && (schedule.serviceIds.length === 0 || schedule.serviceIds.includes(service));
    if (!member || !does || member['isDisabled'] === true) return [];
    return [{ number: Number(member['id']), userId: String(member['userId']), schedule }];
  });

const withSortedUsers = (slots: readonly Slot[]): Slot[] =>
  slots.map((slot) => ({ ...slot, userIds: slot.userIds.toSorted() }));

/**
 * Reads which times are free for a service. The service's own calendar must give the same answer for some values that
 * the records had during the read. The calendar has separate tests.
 */
export function getAvailability(planner: Planner): Plan {
  const { draw, organization } = planner;
  const service = someNumber(planner, 'SERVICE');
  const from = someStart(planner);
  const to = from + draw.pick([2, 10, 40]) * 3_600_000;
  const member = draw.happens(0.3) ? someNumber(planner, 'MEMBER') : undefined;
  const limit = draw.pick([1, 5, 100]);
  const suburb = draw.pick(['Glebe', 'Newtown']);
  const query = {
    serviceId: String(service),
    from: isoOf(from),
    to: isoOf(to),
    limit: String(limit),
    suburb,
    ...(member !== undefined && { userId: organization.userId(member) }),
  };
  return {
    operation: 'getAvailability',
    organization,
    call: { endpoint: 'getAvailability', query },
    refusals: (window) => (window.canMiss('SERVICE', service) ? [400] : []),
    check: (body, window) => {
      const { slots } = body as { slots: Slot[] };
      const numbers = member === undefined ? organization.numbersOf('MEMBER') : [member];
      const dates = daysAround(from, to);
      const states = [
        distinct(window.present('SERVICE', service)),
        distinct(window.present('ORGANIZATION', 1)),
        distinct(window.present('PIPELINE', 1).map(({ timeZone }) => timeZone)),
        ...numbers.map((number) =>
          distinct(
            window
              .records('MEMBER', number)
              .map((one) => one && only(one, 'id', 'userId', 'schedule', 'isDisabled')),
          ),
        ),
        ...dates.map((date) =>
          distinct(window.values(bookedName(organization, date)).map((stored) => stored?.fields['booked'])),
        ),
      ];
      if (states.reduce((count, values) => count * values.length, 1) > maxStates) return;
      const expected = combinations(states).map(([one, own, timeZone, ...others]) => {
        const hours = { ...(own as Fields), timeZone } as unknown as Parameters<typeof slotsOf>[0];
        const items = others
          .slice(numbers.length)
          .map((booked, at) => [dates[at]!, booked === undefined ? undefined : { booked }] as const);
        const { areasServed } = own as { areasServed: string[] };
        const outside = isOutside(areasServed, { suburb });
        const isOffered = (one as Fields)['isActive'] === true && !outside;
        const staff = isOffered ? staffIn(others.slice(0, numbers.length) as Fields[], service) : [];
        const found = slotsOf(
          hours,
          one as Parameters<typeof slotsOf>[1],
          staff as unknown as Parameters<typeof slotsOf>[2],
          bookedIn(items),
          { from, to, now: window.since, limit },
        );
        return { slots: withSortedUsers(found), isOutside: outside };
      });
      const { reason, nextOffer, ...shown } = body as Fields & { nextOffer?: Slot };
      checkOneOf('Slots must be free at some time while they were read', expected, {
        ...shown,
        slots: withSortedUsers(slots),
      });
      if ((slots.length === 0) !== (reason !== undefined) || (nextOffer && slots.length > 0))
        throw new Violation('An empty answer, and no other, must say why', undefined, body);
      if (slots.length > 0)
        offers.set(
          organization,
          slots.slice(0, 3).map((slot) => ({ service, slot })),
        );
    },
  };
}

/** Slots that were offered last, each with its service, by organization. */
const offers = new WeakMap<OrganizationModel, { service: number; slot: Slot }[]>();

/** Body of a booking of a slot that was offered; undefined before any was. */
export function someOffer({ draw, organization }: Planner): Fields | undefined {
  const offered = offers.get(organization);
  if (!offered) return undefined;
  const { service, slot } = draw.pick(offered);
  return { start: slot.start, attendees: [slot.userIds[0]!], tradeServiceId: service };
}

export const plans: readonly WeightedPlan[] = [[getAvailability, 4]];
