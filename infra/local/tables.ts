import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  DynamoDBServiceException,
  type KeySchemaElement,
  type Projection,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { realSystem, type System } from '../../shared/core/system.ts';
import type { Engine } from './engine.ts';
import { LocalError } from './local-error.ts';
import type { Table } from './template/template.ts';

/** Milliseconds to wait for a table or index to become active, and between two checks. */
const timeout = 60_000;
const pollInterval = 100;

/**
 * Creates the template's table in the engine, or adds the indexes and expiry that it lacks. Data stays. The table has no
 * stream: the engine would keep every change of a stream forever, and search all changes at each write. Instead,
 * `TableStreams` makes the records of the stream from the transactions that pass this machine.
 * @throws LocalError if the existing table has another shape and is left unchanged, or is not usable in time
 */
export async function ensureTable(
  client: DynamoDBClient,
  table: Table,
  { location }: Pick<Engine, 'location'>,
  system: Pick<System, 'now' | 'sleep'> = realSystem,
): Promise<void> {
  const name = `The table ${table.name} ${location}`;
  try {
    await makeReady(client, table, name, system);
  } catch (error) {
    if (!(error instanceof DynamoDBServiceException)) throw error;
    throw new LocalError(`${name} cannot be had: ${error.name}: ${error.message}`);
  }
}

/** @param name of the table, for messages */
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
      `${name} has another shape than this version needs (${difference}), and was not changed: delete the table or its data ` +
        'folder, or start on another database.',
    );
  };
  const untilActive = async () => {
    const end = system.now() + timeout;
    for (;;) {
      const waitsFor = notActive(await describe(client, table.name));
      if (waitsFor === undefined) return;
      if (system.now() >= end) {
        throw new LocalError(`${name} cannot be used: after ${timeout / 1000} seconds ${waitsFor}.`);
      }
      await system.sleep(pollInterval);
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
    // DynamoDB builds one index of a table at a time.
    await untilActive();
  }
  if (expiresBy === undefined) await expire(client, table);
}

/** Creates the table, unless another process already has. */
async function create(client: DynamoDBClient, table: Table): Promise<TableDescription | undefined> {
  const { name, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } = table;
  const command = new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions,
    KeySchema,
    ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
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

/** Enables expiry, unless another process already has. */
async function expire(client: DynamoDBClient, table: Table): Promise<void> {
  const { name, TimeToLiveSpecification } = table;
  const command = new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification });
  await client.send(command).catch(async (error: unknown) => {
    if ((await expiryOf(client, table)) !== TimeToLiveSpecification.AttributeName) throw error;
  });
}

/** Attribute with the expiry time of a table's items; undefined if the items do not expire. */
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

/** Describes a part of a table that is not active yet; undefined if every part is. */
function notActive(table: TableDescription | undefined): string | undefined {
  if (!table) return 'it is not there';
  if (table.TableStatus !== 'ACTIVE') return `it is ${table.TableStatus ?? 'without a status'}`;
  const index = table.GlobalSecondaryIndexes?.find(({ IndexStatus }) => IndexStatus !== 'ACTIVE');
  return index && `its index ${index.IndexName ?? ''} is ${index.IndexStatus ?? 'without a status'}`;
}

/**
 * Describes how an existing table differs from the template's; undefined if it does not. A part that only one
 * of them has is no difference: a missing index can be added, and an extra one does no harm.
 */
export function differenceOf(existing: TableDescription, table: Table): string | undefined {
  const wanted = shapeOf(table);
  for (const [part, is] of shapeOf(existing)) {
    const shouldBe = wanted.get(part);
    if (shouldBe !== undefined && shouldBe !== is) return `${part} is ${is}, not ${shouldBe}`;
  }
  return undefined;
}

/** Parts of a table that cannot be changed, by name. */
function shapeOf({
  KeySchema = [],
  AttributeDefinitions = [],
  GlobalSecondaryIndexes = [],
}: TableDescription | Table): Map<string, string> {
  return new Map([
    ['its key', keyText(KeySchema)],
    ...AttributeDefinitions.map(({ AttributeName, AttributeType }): [string, string] => [
      `the type of ${AttributeName ?? ''}`,
      AttributeType ?? '',
    ]),
    ...GlobalSecondaryIndexes.flatMap(({ IndexName = '', ...index }): [string, string][] => [
      [`the key of its index ${IndexName}`, keyText(index.KeySchema ?? [])],
      [`what its index ${IndexName} holds`, projectionText(index.Projection ?? {})],
    ]),
  ]);
}

const keyText = (schema: readonly Partial<KeySchemaElement>[]) =>
  schema
    .map(({ AttributeName = '', KeyType = '' }) => `${KeyType} ${AttributeName}`)
    .sort()
    .join(' and ');

const projectionText = ({ ProjectionType, NonKeyAttributes = [] }: Projection) =>
  [ProjectionType ?? 'nothing', ...NonKeyAttributes.toSorted()].join(' ');
