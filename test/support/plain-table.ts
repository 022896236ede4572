import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';

/** The parts of a table that its copy has too. */
type Shape = Pick<CreateTableCommandInput, 'AttributeDefinitions' | 'KeySchema' | 'GlobalSecondaryIndexes'>;

/** Creates a table like another, with its keys and indexes alone. */
export async function createPlainTable(
  client: DynamoDBClient,
  TableName: string,
  { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes }: Shape,
): Promise<void> {
  const shape = { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes };
  await client.send(new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...shape }));
}
