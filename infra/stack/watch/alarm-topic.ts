import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { StageSettings } from '../stage-settings.ts';

/**
 * Topic that emails what the account's alarms publish, over TLS alone. It also exists without addresses, so
 * that anything else can subscribe.
 */
export class AlarmTopic extends Topic {
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
