import type { System } from '../../../shared/core/system.ts';
import type { Store } from '../../../shared/ledger/index.ts';
import { recordedStore, type RecordedStore } from './recorded-store.ts';
import { tableAt } from '../test-organization.ts';

/** Fate of one call: it passes, it fails before it reaches DynamoDB, or its reply is lost on the way back. */
export type Fault = 'pass' | { before: Error } | { after: Error };

/**
 * Opens a store on the real engine. The test decides the fate of each call by the name of its command, and
 * may change its reply.
 */
export function faultyStore(
  decide: (command: string) => Fault,
  system: Partial<System> = {},
  alter: (command: string, output: object, input: object) => object = (_, output) => output,
  tableName?: string,
): RecordedStore {
  return recordedStore(tableAt(tableName), system, async (command, input, send) => {
    const fault = decide(command);
    if (fault !== 'pass' && 'before' in fault) throw fault.before;
    const output = await send();
    if (fault !== 'pass') throw fault.after;
    return alter(command, output, input);
  });
}

/** Applies faults to the first calls of one command, in order. All other calls pass. */
export function inOrder(command: string, ...list: Fault[]): (command: string) => Fault {
  return (name) => (name === command ? (list.shift() ?? 'pass') : 'pass');
}

/**
 * Opens a store with a process that dies at one call, counted from 1. The process dies before the call
 * reaches DynamoDB, or after the call is carried out. No later call reaches DynamoDB.
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
