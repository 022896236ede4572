import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyDocument, PolicyStatement, type AddToResourcePolicyResult } from 'aws-cdk-lib/aws-iam';
import { StartingPosition, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SnsEventSource, SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { TriggerOf, Worker } from '../../shared/contract/worker.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { camel, pascal } from '../functions.ts';
import { acknowledge } from './acknowledge.ts';
import { ServiceFunction } from './service-function.ts';
import type { SmsSending } from './sms.ts';
import { functionPrefixOf, type Stage } from './stage.ts';
import type { LedgerTable } from './table.ts';

interface Props {
  stage: Stage;
  table: LedgerTable;
  logGroup: ILogGroup;
  bundle: Bundle;
  tracing: boolean;
  worker: Worker;
  /** Undefined if the worker sends no SMS. */
  sms: SmsSending | undefined;
}

/**
 * Function of a worker, its trigger, and the queue of its dead letters. The policy of its queues is in
 * `WorkerPolicies`.
 */
export class BackgroundWorker extends Construct {
  readonly worker: Worker;
  readonly functionName: string;
  readonly deadLetters: Queue;
  /** Queue that triggers the worker. Undefined if the trigger is no queue. */
  readonly queue: Queue | undefined;
  readonly topic: Topic | undefined;
  readonly sender: Sender | undefined;

  constructor(scope: Construct, id: string, { worker, ...props }: Props) {
    super(scope, id);
    const deadLetters = new WorkerQueue(this, 'DeadLetters', {
      retentionPeriod: Duration.days(worker.deadLetters.keptDays),
    });
    const source = sourceOf({ scope: this, worker, table: props.table, deadLetters });
    this.functionName = `${functionPrefixOf(props.stage)}${pascal(camel(worker.name))}`;
    const handler = new ServiceFunction(this, 'Function', {
      ...props,
      functionName: this.functionName,
      access: worker.access,
      worker: worker.name,
      policies: { source: new PolicyDocument({ statements: source.statements }) },
      description: `${worker.name}: ${worker.summary}`,
      timeoutSeconds: worker.timeoutSeconds,
    });
    source.call(handler);
    this.worker = worker;
    this.deadLetters = deadLetters;
    this.queue = source.queue;
    this.topic = source.topic;
    this.sender = source.sender;
    acknowledge(deadLetters, {
      'AwsSolutions-SQS3': 'It is the queue of dead letters: a person reads what is in it.',
      'Serverless-SQSRedrivePolicy': 'It is the queue of dead letters: a person reads what is in it.',
    });
  }
}

/**
 * Service that sends to a worker's queues in its own name: published events, and events that it could not
 * deliver.
 */
export interface Sender {
  service: 'events' | 'sns';
  arn: string;
}

/**
 * Trigger of a worker. Events that cannot be delivered, and those whose every try failed, go to the dead
 * letter queue.
 */
interface Source {
  /** Permissions that the worker's role needs for the trigger. */
  statements: PolicyStatement[];
  /** Connects the trigger to the worker's function. */
  call: (handler: IFunction) => void;
  queue?: Queue;
  topic?: Topic;
  sender?: Sender;
}

interface SourceProps {
  scope: Construct;
  worker: Worker;
  table: LedgerTable;
  deadLetters: Queue;
}

function sourceOf(props: SourceProps): Source {
  const { on } = props.worker;
  if ('schedule' in on) return scheduleOf(props, on.schedule.everyMinutes);
  if ('stream' in on) return streamOf(props, on.stream.maxRecords);
  if ('queue' in on) return queueOf(props, on.queue);
  return topicOf(props);
}

function scheduleOf({ scope, worker, deadLetters }: SourceProps, everyMinutes: number): Source {
  const rule = new Rule(scope, 'Schedule', { schedule: Schedule.rate(Duration.minutes(everyMinutes)) });
  return {
    statements: [allow(['sqs:SendMessage'], deadLetters.queueArn)],
    sender: { service: 'events', arn: rule.ruleArn },
    call: (handler) => {
      retryEvents(handler, worker, deadLetters);
      rule.addTarget(new LambdaTarget(handler, { deadLetterQueue: deadLetters }));
    },
  };
}

function topicOf({ scope, worker, deadLetters }: SourceProps): Source {
  const topic = new Topic(scope, 'Topic');
  return {
    topic,
    sender: { service: 'sns', arn: topic.topicArn },
    statements: [allow(['sqs:SendMessage'], deadLetters.queueArn)],
    call: (handler) => {
      retryEvents(handler, worker, deadLetters);
      handler.addEventSource(new SnsEventSource(topic, { deadLetterQueue: deadLetters }));
    },
  };
}

/** Sets how often Lambda retries the events of schedules and topics. */
function retryEvents(handler: IFunction, { retries }: Worker, deadLetters: Queue): void {
  handler.configureAsyncInvoke({ retryAttempts: retries, onFailure: new SqsDestination(deadLetters) });
}

function queueOf(
  { scope, worker, deadLetters }: SourceProps,
  { maxConcurrency, isBehindTopic }: TriggerOf<'queue'>['queue'],
): Source {
  const queue = new WorkerQueue(scope, 'Queue', {
    // The longest that SQS allows, so that nothing is lost while the worker is down.
    retentionPeriod: Duration.days(14),
    // Six times the timeout, as AWS recommends, so that SQS does not give a message in progress to another
    // run.
    visibilityTimeout: Duration.seconds(6 * worker.timeoutSeconds),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: 1 + worker.retries },
  });
  acknowledge(scope, {
    'Serverless-LambdaEventSourceMappingDestination':
      'A message that fails too often is moved to the queue of dead letters by its own queue.',
  });
  const receive = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];
  return {
    statements: [
      allow(
        receive.map((action) => `sqs:${action}`),
        queue.queueArn,
      ),
    ],
    queue,
    ...(isBehindTopic && topicBefore(scope, queue, deadLetters)),
    call: (handler) => {
      // One message at a time, so that a failing message does not fail others.
      handler.addEventSource(new SqsEventSource(queue, { batchSize: 1, maxConcurrency }));
    },
  };
}

/**
 * Puts a topic before a queue: published messages arrive in an envelope. A message that the topic cannot
 * deliver becomes a dead letter.
 */
function topicBefore(scope: Construct, queue: Queue, deadLetters: Queue): Pick<Source, 'topic' | 'sender'> {
  const topic = new Topic(scope, 'Topic');
  topic.addSubscription(new SqsSubscription(queue, { deadLetterQueue: deadLetters }));
  return { topic, sender: { service: 'sns', arn: topic.topicArn } };
}

function streamOf({ worker, table, deadLetters }: SourceProps, maxRecords: number): Source {
  const { tableStreamArn: stream } = table;
  if (stream === undefined) throw new Error('The table has no stream');
  const read = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];
  return {
    statements: [
      allow(['sqs:SendMessage'], deadLetters.queueArn),
      allow(
        read.map((action) => `dynamodb:${action}`),
        stream,
      ),
    ],
    call: (handler) => {
      handler.addEventSourceMapping('Stream', {
        eventSourceArn: stream,
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: maxRecords,
        retryAttempts: worker.retries,
        // Halves a failing batch until the failing record is alone.
        bisectBatchOnError: true,
        onFailure: new SqsDlq(deadLetters),
      });
    },
  };
}

const allow = (actions: string[], resource: string) =>
  new PolicyStatement({ actions, resources: [resource] });

/** Encrypted queue. `WorkerPolicies` has the policy of all such queues. */
class WorkerQueue extends Queue {
  constructor(scope: Construct, id: string, props: QueueProps) {
    super(scope, id, { ...props, encryption: QueueEncryption.SQS_MANAGED });
  }

  /** Adds nothing: one policy for each queue would make too many resources. */
  override addToResourcePolicy(): AddToResourcePolicyResult {
    return { statementAdded: false };
  }
}
