import { storedNumber } from '../model/phone-numbers.ts';
import {
  notFound,
  noSuch,
  Refused,
  refusalsOf,
  unlessRefused,
  type ErrorResponse,
} from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import { someIfMatch } from '../conditions.ts';
import { once, type Plan, type WeightedPlan } from '../plan.ts';
import { inSpace, someName, someNumber, withNulls, type Planner } from '../planner.ts';
import { same, type Fields } from '../same.ts';
import { somePhone, takenIn } from './leads.ts';

const someScenario = (planner: Planner) =>
  planner.draw.happens(0.4) ? { scenarioId: someNumber(planner, 'SCENARIO') } : {};

/** A type of destination, usually with a destination of that type. */
function someDestination(planner: Planner): { destinationType: string; destination: string } {
  const { draw, organization } = planner;
  const member = someNumber(planner, 'MEMBER');
  const noMember = draw.pick([`0${member}`, organization.userId(member), 'Max', '0']);
  const isRight = draw.happens(0.8);
  return draw.pick([
    // The name of a department may have another meaning for another type.
    {
      destinationType: 'DEPARTMENT',
      destination: draw.pick(['Office', 'Büro', '12345', somePhone(planner), String(member)]),
    },
    { destinationType: 'PHONE_NUMBER', destination: isRight ? somePhone(planner) : 'Office' },
    { destinationType: 'MEMBER', destination: isRight ? String(member) : noMember },
  ]);
}

/**
 * A destination as stored with its type. `isMember` returns true for the id of an existing member. @throws
 * Refused
 */
function storedDestination(
  { destinationType, destination }: Fields,
  country: string,
  isMember: (number: number) => boolean,
): string {
  const text = String(destination);
  if (destinationType === 'PHONE_NUMBER') return storedNumber(text, country, 'destination');
  if (destinationType === 'MEMBER' && !(/^[1-9]\d*$/.test(text) && isMember(Number(text)))) {
    throw new Refused(noSuch('member', 'destination'));
  }
  return text;
}

/** Errors for a scenario that was missing at some time in the window. */
const refusalsOfScenario = (window: Window, scenario: unknown): ErrorResponse[] =>
  typeof scenario === 'number' && window.canMiss('SCENARIO', scenario)
    ? [noSuch('scenario', 'scenarioId')]
    : [];

export function createTransfer(planner: Planner): Plan {
  const { draw, organization } = planner;
  const given = {
    label: someName(planner, 'bursts'),
    method: 'WARM',
    ...someDestination(planner),
    conditions: 'Asks for it',
    ...someScenario(planner),
    ...(draw.happens(0.3) && { name: 'Own', settings: { ignore_business_hours: true }, isEnabled: false }),
  };
  const { label, scenarioId: scenario } = given;
  const body = withNulls(
    planner,
    { ...given, label: inSpace(planner, label), destination: inSpace(planner, given.destination) },
    ...['name', 'summaryFormat', 'settings', 'isEnabled', 'scenarioId'],
  );
  const stored = (isMember: (number: number) => boolean) => ({
    ...given,
    destination: storedDestination(given, organization.country, isMember),
  });
  return {
    operation: 'createTransfer',
    organization,
    call: { endpoint: 'createTransfer', body: JSON.stringify(body) },
    stages: once((change) => {
      if (scenario !== undefined && !change.get('SCENARIO', scenario)) {
        throw new Refused(noSuch('scenario', 'scenarioId'));
      }
      const presets = {
        name: label,
        summaryFormat: '',
        settings: { ignore_business_hours: false },
        isEnabled: true,
        scenarioId: null,
      };
      const fields = stored((number) => change.get('MEMBER', number) !== undefined);
      const stamps = { createdAt: change.now, updatedAt: change.now };
      const transfer = change.append('TRANSFER', (id) => ({ id, ...presets, ...fields, ...stamps }));
      change.event('TRANSFER_CREATED', 'The transfer rule was created', transfer['id'] as number);
      return { transfer };
    }),
    refusals: (window) => [
      ...refusalsOfScenario(window, scenario),
      ...refusalsOf(() => stored((number) => !window.canMiss('MEMBER', number))),
      ...takenIn(window, 'TRANSFER', given),
    ],
  };
}

/** Random changes of a rule's destination: type and destination, or one of them, which must fit the other. */
function someRedirection(planner: Planner): Fields {
  const { destinationType, destination } = someDestination(planner);
  return planner.draw.pick<Fields>([
    { destinationType, destination },
    { destinationType, destination },
    { destination },
    { destinationType },
    // Concurrent changes decide whether the rule can lead to a member.
    { destinationType: 'MEMBER' },
    { destinationType: 'DEPARTMENT', destination: String(someNumber(planner, 'MEMBER')) },
  ]);
}

export function updateTransfer(planner: Planner): Plan {
  const { draw, organization } = planner;
  // Usually a rule that others change at the same time.
  const number = draw.happens(0.6)
    ? Math.max(1, organization.lastOf('TRANSFER'))
    : someNumber(planner, 'TRANSFER');
  const hours = draw.happens(0.2) ? { ignore_business_hours: draw.happens(0.5) } : undefined;
  const changes: Fields = {
    ...(draw.happens(0.5) && { label: someName(planner, 'bursts') }),
    ...(draw.happens(0.5) && someRedirection(planner)),
    ...someScenario(planner),
    // Removes the rule's scenario.
    ...(draw.happens(0.1) && { scenarioId: null }),
    ...(draw.happens(0.4) && { isEnabled: draw.happens(0.5), conditions: `If ${draw.whole(1, 40)}` }),
    ...(hours && { settings: hours }),
  };
  const body = withNulls(
    planner,
    {
      ...changes,
      settings: hours ?? draw.pick([undefined, undefined, null, { ignore_business_hours: null }]),
    },
    ...['label', 'method', 'destination', 'destinationType', 'conditions', 'name', 'isEnabled'],
  );
  const { scenarioId: scenario, label } = changes;
  const { headers, tags } = someIfMatch(planner, 'transfer', number);
  /** Applies the changes to a rule. @throws Refused */
  const changed = (before: Fields, isMember: (number: number) => boolean): Fields => {
    const merged: Fields = { ...before, ...changes };
    const leadsElsewhere = ['destination', 'destinationType'].some((name) => merged[name] !== before[name]);
    if (!leadsElsewhere) return merged;
    return { ...merged, destination: storedDestination(merged, organization.country, isMember) };
  };
  // Membership does not matter if the rule's destination stays.
  const staysSo = (before: Fields) => {
    const after = unlessRefused(() => changed(before, () => true));
    return same(before, after);
  };
  return {
    operation: 'updateTransfer',
    organization,
    call: {
      endpoint: 'updateTransfer',
      params: { transferId: String(number) },
      body: JSON.stringify(body),
      headers,
    },
    stages: once((change) => {
      const before = change.get('TRANSFER', number);
      if (!before) throw new Refused(notFound('transfer'));
      tags.check(before);
      if (typeof scenario === 'number' && !change.get('SCENARIO', scenario)) {
        throw new Refused(noSuch('scenario', 'scenarioId'));
      }
      const after = changed(before, (member) => change.get('MEMBER', member) !== undefined);
      if (same(before, after)) throw new Refused({ status: 200, message: 'nothing changes' });
      const transfer = change.replace('TRANSFER', number, { ...after, updatedAt: change.now });
      change.event('TRANSFER_UPDATED', 'The transfer rule was changed', number);
      return { transfer };
    }),
    refusals: (window) => [
      ...(window.canMiss('TRANSFER', number) ? [notFound('transfer')] : []),
      ...refusalsOfScenario(window, scenario),
      ...tags.refusalsOf(window.present('TRANSFER', number)),
      ...window
        .present('TRANSFER', number)
        .filter((before) => tags.fits(before))
        .flatMap((before) =>
          refusalsOf(() => changed(before, (member) => !window.canMiss('MEMBER', member))),
        ),
      ...(label === undefined ? [] : takenIn(window, 'TRANSFER', { label }, { own: number })),
    ],
    unchanged: (window) =>
      window
        .present('TRANSFER', number)
        .filter((before) => tags.fits(before) && staysSo(before))
        .map((transfer) => ({ transfer })),
    // The member was read before, and the rule leads elsewhere by now.
    canBeUnavailable: (window) =>
      changes['destinationType'] === 'MEMBER' &&
      changes['destination'] === undefined &&
      new Set(window.present('TRANSFER', number).map(({ destination }) => destination)).size > 1,
  };
}

export const plans: readonly WeightedPlan[] = [
  [createTransfer, 2],
  [updateTransfer, 5],
];
