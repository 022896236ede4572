import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBServiceException,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  type DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { realSystem, type System } from '../../shared/core/system.ts';
import type { Engine } from './engine.ts';
import { LocalError } from './local-error.ts';
import { differenceOf } from './table-shape.ts';
import type { Table } from './template.ts';

/** How long a table or an index may take until it can be used, and how often it is looked at, in milliseconds. */
const patience = 60_000;
const interval = 100;

/**
 * Makes the engine's table what the template says: creates it, or adds what it lacks. Data stays.
 * @throws LocalError when there is a table of another shape, which is left as it is, or it cannot be had or used in time
 */
export async function ensureTable(
  client: DynamoDBClient,
  table: Table,
  { place }: Pick<Engine, 'place'>,
  system: Pick<System, 'now' | 'sleep'> = realSystem,
): Promise<void> {
  const name = `The table ${table.name} ${place}`;
  try {
    await makeReady(client, table, name, system);
  } catch (error) {
    if (!(error instanceof DynamoDBServiceException)) throw error;
    throw new LocalError(`${name} cannot be had: ${error.name}: ${error.message}`);
  }
}

/** `name` is that of the table in a sentence. */
async function makeReady(
  client: DynamoDBClient,
  table: Table,
  name: string,
  system: Pick<System, 'now' | 'sleep'>,
): Promise<void> {
  const existing = (await describe(client, table.name)) ?? (await create(client, table));
  const refuse = (difference: string | undefined) => {
    if (difference === undefined) return;
    throw new LocalError(
      `${name} has another shape than this version's (${difference}), and was left as it is: delete the table or its ` +
        'data folder, or start on another database.',
    );
  };
  const untilActive = async () => {
    const end = system.now() + patience;
    for (;;) {
      const waitsFor = notActive(await describe(client, table.name));
      if (waitsFor === undefined) return;
      if (system.now() >= end) {
        throw new LocalError(`${name} cannot be used: after ${patience / 1000} seconds ${waitsFor}.`);
      }
      await system.sleep(interval);
    }
  };

  refuse(existing && differenceOf(existing, table));
  await untilActive();
  const { AttributeName } = table.TimeToLiveSpecification;
  const expiresBy = await expiryOf(client, table);
  refuse(
    expiresBy === undefined || expiresBy === AttributeName
      ? undefined
      : `its items expire by ${expiresBy}, not by ${AttributeName}`,
  );
  const indexes = new Set(existing?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName));
  for (const index of table.GlobalSecondaryIndexes.filter(({ IndexName }) => !indexes.has(IndexName))) {
    await addIndex(client, table, index);
    // DynamoDB makes one index of a table at a time.
    await untilActive();
  }
  if (expiresBy === undefined) await expire(client, table);
}

/** Creates the table, unless another process is quicker. */
async function create(client: DynamoDBClient, table: Table): Promise<TableDescription | undefined> {
  const { name, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, StreamSpecification } = table;
  const command = new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions,
    KeySchema,
    ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
    StreamSpecification: { StreamEnabled: true, ...StreamSpecification },
  });
  await client.send(command).catch((error: unknown) => {
    if (!(error instanceof ResourceInUseException)) throw error;
  });
  return describe(client, name);
}

async function addIndex(
  client: DynamoDBClient,
  { name, AttributeDefinitions }: Table,
  index: Table['GlobalSecondaryIndexes'][number],
): Promise<void> {
  const keys = new Set(index.KeySchema.map(({ AttributeName }) => AttributeName));
  const command = new UpdateTableCommand({
    TableName: name,
    AttributeDefinitions: AttributeDefinitions.filter(({ AttributeName }) => keys.has(AttributeName)),
    GlobalSecondaryIndexUpdates: [{ Create: index }],
  });
  await client.send(command);
}

/** Lets items expire, unless another process was quicker. */
async function expire(client: DynamoDBClient, table: Table): Promise<void> {
  const { name, TimeToLiveSpecification } = table;
  const command = new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification });
  await client.send(command).catch(async (error: unknown) => {
    if ((await expiryOf(client, table)) !== TimeToLiveSpecification.AttributeName) throw error;
  });
}

/** The attribute by which a table's items expire; undefined when they do not. */
async function expiryOf(client: DynamoDBClient, { name }: Table): Promise<string | undefined> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  const { TimeToLiveStatus, AttributeName } = TimeToLiveDescription ?? {};
  return TimeToLiveStatus?.startsWith('ENABL') ? AttributeName : undefined;
}

async function describe(client: DynamoDBClient, name: string): Promise<TableDescription | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    return Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** What of a table cannot be used yet, in words; undefined when all can. */
function notActive(table: TableDescription | undefined): string | undefined {
  if (!table) return 'it is not there';
  if (table.TableStatus !== 'ACTIVE') return `it is ${table.TableStatus ?? 'without a status'}`;
  const index = table.GlobalSecondaryIndexes?.find(({ IndexStatus }) => IndexStatus !== 'ACTIVE');
  return index && `its index ${index.IndexName ?? ''} is ${index.IndexStatus ?? 'without a status'}`;
}
