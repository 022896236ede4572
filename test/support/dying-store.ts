import type { Store } from '../../shared/ledger/index.ts';
import { faultyStore } from './faulty-store.ts';

/**
 * A store whose process ends at one call, counted from 1: before the call reaches DynamoDB, or once it has been carried
 * out. Then nothing else reaches it either.
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
