import { Duration } from 'aws-cdk-lib/core';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { workerId } from '../../functions.ts';
import type { BackgroundWorker } from '../background-worker.ts';
import { above, atLeast, below, fiveMinutes, type AlarmDefinition } from './alarm-definition.ts';
import { messagesIn, oldestIn, pollsOf, recordAgeOf, runsOf, writeUnitsOf } from './metrics.ts';

/** Alarms of one worker. */
export function workerAlarms(background: BackgroundWorker, tableName: string): AlarmDefinition[] {
  const { worker, deadLetters } = background;
  const deadLetterAlarm: AlarmDefinition = {
    name: `${workerId(worker)}DeadLetters`,
    heading: 'DeadLetters',
    breaks: worker.breaks,
    first: `The worker ${worker.name} gave up on events, so read what is among its dead letters`,
    metric: messagesIn(deadLetters.queueName).with({ period: fiveMinutes }),
    fires: atLeast(1),
  };
  return [deadLetterAlarm, ...stuckAlarm(background), ...unreadAlarm(background, tableName)];
}

/**
 * Alarm for a stream that nothing reads. Then nothing measures the age of its records. The stream has records for
 * other readers alone, so a worker that does not run is no fault. Two periods, because a write may come at the end
 * of the first one.
 */
function unreadAlarm({ worker, streamMappingId }: BackgroundWorker, tableName: string): AlarmDefinition[] {
  if (streamMappingId === undefined) return [];
  return [
    {
      name: `${workerId(worker)}Unread`,
      heading: 'Unread',
      breaks: worker.breaks,
      first: `Nothing has read the stream for the worker ${worker.name} for half an hour, so look at what calls it`,
      metric: new MathExpression({
        expression: 'IF(FILL(polls, 0) > 0, 0, FILL(units, 0))',
        usingMetrics: { polls: pollsOf(streamMappingId), units: writeUnitsOf(tableName) },
        period: Duration.minutes(15),
        label: 'Write units while nothing reads the stream',
      }),
      fires: above(0),
      periods: 2,
    },
  ];
}

/** Alarm for a queue or a stream that is not read, or a schedule that does not run. */
function stuckAlarm({ worker, functionName, queue }: BackgroundWorker): AlarmDefinition[] {
  const common = { name: `${workerId(worker)}Stuck`, heading: 'Stuck', breaks: worker.breaks } as const;
  if (queue) {
    return [
      {
        ...common,
        first: `The worker ${worker.name} has left messages in its queue for 15 minutes, so look at what calls it`,
        metric: oldestIn(queue.queueName).with({ period: fiveMinutes }),
        fires: above(15 * 60),
      },
    ];
  }
  if ('stream' in worker.on) {
    return [
      {
        ...common,
        first: `The worker ${worker.name} is 15 minutes behind, so look at its last runs`,
        metric: recordAgeOf(functionName).with({ period: fiveMinutes }),
        fires: above(15 * 60 * 1000),
      },
    ];
  }
  if (!('schedule' in worker.on)) return [];
  const { everyMinutes } = worker.on.schedule;
  return [
    {
      ...common,
      first: `The worker ${worker.name} has not succeeded for ${3 * everyMinutes} minutes, so look at its last runs`,
      // Three periods of one interval, and FILL: if data is missing, CloudWatch looks back further than the
      // periods of an alarm. The alarm would then notice a stopped schedule only after as many periods more.
      // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
      metric: new MathExpression({
        expression: 'FILL(runs, 0) - FILL(errors, 0)',
        usingMetrics: { runs: runsOf(functionName, 'Invocations'), errors: runsOf(functionName, 'Errors') },
        period: Duration.minutes(everyMinutes),
        label: 'Runs that succeeded',
      }),
      fires: below(1),
      periods: 3,
      firesWithoutData: true,
    },
  ];
}
