import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { findContracts, workerId } from '../../../../infra/functions.ts';
import { accessLogFields } from '../../../../infra/stack/access-log.ts';
import { functionPrefixOf, stackNameOf, topicNameOf } from '../../../../infra/stack/resource-names.ts';
import { stageSettings } from '../../../../infra/stack/stages.ts';
import { customers } from '../../../cost/assumptions.ts';
import { Alarms } from '../../../support/metrics/alarms.ts';
import { propertiesIn, type Resources } from '../../../support/metrics/named-metrics.ts';

/** Evaluates the alarms of `dev` on the traffic of the middle customer of docs/cost.md. */

const middle = customers.find(({ title }) => title === 'Middle')!;
const template = readFileSync(join(inject('assembly'), 'SalesPipeline-dev.template.json'), 'utf8');
const { Resources: resources } = JSON.parse(template) as { Resources: Resources };
const { workers } = await findContracts();
const { tableName } = stageSettings.dev;
const mapping = {
  EventSourceMappingUUID: Object.entries(resources).find(
    ([id, { Type }]) => Type === 'AWS::Lambda::EventSourceMapping' && id.startsWith('DispatchWebhooks'),
  )![0],
};

const minute = 60_000;
const dash = Object.fromEntries(Object.keys(accessLogFields).map((name) => [name, '-']));

interface Kind {
  method: string;
  route: string;
  status: number;
  /** Number in a day of one customer. */
  perDay: number;
  /** Write units of the table for one request. */
  units?: number;
  refusedBy?: string;
}

const requests: readonly Kind[] = [
  { method: 'GET', route: '/v1/leads', status: 200, perDay: middle.pages },
  { method: 'GET', route: '/v1/leads/{leadId}', status: 200, perDay: middle.records },
  { method: 'POST', route: '/v1/leads', status: 201, perDay: middle.leads, units: 15 },
  { method: 'POST', route: '/v1/inquiries', status: 201, perDay: middle.inquiries, units: 15 },
  { method: 'POST', route: '/v1/forms/submissions', status: 201, perDay: middle.forms, units: 31 },
  { method: 'POST', route: '/v1/sms', status: 201, perDay: middle.texts, units: 20 },
  { method: 'PUT', route: '/v1/products/{productId}', status: 200, perDay: middle.changes, units: 10 },
  // Two clients forget their token, or ask for what is gone, a few times a day; a form fails once a day.
  { method: 'GET', route: '/v1/leads', status: 401, perDay: 5, refusedBy: 'UNAUTHORIZED' },
  { method: 'GET', route: '/v1/leads/{leadId}', status: 404, perDay: 20 },
  { method: 'GET', route: '/{proxy+}', status: 404, perDay: 200 },
];
/** A monitor that reads a page without a token each minute of the hours of work. */
const monitor: Kind = { method: 'GET', route: '/', status: 200, perDay: middle.hours * 60 };

interface Case {
  customers: number;
  /** Changes what the requests of a kind get. */
  answer?: (kind: Kind) => Kind;
  isMappingDisabled?: true;
  hasLostSubscription?: true;
  hours?: number;
}

/** Alarms that such traffic raises. The traffic is spread evenly over the hours of work, which begin at once. */
function raisedBy(one: Case): string[] {
  const { customers: times, answer, hours = 1 } = one;
  const raised = new Set<string>();
  let now = Date.UTC(2026, 10, 2, 7);
  const onChange = (change: string) => raised.add(change.replace(/ ALARM$/, ''));
  const alarms = new Alarms(resources, { clock: { now: () => now }, onChange });
  const day = [
    ...requests.map((kind) => ({ ...(answer?.(kind) ?? kind), perDay: kind.perDay * times })),
    monitor,
  ];
  const texts = (middle.texts + middle.textsIn) * times;
  for (let at = 0; at < hours * 60; at++) {
    const isOpen = at < middle.hours * 60;
    const due = (perDay: number) => {
      const until = (passed: number) => Math.floor((perDay * passed) / (middle.hours * 60));
      return isOpen ? until(at + 1) - until(at) : 0;
    };
    for (const { perDay, units = 0, method, route, status, refusedBy = '-' } of day) {
      const count = due(perDay);
      if (count === 0) continue;
      const line = { ...dash, method, route, status: String(status), refusedBy };
      alarms.onLogLine('access', JSON.stringify(line), count);
      alarms.onAnswer(status, count);
      if (status >= 500 || refusedBy !== '-' || route === '/{proxy+}') continue;
      alarms.add(stackNameOf('dev'), 'milliseconds', {}, 20, count);
      if (units > 0)
        alarms.add('AWS/DynamoDB', 'ConsumedWriteCapacityUnits', { TableName: tableName }, units, count);
    }
    const received = due(texts);
    if (received > 0) {
      const topic = { TopicName: topicNameOf('dev', 'texts') };
      alarms.add('AWS/SNS', 'NumberOfMessagesPublished', topic, 1, received);
      alarms.add(
        'AWS/SNS',
        'NumberOfNotificationsDelivered',
        topic,
        one.hasLostSubscription ? 0 : 1,
        received,
      );
    }
    if (!one.isMappingDisabled) alarms.add('AWS/Lambda', 'PolledEventCount', mapping, 0, 4);
    for (const { worker } of workers) {
      const FunctionName = `${functionPrefixOf('dev')}${workerId(worker)}`;
      if (!('schedule' in worker.on) || at % worker.on.schedule.everyMinutes > 0) continue;
      for (const name of ['Invocations', 'Errors'])
        alarms.add('AWS/Lambda', name, { FunctionName }, Number(name === 'Invocations'));
    }
    now += minute;
    alarms.evaluate();
  }
  return [...raised];
}

const failing =
  (...routes: string[]) =>
  (kind: Kind): Kind =>
    routes.includes(kind.route) && kind.method !== 'GET' ? { ...kind, status: 500 } : kind;
const forms = failing('/v1/forms/submissions');
const refused = (kind: Kind): Kind =>
  kind.route.startsWith('/v1/') ? { ...kind, status: 401, refusedBy: 'UNAUTHORIZED' } : kind;
const throttled = (kind: Kind): Kind =>
  kind.route === '/v1/leads' ? { ...kind, status: 429, refusedBy: 'THROTTLED' } : kind;

test.each<[what: string, alarms: string[], one: Case]>([
  ['all forms fail', ['LeadsFail'], { customers: 10, answer: forms }],
  ['all forms fail', ['LeadsFail'], { customers: 100, answer: forms }],
  ['all forms fail', ['LeadsFail'], { customers: 1000, answer: forms }],
  ['every token is refused', ['LockedOut'], { customers: 10, answer: refused }],
  ['a list is throttled', ['TooManyRequests'], { customers: 10, answer: throttled }],
  ['the stream is not read', ['DispatchWebhooksUnread'], { customers: 10, isMappingDisabled: true }],
  ['SMS have lost their queue', ['LostTexts'], { customers: 10, hasLostSubscription: true }],
  ['nothing fails all day', [], { customers: 1, hours: 24 }],
])('%s: %j, with %j', (_, alarms, one) => {
  expect(raisedBy(one)).toEqual(alarms);
});

test('patterns of metric filters are as long as CloudWatch allows', () => {
  const filters = propertiesIn<{ FilterPattern: string }>(resources, 'AWS::Logs::MetricFilter');
  expect(filters.length).toBeGreaterThan(4);
  for (const { FilterPattern } of filters) expect(FilterPattern.length).toBeLessThanOrEqual(1024);
});
