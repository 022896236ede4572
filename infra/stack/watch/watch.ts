import { Alarm, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { FilterPattern, MetricFilter, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { failures } from '../../../shared/contract/errors.ts';
import type { AccessLogFieldName } from '../access-log.ts';
import type { BackgroundWorker } from '../background-worker.ts';
import { functionPrefixOf, stackNameOf } from '../resource-names.ts';
import type { Stage } from '../stage.ts';
import { alarmProps, alarmsOf, type AlarmSettings } from './alarms.ts';
import { StageDashboard } from './dashboard.ts';
import { internalErrors } from './metrics.ts';

interface Props {
  stage: Stage;
  settings: AlarmSettings;
  accessLog: ILogGroup;
  /** Topic that emails alarms. */
  alarmTopic: ITopic;
  workers: readonly BackgroundWorker[];
  /** Number of requests that the stack's web ACL blocks by the rate of a key. Undefined without that rule. */
  blockedByKey: Metric | undefined;
}

const status = 'status' satisfies AccessLogFieldName;

/** Watches the service: alarms, and a dashboard. Nothing else depends on it. */
export class Watch extends Construct {
  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id);
    const { stage, settings, accessLog, alarmTopic, workers } = props;
    // A function that threw or timed out writes no line itself, and neither does a failing authorizer.
    new MetricFilter(this, 'InternalErrors', {
      logGroup: accessLog,
      filterPattern: FilterPattern.stringValue(`$.${status}`, '=', String(failures.internal.status)),
      metricNamespace: stackNameOf(stage),
      metricName: internalErrors,
      metricValue: '1',
      defaultValue: 0,
    });
    const tell = new SnsAction(alarmTopic);
    const alarms = alarmsOf(props).map((definition) => {
      const { heading, name = heading } = definition;
      const alarm = new Alarm(this, name, alarmProps(functionPrefixOf(stage), definition));
      alarm.addAlarmAction(tell);
      alarm.addOkAction(tell);
      return alarm;
    });
    new StageDashboard(this, 'Dashboard', { stage, settings, alarms, workers });
  }
}
