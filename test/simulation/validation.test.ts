import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DescribeTableCommand,
  DynamoDBServiceException,
  GetItemCommand,
  QueryCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type AttributeValue,
  type DynamoDBClient,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf } from '../../infra/local/engine.ts';
import { cancellationReasons } from '../../shared/ledger/internal/dynamodb-errors.ts';
import { engine as localEngine, newPlainTable } from '../support/test-organization.ts';
import { ledgerTable, newSimulatedTable } from './simulated-table.ts';

let TableName: string;
let local: DynamoDBClient;

beforeAll(async () => {
  TableName = await newPlainTable();
  local = clientOf(localEngine, { maxAttempts: 1 });
});
afterAll(() => {
  local.destroy();
});

const newTable = () => newSimulatedTable({}, { table: { ...ledgerTable, name: TableName } });

type Send = (client: DynamoDBClient) => Promise<unknown>;
type Values = Record<string, AttributeValue>;
const Key = { pk: { S: 'P' }, sk: { S: 'a' } };

const write =
  (...TransactItems: TransactWriteItem[]): Send =>
  (client) =>
    client.send(new TransactWriteItemsCommand({ TransactItems }));
const put =
  (item: Values, more: object = {}): Send =>
  (client) =>
    write({ Put: { TableName, Item: item, ...more } })(client);
const x = { ':x': { S: 'x' } };
/** Puts an item under a condition. */
const when = (ConditionExpression: string, values?: Values): Send =>
  put(Key, { ConditionExpression, ...(values && { ExpressionAttributeValues: values }) });
const update =
  (UpdateExpression: string, values?: Values, names?: Record<string, string>): Send =>
  (client) =>
    client.send(
      new UpdateItemCommand({
        TableName,
        Key,
        UpdateExpression,
        ...(values && { ExpressionAttributeValues: values }),
        ...(names && { ExpressionAttributeNames: names }),
      }),
    );
const query =
  (more: object): Send =>
  (client) =>
    client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: 'P' } },
        ...more,
      }),
    );
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ pk: { S: 'P' }, sk: { S: String(at) } }));
const text = (length: number) => ({ S: 'x'.repeat(length) });

/**
 * Name of a call's error. The local engine reports an invalid part of a transaction as a cancelled
 * transaction with a ValidationError, so that counts as a ValidationError.
 */
async function errorName(send: Send, client: DynamoDBClient): Promise<string> {
  try {
    await send(client);
    return 'none';
  } catch (error) {
    const codes = cancellationReasons(error).flatMap(({ Code }) => (Code === 'None' ? [] : [Code]));
    if (codes.length > 0 && codes.every((code) => code === 'ValidationError')) return 'ValidationException';
    return error instanceof Error ? error.name : 'not an error';
  }
}

const invalid: [what: string, send: Send][] = [
  ['no items', (client) => write()(client)],
  ['101 items', (client) => write(...many(101).map((Item) => ({ Put: { TableName, Item } })))(client)],
  [
    'two operations on one item',
    (client) => write({ Put: { TableName, Item: Key } }, { Delete: { TableName, Key } })(client),
  ],
  ['no sort key', put({ pk: { S: 'P' } })],
  ['an empty key', put({ pk: { S: '' }, sk: { S: 'a' } })],
  ['a key of another type', put({ pk: { S: 'P' }, sk: { N: '1' } })],
  ['a partition key of too many bytes', put({ ...Key, pk: text(2049) })],
  ['a sort key of too many bytes', put({ ...Key, sk: text(1025) })],
  ['an item over 400 KB', put({ ...Key, text: text(400 * 1024) })],
  ['an empty key of an index', put({ ...Key, gsi1pk: { S: '' }, gsi1sk: { N: '1' } })],
  ['a sort key of an index of another type', put({ ...Key, gsi1pk: { S: 'V' }, gsi1sk: { S: '1' } })],
  ['a number in the place of a text in an index', put({ ...Key, gsi9pk: { S: 'V' }, gsi9sk: { N: '1' } })],
  ['an empty set', put({ ...Key, set: { SS: [] } })],
  ['a set with duplicates', put({ ...Key, set: { NS: ['1', '1.0'] } })],
  ['a number that is none', put({ ...Key, n: { N: 'one' } })],
  [
    'a name that is not used',
    put(Key, { ConditionExpression: 'attribute_not_exists(more)', ExpressionAttributeNames: { '#x': 'x' } }),
  ],
  ['a value that is not used', when('attribute_not_exists(more)', x)],
  ['a name that is not defined', when('attribute_exists(#x)')],
  ['a value that is not defined', when('version = :x')],
  ['a condition with a mistake', when('version = = :x', x)],
  ['an unknown function', when('attribute_missing(pk)')],
  [
    'a check without a condition',
    (client) => write({ ConditionCheck: { TableName, Key, ConditionExpression: undefined } })(client),
  ],
  [
    'a key with more than the key',
    (client) => client.send(new GetItemCommand({ TableName, Key: { ...Key, more: { S: 'x' } } })),
  ],
  [
    'a batch of 101',
    (client) => client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: many(101) } } })),
  ],
  [
    'a batch with duplicates',
    (client) => client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [Key, Key] } } })),
  ],
  [
    'a snapshot with duplicates',
    (client) =>
      client.send(
        new TransactGetItemsCommand({
          TransactItems: [{ Get: { TableName, Key } }, { Get: { TableName, Key } }],
        }),
      ),
  ],
  ['an update of a key', update('SET sk = :x', x)],
  ['an update of one attribute twice', update('SET a = :x, #a = :x', x, { '#a': 'a' })],
  ['ADD of text', update('ADD a :x', x)],
  ['a query of no partition', query({ KeyConditionExpression: 'sk = :pk' })],
  [
    'a consistent query of an index',
    query({ IndexName: 'gsi1', KeyConditionExpression: 'gsi1pk = :pk', ConsistentRead: true }),
  ],
  ['a query of an index that is not there', query({ IndexName: 'gsi99' })],
  [
    'a query that ends before it begins',
    query({
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :a AND :b',
      ExpressionAttributeValues: { ':pk': { S: 'P' }, ':a': { S: 'b' }, ':b': { S: 'a' } },
    }),
  ],
  ['a limit of none', query({ Limit: 0 })],
];

test.for(invalid)('%s is refused as the local engine refuses it', async ([what, send]) => {
  const { time, engine, client } = newTable();
  expect(await time.run(errorName(send, client))).toBe('ValidationException');
  expect(engine.problems.length).toBe(1);
  expect([...engine.items()]).toEqual([]);
  expect(await errorName(send, local), what).toBe('ValidationException');
});

// The local engine takes all four.
test('Requests that only the local engine accepts are refused', async () => {
  const { time, client } = newTable();
  const send = put({ ...Key, gsi1pk: text(2049), gsi1sk: { N: '1' } });
  expect(await time.run(errorName(send, client))).toBe('ValidationException');
  const empty = query({ ExpressionAttributeValues: { ':pk': { S: '' } } });
  expect(await time.run(errorName(empty, client))).toBe('ValidationException');
  const number = query({ ExpressionAttributeValues: { ':pk': { N: '1' } } });
  expect(await time.run(errorName(number, client))).toBe('ValidationException');
  const two = write({ Put: { TableName, Item: Key }, Delete: { TableName, Key } });
  expect(await time.run(errorName(two, client))).toBe('ValidationException');
});

test('A request for another table fails', async () => {
  const { time, engine, client } = newTable();
  const get = client.send(new GetItemCommand({ TableName: 'Other', Key }));
  await expect(time.run(get)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  expect(engine.problems.length).toBe(1);
});

const notSimulated: [what: string, send: Send][] = [
  ['BatchWriteItem', (client) => client.send(new BatchWriteItemCommand({ RequestItems: {} }))],
  ['DescribeTable', (client) => client.send(new DescribeTableCommand({ TableName }))],
  ['a parameter of a query', query({ Select: 'COUNT' })],
  [
    'costs by index',
    (client) => client.send(new GetItemCommand({ TableName, Key, ReturnConsumedCapacity: 'INDEXES' })),
  ],
  [
    'values of before an update',
    (client) =>
      client.send(
        new UpdateItemCommand({
          TableName,
          Key,
          ReturnValues: 'ALL_OLD',
          UpdateExpression: 'ADD a :n',
          ExpressionAttributeValues: { ':n': { N: '1' } },
        }),
      ),
  ],
  ['DELETE from a set', update('DELETE a :x', { ':x': { SS: ['x'] } })],
  ['a path into a map', when('attribute_exists(a.b)')],
  ['a function of a condition', when('contains(a, :x)', x)],
  ['binary values', put({ ...Key, bytes: { B: Uint8Array.of(1) } })],
];

test.for(notSimulated)(
  '%s, which the simulation does not support, is refused with an error',
  async ([, send]) => {
    const { time, engine, client } = newTable();
    const error: unknown = await time.run(send(client).catch((thrown: unknown) => thrown));
    expect(error).toMatchObject({ name: 'NotSimulated' });
    expect(error).not.toBeInstanceOf(DynamoDBServiceException);
    expect(engine.problems.length).toBe(1);
  },
);
