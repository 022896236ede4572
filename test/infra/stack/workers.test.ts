import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { lanesOf, sendersIn } from '../../../infra/stack/webhooks.ts';
import { templateWith, type Template } from '../../support/template/made-up-stack.ts';
import { workersOfEachKind } from '../../support/template/workers-of-each-kind.ts';

const service = templateWith({
  stage: 'dev',
  settings: { accountConcurrency: 400 },
  workers: workersOfEachKind,
});
const { one, parameters, data } = service;

/** Tags of every resource. */
const Tags = [
  { Key: 'service', Value: 'SalesPipeline' },
  { Key: 'stage', Value: 'dev' },
];
const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
const functionOf = (name: string) => one('AWS::Lambda::Function', `${name}Function`).id;
const queueOf = (name: string) => one('AWS::SQS::Queue', `${name}Queue`);
const deadLettersOf = (name: string) => one('AWS::SQS::Queue', `${name}DeadLetters`).id;
const sourceOf = (name: string) => one('AWS::Lambda::EventSourceMapping', name).Properties;
const kept = { MessageRetentionPeriod: 14 * 86_400, SqsManagedSseEnabled: true, Tags };

/** Statements of the policy of one queue. */
function statementsOf(queue: string, { of }: Template = service): unknown {
  const policies = of('AWS::SQS::QueuePolicy').filter(([, { Properties }]) =>
    isDeepStrictEqual(Properties['Queues'], [{ Ref: queue }]),
  );
  expect(policies).toHaveLength(1);
  return (policies[0]![1].Properties['PolicyDocument'] as { Statement: unknown }).Statement;
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

test.each(['Timed', 'Queued', 'Texted', 'Ordered', 'Streamed'])(
  'the worker %s has the time that it was given, and its dead letters are kept for two weeks',
  (name) => {
    const { Properties } = one('AWS::Lambda::Function', `${name}Function`);
    expect(Properties).toMatchObject({
      Timeout: 40,
      Description: expect.stringMatching(/^\w+: Works$/) as string,
    });
    const { one: oneOf } = name === 'Texted' ? data : service;
    expect(oneOf('AWS::SQS::Queue', `${name}DeadLetters`).Properties).toEqual({
      ...kept,
      ...(name === 'Ordered' && { FifoQueue: true }),
      ...(name === 'Texted' && { QueueName: 'SalesPipeline-dev-TextedDeadLetters' }),
    });
  },
);

test('a schedule calls its worker at its rate, and once more for each retry; what fails or cannot be delivered is a dead letter', () => {
  const { id, Properties } = one('AWS::Events::Rule', 'TimedSchedule');
  const target = functionOf('Timed');
  const deadLetters = deadLettersOf('Timed');
  expect(Properties).toEqual({
    ScheduleExpression: 'rate(5 minutes)',
    State: 'ENABLED',
    Targets: [{ Arn: arn(target), Id: 'Target0', DeadLetterConfig: { Arn: arn(deadLetters) } }],
    Tags,
  });
  expect(one('AWS::Lambda::Permission', 'Timed').Properties).toEqual({
    Action: 'lambda:InvokeFunction',
    FunctionName: arn(target),
    Principal: 'events.amazonaws.com',
    SourceArn: arn(id),
  });
  expect(statementsOf(deadLetters)).toEqual([
    overTlsAlone(deadLetters),
    mayDeliver('events', deadLetters, arn(id)),
  ]);
  expect(one('AWS::Lambda::EventInvokeConfig', 'Timed').Properties).toEqual({
    FunctionName: { Ref: target },
    Qualifier: '$LATEST',
    MaximumRetryAttempts: 2,
    DestinationConfig: { OnFailure: { Destination: arn(deadLetters) } },
  });
});

test('a queue gives its worker one message at a time, and hides it for six times the time limit; what failed so often is a dead letter', () => {
  const { id, Properties } = queueOf('Queued');
  expect(Properties).toEqual({
    ...kept,
    VisibilityTimeout: 240,
    RedrivePolicy: { deadLetterTargetArn: arn(deadLettersOf('Queued')), maxReceiveCount: 10 },
  });
  expect(statementsOf(id)).toEqual([overTlsAlone(id)]);
  expect(sourceOf('Queued')).toEqual({
    FunctionName: { Ref: functionOf('Queued') },
    EventSourceArn: arn(id),
    BatchSize: 1,
    ScalingConfig: { MaximumConcurrency: 4 },
    Tags,
  });
});

test('a FIFO queue orders each group by itself, and keeps a message that its worker wants again, for the seconds that this says', () => {
  const { id, Properties } = queueOf('Ordered');
  expect(Properties).toEqual({
    ...kept,
    FifoQueue: true,
    DeduplicationScope: 'messageGroup',
    FifoThroughputLimit: 'perMessageGroupId',
    VisibilityTimeout: 60,
    RedrivePolicy: { deadLetterTargetArn: arn(deadLettersOf('Ordered')), maxReceiveCount: 4 },
  });
  expect(sourceOf('Ordered')).toEqual({
    FunctionName: { Ref: functionOf('Ordered') },
    EventSourceArn: arn(id),
    BatchSize: 1,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: 40 },
    Tags,
  });
});

test.each([
  [10, 2, 1],
  [100, 10, 2],
  [1000, 100, 25],
  [20_000, 1000, 250],
])(
  'of %i invocations of the account, %i send webhooks, %i for one organization',
  (account, senders, lanes) => {
    expect(sendersIn(account)).toBe(senders);
    expect(lanesOf(senders)).toBe(lanes);
  },
);

test.each(['Ordered', 'Streamed'])('the worker %s has the queue, and the lanes of its senders', (name) => {
  expect(one('AWS::Lambda::Function', `${name}Function`).Properties).toHaveProperty('Environment.Variables', {
    METRICS_NAMESPACE: 'SalesPipeline-dev',
    WEBHOOK_LANES: '10',
    WEBHOOK_QUEUE_URL: { Ref: queueOf('Ordered').id },
    ...(name === 'Ordered' && { TABLE_NAME: 'SalesPipeline-dev', SECRETS_KEY: expect.anything() as unknown }),
  });
});

test('a stream gives its worker the new heads that name records, and what fails is a dead letter', () => {
  const [parameter] = Object.entries(parameters).find(
    ([, { Default }]) => Default === '/SalesPipeline-dev/table-stream-arn',
  )!;
  const pattern =
    '{"dynamodb":{"Keys":{"sk":{"S":["HEAD"]}},"NewImage":{"named":{"M":{"FLAG":{"S":[{"exists":true}]}}}}}}';
  expect(sourceOf('Streamed')).toEqual({
    FunctionName: { Ref: functionOf('Streamed') },
    EventSourceArn: { Ref: parameter },
    StartingPosition: 'LATEST',
    BatchSize: 100,
    MaximumRetryAttempts: 2,
    BisectBatchOnFunctionError: true,
    DestinationConfig: { OnFailure: { Destination: arn(deadLettersOf('Streamed')) } },
    FilterCriteria: { Filters: [{ Pattern: pattern }] },
    MetricsConfig: { Metrics: ['EventCount'] },
    Tags,
  });
});

test('the queue of texts is data: its worker reads it by its name', () => {
  const QueueName = 'SalesPipeline-dev-TextedQueue';
  const { id, Properties } = data.one('AWS::SQS::Queue', 'TextedQueue');
  const deadLetters = data.one('AWS::SQS::Queue', 'TextedDeadLetters').id;
  expect(Properties).toEqual({
    ...kept,
    QueueName,
    VisibilityTimeout: 240,
    RedrivePolicy: { deadLetterTargetArn: arn(deadLetters), maxReceiveCount: 6 },
  });
  expect(sourceOf('Texted')).toMatchObject({
    FunctionName: { Ref: functionOf('Texted') },
    EventSourceArn: { 'Fn::Join': ['', expect.arrayContaining([`:${QueueName}`])] },
    BatchSize: 1,
    ScalingConfig: { MaximumConcurrency: 2 },
  });
  expect(service.of('AWS::SQS::Queue').filter(([name]) => name.startsWith('Texted'))).toEqual([]);
  // The table is made last.
  expect(data.one('AWS::DynamoDB::GlobalTable').DependsOn).toEqual(expect.arrayContaining([id, deadLetters]));
});

test('a topic may send to the queue and to its dead letters, and delivers only after it may', () => {
  const [queue, deadLetters] = ['TextedQueue', 'TextedDeadLetters'].map(
    (start) => data.one('AWS::SQS::Queue', start).id,
  ) as [string, string];
  const { DependsOn, Properties } = data.one('AWS::SNS::Subscription', 'TextedQueue');
  expect(Properties).toMatchObject({
    Protocol: 'sqs',
    Endpoint: arn(queue),
    RedrivePolicy: { deadLetterTargetArn: arn(deadLetters) },
  });
  for (const id of [queue, deadLetters])
    expect(statementsOf(id, data)).toEqual([overTlsAlone(id), mayDeliver('sns', id, Properties['TopicArn'])]);
  expect(DependsOn).toEqual([data.one('AWS::SQS::QueuePolicy', 'TextedQueue').id]);
});
