import { Aws } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnTopicPolicy } from 'aws-cdk-lib/aws-sns';
import { CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { pascal } from '../functions.ts';
import type { BackgroundWorker, Sender } from './background-worker.ts';

/**
 * Resource policies of the workers' queues and topics: who may send to them, over TLS alone. Roles allow
 * further senders. There is one policy for all queues and one for all topics, since CloudFormation allows 500
 * resources. In a statement, the resource `*` is the queue or topic that has the policy. Each statement has
 * an id of its own, which SNS requires.
 */
export class WorkerPolicies extends Construct {
  /** Policy of the topics, which receive the SMS provider's notifications. */
  readonly topicPolicy: CfnTopicPolicy | undefined;

  constructor(scope: Construct, id: string, workers: readonly BackgroundWorker[]) {
    super(scope, id);
    const senders = workers.flatMap(({ sender }) => sender ?? []);
    if (workers.length > 0) {
      new CfnQueuePolicy(this, 'Queues', {
        queues: workers
          .flatMap(({ deadLetters, queue }) => [deadLetters, ...(queue ? [queue] : [])])
          .map(({ queueUrl }) => queueUrl),
        policyDocument: new PolicyDocument({
          statements: [
            overTlsAlone('sqs:*'),
            ...mayDeliver('events', senders),
            ...mayDeliver('sns', senders),
          ],
        }),
      });
    }
    const topics = workers.flatMap(({ topic }) => (topic ? [topic.topicArn] : []));
    if (topics.length > 0) {
      this.topicPolicy = new CfnTopicPolicy(this, 'TextTopics', {
        topics,
        policyDocument: new PolicyDocument({ statements: [overTlsAlone('sns:Publish'), maySmsPublish()] }),
      });
    }
  }
}

/**
 * Lets AWS End User Messaging SMS of this account publish: its numbers publish incoming SMS, its
 * configuration sets publish reports.
 * https://docs.aws.amazon.com/sms-voice/latest/userguide/two-way-sms-iam-policy-auto.html
 * https://docs.aws.amazon.com/sms-voice/latest/userguide/configuration-sets-sns-creating-role.html
 */
const maySmsPublish = () =>
  new PolicyStatement({
    sid: 'SmsMayPublish',
    principals: [new ServicePrincipal('sms-voice.amazonaws.com')],
    actions: ['sns:Publish'],
    resources: ['*'],
    conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
  });

/** Denies calls without TLS, for a resource's own policy. */
const overTlsAlone = (action: string) =>
  new PolicyStatement({
    sid: 'OverTlsAlone',
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: [action],
    resources: ['*'],
    conditions: { Bool: { 'aws:SecureTransport': 'false' } },
  });

/** Lets the workers' schedules and topics send dead letters, and topics also send what is published. */
function mayDeliver(service: Sender['service'], senders: readonly Sender[]): PolicyStatement[] {
  const arns = senders.filter((sender) => sender.service === service).map(({ arn }) => arn);
  if (arns.length === 0) return [];
  return [
    new PolicyStatement({
      sid: `${pascal(service)}MayDeliver`,
      principals: [new ServicePrincipal(`${service}.amazonaws.com`)],
      actions: ['sqs:SendMessage'],
      resources: ['*'],
      conditions: { ArnEquals: { 'aws:SourceArn': arns } },
    }),
  ];
}
