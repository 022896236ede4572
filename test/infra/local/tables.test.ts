import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  PutItemCommand,
  QueryCommand,
  ResourceNotFoundException,
  type CreateTableCommandInput,
  type DescribeTableCommandOutput,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clientOf } from '../../../infra/local/engine.ts';
import { ensureTable } from '../../../infra/local/tables.ts';
import type { Table } from '../../../infra/local/template/template.ts';
import { engine } from '../../support/test-organization.ts';
import { stoppedClock } from '../../support/stopped-clock.ts';
import { aroundCalls } from '../../support/store/around-calls.ts';

const location = { location: 'in .data' };

let client: DynamoDBClient;
/** Names of the commands that were sent. */
let sent: string[];
let table: Table;
beforeEach(() => {
  client = clientOf(engine);
  sent = [];
  aroundCalls(client, (operation, send) => {
    sent.push(operation);
    return send();
  });
  table = {
    name: `Shape-${randomUUID()}`,
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
      { AttributeName: 'first', AttributeType: 'S' },
      { AttributeName: 'rank', AttributeType: 'N' },
    ],
    KeySchema: keyOf('pk', 'sk'),
    GlobalSecondaryIndexes: [
      byFirst,
      { IndexName: 'byRank', KeySchema: keyOf('sk', 'rank'), Projection: { ProjectionType: 'KEYS_ONLY' } },
    ],
    TimeToLiveSpecification: { AttributeName: 'until', Enabled: true },
  };
});

afterEach(async () => {
  await client.send(new DeleteTableCommand({ TableName: table.name })).catch((error: unknown) => {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  });
  client.destroy();
});

const keyOf = (hash: string, range: string): Table['KeySchema'] => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
];

const byFirst: Table['GlobalSecondaryIndexes'][number] = {
  IndexName: 'byFirst',
  KeySchema: keyOf('first', 'rank'),
  Projection: { ProjectionType: 'ALL' },
};

/** Creates the table with changes, without the machine. */
async function createWith(changes: Partial<CreateTableCommandInput>): Promise<void> {
  const { name, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } = table;
  const command = new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions,
    KeySchema,
    GlobalSecondaryIndexes,
    ...changes,
  });
  await client.send(command);
  sent = [];
}

const changing = () => sent.filter((command) => !command.startsWith('Describe'));
const indexNames = async () => {
  const { Table: now } = await client.send(new DescribeTableCommand({ TableName: table.name }));
  return now?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName).sort();
};
const expiry = async () => {
  const command = new DescribeTimeToLiveCommand({ TableName: table.name });
  return (await client.send(command)).TimeToLiveDescription?.AttributeName;
};

describe('the table of the template', () => {
  test('is created, and then left alone', async () => {
    await ensureTable(client, table, location);
    expect(changing()).toEqual(['CreateTable', 'UpdateTimeToLive']);
    expect(await indexNames()).toEqual(['byFirst', 'byRank']);
    expect(await expiry()).toBe('until');
    await ensureTable(client, table, location);
    expect(changing()).toEqual(['CreateTable', 'UpdateTimeToLive']);
  });

  test('is created once if two start at the same time', async () => {
    await Promise.all([ensureTable(client, table, location), ensureTable(client, table, location)]);
    expect(await expiry()).toBe('until');
  });

  test('gets the indexes and the expiry that it lacks, and keeps its data', async () => {
    const [pk, sk] = table.AttributeDefinitions;
    await createWith({ GlobalSecondaryIndexes: undefined, AttributeDefinitions: [pk!, sk!] });
    const Item = { pk: { S: 'A' }, sk: { S: 'B' }, first: { S: 'C' }, rank: { N: '1' } };
    await client.send(new PutItemCommand({ TableName: table.name, Item }));
    sent = [];
    await ensureTable(client, table, location);
    expect(changing()).toEqual(['UpdateTable', 'UpdateTable', 'UpdateTimeToLive']);
    expect(await indexNames()).toEqual(['byFirst', 'byRank']);
    expect(await expiry()).toBe('until');
    const query = new QueryCommand({
      TableName: table.name,
      IndexName: 'byFirst',
      KeyConditionExpression: '#first = :first',
      ExpressionAttributeNames: { '#first': 'first' },
      ExpressionAttributeValues: { ':first': { S: 'C' } },
    });
    expect((await client.send(query)).Items).toEqual([Item]);
  });

  test('may have a further index', async () => {
    const [index] = table.GlobalSecondaryIndexes;
    await createWith({
      GlobalSecondaryIndexes: [...table.GlobalSecondaryIndexes, { ...index!, IndexName: 'more' }],
    });
    await ensureTable(client, table, location);
    expect(await indexNames()).toEqual(['byFirst', 'byRank', 'more']);
  });
});

test('an error of the engine is reported in one sentence', async () => {
  table.KeySchema = keyOf('pk', 'nowhere');
  await expect(ensureTable(client, table, location)).rejects.toThrow(
    new RegExp(`^The table ${table.name} in \\.data cannot be had: ValidationException: [^\\n]+$`),
  );
});

describe('a table of another shape is refused in one sentence, and left as it is:', () => {
  const definitions = (types: Record<string, 'S' | 'N'>) =>
    Object.entries(types).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
  const indexes = (change: object) => ({ GlobalSecondaryIndexes: [{ ...byFirst, ...change }] });

  test.each<[string, Partial<CreateTableCommandInput>, string]>([
    [
      'other keys',
      { KeySchema: keyOf('sk', 'pk') },
      'its key is HASH sk and RANGE pk, not HASH pk and RANGE sk',
    ],
    [
      'a key of another type',
      { AttributeDefinitions: definitions({ pk: 'S', sk: 'N', first: 'S', rank: 'N' }) },
      'the type of sk is N, not S',
    ],
    [
      'an index with another key',
      indexes({ KeySchema: keyOf('rank', 'first') }),
      'the key of its index byFirst is HASH rank and RANGE first, not HASH first and RANGE rank',
    ],
    [
      'an index that holds less',
      indexes({ Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['b', 'a'] } }),
      'what its index byFirst holds is INCLUDE a b, not ALL',
    ],
  ])('%s', async (_, changes, difference) => {
    await createWith(changes);
    await expect(ensureTable(client, table, location)).rejects.toThrow(
      `The table ${table.name} in .data has another shape than this version needs (${difference}), and was not changed: ` +
        'delete the table or its data folder, or start on another database.',
    );
    expect(changing()).toEqual([]);
  });

  test('another expiry', async () => {
    await ensureTable(
      client,
      { ...table, TimeToLiveSpecification: { AttributeName: 'end', Enabled: true } },
      location,
    );
    sent = [];
    await expect(ensureTable(client, table, location)).rejects.toThrow(
      '(its items expire by end, not by until)',
    );
    expect(changing()).toEqual([]);
  });
});

describe('a table that becomes active slowly', () => {
  let system: ReturnType<typeof stoppedClock>['system'];
  beforeEach(() => {
    ({ system } = stoppedClock(0));
  });

  /** Alters the engine's description of the table, until the given time. */
  function alter(
    until: number,
    change: (described: NonNullable<DescribeTableCommandOutput['Table']>) => void,
  ): void {
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const result = await next(args);
          const { Table } = result.output as Partial<DescribeTableCommandOutput>;
          if (commandName === 'DescribeTableCommand' && Table && system.now() < until) change(Table);
          return result;
        },
      { step: 'initialize' },
    );
  }

  test('is waited for, and so are its indexes', async () => {
    alter(2000, (described) => (described.TableStatus = 'CREATING'));
    alter(5000, ({ GlobalSecondaryIndexes: [index] = [] }) => (index!.IndexStatus = 'CREATING'));
    await ensureTable(client, table, location, system);
    expect(system.now()).toBe(5000);
    expect(changing()).toEqual(['CreateTable', 'UpdateTimeToLive']);
  });

  test('one sentence says which part cannot be used after a minute', async () => {
    alter(Infinity, (described) => (described.TableStatus = 'CREATING'));
    await expect(ensureTable(client, table, location, system)).rejects.toThrow(
      `The table ${table.name} in .data cannot be used: after 60 seconds it is CREATING.`,
    );
    expect(system.now()).toBe(60_000);
  });

  test('each index that is added is waited for', async () => {
    await createWith({ GlobalSecondaryIndexes: [table.GlobalSecondaryIndexes[0]!] });
    alter(Infinity, ({ GlobalSecondaryIndexes = [] }) => {
      for (const index of GlobalSecondaryIndexes)
        if (index.IndexName === 'byRank') index.IndexStatus = 'CREATING';
    });
    await expect(ensureTable(client, table, location, system)).rejects.toThrow(
      `The table ${table.name} in .data cannot be used: after 60 seconds its index byRank is CREATING.`,
    );
  });
});
