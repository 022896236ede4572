import type { Transfer } from '../../../../shared/contract/transfers.ts';
import type { Hours } from '../../../../shared/domain/calendar/hours.ts';
import { sayRoute } from '../../../../shared/domain/receptionist/get-route.ts';
import { chooseRoute } from '../../../../shared/domain/receptionist/route.ts';
import { noSuch, Refused } from '../model/refusal.ts';
import { changing, once, type Has, type Plan, type WeightedPlan } from '../plan.ts';
import { someIfMatch, someName, someNumber, type Planner } from '../planner.ts';
import { without, type Fields } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';
import { combinations, distinct, maxStates } from './availability.ts';
import { somePhone, storedNumber } from './contacts.ts';
import { deleting } from './records.ts';

const someScenario = (planner: Planner) =>
  planner.draw.happens(0.4) ? { scenarioId: someNumber(planner, 'SCENARIO') } : {};

/** A type of destination, usually with a destination of that type. */
function someDestination(planner: Planner): { destinationType: string; destination: string } {
  const { draw } = planner;
  const member = someNumber(planner, 'MEMBER');
  const isRight = draw.happens(0.8);
  return draw.pick([
    // The name of a department may have another meaning for another type.
    {
      destinationType: 'DEPARTMENT',
      destination: draw.pick(['Office', '12345', somePhone(planner), String(member)]),
    },
    { destinationType: 'PHONE_NUMBER', destination: isRight ? somePhone(planner) : 'Office' },
    { destinationType: 'MEMBER', destination: isRight ? String(member) : 'Max' },
  ]);
}

/** A rule whose destination and scenario exist, with its destination as stored. @throws Refused */
function checked(rule: Fields, country: string, has: Has): Fields {
  const { destinationType, scenarioId: scenario } = rule;
  const text = String(rule['destination']);
  const destination = destinationType === 'PHONE_NUMBER' ? storedNumber(text, country, 'destination') : text;
  if (destinationType === 'MEMBER' && !(/^[1-9]\d*$/.test(text) && has('MEMBER', Number(text)))) {
    throw new Refused(noSuch('member', 'destination'));
  }
  if (typeof scenario === 'number' && !has('SCENARIO', scenario)) {
    throw new Refused(noSuch('scenario', 'scenarioId'));
  }
  return { ...rule, destination };
}

export function createTransfer(planner: Planner): Plan {
  const { draw, organization } = planner;
  const given = {
    ...{ label: someName(planner, 'bursts'), method: 'WARM', conditions: 'Asks for it' },
    ...someDestination(planner),
    ...someScenario(planner),
    ...(draw.happens(0.3) && { name: 'Own', settings: { ignore_business_hours: true }, isEnabled: false }),
  };
  const { label } = given;
  const presets = {
    ...{ name: label, summaryFormat: '', isEnabled: true, scenarioId: null },
    settings: { ignore_business_hours: false },
  };
  const stored = (has: Has) => checked({ ...presets, ...given }, organization.country, has);
  return {
    operation: 'createTransfer',
    organization,
    call: { endpoint: 'createTransfer', body: JSON.stringify(given) },
    stages: once((change) => {
      const fields = stored((...record) => change.get(...record) !== undefined);
      const stamps = { createdAt: change.now, updatedAt: change.now };
      const transfer = change.append('TRANSFER', (id) => ({ id, ...fields, ...stamps }));
      change.event('TRANSFER_CREATED', 'The transfer rule was created', transfer['id'] as number);
      return { transfer };
    }),
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
  const changes: Fields = {
    ...(draw.happens(0.5) && { label: someName(planner, 'bursts') }),
    ...(draw.happens(0.5) && someRedirection(planner)),
    ...someScenario(planner),
    // Removes the rule's scenario.
    ...(draw.happens(0.1) && { scenarioId: null }),
    ...(draw.happens(0.4) && { isEnabled: draw.happens(0.5), conditions: `If ${draw.whole(1, 40)}` }),
    ...(draw.happens(0.2) && { settings: { ignore_business_hours: draw.happens(0.5) } }),
  };
  const { headers, tags } = someIfMatch(planner, 'transfer', number);
  const params = { transferId: String(number) };
  return {
    operation: 'updateTransfer',
    organization,
    call: { endpoint: 'updateTransfer', params, body: JSON.stringify(changes), headers },
    ...changing({
      ...{ collection: 'TRANSFER', number, label: 'transfer', tags },
      changed: (before, has) => {
        const after: Fields = { ...before, ...changes };
        const leadsElsewhere = ['destination', 'destinationType'].some(
          (name) => after[name] !== before[name],
        );
        // Membership does not matter if the rule's destination stays.
        return checked(after, organization.country, (collection, other) =>
          collection === 'MEMBER' && !leadsElsewhere ? true : has(collection, other),
        );
      },
      store: (change, _before, after) => {
        const transfer = change.replace('TRANSFER', number, { ...after, updatedAt: change.now });
        change.event('TRANSFER_UPDATED', 'The transfer rule was changed', number);
        return transfer;
      },
    }),
  };
}

/**
 * Finds the route of a call. The answer is that of the service's own choice, which has tests of its own, for some values
 * that the records had while it was read.
 */
export function getRoute({ draw, organization }: Planner): Plan {
  const at = Date.parse('2026-12-24T00:00:00.000Z') + draw.whole(0, 200) * 900_000;
  const isSaid = draw.happens(0.3);
  const topic = draw.pick(['', 'bursts', 'Own office', 'asks', 'if', 'rhubarb']);
  return {
    operation: 'getRoute',
    organization,
    call: {
      endpoint: 'getRoute',
      query: { at: new Date(at).toISOString(), topic, ...(isSaid && { format: 'say' }) },
    },
    check: (body, window) => {
      const allOf = (collection: string) =>
        Array.from({ length: organization.lastOf(collection) }, (_, number) =>
          distinct(window.records(collection, number + 1)),
        );
      const rules = allOf('TRANSFER');
      const states = [
        distinct(window.present('ORGANIZATION', 1)),
        distinct(window.present('PIPELINE', 1).map(({ timeZone }) => timeZone)),
        ...rules,
        ...allOf('MEMBER'),
      ];
      if (states.reduce((count, values) => count * values.length, 1) > maxStates) return;
      const expected = (combinations(states) as [Fields, string, ...(Fields | undefined)[]][]).map(
        ([own, timeZone, ...records]) =>
          chooseRoute(
            records.slice(0, rules.length).filter(Boolean) as unknown as Transfer[],
            topic,
            new Map(records.slice(rules.length).flatMap((one) => (one ? [[one['id'], one]] : [])) as never),
            { ...own, timeZone } as unknown as Hours,
            at,
          ) ?? null,
      );
      const { say, ...found } = body as Fields;
      const told = expected.map((route) =>
        isSaid ? without(sayRoute({ say: '', route }), 'say') : { route },
      );
      checkOneOf('A call must have a route that it had while it was read', told, found);
      const { isReachable = false } = (isSaid ? found : (found['route'] ?? {})) as Fields;
      if (String(say).startsWith('I can put you through') !== isReachable)
        throw new Violation('A caller must be told whether the call can be put through', isReachable, say);
    },
  };
}

export const plans: readonly WeightedPlan[] = [
  [createTransfer, 2],
  [getRoute, 3],
  [updateTransfer, 5],
  [deleting({ record: 'transfer', label: 'transfer', called: 'transfer rule' }), 1.5],
];
