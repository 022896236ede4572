import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../../../infra/functions.ts';
import { alarmHeadings } from '../../../../infra/stack/watch/alarms.ts';
import { allSettings } from '../../../support/made-up-stack.ts';
import { propertiesIn } from '../../../support/watched.ts';
import { watchedStack } from './watched-stack.ts';

interface AlarmProperties extends Record<string, unknown> {
  AlarmName: string;
  AlarmDescription: string;
}

const stack = watchedStack();
const alarms = new Map(
  propertiesIn<AlarmProperties>(stack, 'AWS::CloudWatch::Alarm').map((alarm) => [alarm.AlarmName, alarm]),
);
const alarm = (name: string) => alarms.get(`SalesPipeline-prod-${name}`);
const logicalId = (type: string, start: string) => {
  const found = Object.keys(stack).filter((id) => stack[id]!.Type === type && id.startsWith(start));
  expect(found).toHaveLength(1);
  return found[0]!;
};

/** Metric of an expression, as the template has it. */
const named = (
  id: string,
  [namespace, name, dimensions]: [string, string, Record<string, string>?],
  { Stat, Period }: { Stat: string; Period: number },
) => ({
  Id: id,
  MetricStat: {
    Metric: {
      Namespace: namespace,
      MetricName: name,
      ...(dimensions && { Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })) }),
    },
    Stat,
    Period,
  },
  ReturnData: false,
});
const expression = (text: string): unknown => expect.objectContaining({ Expression: text, ReturnData: true });

const api = { ApiName: 'SalesPipeline-prod', Stage: 'prod' };

describe('an alarm of the API', () => {
  test('is: at least 1 % of what functions do failed, and three times, within five minutes', () => {
    const sum = { Stat: 'Sum', Period: 300 };
    expect(alarm('ServerErrors')).toMatchObject({
      Metrics: [
        expression('IF(failed >= 3, 100 * failed / (failed + FILL(served, 0)), 0)'),
        { Id: 'failed', Expression: 'FILL(errors, 0) + FILL(hidden, 0)', ReturnData: false },
        named('errors', ['SalesPipeline-prod', 'internalErrors'], sum),
        named('hidden', ['SalesPipeline-prod', 'hiddenErrors'], sum),
        // The number of the API's requests would hide failures, since no function serves many of them.
        named('served', ['SalesPipeline-prod', 'milliseconds'], { Stat: 'SampleCount', Period: 300 }),
      ],
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 1,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  test.each<[string, string, unknown[]]>([
    [
      'UnloggedErrors',
      'half of the answers of 500 and above, and three of them, are in no log',
      [
        expression('IF(FILL(all, 0) >= 3, 100 * (all - logged) / all, 0)'),
        named('all', ['AWS/ApiGateway', '5XXError', api], { Stat: 'Sum', Period: 300 }),
        {
          Id: 'logged',
          Expression: 'FILL(internal, 0) + FILL(undelivered, 0) + FILL(unavailable, 0)',
          ReturnData: false,
        },
        named('internal', ['SalesPipeline-prod', 'internalErrors'], { Stat: 'Sum', Period: 300 }),
        named('undelivered', ['SalesPipeline-prod', 'answers', { answer: '502' }], {
          Stat: 'Sum',
          Period: 300,
        }),
        named('unavailable', ['SalesPipeline-prod', 'answers', { answer: '503' }], {
          Stat: 'Sum',
          Period: 300,
        }),
      ],
    ],
    [
      'LockedOut',
      'all of 20 requests and more are refused',
      [
        expression('IF(FILL(requests, 0) >= 20, 100 * refused / requests, 0)'),
        named('requests', ['AWS/ApiGateway', '4XXError', api], { Stat: 'SampleCount', Period: 300 }),
        named('refused', ['AWS/ApiGateway', '4XXError', api], { Stat: 'Sum', Period: 300 }),
      ],
    ],
  ])('%s is, three times five minutes: %s', (name, _, Metrics) => {
    expect(alarm(name)).toMatchObject({
      Metrics,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: name === 'LockedOut' ? 100 : 50,
      EvaluationPeriods: 3,
      TreatMissingData: 'notBreaching',
    });
  });

  test('NoTraffic is: as many hours as are set without a served request, also without data, and not there for 0', () => {
    expect(alarm('NoTraffic')).toMatchObject({
      Metrics: [
        expression('FILL(served, 0)'),
        named('served', ['SalesPipeline-prod', 'milliseconds'], { Stat: 'SampleCount', Period: 3600 }),
      ],
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      EvaluationPeriods: allSettings.alarmAfterHoursWithoutTraffic,
      TreatMissingData: 'breaching',
    });
    const without = watchedStack({ settings: { ...allSettings, alarmAfterHoursWithoutTraffic: 0 } });
    expect(propertiesIn(without, 'AWS::CloudWatch::Alarm')).toHaveLength(alarms.size - 1);
  });

  test('is: one in a hundred answers above 3 seconds, for a quarter of an hour', () => {
    expect(alarm('SlowAnswers')).toMatchObject({
      Namespace: 'SalesPipeline-prod',
      MetricName: 'milliseconds',
      ExtendedStatistic: 'p99',
      Period: 300,
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 3000,
      EvaluationPeriods: 3,
      TreatMissingData: 'notBreaching',
    });
    expect(alarm('SlowAnswers')).not.toHaveProperty('DatapointsToAlarm');
  });

  const key = { Region: 'us-east-1', Rule: 'RequestsPerKey', WebACL: 'SalesPipeline-prod' };
  test.each<
    [string, string, string, Parameters<typeof named>[1], period: number, threshold: number, stat?: string]
  >([
    [
      'RefusedWrites',
      'five refusals of the ledger within five minutes',
      'refusals',
      ['SalesPipeline-prod', 'refusals'],
      300,
      5,
    ],
    [
      'WriteUnits',
      'four fifths of the write units that are set, for five minutes',
      'units',
      ['AWS/DynamoDB', 'ConsumedWriteCapacityUnits', { TableName: 'SalesPipeline-prod' }],
      300,
      0.8 * allSettings.maxWriteRequestUnits * 300,
    ],
    [
      'RefusedKeys',
      "anything that the rate of a key refuses, of the stack's own web ACL",
      'blocked',
      ['AWS/WAFV2', 'BlockedRequests', key],
      300,
      1,
    ],
    [
      'TextsFail',
      'three texts within an hour that the provider did not take',
      'failed',
      ['SalesPipeline-prod', 'answers', { answer: '502' }],
      3600,
      3,
    ],
    [
      'DisabledWebhooks',
      'one webhook that was disabled',
      'disabled',
      ['SalesPipeline-prod', 'disabledWebhooks'],
      300,
      1,
    ],
    [
      'Concurrency',
      'four fifths of the concurrency that is set for the account',
      'claimed',
      ['AWS/Lambda', 'ClaimedAccountConcurrency'],
      300,
      0.8 * allSettings.accountConcurrency,
      'Maximum',
    ],
    [
      'Throttled',
      'three invocations that Lambda refused within five minutes',
      'throttled',
      ['AWS/Lambda', 'Throttles'],
      300,
      3,
    ],
  ])('%s is: %s', (name, _, id, metric, Period, Threshold, Stat = 'Sum') => {
    expect(alarm(name)).toMatchObject({
      Metrics: [expression(`FILL(${id}, 0)`), named(id, metric, { Stat, Period })],
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  test('is not there for keys without a web ACL of the stack, and there for texts without an identity', () => {
    const { smsOriginationIdentity, ...settings } = allSettings;
    const names = propertiesIn<AlarmProperties>(
      watchedStack({ settings: { ...settings, webAcl: 'none' } }),
      'AWS::CloudWatch::Alarm',
    ).map(({ AlarmName }) => AlarmName);
    expect(smsOriginationIdentity).toBeDefined();
    expect(names).toEqual([...alarms.keys()].filter((name) => !name.endsWith('-RefusedKeys')));
  });
});

describe('an alarm of a worker', () => {
  test.each([
    ...['Timed', 'Queued', 'Texted', 'Ordered', 'Streamed'].map(
      (name) => ['a dead letter', name, 'DeadLetters', 'DeadLetters'] as const,
    ),
    ...['Queued', 'Texted', 'Ordered'].map(
      (name) => ['a message of 15 minutes', name, 'Queue', 'Stuck'] as const,
    ),
  ])('is: %s in a queue of %s', (_, name, queue, end) => {
    const isStuck = end === 'Stuck';
    expect(alarm(`${name}${end}`)).toMatchObject({
      Namespace: 'AWS/SQS',
      MetricName: isStuck ? 'ApproximateAgeOfOldestMessage' : 'ApproximateNumberOfMessagesVisible',
      Dimensions: [
        { Name: 'QueueName', Value: `${logicalId('AWS::SQS::Queue', `${name}${queue}`)}.QueueName` },
      ],
      Statistic: 'Maximum',
      Period: 300,
      ComparisonOperator: isStuck ? 'GreaterThanThreshold' : 'GreaterThanOrEqualToThreshold',
      Threshold: isStuck ? 900 : 1,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
      AlarmDescription: expect.stringMatching(
        isStuck ? /^Nobody knows\. .*15 minutes/ : /^Nobody knows\. /,
      ) as string,
    });
  });

  test('on a stream is: a record that waited for 15 minutes', () => {
    expect(alarm('StreamedStuck')).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'IteratorAge',
      Dimensions: [{ Name: 'FunctionName', Value: 'SalesPipeline-prod-Streamed' }],
      Statistic: 'Maximum',
      Period: 300,
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 900_000,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  test('on a schedule is: no run that succeeded within three of its intervals, also when there is none at all', () => {
    const worker = { FunctionName: 'SalesPipeline-prod-Timed' };
    expect(stack[logicalId('AWS::Lambda::Function', 'TimedFunction')]!.Properties).toMatchObject(worker);
    expect(alarm('TimedStuck')).toMatchObject({
      Metrics: [
        expression('FILL(runs, 0) - FILL(errors, 0)'),
        named('runs', ['AWS/Lambda', 'Invocations', worker], { Stat: 'Sum', Period: 300 }),
        named('errors', ['AWS/Lambda', 'Errors', worker], { Stat: 'Sum', Period: 300 }),
      ],
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      EvaluationPeriods: 3,
      TreatMissingData: 'breaching',
      AlarmDescription: expect.stringMatching(/^Nobody knows\. .*15 minutes/) as string,
    });
  });
});

describe('every alarm', () => {
  test('tells the topic when it fires, and when it is over', () => {
    expect(alarms.size).toBe(12 + 5 + 5);
    const topic = 'arn:aws:sns:us-east-1:000000000000:SalesPipeline-prod-alarms';
    for (const each of alarms.values())
      expect(each).toMatchObject({ AlarmActions: [topic], OKActions: [topic] });
  });

  test('says in at most two sentences what breaks, what to do, and where that is written', () => {
    const operations = readFileSync(join(root, 'docs/operations.md'), 'utf8');
    const cited = [...alarms.values()].map(({ AlarmDescription }) => {
      expect(AlarmDescription.length).toBeLessThanOrEqual(1024);
      expect(AlarmDescription.split(/(?<=[.!?]) (?=[A-Z])/).length).toBeLessThanOrEqual(2);
      const [, heading = ''] = /: docs\/operations\.md, (\w+)\.$/.exec(AlarmDescription) ?? [];
      expect(operations.split('\n')).toContain(`#### ${heading}`);
      return heading;
    });
    expect(new Set(cited)).toEqual(new Set(alarmHeadings));
  });
});

test('answers of 500 are counted in the access log, where each is a text', () => {
  const [filter] = propertiesIn<Record<string, unknown>>(stack, 'AWS::Logs::MetricFilter');
  expect(filter).toEqual({
    LogGroupName: '/SalesPipeline-prod/access',
    FilterPattern: '{ $.status = "500" }',
    MetricTransformations: [
      {
        MetricNamespace: 'SalesPipeline-prod',
        MetricName: 'internalErrors',
        MetricValue: '1',
        DefaultValue: 0,
      },
    ],
  });
});
