import { Duration } from 'aws-cdk-lib/core';
import { Queue, QueueEncryption, type IQueue, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Worker } from '../../shared/contract/worker.ts';
import { acknowledge } from './acknowledge.ts';

/** Queue that is encrypted, and that takes calls over TLS alone. */
class EncryptedQueue extends Queue {
  constructor(scope: Construct, id: string, props: QueueProps) {
    super(scope, id, { ...props, encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true });
  }
}

/** Queue of what a worker gave up on. */
export class DeadLetters extends EncryptedQueue {
  constructor(scope: Construct, { on, deadLetters }: Worker, props: QueueProps = {}) {
    super(scope, 'DeadLetters', {
      ...props,
      // SQS moves messages of a FIFO queue to another FIFO queue alone.
      ...('fifoQueue' in on && { fifo: true }),
      retentionPeriod: Duration.days(deadLetters.keptDays),
    });
    acknowledge(this, {
      'AwsSolutions-SQS3': 'This is the queue of dead letters: a person reads its messages.',
      'Serverless-SQSRedrivePolicy': 'This is the queue of dead letters: a person reads its messages.',
    });
  }
}

interface MessagesProps extends QueueProps {
  deadLetters: IQueue;
}

/** Queue of a worker's messages. A message that fails too often is moved to the dead letters. */
export class Messages extends EncryptedQueue {
  constructor(
    scope: Construct,
    { timeoutSeconds, retries }: Worker,
    { deadLetters, ...props }: MessagesProps,
  ) {
    super(scope, 'Queue', {
      // Six times the timeout, as AWS recommends, so that SQS does not give a message in progress to another run.
      visibilityTimeout: Duration.seconds(6 * timeoutSeconds),
      ...props,
      // The longest that SQS allows, so that nothing is lost while the worker is down.
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 1 + retries },
    });
  }
}
