import type { Route } from '../../contract/transfer-route.ts';
import type { Transfer } from '../../contract/transfers.ts';
import { bestMatches } from '../../core/best-matches.ts';
import { day, daysSearched, type Hours } from '../calendar/hours.ts';
import { without, type Span } from '../calendar/spans.ts';
import { daysOffOf, WorkCalendar } from '../calendar/work-calendar.ts';
import { memberName } from '../members/members.ts';
import { numberOf, type MembersByNumber } from '../transfers/transfers.ts';

/**
 * A transfer rule as a way to a person, and whether that person can be reached at a time, in epoch milliseconds:
 * docs/reference/calls.md, Transfer rule. Ignores the rule's `isEnabled`.
 */
export function routeOf(rule: Transfer, members: MembersByNumber, hours: Hours, at: number): Route {
  const { id: transferId, label, conditions, method, destinationType, destination } = rule;
  const from = reachableFrom(rule, members, hours, at);
  return {
    transferId,
    label,
    conditions,
    method,
    destinationType,
    destination,
    destinationName: nameOf(rule, members),
    number: numberOf(rule, members),
    isReachable: from === at,
    reachableFrom: from === undefined || from === at ? null : new Date(from).toISOString(),
  };
}

/** Rules that are in use, the oldest first. */
export const rulesInUse = (rules: readonly Transfer[]): Transfer[] =>
  rules.filter(({ isEnabled }) => isEnabled).toSorted((one, other) => one.id - other.id);

/**
 * The route for a topic, from the rules in use that match the topic, or from all rules in use without a topic. Rules with
 * a number win over rules that lead nowhere. Of those, takes the first that can be reached of the rules that match best,
 * otherwise the first. Undefined if no rule matches.
 */
export function chooseRoute(
  rules: readonly Transfer[],
  topic: string,
  members: MembersByNumber,
  hours: Hours,
  at: number,
): Route | undefined {
  const found = matchesOf(rulesInUse(rules), topic, members);
  const leading = found.filter(({ one }) => numberOf(one, members) !== '');
  const fitting = leading.length > 0 ? leading : found;
  const routes = fitting
    .filter(({ score }) => score === fitting[0]?.score)
    .map(({ one }) => routeOf(one, members, hours, at));
  return routes.find(({ isReachable }) => isReachable) ?? routes[0];
}

/** Rules that match a topic, the best first. Without a topic, all rules match alike. */
const matchesOf = (rules: readonly Transfer[], topic: string, members: MembersByNumber) =>
  topic.trim() === ''
    ? rules.map((one) => ({ one, score: 0 }))
    : bestMatches(rules, topic, (rule) => ({
        title: `${rule.label} ${rule.name} ${nameOf(rule, members)}`,
        body: rule.conditions,
      }));

/** Name of a destination that can be read out; empty for a phone number. */
function nameOf({ destinationType, destination }: Transfer, members: MembersByNumber): string {
  if (destinationType === 'PHONE_NUMBER') return '';
  if (destinationType === 'DEPARTMENT') return destination;
  const member = members.get(Number(destination));
  return member ? memberName(member) : '';
}

/** The first time from `at` on when a rule's destination can be reached; undefined if there is none within a year. */
function reachableFrom(
  { destinationType, destination, settings }: Transfer,
  members: MembersByNumber,
  hours: Hours,
  at: number,
): number | undefined {
  const member = destinationType === 'MEMBER' ? members.get(Number(destination)) : undefined;
  if (destinationType === 'MEMBER' && (!member || member.isDisabled)) return undefined;
  // Without any hours the organization is always open.
  const open = settings.ignore_business_hours ? { ...hours, openingHours: {}, holidays: [] } : hours;
  const staff = member ? [{ ...member, number: member.id }] : [];
  for (const days of daysSearched) {
    const within: Span = [at, at + days * day];
    const calendar = new WorkCalendar(open, within);
    const off = staff.flatMap(({ schedule }) => daysOffOf(schedule, calendar.timeAt));
    const next = without(calendar.hoursOf(staff), off).find(([, to]) => to > at);
    if (next) return Math.max(next[0], at);
  }
  return undefined;
}
