import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { StartingPosition, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SnsEventSource, SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Worker } from '../../shared/contract/worker.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { ServiceFunction } from './service-function.ts';
import type { Stage } from './stage.ts';
import type { LedgerTable } from './table.ts';

interface Props {
  stage: Stage;
  table: LedgerTable;
  bundle: Bundle;
  worker: Worker;
}

/** A worker's function, what calls it, and the queue of what it could not do. */
export class BackgroundWorker extends Construct {
  constructor(scope: Construct, id: string, { worker, ...props }: Props) {
    super(scope, id);
    const deadLetters = new ClosedQueue(this, 'DeadLetters', {
      retentionPeriod: Duration.days(worker.deadLetters.keptDays),
    });
    const { statements, call } = sourceOf({ scope: this, worker, table: props.table, deadLetters });
    const handler = new ServiceFunction(this, 'Function', {
      ...props,
      access: worker.access,
      policies: { source: new PolicyDocument({ statements }) },
      description: `${worker.name}: ${worker.summary}`,
      timeoutSeconds: worker.timeoutSeconds,
    });
    call(handler);
  }
}

/**
 * What calls a worker. Undeliverable events, and those whose every try failed, go to the dead letter queue.
 */
interface Source {
  /** What the worker's role must allow for that. */
  statements: PolicyStatement[];
  /** Connects it to the worker's function. */
  call: (handler: IFunction) => void;
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
  if ('queue' in on) return queueOf(props, on.queue.maxConcurrency);
  return topicOf(props);
}

function scheduleOf({ scope, worker, deadLetters }: SourceProps, everyMinutes: number): Source {
  return {
    statements: [allow(['sqs:SendMessage'], deadLetters.queueArn)],
    call: (handler) => {
      retryEvents(handler, worker, deadLetters);
      new Rule(scope, 'Schedule', {
        schedule: Schedule.rate(Duration.minutes(everyMinutes)),
        targets: [new LambdaTarget(handler, { deadLetterQueue: deadLetters })],
      });
    },
  };
}

function topicOf({ scope, worker, deadLetters }: SourceProps): Source {
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  return {
    statements: [allow(['sqs:SendMessage'], deadLetters.queueArn)],
    call: (handler) => {
      retryEvents(handler, worker, deadLetters);
      handler.addEventSource(new SnsEventSource(topic, { deadLetterQueue: deadLetters }));
    },
  };
}

/** Schedules and topics hand their events over to Lambda, which tries them again. */
function retryEvents(handler: IFunction, { retries }: Worker, deadLetters: Queue): void {
  handler.configureAsyncInvoke({ retryAttempts: retries, onFailure: new SqsDestination(deadLetters) });
}

function queueOf({ scope, worker, deadLetters }: SourceProps, maxConcurrency: number): Source {
  const queue = new ClosedQueue(scope, 'Queue', {
    // As AWS advises: a message under way is not given to another run.
    visibilityTimeout: Duration.seconds(6 * worker.timeoutSeconds),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: 1 + worker.retries },
  });
  const receive = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];
  return {
    statements: [
      allow(
        receive.map((action) => `sqs:${action}`),
        queue.queueArn,
      ),
    ],
    call: (handler) => {
      // One message at a time, so that one that fails takes no other with it.
      handler.addEventSource(new SqsEventSource(queue, { batchSize: 1, maxConcurrency }));
    },
  };
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
        // A failing batch is halved until the failing record is alone.
        bisectBatchOnError: true,
        onFailure: new SqsDlq(deadLetters),
      });
    },
  };
}

const allow = (actions: string[], resource: string) =>
  new PolicyStatement({ actions, resources: [resource] });

/** An encrypted queue that requires TLS. */
class ClosedQueue extends Queue {
  constructor(scope: Construct, id: string, props: QueueProps) {
    super(scope, id, { ...props, encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true });
  }
}
