import { errorStatuses } from '../../../../shared/contract/endpoint.ts';
import { operations } from '../contracts.ts';
import type { Made } from '../model/keyed.ts';
import type { Window } from '../model/window.ts';
import { once, type Plan } from '../plan.ts';
import { Violation } from '../violation.ts';

/** Collections that keep what forms and calls tell. */
const keepers = ['WEBFORM', 'CALL', 'INQUIRY'];

/**
 * Common part of the plans of requests that come by a key. The plan takes the stored items as given: `checkTold` looks
 * for the words of the request.
 */
export const tellingPlan = (endpoint: string): Pick<Plan, 'store' | 'checkRefusal'> => ({
  store: once((change) => {
    change.observe();
    return { text: JSON.stringify([...change.written.values()]) };
  }),
  checkRefusal: ({ status, body }) => {
    const { endpoint: contract } = operations.find(({ operationId }) => operationId === endpoint)!;
    const statuses: readonly number[] = errorStatuses(contract);
    if (!statuses.includes(status))
      throw new Violation('A refusal must have a status that the contract names', statuses, body);
  },
});

/** Checks that each word that only this text has is stored by the request, or was at some time while it ran. @throws Violation */
export function checkTold(rule: string, text: string, window: Window, made: readonly Made[]): void {
  const { organization } = window;
  const stored = made.map(({ response }) => JSON.stringify(response));
  const kept = keepers.flatMap((collection) =>
    organization.numbersOf(collection).map((number) => JSON.stringify(window.present(collection, number))),
  );
  const lost = [...text.matchAll(/~[0-9a-z]+~/g)].filter(([word]) =>
    [...stored, ...kept].every((one) => !one.includes(word)),
  );
  if (lost.length > 0)
    throw new Violation(
      rule,
      lost.map(([word]) => word),
      text,
    );
}
