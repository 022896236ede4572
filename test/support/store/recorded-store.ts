import { clientOf } from '../../../infra/local/engine.ts';
import { realSystem, type System } from '../../../shared/core/system.ts';
import type { TableAddress } from '../stored-organization.ts';
import { clientConfig, openStore, type Store } from '../../../shared/ledger/index.ts';

/** A store, and a record of its calls to DynamoDB. */
export interface RecordedStore {
  store: Store;
  commands: string[];
  /** Beginnings of the partition keys: `ORG#<code>` of every organization that was touched. */
  owners: Set<string>;
  /**
   * Number of round trips. Calls are one round trip if all of them begin before any of their replies comes.
   */
  roundTrips: () => number;
}

/** Stands between a command and DynamoDB: may send the command, and may change its output. */
export type CallInterceptor = (
  command: string,
  input: object,
  send: () => Promise<object>,
) => Promise<object>;

/** Opens a store that records its calls. `around` stands between the store and DynamoDB. */
export function recordedStore(
  { endpoint, tableName }: TableAddress,
  system: Partial<System> = {},
  around: CallInterceptor = (_command, _input, send) => send(),
): RecordedStore {
  const commands: string[] = [];
  const owners = new Set<string>();
  /** Length of the longest chain of replies so far. Another call had waited for each reply of the chain. */
  let replies = 0;
  let roundTrips = 0;
  if (endpoint === undefined) throw new Error('Only what a local engine is asked can be recorded');
  const client = clientOf({ endpoint }, clientConfig);
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        commands.push(commandName);
        for (const [owner] of JSON.stringify(args.input).matchAll(/ORG#\w+|TOKEN#|NUMBER#/g))
          owners.add(owner);
        // A call that begins after a reply may depend on it, even if other replies are still to come.
        const trip = replies + 1;
        roundTrips = Math.max(roundTrips, trip);
        try {
          let result: Awaited<ReturnType<typeof next>> | undefined;
          const output = await around(commandName, args.input, async () => {
            result = await next(args);
            return result.output as object;
          });
          return { ...result, output } as Awaited<ReturnType<typeof next>>;
        } finally {
          replies = Math.max(replies, trip);
        }
      },
    { step: 'deserialize', priority: 'high' },
  );
  const store = openStore(client, tableName, { ...realSystem, ...system });
  return { store, commands, owners, roundTrips: () => roundTrips };
}
