import { logicalIdOf } from '../intrinsics.ts';
import type { ResourcesOf } from './resources.ts';
import { accessLineOf } from '../watch/access-log.ts';
import { alarmOf } from '../watch/alarm.ts';
import { metricFilterOf } from '../watch/metric-filter.ts';
import type { Metric } from '../watch/metric.ts';
import type { Watched } from '../watch/watched.ts';

/** @throws LocalError for an alarm, filter or format that this machine cannot watch */
export function watchedOf(of: ResourcesOf): Watched {
  // The log group `/SalesPipeline-dev/api` is `api` here.
  const groupNames = new Map(
    of('AWS::Logs::LogGroup').map(([id, { Properties }]) => [
      id,
      Properties.LogGroupName.split('/').at(-1) ?? id,
    ]),
  );
  const groupOf = (id: string) => groupNames.get(id) ?? id;
  const functionNames = new Map(
    of('AWS::Lambda::Function').map(([id, { Properties }]) => [id, Properties.FunctionName ?? id]),
  );
  const [api] = of('AWS::ApiGateway::RestApi');
  const [stage] = of('AWS::ApiGateway::Stage');
  // A reference to a resource resolves to its logical id here, and to its name on AWS.
  const names = new Map([
    ...functionNames,
    ...(stage ? [[stage[0], stage[1].Properties.StageName] as const] : []),
  ]);
  const named = (metric: Metric): Metric => ({
    ...metric,
    dimensions: Object.fromEntries(
      Object.entries(metric.dimensions).map(([name, value]) => [name, names.get(value) ?? value]),
    ),
  });
  const accessLog = stage?.[1].Properties.AccessLogSetting;
  const queues = of('AWS::SQS::Queue').map(([id, { Properties }]) => ({
    id,
    name: Properties.QueueName ?? `${id}.QueueName`,
    isSource: Properties.RedrivePolicy !== undefined,
  }));
  return {
    groups: new Map(
      of('AWS::Lambda::Function').map(([id, { Properties }]) => [
        id,
        groupOf(Properties.LoggingConfig?.LogGroup ?? id),
      ]),
    ),
    functionNames,
    accessLog: accessLog && {
      group: groupOf(logicalIdOf(accessLog.DestinationArn)),
      lineOf: accessLineOf(accessLog.Format),
    },
    filters: of('AWS::Logs::MetricFilter').map(([id, { Properties }]) =>
      metricFilterOf(id, Properties, groupOf(Properties.LogGroupName)),
    ),
    api: { ApiName: api?.[1].Properties.Name ?? '', Stage: stage?.[1].Properties.StageName ?? '' },
    table: of('AWS::DynamoDB::GlobalTable')[0]?.[0] ?? '',
    deadLetters: queues.filter(({ isSource }) => !isSource),
    queues: queues.filter(({ isSource }) => isSource),
    alarms: of('AWS::CloudWatch::Alarm').map(([id, { Properties }]) => alarmOf(id, Properties, named)),
  };
}
