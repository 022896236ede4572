import { Duration, Stack } from 'aws-cdk-lib';
import type { Stage as ApiStage } from 'aws-cdk-lib/aws-apigateway';
import { Alarm, ComparisonOperator, Stats, TreatMissingData, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { camel, pascal } from '../functions.ts';
import { acknowledge } from './acknowledge.ts';
import type { BackgroundWorker } from './background-worker.ts';
import type { StageSettings } from './stage-settings.ts';

interface Props {
  /** At least one. */
  addresses: StageSettings['alarmAddresses'];
  apiStage: ApiStage;
  workers: readonly BackgroundWorker[];
}

/** From so many failed requests within five minutes on, someone is told. A few are retried by clients. */
const serverErrorThreshold = 5;

/** Tells people by email what needs one of them: dead letters of a worker, and an API that fails. */
export class Alarms extends Construct {
  readonly #topic: Topic;

  constructor(scope: Construct, id: string, { addresses, apiStage, workers }: Props) {
    super(scope, id);
    this.#topic = new AlarmTopic(this, 'Topic', addresses);
    this.#add('ServerErrors', {
      description: 'The API answers requests with 5xx, so what clients ask for is not done.',
      metric: apiStage.metricServerError({ period: Duration.minutes(5), statistic: Stats.SUM }),
      threshold: serverErrorThreshold,
    });
    for (const { worker, deadLetters } of workers) {
      this.#add(`${pascal(camel(worker.name))}DeadLetters`, {
        description: `The worker ${worker.name} has dead letters. ${worker.breaks}`,
        metric: deadLetters.metricApproximateNumberOfMessagesVisible({
          period: Duration.minutes(5),
          statistic: Stats.MAXIMUM,
        }),
        threshold: 1,
      });
    }
  }

  /** An alarm as soon as the metric reaches the threshold, and word when that is over. */
  #add(
    id: string,
    { description, ...props }: { description: string; metric: IMetric; threshold: number },
  ): void {
    const alarm = new Alarm(this, id, {
      ...props,
      alarmDescription: `${description} docs/operations.md says what to do.`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    const tell = new SnsAction(this.#topic);
    alarm.addAlarmAction(tell);
    alarm.addOkAction(tell);
  }
}

/** Emails what is published, which this account's alarms may do, over TLS alone. */
class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, addresses: Props['addresses']) {
    super(scope, id, { enforceSSL: true });
    this.addToResourcePolicy(
      // A topic with a policy of its own lacks the one by which SNS lets the account's alarms publish.
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
