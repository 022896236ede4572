import { clientOf } from '../../infra/local/engine.ts';
import { requiredPermissions } from '../../infra/local/role.ts';
import { realSystem, type System } from '../../shared/core/system.ts';
import type { TableAddress } from './organizations.ts';
import { clientConfig, dueIndex, openStore, searchIndexes, type Store } from '../../shared/ledger/index.ts';

/** A store, and a record of what it asked of DynamoDB. */
export interface RecordedStore {
  store: Store;
  commands: string[];
  /**
   * Actions that a role would need. An action on an index ends with the index's kind, a write outside a transaction with
   * the kind of item.
   */
  actions: Set<string>;
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

/** Kind of an index, as `accesses` names it. */
const kindOf = (index: string) =>
  index === dueIndex ? 'due' : searchIndexes.some((name) => name === index) ? 'search' : 'list';

/** Kind of an item that is written outside a transaction, as `accesses` names it. */
function loneKindOf(action: string, key = ''): string {
  if (key.endsWith('#TURN')) return 'queue';
  if (key.endsWith('#PREPARED')) return 'prepared';
  if (key.includes('#ANSWER#')) return 'answer';
  return action.endsWith('DeleteItem') ? 'cursor' : 'sent';
}

/** Opens a store that records its calls. `around` stands between the store and DynamoDB. */
export function recordedStore(
  { endpoint, tableName }: TableAddress,
  system: Partial<System> = {},
  around: CallInterceptor = (_command, _input, send) => send(),
): RecordedStore {
  const commands: string[] = [];
  const owners = new Set<string>();
  const actions = new Set<string>();
  /** Length of the longest chain of replies so far, each of which another call had waited for. */
  let replies = 0;
  let roundTrips = 0;
  if (endpoint === undefined) throw new Error('Only what a local engine is asked can be recorded');
  const client = clientOf({ endpoint }, clientConfig);
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        commands.push(commandName);
        const operation = commandName.replace(/Command$/, '');
        const isAlone = /^(Update|Delete)Item$/.test(operation);
        for (const { action, resource, leadingKeys = [] } of requiredPermissions(operation, args.input)) {
          const [, index] = resource.split('/index/');
          const kind = index === undefined ? isAlone && loneKindOf(action, leadingKeys[0]) : kindOf(index);
          actions.add(kind ? `${action} ${kind}` : action);
        }
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
  return { store, commands, actions, owners, roundTrips: () => roundTrips };
}
