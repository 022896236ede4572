import { describe, expect, test } from 'vitest';
import { awsRefusals } from '../../support/aws-refusals.ts';
import { templateWith } from '../../support/made-up-stack.ts';
import { workersOfEachKind } from '../../support/worker-kinds.ts';

interface Statement {
  Action: string | string[];
  Effect: string;
  Resource: unknown;
  Condition?: unknown;
}

const { resources, of, one, violations } = templateWith({
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

/** Policy of all queues. */
function queuePolicy(): { Queues: unknown; statements: Statement[] } {
  const { Queues, PolicyDocument } = one('AWS::SQS::QueuePolicy').Properties;
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

/** Statements of a worker's role, without those for its log and the table's items. */
function sourceStatements(name: string): Statement[] {
  const { Properties } = one('AWS::IAM::Role', `${name}FunctionRole`);
  const policies = Properties['Policies'] as {
    PolicyName: string;
    PolicyDocument: { Statement: Statement[] };
  }[];
  const source = policies.find(({ PolicyName }) => PolicyName === 'source');
  return source?.PolicyDocument.Statement ?? [];
}

describe.each(['Timed', 'Queued', 'Texted'])('the worker %s', (name) => {
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
    expect(Properties).toEqual({ MessageRetentionPeriod: 14 * 86_400, SqsManagedSseEnabled: true, Tags });
    expect(queuePolicy().Queues).toContainEqual({ Ref: id });
    expect(queuePolicy().statements).toContainEqual(overTlsAlone('sqs:*'));
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
    expect(queuePolicy().statements).toContainEqual(mayDeliver('Events', arn(id)));
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
      { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: deadLetters },
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
    expect(queuePolicy().Queues).toContainEqual({ Ref: id });
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
        Action: ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
        Resource: queue,
      },
    ]);
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

test('no permission is added beside those of the roles, and of the queues nothing more is allowed to others', () => {
  expect(of('AWS::IAM::Policy')).toEqual([]);
  expect(queuePolicy().statements).toHaveLength(3);
});

test("CloudFormation's own rules find nothing, nor do those of AWS that it does not know", () => {
  expect(violations).toEqual([]);
  expect(awsRefusals(resources)).toEqual([]);
});
