import { expect, test } from 'vitest';
import { allows, demandsOf, type Statement } from '../../../infra/local/role.ts';

const table = 'arn:aws:local:us-east-1:000000000000:Table';
const role: Statement[] = [
  { Effect: 'Allow', Action: ['dynamodb:GetItem'], Resource: [table] },
  { Effect: 'Allow', Action: ['dynamodb:Query'], Resource: [table, `${table}/index/view1`] },
  {
    Effect: 'Allow',
    Action: ['dynamodb:PutItem'],
    Resource: [table],
    Condition: { 'ForAnyValue:StringEquals': { 'dynamodb:EnclosingOperation': ['TransactWriteItems'] } },
  },
  {
    Effect: 'Allow',
    Action: ['dynamodb:UpdateItem'],
    Resource: [table],
    Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['ORG#*#TURN'] } },
  },
];
const itemAt = (pk: string) => ({ TableName: 'Table', Key: { pk: { S: pk }, sk: { S: 'TURN' } } });

test.each([
  ['GetItem', { TableName: 'Table' }, true],
  ['GetItem', { TableName: 'Other' }, false],
  ['Query', { TableName: 'Table' }, true],
  ['Query', { TableName: 'Table', IndexName: 'view1' }, true],
  ['Query', { TableName: 'Table', IndexName: 'view2' }, false],
  ['Scan', { TableName: 'Table' }, false],
  ['PutItem', { TableName: 'Table' }, false],
  ['TransactWriteItems', { TransactItems: [{ Put: { TableName: 'Table' } }] }, true],
  [
    'TransactWriteItems',
    { TransactItems: [{ Put: { TableName: 'Table' } }, { Delete: { TableName: 'Table' } }] },
    false,
  ],
  ['TransactGetItems', { TransactItems: [{ Get: { TableName: 'Table' } }] }, true],
  ['BatchGetItem', { RequestItems: { Table: {} } }, false],
  ['ListTables', {}, false],
  ['ExecuteStatement', { Statement: 'SELECT * FROM "Table"' }, false],
  ['UpdateItem', itemAt('ORG#6H8EV880#TURN'), true],
  ['UpdateItem', itemAt('ORG#6H8EV880'), false],
  ['UpdateItem', itemAt('ORG#TURN'), false],
  ['UpdateItem', itemAt('TOKEN#ORG#6H8EV880#TURN'), false],
  ['UpdateItem', itemAt('ORG#6H8EV880#TURN#LEAD'), false],
  ['TransactWriteItems', { TransactItems: [{ Update: itemAt('ORG#6H8EV880') }] }, false],
])('%s %j: allowed is %s', (operation, input, allowed) => {
  const demands = demandsOf(operation, input);
  expect(demands.length).toBeGreaterThan(0);
  expect(demands.every((demand) => allows(role, demand))).toBe(allowed);
});
