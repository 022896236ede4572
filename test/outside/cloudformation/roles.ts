import { build } from 'esbuild';
import { deepStrictEqual } from 'node:assert';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../infra/root.ts';
import { apiFunctionPrefixOf } from '../../../infra/stack/resource-names.ts';
import type { AwsCalls } from './aws-calls.ts';
import { output } from '../commands.ts';
import { functionsOf } from './served-stage.ts';

/** A call to DynamoDB, with the expected permission. No call changes anything. */
interface Demand {
  command: string;
  input: object;
  allowed: boolean | 'unless its key is supplied';
}

const keyOf = (pk: string) => ({ pk: { S: pk }, sk: { S: '000000000001' } });
const organization = keyOf('ORG#00000000');
const lead = keyOf('ORG#00000000#LEAD');
const grant = keyOf('TOKEN#0000');
/** Condition that fails: the item does not exist. */
const put = (Item: object) => ({ Item, ConditionExpression: 'attribute_exists(pk)' });
const query = {
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': lead.pk },
};

const queryOfIndex = (pk: string) => ({
  IndexName: 'gsi1',
  KeyConditionExpression: 'gsi1pk = :pk',
  ExpressionAttributeValues: { ':pk': { S: pk } },
});
const getInTransaction = (Key: object) => ({
  command: 'TransactGetItemsCommand',
  input: { TransactItems: [{ Get: { Key } }] },
});
const putInTransaction = (item: object) => ({
  command: 'TransactWriteItemsCommand',
  input: { TransactItems: [{ Put: put(item) }] },
});

/** Calls to try, by the end of a function's name. */
const demands: Record<string, Demand[]> = {
  Authorizer: [
    { command: 'GetItemCommand', input: { Key: grant }, allowed: true },
    { command: 'GetItemCommand', input: { Key: organization }, allowed: false },
    { command: 'PutItemCommand', input: put(grant), allowed: false },
    { ...getInTransaction(organization), allowed: false },
  ],
  ListLeads: [
    { command: 'GetItemCommand', input: { Key: organization }, allowed: true },
    { command: 'QueryCommand', input: query, allowed: true },
    { command: 'QueryCommand', input: queryOfIndex('ORG#00000000'), allowed: true },
    { command: 'QueryCommand', input: queryOfIndex('DUE#0'), allowed: 'unless its key is supplied' },
    { command: 'GetItemCommand', input: { Key: grant }, allowed: false },
    { ...getInTransaction(organization), allowed: true },
    { ...getInTransaction(grant), allowed: 'unless its key is supplied' },
    { command: 'PutItemCommand', input: put(lead), allowed: false },
    { ...putInTransaction(lead), allowed: false },
    { command: 'ScanCommand', input: {}, allowed: false },
  ],
  CreateLead: [
    { ...putInTransaction(lead), allowed: true },
    { ...putInTransaction(grant), allowed: 'unless its key is supplied' },
    { command: 'PutItemCommand', input: put(lead), allowed: false },
    { command: 'DeleteItemCommand', input: { Key: lead }, allowed: false },
  ],
};

/** Source of a function that makes calls to DynamoDB, and returns for each whether its role allows it. */
const probe = `
import * as dynamodb from '@aws-sdk/client-dynamodb';
const client = new dynamodb.DynamoDBClient({ maxAttempts: 1 });
export const handler = async ({ calls }) => Promise.all(calls.map(({ command, input }) =>
  client.send(new dynamodb[command](input)).then(() => true, (error) => {
    if (error.name === 'AccessDeniedException') return false;
    if (error.name === 'TransactionCanceledException') return true;
    throw error;
  })));
`;

interface RoleCheck {
  tableName: string;
  programs: string;
  folder: string;
  /** True if the emulator supplies the keys of every call. */
  suppliesEveryKey: boolean;
}

/** Proves that the emulator enforces the stack's roles, by a probe function with each role. @throws Error */
export async function checkRoles(
  aws: AwsCalls,
  { tableName, programs, folder, suppliesEveryKey }: RoleCheck,
): Promise<void> {
  const ZipFile = await zippedProbe(programs, folder);
  const functions = await functionsOf(aws);
  for (const [name, asked] of Object.entries(demands)) {
    const { Role } = functions.find(
      ({ FunctionName }) => FunctionName === `${apiFunctionPrefixOf('dev')}${name}`,
    )!;
    const FunctionName = `Probe-${name}-${suppliesEveryKey ? 'every' : 'documented'}-key`;
    const settings = { Runtime: 'nodejs24.x', Handler: 'index.handler', Timeout: 30 };
    await aws.rest('lambda', 'POST', '/2015-03-31/functions', {
      FunctionName,
      Role,
      ...settings,
      Code: { ZipFile },
    });
    const calls = asked.map(({ command, input }) => ({ command, input: withTable(tableName, input) }));
    const path = `/2015-03-31/functions/${FunctionName}/invocations`;
    const answers = await aws.rest<boolean[]>('lambda', 'POST', path, { calls });
    deepStrictEqual(
      asked.map((demand, at) => sentenceOf(name, demand, answers[at]!)),
      asked.map((demand) =>
        sentenceOf(name, demand, typeof demand.allowed === 'boolean' ? demand.allowed : !suppliesEveryKey),
      ),
    );
  }
}

const sentenceOf = (name: string, { command, input }: Demand, allowed: boolean) =>
  `${name} ${allowed ? 'may' : 'may not'} ask ${command} ${JSON.stringify(input)}`;

/** Adds the table's name to the call, or to each part of a transaction. */
function withTable(TableName: string, input: object): object {
  if (!('TransactItems' in input)) return { ...input, TableName };
  const { TransactItems } = input as { TransactItems: Record<string, object>[] };
  return {
    TransactItems: TransactItems.map((item) =>
      Object.fromEntries(Object.entries(item).map(([kind, part]) => [kind, { ...part, TableName }])),
    ),
  };
}

/** Zip file of the probe, in Base64. */
async function zippedProbe(programs: string, folder: string): Promise<string> {
  mkdirSync(folder);
  await build({
    stdin: { contents: probe, resolveDir: root },
    outfile: join(folder, 'index.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    logLevel: 'silent',
  });
  const args = ['-m', 'zipfile', '-c', 'probe.zip', 'index.mjs'];
  await output(join(programs, 'python'), args, { cwd: folder, env: process.env });
  return readFileSync(join(folder, 'probe.zip')).toString('base64');
}
