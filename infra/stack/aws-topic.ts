import { Stack } from 'aws-cdk-lib/core';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

interface Props {
  topicName: string;
  /**
   * Services that publish: alarms, the numbers and configuration sets of End User Messaging SMS, or rules that tell of
   * failed backups.
   */
  publishers: readonly ('cloudwatch' | 'events' | 'sms-voice')[];
}

/**
 * Topic that services of AWS publish to, for this account alone, over TLS alone.
 * https://docs.aws.amazon.com/sms-voice/latest/userguide/two-way-sms-iam-policy-auto.html
 * https://docs.aws.amazon.com/sms-voice/latest/userguide/configuration-sets-sns-creating-role.html
 */
export class AwsTopic extends Topic {
  constructor(scope: Construct, id: string, { topicName, publishers }: Props) {
    super(scope, id, { topicName, enforceSSL: true });
    // A topic with its own policy lacks the default policy, which lets the account's alarms publish.
    this.addToResourcePolicy(
      new PolicyStatement({
        principals: publishers.map((name) => new ServicePrincipal(`${name}.amazonaws.com`)),
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
  }
}
