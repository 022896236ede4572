import { queueKey } from '../../../shared/ledger/internal/keys.ts';
import type { RepairPlan } from './repair-plan.ts';
import { keyName, type Finding } from './finding.ts';
import type { Verification } from './verification.ts';
import type { Check } from './snapshots.ts';

/**
 * Checks that the queue's counter is not behind the head. Otherwise writers take numbers that were already
 * served, and wait for others.
 */
export function checkQueueCounter(verification: Verification): Check<Finding | undefined> {
  const key = queueKey(verification.organization);
  return (snapshot) => {
    const counter = snapshot.get(key);
    const taken = counter?.['taken'];
    const served = verification.headIn(snapshot)?.queue?.served ?? 0;
    if (served <= (typeof taken === 'number' ? taken : 0)) return undefined;
    const where = keyName(key);
    const sentence = `${where} has given out fewer numbers than the ${served} that the head has served.`;
    const repair = {
      sentence: `raises its last number to ${served}`,
      addTo: (plan: RepairPlan) => {
        plan.put(key, { ...counter, taken: served });
      },
    };
    return { kind: 'queue-counter-behind', where, sentence, repair };
  };
}
