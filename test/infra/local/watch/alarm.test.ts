import { beforeEach, describe, expect, test } from 'vitest';
import * as v from 'valibot';
import { LocalError } from '../../../../infra/local/local-error.ts';
import { alarmOf, isAlarm } from '../../../../infra/local/watch/alarm.ts';
import { AlarmStates } from '../../../../infra/local/watch/alarm-states.ts';
import { statisticOf } from '../../../../infra/local/watch/metric-store.ts';
import { AlarmResource } from '../../../../infra/local/watch/resources.ts';

const minute = 60_000;

/** An alarm, as a template describes it. */
function alarm(properties: object) {
  const common = {
    AlarmDescription: 'Something is wrong.',
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    Threshold: 1,
    EvaluationPeriods: 1,
    TreatMissingData: 'notBreaching',
    Namespace: 'N',
    MetricName: 'errors',
    Statistic: 'Sum',
    Period: 300,
  };
  const Type = 'AWS::CloudWatch::Alarm';
  const { Properties } = v.parse(AlarmResource, { Type, Properties: { ...common, ...properties } });
  return alarmOf('Wrong', Properties, (metric) => metric);
}

/** Data points in the notation of AWS's documentation: X breaches, 0 does not, - is missing. */
const dataPoints = (text: string) =>
  text.split(' ').map((point) => (point === '-' ? undefined : point === 'X' ? 1 : 0));

// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
const documented: [datapointsToAlarm: number, [text: string, breaching: string, notBreaching: string][]][] = [
  [
    3,
    [
      ['0 - X - X', 'OK', 'OK'],
      ['0 - - - -', 'OK', 'OK'],
      ['- - - - -', 'ALARM', 'OK'],
      ['0 X X - X', 'ALARM', 'ALARM'],
      ['- - X X X', 'ALARM', 'ALARM'],
      ['- - - - X', 'ALARM', 'OK'],
      ['X - - - -', 'ALARM', 'OK'],
    ],
  ],
  [
    2,
    [
      ['0 - X - X', 'ALARM', 'ALARM'],
      ['0 0 X 0 X', 'ALARM', 'ALARM'],
      ['0 - X - -', 'ALARM', 'OK'],
      ['- - - - 0', 'ALARM', 'OK'],
      ['- - - - X', 'ALARM', 'OK'],
    ],
  ],
];
describe.each(documented)('%i of 3 data points, as in the documentation:', (DatapointsToAlarm, examples) => {
  test.each(examples)('%s is %s if missing ones breach, else %s', (text, breaching, notBreaching) => {
    const stateWith = (TreatMissingData: string) =>
      isAlarm(alarm({ EvaluationPeriods: 3, DatapointsToAlarm, TreatMissingData }), dataPoints(text))
        ? 'ALARM'
        : 'OK';
    expect(stateWith('breaching')).toBe(breaching);
    expect(stateWith('notBreaching')).toBe(notBreaching);
  });
});

test.each([
  ['Sum', 69],
  ['SampleCount', 10],
  ['Average', 6.9],
  ['Minimum', 1],
  ['Maximum', 10],
  ['p10', 1],
  ['p40', 3],
  ['p50', 10],
  ['p99.9', 10],
])('the %s counts repeated values', (name, value) => {
  const counts = new Map([
    [10, 6],
    [1, 1],
    [3, 2],
    [2, 1],
  ]);
  expect(statisticOf(name)(counts)).toBe(value);
});

describe('an alarm', () => {
  let states: AlarmStates;
  /** A full minute. */
  const start = 1_800_000_000_000;
  const note = (name: string, value: number, minutes: number) => {
    states.add({ namespace: 'N', name, dimensions: {}, value, at: start + minutes * minute + 1 });
  };
  const evaluate = (minutes: number) => states.evaluate(start + minutes * minute).map(({ state }) => state);
  beforeEach(() => {
    states = new AlarmStates(start);
  });

  test('changes once when a value breaches, and once when that is over', () => {
    states.keep([alarm({ Threshold: 3 })]);
    note('errors', 2, 0);
    expect(evaluate(1)).toEqual([]);
    note('errors', 1, 1);
    // The current minute does not count yet.
    expect(evaluate(1)).toEqual([]);
    expect(evaluate(2)).toEqual(['ALARM']);
    expect(evaluate(5)).toEqual([]);
    expect(states.states).toEqual([
      { name: 'Wrong', sentence: 'Something is wrong.', state: 'ALARM', value: 3 },
    ]);
    note('errors', 0, 6);
    expect(evaluate(7)).toEqual(['OK']);
  });

  test('reads two earlier periods if newer data points are missing', () => {
    states.keep([alarm({})]);
    note('errors', 1, 0);
    expect(evaluate(1)).toEqual(['ALARM']);
    expect(evaluate(15)).toEqual([]);
    expect(evaluate(16)).toEqual(['OK']);
  });

  test('evaluates nested expressions of two metrics', () => {
    const stat = (Id: string) => ({
      Id,
      ReturnData: false,
      MetricStat: { Metric: { Namespace: 'N', MetricName: Id }, Period: 60, Stat: 'Sum' },
    });
    const Metrics = [
      { Id: 'rate', Expression: 'IF(enough, 100 * errors / requests, 0)' },
      { Id: 'enough', Expression: 'errors >= 3', ReturnData: false },
      stat('errors'),
      stat('requests'),
    ];
    states.keep([alarm({ MetricName: undefined, Period: undefined, Metrics, Threshold: 10 })]);
    note('requests', 2, 0);
    note('errors', 2, 0);
    expect(evaluate(1)).toEqual([]);
    note('requests', 30, 1);
    note('errors', 3, 1);
    expect(evaluate(2)).toEqual(['ALARM']);
    note('requests', 31, 2);
    note('errors', 3, 2);
    expect(evaluate(3)).toEqual(['OK']);
  });

  test('on too low a value waits until its periods are over, at the start and after the computer slept', () => {
    const TooLittle = { ComparisonOperator: 'LessThanThreshold', Period: 900 };
    states.keep([alarm({ ...TooLittle, TreatMissingData: 'breaching' })]);
    for (let minutes = 1; minutes < 15; minutes++) expect(evaluate(minutes)).toEqual([]);
    expect(evaluate(15)).toEqual(['ALARM']);
    note('errors', 1, 15);
    expect(evaluate(16)).toEqual(['OK']);
    states.restart(start + 600 * minute);
    expect(evaluate(600)).toEqual([]);
    expect(evaluate(614)).toEqual([]);
    expect(evaluate(615)).toEqual(['ALARM']);
  });

  test('keeps its state and data when the template is read again, and a removed alarm goes', () => {
    states.keep([alarm({}), alarm({ AlarmName: 'Other', MetricName: 'others' })]);
    note('errors', 1, 0);
    note('others', 1, 0);
    expect(evaluate(1)).toEqual(['ALARM', 'ALARM']);
    states.keep([alarm({})]);
    expect(states.states.map(({ name }) => name)).toEqual(['Wrong']);
    expect(evaluate(2)).toEqual([]);
    states.keep([alarm({}), alarm({ AlarmName: 'Other', MetricName: 'others' })]);
    expect(evaluate(3)).toEqual([]);
  });

  test('forgets values that it cannot read any more', () => {
    states.keep([alarm({})]);
    note('errors', 1, 0);
    evaluate(60);
    // No clock goes back, except this one.
    expect(evaluate(1)).toEqual([]);
  });
});

test.each([
  ['missing data that keeps its state', { TreatMissingData: 'ignore' }],
  ['a period of seconds', { Period: 30 }],
  ['a band', { ComparisonOperator: 'LessThanLowerOrGreaterThanUpperThreshold' }],
  ['a trimmed mean', { Statistic: undefined, ExtendedStatistic: 'tm99' }],
  ['no statistic', { Statistic: undefined }],
  [
    'an expression of what is not there',
    { MetricName: undefined, Metrics: [{ Id: 'e', Expression: 'a + 1' }] },
  ],
])('an alarm with %s is refused', (_, properties) => {
  expect(() => alarm(properties)).toThrow();
});

test('an alarm of metrics of two periods is refused', () => {
  const stat = (Id: string, Period: number) => ({
    Id,
    ReturnData: false,
    MetricStat: { Metric: { Namespace: 'N', MetricName: Id }, Period, Stat: 'Sum' },
  });
  const Metrics = [{ Id: 'e', Expression: 'a + b' }, stat('a', 60), stat('b', 300)];
  expect(() => alarm({ MetricName: undefined, Metrics })).toThrow(LocalError);
});
