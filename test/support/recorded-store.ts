import { clientOf } from '../../infra/local/engine.ts';
import { requiredPermissions } from '../../infra/local/role.ts';
import { realSystem, type System } from '../../shared/core/system.ts';
import type { TableAddress } from './organizations.ts';
import { clientConfig, dueIndex, openStore, searchIndexes, type Store } from '../../shared/ledger/index.ts';

/** A store, and what was asked of DynamoDB through it. */
export interface RecordedStore {
  store: Store;
  commands: string[];
  /** The actions that a role would need; those on an index end with its kind, that on a counter of queued writers with `queue`. */
  actions: Set<string>;
  /** What the partition keys begin with: `ORG#<code>` of every organization that was touched. */
  owners: Set<string>;
  /** How often a reply was waited for: calls that begin before any of their replies has come are one round trip. */
  roundTrips: () => number;
}

/** Stands between a command and DynamoDB: sends it or not, and may alter its output. */
export type CallInterceptor = (
  command: string,
  input: object,
  send: () => Promise<object>,
) => Promise<object>;

/** The kind of an index, as `accesses` names it. */
const kindOf = (index: string) =>
  index === dueIndex ? 'due' : searchIndexes.some((name) => name === index) ? 'search' : 'list';

/** A store that records what it asks. `around` stands between it and DynamoDB. */
export function recordedStore(
  { endpoint, tableName }: TableAddress,
  system: Partial<System> = {},
  around: CallInterceptor = (_command, _input, send) => send(),
): RecordedStore {
  const commands: string[] = [];
  const owners = new Set<string>();
  const actions = new Set<string>();
  /** How many replies had to come, one after the other, for those that have come so far. */
  let replies = 0;
  let roundTrips = 0;
  if (endpoint === undefined) throw new Error('Only what a local engine is asked can be recorded');
  const client = clientOf({ endpoint }, clientConfig);
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        commands.push(commandName);
        for (const { action, resource, leadingKeys = [] } of requiredPermissions(
          commandName.replace(/Command$/, ''),
          args.input,
        )) {
          const onQueue =
            action === 'dynamodb:UpdateItem' && leadingKeys.some((key) => key.endsWith('#TURN'));
          const [, index] = resource.split('/index/');
          actions.add(`${action}${onQueue ? ' queue' : index === undefined ? '' : ` ${kindOf(index)}`}`);
        }
        for (const [owner] of JSON.stringify(args.input).matchAll(/ORG#\w+|TOKEN#|NUMBER#/g))
          owners.add(owner);
        // A call that begins once a reply has come may be for what that said, however long others take.
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
