import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnTopicPolicy } from 'aws-cdk-lib/aws-sns';
import { CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { BackgroundWorker, Sender } from './background-worker.ts';

/**
 * Who may send to the workers' queues and topics beside roles that say so, and how: over TLS alone. One policy for all
 * queues and one for all topics, since CloudFormation takes 500 resources. `*` is the queue or topic that has it.
 */
export class WorkerPolicies extends Construct {
  constructor(scope: Construct, id: string, workers: readonly BackgroundWorker[]) {
    super(scope, id);
    const topics = workers.flatMap(({ topic }) => topic ?? []);
    const senders = workers.flatMap(({ sender }) => sender ?? []);
    if (workers.length > 0) {
      new CfnQueuePolicy(this, 'Queues', {
        queues: workers.flatMap(({ queues }) => queues).map(({ queueUrl }) => queueUrl),
        policyDocument: new PolicyDocument({
          statements: [
            overTlsAlone('sqs:*'),
            ...mayDeliver('events', senders),
            ...mayDeliver('sns', senders),
          ],
        }),
      });
    }
    if (topics.length > 0) {
      new CfnTopicPolicy(this, 'Topics', {
        topics: topics.map(({ topicArn }) => topicArn),
        policyDocument: new PolicyDocument({ statements: [overTlsAlone('sns:Publish')] }),
      });
    }
  }
}

/** For a resource's own policy. */
export const overTlsAlone = (action: string) =>
  new PolicyStatement({
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: [action],
    resources: ['*'],
    conditions: { Bool: { 'aws:SecureTransport': 'false' } },
  });

/** The workers' rules, or topics, may send dead letters. */
function mayDeliver(service: Sender['service'], senders: readonly Sender[]): PolicyStatement[] {
  const arns = senders.filter((sender) => sender.service === service).map(({ arn }) => arn);
  if (arns.length === 0) return [];
  return [
    new PolicyStatement({
      principals: [new ServicePrincipal(`${service}.amazonaws.com`)],
      actions: ['sqs:SendMessage'],
      resources: ['*'],
      conditions: { ArnEquals: { 'aws:SourceArn': arns } },
    }),
  ];
}
