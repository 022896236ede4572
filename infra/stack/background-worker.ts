import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { TriggerOf, Worker } from '../../shared/contract/worker.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { camel, pascal } from '../functions.ts';
import { acknowledge } from './acknowledge.ts';
import { ServiceFunction, type ServedTable, type ServiceUse } from './service-function.ts';
import { functionPrefixOf, type Stage } from './stage.ts';

interface Props {
  stage: Stage;
  table: ServedTable;
  logGroup: ILogGroup;
  bundle: Bundle;
  tracing: boolean;
  worker: Worker;
  /** Topic to which the SMS provider publishes. */
  texts: ITopic;
  /** Undefined if the worker uses the table alone. */
  uses: ServiceUse | undefined;
}

/** Function of a worker, its trigger, and the queue of its dead letters. */
export class BackgroundWorker extends Construct {
  readonly worker: Worker;
  readonly functionName: string;
  readonly deadLetters: Queue;
  /** Queue that triggers the worker. Undefined if the trigger is no queue. */
  readonly queue: Queue | undefined;

  constructor(scope: Construct, id: string, { worker, texts, ...props }: Props) {
    super(scope, id);
    const deadLetters = new WorkerQueue(this, 'DeadLetters', {
      retentionPeriod: Duration.days(worker.deadLetters.keptDays),
    });
    this.functionName = `${functionPrefixOf(props.stage)}${pascal(camel(worker.name))}`;
    const handler = new ServiceFunction(this, 'Function', {
      ...props,
      functionName: this.functionName,
      access: worker.access,
      worker: worker.name,
      description: `${worker.name}: ${worker.summary}`,
      timeoutSeconds: worker.timeoutSeconds,
    });
    this.worker = worker;
    this.deadLetters = deadLetters;
    const { on } = worker;
    if ('schedule' in on) this.#callEvery(on.schedule.everyMinutes, handler);
    else this.queue = this.#callFromQueue(on.queue, texts, handler);
    acknowledge(deadLetters, {
      'AwsSolutions-SQS3': 'It is the queue of dead letters: a person reads what is in it.',
      'Serverless-SQSRedrivePolicy': 'It is the queue of dead letters: a person reads what is in it.',
    });
  }

  /** Calls the handler on a schedule. What cannot be delivered, and what fails at every try, is a dead letter. */
  #callEvery(minutes: number, handler: IFunction): void {
    const { deadLetters, worker } = this;
    handler.configureAsyncInvoke({
      retryAttempts: worker.retries,
      onFailure: new SqsDestination(deadLetters),
    });
    new Rule(this, 'Schedule', {
      schedule: Schedule.rate(Duration.minutes(minutes)),
      targets: [new LambdaTarget(handler, { deadLetterQueue: deadLetters })],
    });
  }

  /**
   * Calls the handler with each message of a queue, which it returns. One that fails too often is a dead letter, and so is one
   * that the topic cannot deliver. The topic puts what is published into an envelope.
   */
  #callFromQueue(
    { maxConcurrency, isBehindTopic }: TriggerOf<'queue'>['queue'],
    texts: ITopic,
    handler: IFunction,
  ): Queue {
    const { deadLetters, worker } = this;
    const queue = new WorkerQueue(this, 'Queue', {
      // The longest that SQS allows, so that nothing is lost while the worker is down.
      retentionPeriod: Duration.days(14),
      // Six times the timeout, as AWS recommends, so that SQS does not give a message in progress to another
      // run.
      visibilityTimeout: Duration.seconds(6 * worker.timeoutSeconds),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 1 + worker.retries },
    });
    acknowledge(this, {
      'Serverless-LambdaEventSourceMappingDestination':
        'A message that fails too often is moved to the queue of dead letters by its own queue.',
    });
    if (isBehindTopic) texts.addSubscription(new SqsSubscription(queue, { deadLetterQueue: deadLetters }));
    // One message at a time, so that a failing message does not fail others.
    handler.addEventSource(new SqsEventSource(queue, { batchSize: 1, maxConcurrency }));
    return queue;
  }
}

/** Queue that is encrypted, and that takes calls over TLS alone. */
class WorkerQueue extends Queue {
  constructor(scope: Construct, id: string, props: QueueProps) {
    super(scope, id, { ...props, encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true });
  }
}
