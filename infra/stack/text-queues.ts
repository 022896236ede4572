import { ArnFormat, Stack } from 'aws-cdk-lib/core';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue, type IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Worker } from '../../shared/contract/worker.ts';
import { workerId } from '../functions.ts';
import { queueNameOf, type QueueKind } from './resource-names.ts';
import type { Stage } from './stage.ts';
import { DeadLetters, Messages } from './worker-queue.ts';

/** True for a worker that gets the messages of the topic of texts. Its queues belong to the data. */
export const receivesTexts = ({ on }: Worker): boolean => 'queue' in on && on.queue.isBehindTopic === true;

interface Props {
  stage: Stage;
  worker: Worker;
  /** Topic of texts. Undefined if SMS is off. */
  topic: ITopic | undefined;
}

/**
 * Queue of the SMS and reports that a worker has not stored yet, and the queue of its dead letters. A message that the
 * topic cannot deliver is a dead letter, too. The topic puts published messages into an envelope.
 *
 * Messages come in while there is no service, too, and wait here. If SMS is turned off, the queues stay, with their
 * messages.
 */
export class TextQueues extends Construct {
  readonly queues: readonly IQueue[];

  constructor(scope: Construct, { stage, worker, topic }: Props) {
    super(scope, workerId(worker));
    const deadLetters = new DeadLetters(this, worker, {
      queueName: queueNameOf(stage, worker, 'DeadLetters'),
    });
    const queue = new Messages(this, worker, { deadLetters, queueName: queueNameOf(stage, worker, 'Queue') });
    this.queues = [queue, deadLetters];
    topic?.addSubscription(new SqsSubscription(queue, { deadLetterQueue: deadLetters }));
  }
}

/** Finds a worker's queue of texts by its name, for the service's stack. Undefined for a worker that receives no texts. */
export function findTextQueue(
  scope: Construct,
  { stage, worker }: Pick<Props, 'stage' | 'worker'>,
  kind: QueueKind,
): IQueue | undefined {
  if (!receivesTexts(worker)) return undefined;
  const queueName = queueNameOf(stage, worker, kind);
  const arn = { service: 'sqs', resource: queueName, arnFormat: ArnFormat.NO_RESOURCE_NAME };
  return Queue.fromQueueAttributes(scope, kind, { queueArn: Stack.of(scope).formatArn(arn), queueName });
}
