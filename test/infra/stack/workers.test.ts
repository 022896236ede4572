import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { FunctionRole } from '../../../infra/stack/service-function.ts';
import { awsRefusals } from '../../support/aws-refusals.ts';
import { templateWith, type Resource } from '../../support/made-up-stack.ts';
import { workersOfEachKind } from '../../support/worker-kinds.ts';

interface Statement {
  Action: string | string[];
  Effect: string;
  Resource: unknown;
  Condition?: unknown;
}

const { resources, of, one, violations, parameters, data } = templateWith({
  stage: 'dev',
  workers: workersOfEachKind,
  validate: true,
});

/** Tags of every resource. */
const Tags = [
  { Key: 'service', Value: 'SalesPipeline' },
  { Key: 'stage', Value: 'dev' },
];
const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
const functionOf = (name: string) => one('AWS::Lambda::Function', `${name}Function`);
const deadLettersOf = (name: string) => one('AWS::SQS::Queue', `${name}DeadLetters`);

/** Statements of the policy of one queue. */
function statementsOf(queue: string): Statement[] {
  const policies = of('AWS::SQS::QueuePolicy').filter(([, { Properties }]) =>
    isDeepStrictEqual(Properties['Queues'], [{ Ref: queue }]),
  );
  expect(policies).toHaveLength(1);
  return (policies[0]![1].Properties['PolicyDocument'] as { Statement: Statement[] }).Statement;
}
const overTlsAlone = (queue: string) => ({
  Effect: 'Deny',
  Principal: { AWS: '*' },
  Action: 'sqs:*',
  Resource: arn(queue),
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
});
const mayDeliver = (service: 'events' | 'sns', queue: string, source: unknown) =>
  expect.objectContaining({
    Effect: 'Allow',
    Principal: { Service: `${service}.amazonaws.com` },
    Action: 'sqs:SendMessage',
    Resource: arn(queue),
    Condition: { ArnEquals: { 'aws:SourceArn': source } },
  }) as unknown;

/** Statements of what Lambda does by a worker's role, without those for its log. */
function sourceStatements(name: string): Statement[] {
  const { Properties } = one('AWS::IAM::Role', `${name}FunctionRole`);
  const policies = Properties['Policies'] as {
    PolicyName: string;
    PolicyDocument: { Statement: Statement[] };
  }[];
  const [granted] = policies.filter(({ PolicyName }) => PolicyName === 'lambda');
  const [log, ...others] = granted!.PolicyDocument.Statement;
  expect(log).toMatchObject({ Action: ['logs:CreateLogStream', 'logs:PutLogEvents'] });
  return others;
}

describe.each(['Timed', 'Queued', 'Texted', 'Ordered', 'Streamed'])('the worker %s', (name) => {
  test('is a function with a role of its own, and the time that it was given', () => {
    const { Properties } = functionOf(name);
    expect(Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Timeout: 40,
      Role: arn(one('AWS::IAM::Role', `${name}FunctionRole`).id),
    });
    expect(Properties['Description']).toMatch(/^\w+: Works$/);
  });

  test('has a queue of dead letters of its own: encrypted, over TLS alone, kept for two weeks', () => {
    const { id, Properties } = deadLettersOf(name);
    const isFifo = name === 'Ordered' && { FifoQueue: true };
    expect(Properties).toEqual({
      ...isFifo,
      MessageRetentionPeriod: 14 * 86_400,
      SqsManagedSseEnabled: true,
      Tags,
    });
    expect(statementsOf(id)).toContainEqual(overTlsAlone(id));
  });
});

describe('a schedule', () => {
  test('calls its worker at its rate; what cannot be delivered is a dead letter', () => {
    const { id, Properties } = one('AWS::Events::Rule', 'TimedSchedule');
    const target = functionOf('Timed').id;
    expect(Properties).toEqual({
      ScheduleExpression: 'rate(5 minutes)',
      State: 'ENABLED',
      Targets: [
        { Arn: arn(target), Id: 'Target0', DeadLetterConfig: { Arn: arn(deadLettersOf('Timed').id) } },
      ],
      Tags,
    });
    expect(one('AWS::Lambda::Permission', 'Timed').Properties).toEqual({
      Action: 'lambda:InvokeFunction',
      FunctionName: arn(target),
      Principal: 'events.amazonaws.com',
      SourceArn: arn(id),
    });
    const deadLetters = deadLettersOf('Timed').id;
    expect(statementsOf(deadLetters)).toEqual([
      overTlsAlone(deadLetters),
      mayDeliver('events', deadLetters, arn(id)),
    ]);
  });

  test('has its worker tried again twice, then its event among the dead letters', () => {
    const deadLetters = arn(deadLettersOf('Timed').id);
    expect(one('AWS::Lambda::EventInvokeConfig', 'Timed').Properties).toEqual({
      FunctionName: { Ref: functionOf('Timed').id },
      Qualifier: '$LATEST',
      MaximumRetryAttempts: 2,
      DestinationConfig: { OnFailure: { Destination: deadLetters } },
    });
    expect(sourceStatements('Timed')).toEqual([
      {
        Effect: 'Allow',
        Action: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'],
        Resource: deadLetters,
      },
    ]);
  });
});

describe('a queue', () => {
  test('is of its own, and keeps for two weeks what nobody reads; a message that failed so often is a dead letter', () => {
    const { id, Properties } = one('AWS::SQS::Queue', 'QueuedQueue');
    expect(Properties).toEqual({
      MessageRetentionPeriod: 14 * 86_400,
      SqsManagedSseEnabled: true,
      VisibilityTimeout: 240,
      RedrivePolicy: { deadLetterTargetArn: arn(deadLettersOf('Queued').id), maxReceiveCount: 10 },
      Tags,
    });
    expect(statementsOf(id)).toEqual([overTlsAlone(id)]);
    expect(statementsOf(deadLettersOf('Queued').id)).toEqual([overTlsAlone(deadLettersOf('Queued').id)]);
  });

  test('gives its worker one message at a time, and its role may do no more than that needs', () => {
    const queue = arn(one('AWS::SQS::Queue', 'QueuedQueue').id);
    expect(one('AWS::Lambda::EventSourceMapping', 'Queued').Properties).toEqual({
      FunctionName: { Ref: functionOf('Queued').id },
      EventSourceArn: queue,
      BatchSize: 1,
      ScalingConfig: { MaximumConcurrency: 4 },
      Tags,
    });
    expect(sourceStatements('Queued')).toEqual([
      {
        Effect: 'Allow',
        Action: [
          'sqs:ChangeMessageVisibility',
          'sqs:DeleteMessage',
          'sqs:GetQueueAttributes',
          'sqs:GetQueueUrl',
          'sqs:ReceiveMessage',
        ],
        Resource: queue,
      },
    ]);
  });
});

describe('a FIFO queue', () => {
  const { id, Properties } = one('AWS::SQS::Queue', 'OrderedQueue');

  test('orders each group by itself, and shows a failed message again after the seconds that its worker says', () => {
    expect(Properties).toEqual({
      FifoQueue: true,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
      MessageRetentionPeriod: 14 * 86_400,
      SqsManagedSseEnabled: true,
      VisibilityTimeout: 60,
      RedrivePolicy: { deadLetterTargetArn: arn(deadLettersOf('Ordered').id), maxReceiveCount: 4 },
      Tags,
    });
  });

  test('keeps a message that its worker wants again, which is no failure', () => {
    expect(one('AWS::Lambda::EventSourceMapping', 'Ordered').Properties).toEqual({
      FunctionName: { Ref: functionOf('Ordered').id },
      EventSourceArn: arn(id),
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 10 },
      Tags,
    });
  });

  test('may be sent to by those alone that use it, who have its address', () => {
    const { id: role } = one('AWS::IAM::Role', 'StreamedFunctionRole');
    const statements = JSON.stringify(resources[role]!.Properties['Policies']);
    expect(statements).toContain(
      JSON.stringify([{ Action: 'sqs:SendMessage', Effect: 'Allow', Resource: arn(id) }]),
    );
    for (const name of ['Streamed', 'Ordered'])
      expect(functionOf(name).Properties['Environment']).toMatchObject({
        Variables: { WEBHOOK_QUEUE_URL: { Ref: id } },
      });
    for (const name of ['Timed', 'Queued'])
      expect(JSON.stringify(one('AWS::IAM::Role', `${name}FunctionRole`))).not.toContain(`["${id}",`);
  });
});

describe('a stream', () => {
  const parameterOf = (name: string) =>
    Object.entries(parameters).find(([, { Default }]) => Default === `/SalesPipeline-dev/${name}`)![0];

  test('gives its worker the new heads that name records, and what fails is a dead letter', () => {
    const stream = { Ref: parameterOf('table-stream-arn') };
    const pattern =
      '{"dynamodb":{"Keys":{"sk":{"S":["HEAD"]}},"NewImage":{"named":{"M":{"FLAG":{"S":[{"exists":true}]}}}}}}';
    expect(one('AWS::Lambda::EventSourceMapping', 'Streamed').Properties).toEqual({
      FunctionName: { Ref: functionOf('Streamed').id },
      EventSourceArn: stream,
      StartingPosition: 'LATEST',
      BatchSize: 100,
      MaximumRetryAttempts: 2,
      BisectBatchOnFunctionError: true,
      DestinationConfig: { OnFailure: { Destination: arn(deadLettersOf('Streamed').id) } },
      FilterCriteria: { Filters: [{ Pattern: pattern }] },
      Tags,
    });
    expect(sourceStatements('Streamed')).toEqual([
      {
        Effect: 'Allow',
        Action: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'],
        Resource: arn(deadLettersOf('Streamed').id),
      },
      {
        Effect: 'Allow',
        Action: [
          'dynamodb:DescribeStream',
          'dynamodb:GetRecords',
          'dynamodb:GetShardIterator',
          'dynamodb:ListStreams',
        ],
        Resource: stream,
      },
    ]);
  });

  test('and the key of secrets are known by parameters that the data writes', () => {
    const written = data.of('AWS::SSM::Parameter').map(([, { Properties }]) => Properties);
    const { id: key } = data.one('AWS::KMS::Key');
    expect(written.map(({ Name, Value }) => [Name, Value])).toEqual([
      ['/SalesPipeline-dev/table-stream-arn', { 'Fn::GetAtt': [expect.any(String), 'StreamArn'] }],
      ['/SalesPipeline-dev/secrets-key-arn', arn(key)],
    ]);
    const secretsKey = { Ref: parameterOf('secrets-key-arn') };
    expect(functionOf('Ordered').Properties['Environment']).toMatchObject({
      Variables: { SECRETS_KEY: secretsKey },
    });
    expect(JSON.stringify(one('AWS::IAM::Role', 'OrderedFunctionRole'))).toContain(
      JSON.stringify({ Action: 'kms:Decrypt', Effect: 'Allow', Resource: secretsKey }),
    );
  });
});

test('what a worker may do to the table is what its access says: of the indexes, `due` asks its own alone', () => {
  const { Properties } = one('AWS::IAM::Role', 'TimedFunctionRole');
  const statements = (Properties['Policies'] as { PolicyDocument: { Statement: Statement[] } }[]).flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );
  const allowed = statements
    .filter(({ Action }) => JSON.stringify(Action).includes('dynamodb:'))
    .flatMap(({ Action, Resource }) => [Action].flat().map((action) => [action, Resource] as const));
  expect(allowed.filter(([action]) => action === 'dynamodb:Query')).toEqual([
    ['dynamodb:Query', { 'Fn::Join': ['', expect.arrayContaining([':table/SalesPipeline-dev/index/gsi9'])] }],
  ]);
  expect([...new Set(allowed.map(([action]) => action))].sort()).toEqual([
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ]);
});

test('a topic may send to the queue and to its dead letters, and delivers only after it may', () => {
  const [queue, deadLetters] = [one('AWS::SQS::Queue', 'TextedQueue').id, deadLettersOf('Texted').id];
  const { DependsOn, Properties } = one('AWS::SNS::Subscription', 'TextedQueue');
  for (const id of [queue, deadLetters])
    expect(statementsOf(id)).toEqual([overTlsAlone(id), mayDeliver('sns', id, Properties['TopicArn'])]);
  expect(DependsOn).toEqual([one('AWS::SQS::QueuePolicy', 'TextedQueue').id]);
});

describe('what the CDK grants to a function', () => {
  test('makes no policy of its own', () => {
    expect(of('AWS::IAM::Policy')).toEqual([]);
  });

  test('is in its role, whatever it is', () => {
    const stack = new Stack();
    const role = new FunctionRole(stack, 'Role', {});
    const queue = new Queue(stack, 'Queue');
    queue.grantPurge(role);
    new Topic(stack, 'Topic').grantPublish(role);
    const { Resources } = Template.fromStack(stack).toJSON() as { Resources: Record<string, Resource> };
    expect(Object.values(Resources).map(({ Type }) => Type)).not.toContain('AWS::IAM::Policy');
    const [{ Properties }] = Object.values(Resources).filter(({ Type }) => Type === 'AWS::IAM::Role') as [
      Resource,
    ];
    expect(JSON.stringify(Properties['Policies'])).toMatch(/"sqs:PurgeQueue".*"sns:Publish"/);
  });
});

test("CloudFormation's own rules find nothing, nor do those of AWS that it does not know", () => {
  expect(violations).toEqual([]);
  expect(awsRefusals(resources)).toEqual([]);
});
