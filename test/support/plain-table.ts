import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';

/** Parts of a table that its copy shares. */
type Shape = Pick<CreateTableCommandInput, 'AttributeDefinitions' | 'KeySchema' | 'GlobalSecondaryIndexes'>;

/** Creates a table with the keys and indexes of another, and nothing else of it. */
export async function createPlainTable(
  client: DynamoDBClient,
  TableName: string,
  { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes }: Shape,
): Promise<void> {
  const shape = { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes };
  await client.send(new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...shape }));
}
