import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';
import { clientOf } from '../../infra/local/engine.ts';
import { demandsOf } from '../../infra/local/role.ts';
import { clientConfig } from '../../shared/ledger/client-config.ts';
import { realOutside, type Outside } from '../../shared/ledger/outside.ts';
import { openStore, type Store } from '../../shared/ledger/store.ts';
import { engine } from './world.ts';

/** What happens to one call: it passes, it fails before it reaches DynamoDB, or its reply is lost on the way back. */
export type Fault = 'pass' | { before: Error } | { after: Error };

const named = (name: string, extras: object = {}) => Object.assign(new Error(name), { name, ...extras });

/** A cancelled transaction, with the reason of each of its parts. */
function cancelled(...codes: string[]): TransactionCanceledException {
  const CancellationReasons = codes.map((Code) => ({ Code }));
  return new TransactionCanceledException({ message: 'Cancelled', $metadata: {}, CancellationReasons });
}

export const faults = {
  reset: named('Error', { code: 'ECONNRESET' }),
  timeout: named('TimeoutError'),
  serverError: named('InternalServerError', { $fault: 'server' }),
  throttled: named('ProvisionedThroughputExceededException', { $fault: 'client' }),
  conflict: cancelled('TransactionConflict', 'None'),
  mixed: cancelled('ThrottlingError', 'ValidationError'),
  denied: named('AccessDeniedException', { $fault: 'client' }),
};

/** A store, and what was asked of DynamoDB through it. */
interface Recorder {
  store: Store;
  commands: string[];
  /** The actions that a role would need; those on an index end with `index`. */
  actions: Set<string>;
  /** What the partition keys begin with: `ORG#<code>` of every organization that was touched. */
  owners: Set<string>;
  roundTrips: () => number;
}

/**
 * A store on the real engine, of which a test decides the fate of every call, by the name of its command, and may alter
 * its reply.
 */
export function faultyStore(
  decide: (command: string) => Fault,
  outside: Partial<Outside> = {},
  alter: (command: string, output: object, input: object) => object = (_, output) => output,
): Recorder {
  const commands: string[] = [];
  const owners = new Set<string>();
  // Calls that are under way together are one round trip.
  let underWay = 0;
  let roundTrips = 0;
  const actions = new Set<string>();
  const client = clientOf(engine, clientConfig);
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        commands.push(commandName);
        for (const { action, resource } of demandsOf(commandName.replace(/Command$/, ''), args.input))
          actions.add(resource.includes('/index/') ? `${action} index` : action);
        for (const [owner] of JSON.stringify(args.input).matchAll(/ORG#\w+|TOKEN#/g)) owners.add(owner);
        if (underWay++ === 0) roundTrips++;
        try {
          const fault = decide(commandName);
          if (fault !== 'pass' && 'before' in fault) throw fault.before;
          const result = await next(args);
          if (fault !== 'pass') throw fault.after;
          const output = alter(commandName, result.output as object, args.input);
          return { ...result, output } as typeof result;
        } finally {
          underWay--;
        }
      },
    { step: 'deserialize', priority: 'high' },
  );
  const store = openStore(client, inject('tableName'), { ...realOutside, ...outside });
  return { store, commands, actions, owners, roundTrips: () => roundTrips };
}

/** Applies faults to the calls of one command in order, then lets all pass. */
export function inOrder(command: string, ...list: Fault[]): (command: string) => Fault {
  return (name) => (name === command ? (list.shift() ?? 'pass') : 'pass');
}
