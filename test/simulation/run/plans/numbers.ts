import {
  addNumber as storeNumber,
  removeNumber as dropNumber,
} from '../../../../shared/domain/numbers/numbers.ts';
import { Refused, type ErrorResponse } from '../model/refusal.ts';
import { nothingChanges, once, type Plan, type WeightedPlan } from '../plan.ts';
import type { Planner } from '../planner.ts';
import type { Window } from '../model/window.ts';
import type { PhoneNumber } from './conversations.ts';

/** Name of the item with the owner of a number. */
export const numberName = (number: string) => `NUMBER#${number} NUMBER`;

/** Numbers of an organization. It always has the first; an operator adds and removes the second. */
export function numbersFor({ organization, organizations }: Pick<Planner, 'organization' | 'organizations'>) {
  const at = organizations.indexOf(organization);
  return [`+6125550${at}001`, `+6125550${at}002`] as const;
}

const arnOf = (number: string, name = 'phone') =>
  `arn:aws:sms-voice:us-east-1:000000000000:phone-number/${name}-${number.slice(1)}`;

const numbersIn = ({ numbers }: { numbers?: unknown } = {}) => (numbers ?? []) as PhoneNumber[];

const taken: ErrorResponse = {
  status: 409,
  message: 'Another organization has this number',
  details: [{ field: 'number', message: 'is taken' }],
};

/** Plan that adds a number. `name` is the start of its ARN. */
export function adding(
  { organization, organizations }: Pick<Planner, 'organization' | 'organizations'>,
  number: string,
  name?: string,
): Plan & { call: { verb: unknown } } {
  const added = { number, arn: arnOf(number, name) };
  const isTaken = (since: number) =>
    organizations.some(
      (other) =>
        other !== organization &&
        other
          .history(numberName(number))
          .valuesSince(since)
          .some((stored) => stored !== undefined),
    );
  const isKnown = (one: PhoneNumber) => one.number === number && one.arn === added.arn;
  return {
    operation: 'addNumber',
    organization,
    call: { verb: (ledger) => storeNumber(ledger, added) },
    stages: once((change) => {
      const before = change.get('ORGANIZATION', 1)!;
      const numbers = numbersIn(before);
      if (numbers.some(isKnown)) throw new Refused(nothingChanges);
      if (isTaken(Infinity)) throw new Refused(taken);
      const isThere = numbers.some((one) => one.number === number);
      const after = isThere
        ? numbers.map((one) => (one.number === number ? added : one))
        : [...numbers, added];
      change.replace('ORGANIZATION', 1, { ...before, numbers: after });
      change.put(numberName(number), { organization: organization.code });
      change.event('NUMBER_ADDED', 'A number for SMS was added', before['id'] as string);
      return true;
    }),
    refusals: (window) => (isTaken(window.since) ? [taken] : []),
    unchanged: (window) => responsesWhere(window, (numbers) => numbers.some(isKnown)),
  };
}

/**
 * Possible responses without a change: `false`, if the organization's numbers were in such a state at some
 * time.
 */
const responsesWhere = (window: Window, holds: (numbers: PhoneNumber[]) => boolean): boolean[] =>
  window.present('ORGANIZATION', 1).some((record) => holds(numbersIn(record))) ? [false] : [];

/** An operator adds the organization's second number, or another organization's number. */
function addNumber(planner: Planner): Plan {
  const { draw, organizations } = planner;
  const [first, second] = numbersFor(planner);
  const [others] = numbersFor({ ...planner, organization: draw.pick(organizations) });
  const name = draw.pick(['phone', 'phone', 'port']);
  const number = draw.weighted([
    [second, 6],
    [first, 1],
    [others, 1],
  ]);
  return adding(planner, number, name);
}

/** An operator removes the second number. SMS to it wait until it is back. */
function removeNumber(planner: Planner): Plan {
  const { organization } = planner;
  const [, number] = numbersFor(planner);
  return {
    operation: 'removeNumber',
    organization,
    call: { verb: (ledger) => dropNumber(ledger, number) },
    stages: once((change) => {
      const before = change.get('ORGANIZATION', 1)!;
      const numbers = numbersIn(before).filter((one) => one.number !== number);
      if (numbers.length === numbersIn(before).length) throw new Refused(nothingChanges);
      change.replace('ORGANIZATION', 1, { ...before, numbers });
      change.put(numberName(number), undefined);
      change.event('NUMBER_REMOVED', 'A number for SMS was removed', before['id'] as string);
      return true;
    }),
    unchanged: (window) => responsesWhere(window, (numbers) => !numbers.some((one) => one.number === number)),
  };
}

export const plans: readonly WeightedPlan[] = [
  [addNumber, 1],
  [removeNumber, 0.4],
];
