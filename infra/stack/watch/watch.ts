import { Alarm, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { MetricFilter, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { pascal } from '../../functions.ts';
import type { BackgroundWorker } from '../background-worker.ts';
import { functionPrefixOf, stackNameOf } from '../resource-names.ts';
import type { Stage } from '../stage.ts';
import { accessPatterns } from './access-metrics.ts';
import { alarmProps } from './alarm-definition.ts';
import { alarmsOf, type AlarmSettings } from './alarms.ts';
import { StageDashboard } from './dashboard.ts';

interface Props {
  stage: Stage;
  settings: AlarmSettings;
  accessLog: ILogGroup;
  /** Topic that emails alarms. */
  alarmTopic: ITopic;
  workers: readonly BackgroundWorker[];
  endpoints: readonly Endpoint[];
  /** Number of requests that the stack's web ACL blocks by the rate of a key. Undefined without that rule. */
  blockedByKey: Metric | undefined;
}

/** Watches the service: alarms, and a dashboard. Nothing else depends on it. */
export class Watch extends Construct {
  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id);
    const { stage, settings, accessLog, alarmTopic, workers, endpoints } = props;
    for (const [metricName, filterPattern] of Object.entries(accessPatterns(endpoints)))
      if (filterPattern)
        new MetricFilter(this, pascal(metricName), {
          logGroup: accessLog,
          filterPattern,
          metricNamespace: stackNameOf(stage),
          metricName,
          metricValue: '1',
          // Alarms add and divide these metrics, so each has a value as soon as the log has a line.
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
