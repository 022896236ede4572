import {
  DynamoDBServiceException,
  TransactionCanceledException,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf } from '../../infra/local/engine.ts';
import { seededRandom } from '../../infra/local/demo/seeded-random.ts';
import { engine as localEngine, newPlainTable } from '../support/test-organization.ts';
import { RandomCalls, type RandomCall } from './random-calls.ts';
import { ledgerTable, newSimulatedTable, type SimulatedTable } from './simulated-table.ts';

let local: DynamoDBClient;
let simulated: SimulatedTable;
let calls: RandomCalls;

beforeAll(async () => {
  const name = await newPlainTable();
  local = clientOf(localEngine, { maxAttempts: 1 });
  // The local engine has no stale replica.
  simulated = newSimulatedTable({ staleReadChance: 0 }, { table: { ...ledgerTable, name } });
  calls = new RandomCalls(seededRandom(20260105).random, name);
});
afterAll(() => {
  local.destroy();
});

/** Result of a call, normalized so that equal results compare equal. */
async function answerTo({ kind, send }: RandomCall, client: DynamoDBClient): Promise<unknown> {
  try {
    const { $metadata, ...output } = (await send(client)) as Record<string, unknown>;
    return inOneOrder(kind, output);
  } catch (error) {
    if (!(error instanceof DynamoDBServiceException)) throw error;
    const reasons =
      error instanceof TransactionCanceledException
        ? error.CancellationReasons?.map(({ Code, Item }) => ({
            Code,
            ...(Item && { Item: withSortedSets(Item) }),
          }))
        : undefined;
    return { name: error.name, ...(reasons && { reasons }) };
  }
}

/** Traits of a result. The traits prove that the calls covered the difficult cases. */
function traitsOf({ kind }: RandomCall, answer: unknown): string[] {
  const text = JSON.stringify(answer);
  const found = /"(name|Code)":"[A-Za-z]+"|LastEvaluatedKey|"Item":|"Items":\[\{|"Attributes":/g;
  return [kind, ...(text.match(found) ?? []).map((trait) => `${kind} ${trait}`)];
}

/** Sorts what DynamoDB promises no order of: a batch, a scan across partitions, and members of a set. */
function inOneOrder(kind: string, output: Record<string, unknown>): unknown {
  const sorted = withSortedSets(output) as Record<string, unknown>;
  if (kind === 'scan') return { ...sorted, Items: sortedItems(sorted['Items']) };
  if (kind !== 'batch') return sorted;
  const responses = Object.values(sorted['Responses'] as Record<string, unknown>).map(sortedItems);
  return { ...sorted, Responses: responses };
}

const sortedItems = (items: unknown) => (items as object[]).sort((a, b) => (nameIn(a) < nameIn(b) ? -1 : 1));
const nameIn = (item: object) => ('pk' in item && 'sk' in item ? JSON.stringify([item.pk, item.sk]) : '');

function withSortedSets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedSets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === 'NS' || name === 'SS' ? [...(inner as string[])].sort() : withSortedSets(inner),
    ]),
  );
}

test('Many sequential calls of every kind get the replies of the local engine', async () => {
  const observed = new Set<string>();
  for (let count = 0; count < 1500; count++) {
    const call = calls.next();
    const expected = await answerTo(call, local);
    const { time, engine, client } = simulated;
    const answer = await time.run(answerTo(call, client));
    expect(answer, `call ${count}: ${JSON.stringify(call.input)}`).toEqual(expected);
    // An index of the local engine never lags.
    await time.run(() => engine.isIdle);
    for (const trait of traitsOf(call, answer)) observed.add(trait);
  }
  expect([...observed].sort()).toMatchInlineSnapshot(`
    [
      "batch",
      "delete",
      "delete "name":"ConditionalCheckFailedException"",
      "get",
      "get "Item":",
      "index",
      "index "Items":[{",
      "index LastEvaluatedKey",
      "keys",
      "keys "Items":[{",
      "keys LastEvaluatedKey",
      "put",
      "put "name":"ConditionalCheckFailedException"",
      "query",
      "query "Items":[{",
      "query LastEvaluatedKey",
      "scan",
      "scan "Items":[{",
      "snapshot",
      "snapshot "Item":",
      "text",
      "text "Items":[{",
      "text LastEvaluatedKey",
      "update",
      "update "Attributes":",
      "update "name":"ConditionalCheckFailedException"",
      "update "name":"ValidationException"",
      "write",
      "write "Code":"ConditionalCheckFailed"",
      "write "Code":"None"",
      "write "Code":"ValidationError"",
      "write "Item":",
      "write "name":"TransactionCanceledException"",
    ]
  `);
});
