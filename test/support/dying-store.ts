import type { Store } from '../../shared/ledger/index.ts';
import { faultyStore } from './faulty-store.ts';

/**
 * Opens a store whose process dies at one call, counted from 1, either before the call reaches DynamoDB or
 * after it is carried out. No later call reaches DynamoDB.
 */
export function dyingStore(at: number, when: 'before' | 'after'): { store: Store; calls: () => number } {
  const killed = new Error('The process ended');
  let calls = 0;
  const { store } = faultyStore(() => {
    calls++;
    if (calls < at) return 'pass';
    return calls === at && when === 'after' ? { after: killed } : { before: killed };
  });
  return { store, calls: () => calls };
}
