import { Duration } from 'aws-cdk-lib/core';
import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { failures } from '../../../shared/contract/errors.ts';
import type { BackgroundWorker } from '../background-worker.ts';
import { topicNameOf } from '../resource-names.ts';
import type { StageSettings } from '../settings-schema.ts';
import type { Stage } from '../stage.ts';
import { atLeast, below, filled, fiveMinutes, pointTo, type AlarmDefinition } from './alarm-definition.ts';
import { daysToEndOf, messagesOf, ofAccount, StageMetrics, writeUnitsOf } from './metrics.ts';
import { queries } from './queries.ts';
import { apiAlarms, keyAlarm, leadAlarm, trafficAlarm } from './request-alarms.ts';
import { workerAlarms } from './worker-alarms.ts';

/**
 * Lists every alarm of a stage. Most faults fire one alarm. An error of ours is a 500. A write that the
 * ledger has no time for is a 503. An SMS that the provider refuses is a 502. Four faults fire more than
 * one:
 *
 * - Lambda that throttles functions of the API: 500, if that is 1 % of their calls. If the account's
 *   concurrency is used up, another alarm fired before.
 * - A table that is throttled for longer than API Gateway caches tokens: 503 for cached tokens, and 500 of
 *   the authorizer for the others.
 * - A worker that fails for long: it leaves dead letters, and then is stuck.
 * - An operation or a worker that brings leads in: these are so few that they have an alarm of their own.
 */
export const alarmsOf = ({ stage, settings, workers, endpoints, blockedByKey }: Props): AlarmDefinition[] => {
  const metrics = new StageMetrics(stage);
  const leadWorkers = workers.filter(({ worker }) => worker.bringsLeads);
  const hasLeadEndpoints = endpoints.some(({ bringsLeads }) => bringsLeads);
  return [
    ...apiAlarms(metrics),
    ...(hasLeadEndpoints ? [leadAlarm(metrics, leadWorkers)] : []),
    ...(settings.alarmAfterHoursWithoutTraffic > 0
      ? [trafficAlarm(metrics, settings.alarmAfterHoursWithoutTraffic)]
      : []),
    writeUnitAlarm(settings),
    ...lambdaAlarms(settings),
    ...(blockedByKey ? [keyAlarm(blockedByKey)] : []),
    ...(settings.sms ? [smsAlarm(metrics), lostTextAlarm(stage)] : []),
    ...(workers.some(({ worker }) => worker.uses === 'webhooks') ? [webhookAlarm(metrics)] : []),
    ...(settings.certificateArn === undefined ? [] : [certificateAlarm(settings.certificateArn)]),
    ...workers.flatMap((worker) => workerAlarms(worker, settings.tableName)),
  ];
};

export type AlarmSettings = Pick<
  StageSettings,
  | 'tableName'
  | 'certificateArn'
  | 'sms'
  | 'maxWriteRequestUnits'
  | 'accountConcurrency'
  | 'alarmAfterHoursWithoutTraffic'
>;

interface Props {
  stage: Stage;
  settings: AlarmSettings;
  workers: readonly BackgroundWorker[];
  endpoints: readonly Pick<Endpoint, 'bringsLeads'>[];
  blockedByKey: Metric | undefined;
}

/** Percentage of a limit at which an alarm fires. */
const muchOfLimit = 80;

const writeUnitAlarm = ({ tableName, maxWriteRequestUnits }: AlarmSettings): AlarmDefinition => ({
  heading: 'WriteUnits',
  breaks:
    `For five minutes, writes have taken ${muchOfLimit} % of the table's limit. Such traffic is expensive, and requests beyond ` +
    'the limit get a 503.',
  first: pointTo(queries.cost),
  metric: filled('units', writeUnitsOf(tableName), 'Write units of the table'),
  fires: atLeast((muchOfLimit / 100) * maxWriteRequestUnits * fiveMinutes.toSeconds()),
});

/**
 * Alarms for the concurrency of the account, which functions of other stacks use up, too. The quota is a
 * setting: Lambda is not among the services that metric math's SERVICE_QUOTA knows.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Quotas-Visualize-Alarms.html
 */
const lambdaAlarms = ({ accountConcurrency }: AlarmSettings): AlarmDefinition[] => [
  {
    heading: 'Concurrency',
    breaks:
      `Functions and reservations have taken ${muchOfLimit} % of the ${accountConcurrency} invocations that the account may run ` +
      'at once. Requests beyond the limit get a 500.',
    first: 'Find out what runs so often',
    metric: filled('claimed', ofAccount('ClaimedAccountConcurrency'), 'Concurrency of the account'),
    fires: atLeast((muchOfLimit / 100) * accountConcurrency),
  },
  {
    heading: 'Throttled',
    breaks:
      'Within five minutes, Lambda has refused 3 or more invocations in the account: requests get a 500, and workers wait.',
    first: 'Find out which functions are throttled',
    metric: filled('throttled', ofAccount('Throttles'), 'Invocations that Lambda refused'),
    fires: atLeast(3),
  },
];

const smsAlarm = (metrics: StageMetrics): AlarmDefinition => ({
  heading: 'TextsFail',
  breaks:
    'Within an hour, 3 or more text messages failed: the provider refused them, could not be reached or gave no answer, or ' +
    'SMS is not set up. Leads do not get their messages.',
  first: pointTo(queries.lastErrors),
  // Counted by their status, which no other failure has. Each reason is a separate metric, and a reason that
  // never occurred has no metric, so a sum of the reasons could be missing.
  metric: filled(
    'failed',
    metrics.answers(failures.undelivered.status),
    'Texts that failed',
    Duration.hours(1),
  ),
  fires: atLeast(3),
});

const lostTextAlarm = (stage: Stage): AlarmDefinition => {
  const topic = topicNameOf(stage, 'texts');
  return {
    heading: 'LostTexts',
    breaks:
      'Within an hour, 3 or more SMS or delivery reports came in, and none of them reached a queue. They are lost: leads get no ' +
      'answer, and STOP is not heeded.',
    first: `Look at the subscriptions of the topic ${topic}`,
    metric: new MathExpression({
      expression: 'IF(FILL(delivered, 0) > 0, 0, FILL(published, 0))',
      usingMetrics: {
        delivered: messagesOf(topic, 'NumberOfNotificationsDelivered'),
        published: messagesOf(topic, 'NumberOfMessagesPublished'),
      },
      period: Duration.hours(1),
      label: 'Messages that reached no queue',
    }),
    fires: atLeast(3),
  };
};

/** Number of days before its end at which a certificate should have been renewed. */
const daysToRenew = 30;

const certificateAlarm = (certificateArn: string): AlarmDefinition => ({
  heading: 'CertificateEnds',
  breaks: `The certificate of the domain ends within ${daysToRenew} days, and then no client can connect.`,
  first: 'See in AWS Certificate Manager why the certificate is not renewed',
  metric: daysToEndOf(certificateArn).with({ period: Duration.days(1) }),
  fires: below(daysToRenew),
});

const webhookAlarm = (metrics: StageMetrics): AlarmDefinition => ({
  heading: 'DisabledWebhooks',
  breaks:
    'A webhook was disabled, because its receiver failed or its token ended: another system no longer gets changes.',
  first: 'Find out which organization has the webhook',
  metric: filled('disabled', metrics.ofFunctions('disabledWebhooks'), 'Webhooks disabled'),
  fires: atLeast(1),
});
