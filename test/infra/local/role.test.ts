import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { allows, requiredPermissions, Statement } from '../../../infra/local/role.ts';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/Table';
const reaching = (...keys: string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
  Null: { 'dynamodb:LeadingKeys': 'false' as const },
});
const inTransaction = {
  'ForAnyValue:StringEquals': { 'dynamodb:EnclosingOperation': ['TransactWriteItems'] },
};
const role: Statement[] = [
  {
    Effect: 'Allow',
    Action: ['dynamodb:GetItem', 'dynamodb:BatchGetItem'],
    Resource: [table],
    Condition: reaching('ORG#*', 'NOWHERE'),
  },
  {
    Effect: 'Allow',
    Action: ['dynamodb:Query'],
    Resource: [table, `${table}/index/gsi1`],
    Condition: reaching('ORG#*'),
  },
  {
    Effect: 'Allow',
    Action: ['dynamodb:PutItem', 'dynamodb:DeleteItem'],
    Resource: [table],
    Condition: { ...reaching('ORG#*'), ...inTransaction },
  },
  {
    Effect: 'Allow',
    Action: ['dynamodb:UpdateItem'],
    Resource: [table],
    Condition: reaching('ORG#????????#TURN'),
  },
];
const isAllowed = (statements: Statement[], operation: string, input: object): boolean => {
  const permissions = requiredPermissions(operation, input);
  expect(permissions.length).toBeGreaterThan(0);
  return permissions.every((permission) => allows(statements, permission));
};

const TableName = 'Table';
const keyOf = (pk: string) => ({ pk: { S: pk }, sk: { S: 'HEAD' } });
const at = (pk: string) => ({ TableName, Key: keyOf(pk) });
const itemAt = (pk: string) => ({ TableName, Item: keyOf(pk) });
const ours = 'ORG#6H8EV880';
const turn = `${ours}#TURN`;

test.each<[operation: string, input: object, allowed: boolean]>([
  ['GetItem', at(ours), true],
  ['GetItem', at('NOWHERE'), true],
  ['GetItem', at('NOWHERE#'), false],
  ['GetItem', at('TOKEN#0123'), false],
  ['GetItem', at('TOKEN#ORG#6H8EV880'), false],
  ['GetItem', { ...at(ours), TableName: 'Other' }, false],
  // Unreadable keys count as no keys.
  ['GetItem', { TableName }, false],
  ['GetItem', { TableName, Key: { pk: { N: '1' } } }, false],
  ['GetItem', { TableName, Key: { id: { S: ours } } }, false],
  ['PutItem', itemAt(ours), false],
  ['TransactWriteItems', { TransactItems: [{ Put: itemAt(ours) }] }, true],
  ['TransactWriteItems', { TransactItems: [{ Put: itemAt(ours) }, { Delete: at(ours) }] }, true],
  ['TransactWriteItems', { TransactItems: [{ Put: itemAt(ours) }, { Delete: at('TOKEN#0') }] }, false],
  ['TransactWriteItems', { TransactItems: [{ Put: itemAt('TOKEN#0') }, { Delete: at(ours) }] }, false],
  // The key of a put is the item's, whatever other field names a key.
  ['TransactWriteItems', { TransactItems: [{ Put: { ...itemAt('TOKEN#0'), ...at(ours) } }] }, false],
  ['TransactWriteItems', { TransactItems: [{ Update: at(ours) }] }, false],
  ['TransactWriteItems', { TransactItems: [{ ConditionCheck: at(ours) }] }, false],
  ['TransactGetItems', { TransactItems: [{ Get: at(ours) }] }, true],
  ['TransactGetItems', { TransactItems: [{ Get: at(ours) }, { Get: at('TOKEN#0') }] }, false],
  ['BatchGetItem', { RequestItems: { Table: { Keys: [keyOf(ours), keyOf(turn)] } } }, true],
  ['BatchGetItem', { RequestItems: { Table: { Keys: [keyOf(ours), keyOf('TOKEN#0')] } } }, false],
  ['BatchGetItem', { RequestItems: { Table: { Keys: [] } } }, false],
  ['BatchGetItem', { RequestItems: { Table: {} } }, false],
  ['BatchGetItem', { RequestItems: { Other: { Keys: [keyOf(ours)] } } }, false],
  ['UpdateItem', at(turn), true],
  ['UpdateItem', at(ours), false],
  ['UpdateItem', at('ORG#TURN'), false],
  ['UpdateItem', at(`TOKEN#${turn}`), false],
  ['UpdateItem', at(`${turn}#LEAD`), false],
  ['Scan', { TableName }, false],
  ['ListTables', {}, false],
  ['ExecuteStatement', { Statement: 'SELECT * FROM "Table"' }, false],
])(
  'a role allows by action, table or index, keys and transaction: %s %j: %s',
  (operation, input, allowed) => {
    expect(isAllowed(role, operation, input)).toBe(allowed);
  },
);

describe('the key of a query', () => {
  const of = (KeyConditionExpression: string, changes: object = {}) => ({
    TableName,
    KeyConditionExpression,
    ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk', '#index': 'gsi1pk', '#rank': 'gsi1sk' },
    ExpressionAttributeValues: {
      ':pk': { S: ours },
      ':from': { S: '2' },
      ':to': { S: '1' },
      ':theirs': { S: 'TOKEN#0' },
      ':number': { N: '1' },
    },
    ...changes,
  });
  const index = { IndexName: 'gsi1' };

  test.each([
    of('pk = :pk'),
    of('#pk = :pk'),
    of('#pk = :pk AND #sk <= :from'),
    of('pk = :pk AND sk BETWEEN :to AND :from'),
    of('#index = :pk AND #rank <= :from', index),
    of('gsi1pk = :pk AND gsi1sk BETWEEN :to AND :from', index),
    of('#index = :pk AND begins_with(#rank, :from)', index),
  ])('is found in $KeyConditionExpression', (input) => {
    expect(requiredPermissions('Query', input)).toMatchObject([{ leadingKeys: [ours] }]);
    expect(isAllowed(role, 'Query', input)).toBe(true);
  });

  test.each([
    of('#pk = :theirs'),
    of('#index = :pk', { IndexName: 'gsi2' }),
    // For an index, the key of the index counts.
    of('#pk = :pk', index),
    of('#index = :pk'),
    of('#pk = :number'),
    of('#pk = :unknown'),
    of('#unknown = :pk'),
    of('#unknown = :theirs AND #sk = :pk'),
    of('#sk = :pk AND #pk = :theirs'),
    of('#pk = :pk AND #pk = :theirs'),
    of('#pk = :pk AND #unknown = :theirs'),
    of('#pk = :pk AND #sk = :from AND #pk = :theirs'),
    of('#pk = :pk OR #pk = :theirs'),
    of('(#pk = :pk)'),
    of('begins_with(#pk, :pk)'),
    of('#pk = :pk AND begins_with(#pk, :theirs)'),
    of('#pk = :pk AND begins_with(#index, :from)'),
    of('#pk <= :pk'),
    of(''),
    { TableName, KeyConditions: { pk: { ComparisonOperator: 'EQ', AttributeValueList: [{ S: ours }] } } },
    { TableName },
  ])('that the role lacks, or that cannot be parsed, is refused: %j', (input) => {
    expect(isAllowed(role, 'Query', input)).toBe(false);
  });
});

describe('conditions are evaluated as IAM does', () => {
  const statement = (Condition: Statement['Condition']): Statement[] => [
    { Effect: 'Allow', Action: ['dynamodb:GetItem'], Resource: [table], Condition },
  ];

  test.each([
    ['ORG#*', 'ORG#', true],
    ['ORG#*', 'ORG#a\nb', true],
    ['ORG#*', 'org#1', false],
    ['ORG#?', 'ORG#1', true],
    ['ORG#?', 'ORG#', false],
    ['ORG#?', 'ORG#12', false],
    ['?RG#*#T', 'ORG##T', true],
    ['A.B', 'A.B', true],
    ['A.B', 'AxB', false],
    ['(A|B)[+]\\$^{}', '(A|B)[+]\\$^{}', true],
  ])('%j: %j is %s', (pattern, key, allowed) => {
    expect(isAllowed(statement(reaching(pattern)), 'GetItem', at(key))).toBe(allowed);
  });

  test('ForAllValues holds without a key; Null refuses that', () => {
    const { Null, ...forAll } = reaching('ORG#*');
    expect(isAllowed(statement(forAll), 'GetItem', { TableName })).toBe(true);
    expect(isAllowed(statement({ Null, ...forAll }), 'GetItem', { TableName })).toBe(false);
  });

  test('any other condition is refused when it is parsed', () => {
    const read = (Condition: object) =>
      v.safeParse(Statement, { Effect: 'Allow', Action: 'a:B', Resource: table, Condition }).success;
    expect(read({})).toBe(true);
    expect(read({ ...reaching('A'), ...inTransaction })).toBe(true);
    for (const other of [
      { StringLike: { 'dynamodb:LeadingKeys': 'A' } },
      { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': 'A' } },
      { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': 'A' } },
      { 'ForAllValues:StringLike': { 'dynamodb:Attributes': 'A' } },
      { Null: { 'dynamodb:LeadingKeys': 'true' } },
      { Null: { 'dynamodb:EnclosingOperation': 'false' } },
    ])
      expect(read(other), JSON.stringify(other)).toBe(false);
  });
});
