import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { pascal } from '../functions.ts';
import type { BackgroundWorker, Sender } from './background-worker.ts';

/**
 * Policy of all workers' queues: who may send to them, over TLS alone. Roles allow further senders. It is one
 * policy, since CloudFormation allows 500 resources. In a statement, the resource `*` is the queue that has the
 * policy.
 */
export class WorkerQueuePolicy extends CfnQueuePolicy {
  constructor(scope: Construct, id: string, workers: readonly BackgroundWorker[]) {
    const senders = workers.flatMap(({ sender }) => sender ?? []);
    super(scope, id, {
      queues: workers
        .flatMap(({ deadLetters, queue }) => [deadLetters, ...(queue ? [queue] : [])])
        .map(({ queueUrl }) => queueUrl),
      policyDocument: new PolicyDocument({
        statements: [overTlsAlone, ...mayDeliver('events', senders), ...mayDeliver('sns', senders)],
      }),
    });
  }
}

const overTlsAlone = new PolicyStatement({
  sid: 'OverTlsAlone',
  effect: Effect.DENY,
  principals: [new AnyPrincipal()],
  actions: ['sqs:*'],
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
