import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { seededRandom } from '../../infra/local/demo/seeded-random.ts';
import { dueIndex, keyNamesOf, listIndexes, searchIndexes } from '../../shared/ledger/index.ts';
import {
  SimulatedDynamoDb,
  type Behaviour,
  type Commit,
  type IndexDescription,
  type Refusal,
  type Sender,
  type TableDescription,
} from './dynamodb.ts';
import { VirtualTime } from './virtual-time.ts';

function indexOf(
  name: string,
  sortType: IndexDescription['sortType'],
  projection: IndexDescription['projection'] = 'ALL',
): IndexDescription {
  const { pkName, skName } = keyNamesOf(name);
  return { name, partitionKey: pkName, sortKey: skName, sortType, projection };
}

export const ledgerTable: TableDescription = {
  name: 'Simulated',
  indexes: [
    ...listIndexes.map((name) => indexOf(name, 'N')),
    ...searchIndexes.map((name) => indexOf(name, 'S')),
    indexOf(dueIndex, 'S', 'KEYS_ONLY'),
  ],
};

/** A simulated table with one sender, which records the decided transactions. */
export interface SimulatedTable {
  time: VirtualTime;
  random: () => number;
  engine: SimulatedDynamoDb;
  sender: Sender;
  client: DynamoDBClient;
  commits: Commit[];
  refusals: Refusal[];
}

/** Creates an empty simulated table. Equal seeds give equal tables. */
export function newSimulatedTable(
  behaviour: Partial<Behaviour> = {},
  { seed = 1, table = ledgerTable }: { seed?: number; table?: TableDescription } = {},
): SimulatedTable {
  const time = new VirtualTime();
  const { random } = seededRandom(seed);
  const commits: Commit[] = [];
  const refusals: Refusal[] = [];
  const engine = new SimulatedDynamoDb({
    time,
    random,
    table,
    behaviour,
    onCommit: (commit) => commits.push(commit),
    onRefusal: (refusal) => refusals.push(refusal),
  });
  const sender = { name: 'first', dead: false };
  return { time, random, engine, sender, client: engine.connect(sender), commits, refusals };
}
