import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awsRefusals } from '../../support/aws-refusals.ts';
import { synthesizeWorkers } from '../../support/made-up-workers.ts';
import { workersOfEachKind } from '../../support/worker-kinds.ts';

interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  DeletionPolicy?: string;
}
interface Statement {
  Action: string | string[];
  Effect: string;
  Resource: unknown;
  Condition?: unknown;
}

let folder: string;
let resources: [name: string, resource: Resource][];
let violations: unknown[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'workers-'));
  synthesizeWorkers(folder, workersOfEachKind, { validate: true });
  const read = (file: string) =>
    JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, unknown>;
  resources = Object.entries(read('MadeUp.template.json')['Resources'] as Record<string, Resource>);
  violations = read('validation-report.json')['pluginReports'] as unknown[];
}, 180_000);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Finds the one resource of a type whose logical id begins with `start`. */
function one(type: string, start: string): { id: string; properties: Record<string, unknown> } {
  const found = resources.filter(([name, { Type }]) => Type === type && name.startsWith(start));
  expect(found.map(([name]) => name)).toEqual([expect.stringMatching(`^${start}`)]);
  const [[id, { Properties: properties }]] = found as [[string, Resource]];
  return { id, properties };
}

const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
const functionOf = (name: string) => one('AWS::Lambda::Function', `${name}Function`);
const deadLettersOf = (name: string) => one('AWS::SQS::Queue', `${name}DeadLetters`);

/** Policy of all queues. */
function queuePolicy(): { Queues: unknown; statements: Statement[] } {
  const { Queues, PolicyDocument } = one('AWS::SQS::QueuePolicy', 'WorkerPolicies').properties;
  return { Queues, statements: (PolicyDocument as { Statement: Statement[] }).Statement };
}
const overTlsAlone = (action: string) => ({
  Sid: 'OverTlsAlone',
  Effect: 'Deny',
  Principal: { AWS: '*' },
  Action: action,
  Resource: '*',
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
});
const mayDeliver = (service: 'Events' | 'Sns', ...sources: unknown[]) => ({
  Sid: `${service}MayDeliver`,
  Effect: 'Allow',
  Principal: { Service: `${service.toLowerCase()}.amazonaws.com` },
  Action: 'sqs:SendMessage',
  Resource: '*',
  Condition: { ArnEquals: { 'aws:SourceArn': sources } },
});
const topicPolicy = (start: string) => one('AWS::SNS::TopicPolicy', `WorkerPolicies${start}`).properties;
/** Topics of all workers, in their order. */
const topics = () => ['Texted', 'Published'].map((name) => ({ Ref: one('AWS::SNS::Topic', name).id }));

/** Statements of a worker's role, without those for its log and the table's items. */
function sourceStatements(name: string): Statement[] {
  const { properties } = one('AWS::IAM::Role', `${name}FunctionRole`);
  const policies = properties['Policies'] as {
    PolicyName: string;
    PolicyDocument: { Statement: Statement[] };
  }[];
  const source = policies.find(({ PolicyName }) => PolicyName === 'source');
  return source?.PolicyDocument.Statement ?? [];
}

describe.each(['Timed', 'Streamed', 'Queued', 'Texted', 'Published'])('the worker %s', (name) => {
  test('is a function with a role of its own, and the time that it was given', () => {
    const { properties } = functionOf(name);
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Timeout: 40,
      Role: arn(one('AWS::IAM::Role', `${name}FunctionRole`).id),
    });
    expect(properties['Description']).toMatch(/^\w+: Works$/);
  });

  test('has a queue of dead letters of its own: encrypted, over TLS alone, kept for two weeks', () => {
    const { id, properties } = deadLettersOf(name);
    expect(properties).toEqual({ MessageRetentionPeriod: 14 * 86_400, SqsManagedSseEnabled: true });
    expect(queuePolicy().Queues).toContainEqual({ Ref: id });
    expect(queuePolicy().statements).toContainEqual(overTlsAlone('sqs:*'));
  });
});

describe('a schedule', () => {
  test('calls its worker at its rate; what cannot be delivered is a dead letter', () => {
    const { id, properties } = one('AWS::Events::Rule', 'TimedSchedule');
    const target = functionOf('Timed').id;
    expect(properties).toEqual({
      ScheduleExpression: 'rate(5 minutes)',
      State: 'ENABLED',
      Targets: [
        { Arn: arn(target), Id: 'Target0', DeadLetterConfig: { Arn: arn(deadLettersOf('Timed').id) } },
      ],
    });
    expect(one('AWS::Lambda::Permission', 'Timed').properties).toEqual({
      Action: 'lambda:InvokeFunction',
      FunctionName: arn(target),
      Principal: 'events.amazonaws.com',
      SourceArn: arn(id),
    });
    expect(queuePolicy().statements).toContainEqual(mayDeliver('Events', arn(id)));
  });

  test('has its worker tried again twice, then its event among the dead letters', () => {
    const deadLetters = arn(deadLettersOf('Timed').id);
    expect(one('AWS::Lambda::EventInvokeConfig', 'Timed').properties).toEqual({
      FunctionName: { Ref: functionOf('Timed').id },
      Qualifier: '$LATEST',
      MaximumRetryAttempts: 2,
      DestinationConfig: { OnFailure: { Destination: deadLetters } },
    });
    expect(sourceStatements('Timed')).toEqual([
      { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: deadLetters },
    ]);
  });
});

describe('a topic', () => {
  test('is of its own, over TLS alone, and calls its worker; what cannot be delivered is a dead letter', () => {
    const { id } = one('AWS::SNS::Topic', 'Published');
    const target = functionOf('Published').id;
    expect(one('AWS::SNS::Subscription', 'Published').properties).toEqual({
      Protocol: 'lambda',
      TopicArn: { Ref: id },
      Endpoint: arn(target),
      RedrivePolicy: { deadLetterTargetArn: arn(deadLettersOf('Published').id) },
    });
    expect(one('AWS::Lambda::Permission', 'Published').properties).toEqual({
      Action: 'lambda:InvokeFunction',
      FunctionName: arn(target),
      Principal: 'sns.amazonaws.com',
      SourceArn: { Ref: id },
    });
    expect(queuePolicy().statements).toContainEqual(mayDeliver('Sns', ...topics()));
    expect(topicPolicy('Topics')).toEqual({
      Topics: [{ Ref: id }],
      PolicyDocument: { Version: '2012-10-17', Statement: [overTlsAlone('sns:Publish')] },
    });
  });

  test('has its worker tried again as often as that says, then its message among the dead letters', () => {
    const deadLetters = arn(deadLettersOf('Published').id);
    expect(one('AWS::Lambda::EventInvokeConfig', 'Published').properties).toEqual({
      FunctionName: { Ref: functionOf('Published').id },
      Qualifier: '$LATEST',
      MaximumRetryAttempts: 0,
      DestinationConfig: { OnFailure: { Destination: deadLetters } },
    });
    expect(sourceStatements('Published')).toEqual([
      { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: deadLetters },
    ]);
  });
});

describe('a queue', () => {
  test('is of its own, and keeps for two weeks what nobody reads; a message that failed so often is a dead letter', () => {
    const { id, properties } = one('AWS::SQS::Queue', 'QueuedQueue');
    expect(properties).toEqual({
      MessageRetentionPeriod: 14 * 86_400,
      SqsManagedSseEnabled: true,
      VisibilityTimeout: 240,
      RedrivePolicy: { deadLetterTargetArn: arn(deadLettersOf('Queued').id), maxReceiveCount: 10 },
    });
    expect(queuePolicy().Queues).toContainEqual({ Ref: id });
  });

  test('gives its worker one message at a time, and its role may do no more than that needs', () => {
    const queue = arn(one('AWS::SQS::Queue', 'QueuedQueue').id);
    expect(one('AWS::Lambda::EventSourceMapping', 'Queued').properties).toEqual({
      FunctionName: { Ref: functionOf('Queued').id },
      EventSourceArn: queue,
      BatchSize: 1,
      ScalingConfig: { MaximumConcurrency: 4 },
    });
    expect(sourceStatements('Queued')).toEqual([
      {
        Effect: 'Allow',
        Action: ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
        Resource: queue,
      },
    ]);
  });
});

describe('a stream', () => {
  test("is the table's; what fails is tried again alone, then told among the dead letters", () => {
    const stream = { 'Fn::GetAtt': [one('AWS::DynamoDB::GlobalTable', 'Table').id, 'StreamArn'] };
    const deadLetters = arn(deadLettersOf('Streamed').id);
    expect(one('AWS::Lambda::EventSourceMapping', 'Streamed').properties).toEqual({
      FunctionName: { Ref: functionOf('Streamed').id },
      EventSourceArn: stream,
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 50,
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 7,
      DestinationConfig: { OnFailure: { Destination: deadLetters } },
    });
    expect(sourceStatements('Streamed')).toEqual([
      { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: deadLetters },
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
});

test('what a worker may do to the table is what its access says: of the indexes, `due` asks its own alone', () => {
  const { properties } = one('AWS::IAM::Role', 'TimedFunctionRole');
  const statements = (properties['Policies'] as { PolicyDocument: { Statement: Statement[] } }[]).flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );
  const table = one('AWS::DynamoDB::GlobalTable', 'Table').id;
  const allowed = statements
    .filter(({ Action }) => JSON.stringify(Action).includes('dynamodb:'))
    .flatMap(({ Action, Resource }) => [Action].flat().map((action) => [action, Resource] as const));
  expect(allowed.filter(([action]) => action === 'dynamodb:Query')).toEqual([
    ['dynamodb:Query', { 'Fn::Join': ['', [arn(table), '/index/gsi9']] }],
  ]);
  expect([...new Set(allowed.map(([action]) => action))].sort()).toEqual([
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ]);
});

test('no permission is added beside those of the roles, and of the queues nothing more is allowed to others', () => {
  expect(resources.filter(([, { Type }]) => Type === 'AWS::IAM::Policy')).toEqual([]);
  expect(queuePolicy().statements).toHaveLength(3);
});

test("CloudFormation's own rules find nothing, nor do those of AWS that it does not know", () => {
  expect(violations).toEqual([]);
  expect(awsRefusals(Object.fromEntries(resources))).toEqual([]);
});
