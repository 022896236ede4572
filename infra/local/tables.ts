import {
  CreateTableCommand,
  DescribeTableCommand,
  ResourceNotFoundException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  type DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import type { Table } from './template.ts';

/** Makes the engine's table what the template says: creates it, or adds the indexes that it lacks. Data stays. */
export async function ensureTable(client: DynamoDBClient, table: Table): Promise<void> {
  const existing = await describe(client, table.name);
  if (!existing) return create(client, table);
  const indexes = new Set(existing.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName));
  for (const index of table.GlobalSecondaryIndexes) {
    if (indexes.has(index.IndexName)) continue;
    const update = {
      GlobalSecondaryIndexUpdates: [{ Create: index }],
      AttributeDefinitions: table.AttributeDefinitions,
    };
    await client.send(new UpdateTableCommand({ TableName: table.name, ...update }));
  }
}

async function create(client: DynamoDBClient, table: Table): Promise<void> {
  const { name, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, StreamSpecification } = table;
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions,
      KeySchema,
      ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
      StreamSpecification: { StreamEnabled: true, ...StreamSpecification },
    }),
  );
  const { TimeToLiveSpecification } = table;
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
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
