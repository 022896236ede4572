import { deepStrictEqual } from 'node:assert';
import { findContracts } from '../../../infra/functions.ts';
import { isInStage } from '../../../infra/stack/settings-schema.ts';
import { logGroupNameOf, logKinds, queueNameOf, stackNameOf } from '../../../infra/stack/resource-names.ts';
import { stageSettings } from '../../../infra/stack/stages.ts';
import { receiveTextsWorker } from '../../../shared/contract/sms.ts';
import { dueIndex, keyNamesOf, listIndexes, searchIndexes } from '../../../shared/ledger/index.ts';
import type { AwsCalls } from './aws-calls.ts';

const stackName = stackNameOf('dev');

export interface ServedFunction {
  FunctionName: string;
  Role: string;
  Runtime: string;
  CodeSha256: string;
}

interface Table {
  KeySchema: object[];
  GlobalSecondaryIndexes: { IndexName: string; KeySchema: object[]; Projection: object }[];
  StreamSpecification: object;
  DeletionProtectionEnabled?: boolean;
}

export async function functionsOf(aws: AwsCalls): Promise<ServedFunction[]> {
  const { Functions } = await aws.rest<{ Functions: ServedFunction[] }>(
    'lambda',
    'GET',
    '/2015-03-31/functions?MaxItems=10000',
  );
  return Functions.filter(({ FunctionName }) => FunctionName.startsWith(`${stackName}-`));
}

/**
 * Proves that the emulator created what the template says. Its report of success proves nothing. @throws
 * Error
 */
export async function checkServed(aws: AwsCalls, tableName: string): Promise<void> {
  const { Table } = await aws.json<{ Table: Table }>('dynamodb', 'DynamoDB_20120810.DescribeTable', {
    TableName: tableName,
  });
  deepStrictEqual(
    {
      keys: Table.KeySchema,
      indexes: Table.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
        name: IndexName,
        keys: KeySchema,
        projection: Projection,
      })),
      stream: Table.StreamSpecification,
      isProtected: Table.DeletionProtectionEnabled,
    },
    {
      keys: keysOf('pk', 'sk'),
      indexes: [...listIndexes, ...searchIndexes, dueIndex].map((name) => ({
        name,
        keys: keysOf(keyNamesOf(name).pkName, keyNamesOf(name).skName),
        projection: { ProjectionType: name === dueIndex ? 'KEYS_ONLY' : 'ALL' },
      })),
      stream: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      isProtected: false,
    },
  );

  const functions = await functionsOf(aws);
  const meant = (await findContracts()).functions.filter((served) => isInStage(served, stageSettings.dev));
  const roles = new Set(functions.map(({ Role }) => Role));
  const runtimes = new Set(functions.map(({ Runtime }) => Runtime));
  deepStrictEqual(
    { functions: functions.length, roles: roles.size, runtimes: [...runtimes] },
    { functions: meant.length, roles: meant.length, runtimes: ['nodejs24.x'] },
  );
}

const keysOf = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
];

/** Proves that the table, the topics, the logs and the queues of texts are there, and no other. @throws Error */
export async function checkData(
  aws: AwsCalls,
  { tableName, topic }: { tableName: string; topic: string },
): Promise<void> {
  deepStrictEqual(await dataOf(aws), {
    tables: [tableName],
    logGroups: logKinds.map((kind) => logGroupNameOf('dev', kind)).sort(),
    topics: [topic.replace(/texts$/, 'alarms'), topic],
    queues: (['DeadLetters', 'Queue'] as const).map((kind) => queueNameOf('dev', receiveTextsWorker, kind)),
  });
}

/** Tables, logs, topics and queues of the stage. */
async function dataOf(
  aws: AwsCalls,
): Promise<Record<'tables' | 'logGroups' | 'topics' | 'queues', string[]>> {
  const { TableNames } = await aws.json<{ TableNames: string[] }>(
    'dynamodb',
    'DynamoDB_20120810.ListTables',
    {},
  );
  const { logGroups } = await aws.json<{ logGroups: { logGroupName: string }[] }>(
    'logs',
    'Logs_20140328.DescribeLogGroups',
    {},
  );
  const topics = await aws.query('sns', { Action: 'ListTopics', Version: '2010-03-31' }, 'TopicArn');
  const { QueueUrls = [] } = await aws.json<{ QueueUrls?: string[] }>('sqs', 'AmazonSQS.ListQueues', {});
  const ofStage = (names: string[]) => names.filter(isOfStage).sort();
  return {
    tables: ofStage(TableNames),
    logGroups: ofStage(logGroups.map(({ logGroupName }) => logGroupName)),
    topics: ofStage(topics),
    queues: ofStage(QueueUrls.map((url) => url.replace(/.*\//, ''))),
  };
}

const isOfStage = (name: string) => name.includes(stackName);

/**
 * Proves that nothing of the stacks is left but the account's roles for logs: one role for each service.
 * Other stages may use these roles.
 * @throws Error
 */
export async function checkGone(aws: AwsCalls): Promise<void> {
  const { item: apis = [] } = await aws.rest<{ item?: { name: string }[] }>('apigateway', 'GET', '/restapis');
  const { Parameters = [] } = await aws.json<{ Parameters?: { Name: string }[] }>(
    'ssm',
    'AmazonSSM.DescribeParameters',
    {},
  );
  const roles = await aws.query('iam', { Action: 'ListRoles', Version: '2010-05-08' }, 'RoleName');
  const stacks = await aws.query(
    'cloudformation',
    { Action: 'DescribeStacks', Version: '2010-05-15' },
    'StackName',
  );
  deepStrictEqual(
    {
      stacks: stacks.filter(isOfStage),
      data: await dataOf(aws),
      functions: await functionsOf(aws),
      roles: roles.filter((name) => isOfStage(name) && !name.includes('AccountLogRole')),
      apis: apis.map(({ name }) => name),
      parameters: Parameters.filter(({ Name }) => isOfStage(Name)),
    },
    {
      stacks: [],
      data: { tables: [], logGroups: [], topics: [], queues: [] },
      functions: [],
      roles: [],
      apis: [],
      parameters: [],
    },
  );
}
