import { QueryCommand, type DynamoDBClient, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { recordKey } from '../../shared/ledger/internal/keys.ts';
import { limit, type LeadList } from './lead-list.ts';
import { ledgerTable } from './load-lists.ts';

/**
 * More leads than fit into the 1 MB that a query reads. The limit changes no reply. Without it, the engine
 * reads to the end of the partition for each query.
 */
const limitOfCount = 10_000;

/** Replies of a query over the leads of a list, each from where the last one ended. */
async function* replies(client: DynamoDBClient, { code }: LeadList, more: Partial<QueryCommandInput>) {
  let start: QueryCommandInput['ExclusiveStartKey'];
  do {
    const reply = await client.send(
      new QueryCommand({
        TableName: ledgerTable,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: recordKey(code, 'LEAD', 1).pk } },
        ExclusiveStartKey: start,
        ReturnConsumedCapacity: 'TOTAL',
        ...more,
      }),
    );
    yield { ...reply, units: reply.ConsumedCapacity?.CapacityUnits ?? 0 };
    start = reply.LastEvaluatedKey;
  } while (start);
}

/**
 * Reads every page of a list from the first on, as the ids of its leads, newest first. A page asks for ids
 * alone: this costs the same units as whole leads, and takes much less time.
 */
export async function* pagesByHand(client: DynamoDBClient, list: LeadList) {
  const query = { Limit: limit, ScanIndexForward: false, ProjectionExpression: 'id' };
  for await (const { Items = [], units } of replies(client, list, query))
    yield { ids: Items.map(({ id }) => id?.S ?? ''), units };
}

/** Counts the leads of a list. */
export async function countByHand(client: DynamoDBClient, list: LeadList) {
  const counted = { totalCount: 0, calls: 0, units: 0 };
  for await (const { Count = 0, units } of replies(client, list, { Select: 'COUNT', Limit: limitOfCount })) {
    counted.totalCount += Count;
    counted.calls++;
    counted.units += units;
  }
  return counted;
}
