import { GetCommand, UpdateCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { headKey, queueKey } from '../../shared/ledger/internal/keys.ts';
import { actionsOf } from '../../shared/ledger/index.ts';
import { neededFirst, testedOperation } from '../support/operations.ts';
import { clientAt } from '../support/stored-organization.ts';
import { fill } from '../support/filled-records.ts';
import { clientOf } from '../support/client-of.ts';
import { tableAt, verifiedOrganization } from '../support/test-organization.ts';

const { operations } = await findContracts();
const writing = operations
  .filter(({ endpoint }) => actionsOf(endpoint.access).includes('PutItem'))
  .sort(neededFirst);

const table = tableAt();
const client = DynamoDBDocumentClient.from(clientAt(table));
const ours = await verifiedOrganization();
const records = await fill(ours);
// Leaves the head as waiting writers do: each writer now takes a number before it tries.
await client.send(
  new UpdateCommand({
    TableName: table.tableName,
    Key: headKey(ours.code),
    UpdateExpression: 'SET queue = :queue',
    ExpressionAttributeValues: { ':queue': { served: 0, waiting: 10 * writing.length, pace: 1 } },
  }),
);

async function numbersTaken(): Promise<number> {
  const input = { TableName: table.tableName, Key: queueKey(ours.code), ConsistentRead: true };
  const { Item = {} } = await client.send(new GetCommand(input));
  return Number(Item['taken'] ?? 0);
}

test.each(writing.map((operation) => [operation.operationId, operation.endpoint] as const))(
  '%s takes a number where others wait, and is served',
  async (operationId, endpoint) => {
    const before = await numbersTaken();
    const { request, given } = testedOperation(operationId);
    const own = given ? await given(ours.openLedger().ledger, records) : records;
    const api = await clientOf(ours, endpoint, own);
    await api.call(endpoint, request(own, 1));
    expect(await numbersTaken()).toBeGreaterThan(before);
  },
);
