import { DynamoDBClient, GetItemCommand, TransactGetItemsCommand } from '@aws-sdk/client-dynamodb';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tableArnOf } from '../../../infra/local/arns.ts';
import { closeAll, listenOnLoopback } from '../../../infra/local/loopback.ts';
import { type RoleGuard, startRoleGuard } from '../../../infra/local/proxies/engine-proxy.ts';
import { type PermissionCheck, Permissions, type Statement } from '../../../infra/local/role.ts';

/** Stands in for an engine, and records the calls. */
const seen: IncomingHttpHeaders[] = [];
const engine = createServer((request, response) => {
  seen.push(request.headers);
  request.resume().on('end', () => response.end('{}'));
});
const reading: Statement = {
  Effect: 'Allow',
  Action: ['dynamodb:GetItem'],
  Resource: [tableArnOf('Table')],
  Condition: {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['ORG#*'] },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  },
};
const roles: Record<string, Statement[]> = { CreateLead: [reading], ListLeads: [reading] };
const roleOf = (functionName: string) => roles[functionName] ?? [];
let host: string;
let guard: RoleGuard;
let checks: PermissionCheck[];
const client = (accessKeyId: string) =>
  new DynamoDBClient({
    endpoint: guard.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId, secretAccessKey: 'x' },
  });
beforeEach(async () => {
  seen.splice(0);
  checks = [];
  host = `127.0.0.1:${await listenOnLoopback(engine)}`;
  guard = await startRoleGuard(`http://${host}`, {
    permissions: new Permissions(roleOf, (check) => checks.push(check)),
  });
});
afterEach(async () => {
  await guard.close();
  await closeAll(engine);
});

const itemAt = (pk: string) => ({ TableName: 'Table', Key: { pk: { S: pk } } });

test('The engine sees one access key for all functions, so that all have one database', async () => {
  for (const accessKeyId of ['CreateLead', 'ListLeads'])
    await client(accessKeyId).send(new GetItemCommand(itemAt('ORG#A')));
  expect(
    seen.map(({ authorization = '', host }) => ({ host, key: /Credential=\S+/.exec(authorization)?.[0] })),
  ).toEqual(
    [1, 2].map(() => ({
      host,
      key: expect.stringMatching(/^Credential=local\/\d{8}\/us-east-1\/dynamodb\/aws4_request,$/) as string,
    })),
  );
});

test.each([
  [
    'allows only the calls that the role allows with and without an undocumented key',
    true,
    ['denied', 'sent'],
  ],
  ['supplies each key by default', false, ['sent', 'sent']],
] as const)('The guard %s', async (_, mayLackLeadingKeys, outcomes) => {
  const { Null: __, ...keys } = reading.Condition!;
  const inTransaction = {
    'ForAnyValue:StringEquals': { 'dynamodb:EnclosingOperation': ['TransactGetItems'] },
  };
  roles['GetLead'] = [reading, { ...reading, Condition: { ...keys, ...inTransaction } }];
  await guard.close();
  guard = await startRoleGuard(`http://${host}`, {
    permissions: new Permissions(roleOf),
    mayLackLeadingKeys,
  });
  const seenOutcomes: string[] = [];
  for (const name of ['ListLeads', 'GetLead']) {
    const caller = client(name);
    await caller.send(new GetItemCommand(itemAt('ORG#A')));
    await expect(caller.send(new GetItemCommand(itemAt('TOKEN#A')))).rejects.toThrow('TOKEN#A');
    const call = (pk: string) => new TransactGetItemsCommand({ TransactItems: [{ Get: itemAt(pk) }] });
    await expect(caller.send(call('TOKEN#A'))).rejects.toThrow('(TOKEN#A)');
    const sent = caller.send(call('ORG#A')).then(() => 'sent');
    seenOutcomes.push(
      await sent.catch((error: unknown) => (String(error).includes('(no key)') ? 'denied' : String(error))),
    );
  }
  expect(seenOutcomes).toEqual(outcomes);
});

test('A denied call is refused as DynamoDB would, and never sent; every permission is reported', async () => {
  const caller = client('ListLeads');
  await caller.send(new GetItemCommand(itemAt('ORG#A')));
  await expect(caller.send(new GetItemCommand(itemAt('TOKEN#A')))).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: `The role of ListLeads does not allow dynamodb:GetItem on ${tableArnOf('Table')} (TOKEN#A)`,
  });
  const TransactItems = [{ Get: itemAt('ORG#A') }, { Get: itemAt('TOKEN#A') }, { Get: itemAt('ORG#B') }];
  await expect(caller.send(new TransactGetItemsCommand({ TransactItems }))).rejects.toMatchObject({
    name: 'AccessDeniedException',
  });
  expect(seen).toHaveLength(1);
  const get = { functionName: 'ListLeads', action: 'dynamodb:GetItem', resource: tableArnOf('Table') };
  const inTransaction = { ...get, enclosing: 'TransactGetItems' };
  expect(checks).toEqual([
    { ...get, leadingKeys: ['ORG#A'], isAllowed: true },
    { ...get, leadingKeys: ['TOKEN#A'], isAllowed: false },
    { ...inTransaction, leadingKeys: ['ORG#A'], isAllowed: true },
    { ...inTransaction, leadingKeys: ['TOKEN#A'], isAllowed: false },
  ]);
});
