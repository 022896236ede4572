import { Change } from './model/change.ts';
import { refusalsOf, type ErrorResponse } from './model/refusal.ts';
import type { Window } from './model/window.ts';
import type { Stage } from './plan.ts';

/**
 * Yields the errors with which changes would be refused as of one version of the organization: the newest that was decided as the
 * request began, or a later one. So an answer is as true as what is stored: no mixture of versions will do, nor one before.
 */
export function* refusalsIn(
  { organization, decided, times }: Window,
  stages: readonly Stage[],
): Generator<ErrorResponse> {
  for (let { version } = organization; version >= decided; version--)
    for (const now of times)
      for (const { store } of stages)
        yield* organization.asOf(version, () => refusalsOf(() => store(trialOf(organization, now))));
}

/** A change that nothing comes of. */
function trialOf(organization: Window['organization'], now: string): Change {
  const { hashKey, ownerId: userId } = organization;
  return new Change(organization, { now, userId, sentBy: {}, hashKey, written: new Map() });
}
