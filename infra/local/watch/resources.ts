import * as v from 'valibot';

/** Resources of logs, metrics and alarms, with the properties that this machine needs. */

const Text = v.string();

const LogGroupResource = v.object({
  Type: v.literal('AWS::Logs::LogGroup'),
  Properties: v.object({ LogGroupName: Text }),
});

const digits = v.pipe(Text, v.regex(/^\d+(\.\d+)?$/, 'is no number'));

const MetricFilterResource = v.object({
  Type: v.literal('AWS::Logs::MetricFilter'),
  Properties: v.object({
    LogGroupName: Text,
    FilterPattern: Text,
    MetricTransformations: v.strictTuple([
      v.strictObject({
        MetricNamespace: Text,
        MetricName: Text,
        MetricValue: digits,
        DefaultValue: v.optional(v.number()),
        Unit: v.optional(Text),
      }),
    ]),
  }),
});
export type MetricFilterProperties = v.InferOutput<typeof MetricFilterResource>['Properties'];

const Dimensions = v.optional(v.array(v.object({ Name: Text, Value: Text })), []);

/**
 * Multiple of a minute. CloudWatch also has shorter periods, for metrics of a finer resolution, which this
 * service does not send.
 */
const Period = v.pipe(
  v.number(),
  v.check((seconds) => seconds > 0 && seconds % 60 === 0, 'is no multiple of 60'),
);

const MetricDataQuery = v.object({
  Id: Text,
  Expression: v.optional(Text),
  ReturnData: v.optional(v.boolean(), true),
  MetricStat: v.optional(
    v.object({
      Metric: v.object({ Namespace: Text, MetricName: Text, Dimensions }),
      Period,
      Stat: Text,
    }),
  ),
});

export const AlarmResource = v.object({
  Type: v.literal('AWS::CloudWatch::Alarm'),
  Properties: v.object({
    AlarmName: v.optional(Text),
    AlarmDescription: v.optional(Text, ''),
    ComparisonOperator: v.picklist([
      'GreaterThanOrEqualToThreshold',
      'GreaterThanThreshold',
      'LessThanThreshold',
      'LessThanOrEqualToThreshold',
    ]),
    Threshold: v.number(),
    EvaluationPeriods: v.number(),
    DatapointsToAlarm: v.optional(v.number()),
    TreatMissingData: v.picklist(['breaching', 'notBreaching']),
    Namespace: v.optional(Text, ''),
    MetricName: v.optional(Text),
    Dimensions,
    Statistic: v.optional(Text),
    ExtendedStatistic: v.optional(Text),
    Period: v.optional(Period),
    Metrics: v.optional(v.array(MetricDataQuery), []),
  }),
});
export type AlarmProperties = v.InferOutput<typeof AlarmResource>['Properties'];

export const watchingResources = [LogGroupResource, MetricFilterResource, AlarmResource] as const;
