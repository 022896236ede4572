import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyDocument, PolicyStatement, type AddToResourcePolicyResult } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Subscription, SubscriptionProtocol, type ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { TriggerOf, Worker } from '../../shared/contract/worker.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { camel, pascal } from '../functions.ts';
import { acknowledge } from './acknowledge.ts';
import { ServiceFunction, type ServedTable } from './service-function.ts';
import type { SmsSending } from './sms.ts';
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
  /** Undefined if the worker sends no SMS. */
  sms: SmsSending | undefined;
}

/**
 * Function of a worker, its trigger, and the queue of its dead letters. The policy of its queues is in
 * `WorkerQueuePolicy`.
 */
export class BackgroundWorker extends Construct {
  readonly worker: Worker;
  readonly functionName: string;
  readonly deadLetters: Queue;
  /** Queue that triggers the worker. Undefined if the trigger is no queue. */
  readonly queue: Queue | undefined;
  readonly sender: Sender | undefined;

  constructor(scope: Construct, id: string, { worker, texts, ...props }: Props) {
    super(scope, id);
    const deadLetters = new WorkerQueue(this, 'DeadLetters', {
      retentionPeriod: Duration.days(worker.deadLetters.keptDays),
    });
    const source = sourceOf(this, worker, { deadLetters, texts });
    this.functionName = `${functionPrefixOf(props.stage)}${pascal(camel(worker.name))}`;
    const handler = new ServiceFunction(this, 'Function', {
      ...props,
      functionName: this.functionName,
      access: worker.access,
      worker: worker.name,
      policies: { source: new PolicyDocument({ statements: [source.permission] }) },
      description: `${worker.name}: ${worker.summary}`,
      timeoutSeconds: worker.timeoutSeconds,
    });
    source.call(handler);
    this.worker = worker;
    this.deadLetters = deadLetters;
    this.queue = source.queue;
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
  /** Permission that the worker's role needs for the trigger. */
  permission: PolicyStatement;
  /** Connects the trigger to the worker's function. */
  call: (handler: IFunction) => void;
  queue?: Queue;
  sender?: Sender;
}

/** Queue and topic that messages go to or come from, beside the queue that triggers a worker. */
interface Channels {
  deadLetters: Queue;
  texts: ITopic;
}

function sourceOf(scope: Construct, worker: Worker, channels: Channels): Source {
  const { on } = worker;
  return 'schedule' in on
    ? scheduleOf(scope, worker, on.schedule.everyMinutes, channels.deadLetters)
    : queueOf(scope, worker, on.queue, channels);
}

function scheduleOf(scope: Construct, { retries }: Worker, everyMinutes: number, deadLetters: Queue): Source {
  const rule = new Rule(scope, 'Schedule', { schedule: Schedule.rate(Duration.minutes(everyMinutes)) });
  return {
    permission: allow(['sqs:SendMessage'], deadLetters),
    sender: { service: 'events', arn: rule.ruleArn },
    call: (handler) => {
      handler.configureAsyncInvoke({ retryAttempts: retries, onFailure: new SqsDestination(deadLetters) });
      rule.addTarget(new LambdaTarget(handler, { deadLetterQueue: deadLetters }));
    },
  };
}

function queueOf(
  scope: Construct,
  { timeoutSeconds, retries }: Worker,
  { maxConcurrency, isBehindTopic }: TriggerOf<'queue'>['queue'],
  { deadLetters, texts }: Channels,
): Source {
  const queue = new WorkerQueue(scope, 'Queue', {
    // The longest that SQS allows, so that nothing is lost while the worker is down.
    retentionPeriod: Duration.days(14),
    // Six times the timeout, as AWS recommends, so that SQS does not give a message in progress to another
    // run.
    visibilityTimeout: Duration.seconds(6 * timeoutSeconds),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: 1 + retries },
  });
  acknowledge(scope, {
    'Serverless-LambdaEventSourceMappingDestination':
      'A message that fails too often is moved to the queue of dead letters by its own queue.',
  });
  return {
    permission: allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], queue),
    queue,
    ...(isBehindTopic && subscribed(scope, { topic: texts, queue, deadLetters })),
    call: (handler) => {
      // One message at a time, so that a failing message does not fail others.
      handler.addEventSource(new SqsEventSource(queue, { batchSize: 1, maxConcurrency }));
    },
  };
}

/**
 * Subscribes a queue to a topic: published messages arrive in an envelope. A message that the topic cannot
 * deliver becomes a dead letter.
 */
function subscribed(
  scope: Construct,
  { topic, queue, deadLetters }: { topic: ITopic; queue: Queue; deadLetters: Queue },
): Pick<Source, 'sender'> {
  const endpoint = queue.queueArn;
  const protocol = SubscriptionProtocol.SQS;
  new Subscription(scope, 'Subscription', { topic, protocol, endpoint, deadLetterQueue: deadLetters });
  return { sender: { service: 'sns', arn: topic.topicArn } };
}

const allow = (actions: string[], { queueArn }: Queue) =>
  new PolicyStatement({ actions, resources: [queueArn] });

/** Encrypted queue. `WorkerQueuePolicy` has the policy of all such queues. */
class WorkerQueue extends Queue {
  constructor(scope: Construct, id: string, props: QueueProps) {
    super(scope, id, { ...props, encryption: QueueEncryption.SQS_MANAGED });
  }

  /** Adds nothing: one policy for each queue would make too many resources. */
  override addToResourcePolicy(): AddToResourcePolicyResult {
    return { statementAdded: false };
  }
}
