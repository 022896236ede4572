import {
  BatchWriteItemCommand,
  ScanCommand,
  type AttributeValue,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { isDeepStrictEqual } from 'node:util';

type Items = Map<string, Record<string, AttributeValue>>;

/** DynamoDB's limit on one batch. */
const perBatch = 25;

/** Remembers what a table holds, so that a test can change it and put it back, which is cheaper than to fill another. */
export async function imageOf(
  client: DynamoDBClient,
  TableName: string,
): Promise<{ restore: () => Promise<void> }> {
  const read = async (): Promise<Items> => {
    const items: Items = new Map();
    let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
    do {
      const page = await client.send(new ScanCommand({ TableName, ConsistentRead: true, ExclusiveStartKey }));
      for (const item of page.Items ?? []) items.set(`${item['pk']?.S} ${item['sk']?.S}`, item);
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return items;
  };
  const image = await read();
  return {
    restore: async () => {
      const now = await read();
      const requests = [
        ...[...image].flatMap(([name, item]) =>
          isDeepStrictEqual(now.get(name), item) ? [] : [{ PutRequest: { Item: item } }],
        ),
        ...[...now].flatMap(([name, { pk, sk }]) =>
          image.has(name) ? [] : [{ DeleteRequest: { Key: { pk: pk!, sk: sk! } } }],
        ),
      ];
      for (let at = 0; at < requests.length; at += perBatch) {
        const RequestItems = { [TableName]: requests.slice(at, at + perBatch) };
        await client.send(new BatchWriteItemCommand({ RequestItems }));
      }
    },
  };
}
