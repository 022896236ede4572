import { Stack } from 'aws-cdk-lib';
import { Alarm, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, MetricFilter, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { failures } from '../../../shared/contract/errors.ts';
import { acknowledge } from '../acknowledge.ts';
import type { AccessLogFieldName } from '../access-log.ts';
import type { BackgroundWorker } from '../background-worker.ts';
import type { StageSettings } from '../stage-settings.ts';
import { functionPrefixOf, stackNameOf, type Stage } from '../stage.ts';
import type { LedgerTable } from '../table.ts';
import { alarmProps, alarmsOf } from './alarms.ts';
import { StageDashboard } from './dashboard.ts';
import { internalErrors } from './metrics.ts';

interface Props {
  stage: Stage;
  settings: Pick<StageSettings, 'alarmAddresses' | 'maxWriteRequestUnits'>;
  accessLog: ILogGroup;
  table: LedgerTable;
  workers: readonly BackgroundWorker[];
  /** Number of requests that the stack's web ACL blocks by the rate of a key. Undefined without that rule. */
  blockedByKey: Metric | undefined;
}

const status = 'status' satisfies AccessLogFieldName;

/** Watches the service: alarms, the topic that emails them, and a dashboard. Nothing else depends on it. */
export class Watch extends Construct {
  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id);
    const { stage, settings, accessLog, workers } = props;
    // A function that threw or timed out, or a failing authorizer, writes no line of its own.
    new MetricFilter(this, 'InternalErrors', {
      logGroup: accessLog,
      filterPattern: FilterPattern.stringValue(`$.${status}`, '=', String(failures.internal.status)),
      metricNamespace: stackNameOf(stage),
      metricName: internalErrors,
      metricValue: '1',
      defaultValue: 0,
    });
    const tell = new SnsAction(new AlarmTopic(this, 'Topic', settings.alarmAddresses));
    const alarms = alarmsOf(props).map((definition) => {
      const { heading, name = heading } = definition;
      const alarm = new Alarm(this, name, alarmProps(functionPrefixOf(stage), definition));
      alarm.addAlarmAction(tell);
      alarm.addOkAction(tell);
      return alarm;
    });
    new StageDashboard(this, 'Dashboard', { stage, alarms, workers });
  }
}

/**
 * Topic that emails what the account's alarms publish, over TLS alone. It also exists without addresses, so
 * that anything else can subscribe.
 */
class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, addresses: StageSettings['alarmAddresses']) {
    super(scope, id, { enforceSSL: true });
    this.addToResourcePolicy(
      // A topic with a policy of its own lacks the default policy, which lets the account's alarms publish.
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    for (const address of addresses) this.addSubscription(new EmailSubscription(address));
    acknowledge(this, {
      'Serverless-SNSRedrivePolicy':
        'SNS tries to deliver an email for hours, and an alarm that nobody read still shows in CloudWatch.',
    });
  }
}
