import type { System } from '../../shared/core/system.ts';
import { recordedStore, type RecordedStore } from './recorded-store.ts';
import { tableAt } from './world.ts';

/** What happens to one call: it passes, it fails before it reaches DynamoDB, or its reply is lost on the way back. */
export type Fault = 'pass' | { before: Error } | { after: Error };

/**
 * A store on the real engine, of which a test decides the fate of every call, by the name of its command, and may alter
 * its reply.
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

/** Applies faults to the calls of one command in order, then lets all pass. */
export function inOrder(command: string, ...list: Fault[]): (command: string) => Fault {
  return (name) => (name === command ? (list.shift() ?? 'pass') : 'pass');
}
