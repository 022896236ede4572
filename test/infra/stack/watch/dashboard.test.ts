import { describe, expect, test } from 'vitest';
import { accessPatterns } from '../../../../infra/stack/watch/access-metrics.ts';
import { metrics } from '../../../../shared/http/metrics.ts';
import {
  awsMetrics,
  metricsNamedIn,
  propertiesIn,
  widgetsIn,
} from '../../../support/metrics/named-metrics.ts';
import { workersOfEachKind } from '../../../support/template/workers-of-each-kind.ts';
import { watchedStack } from './watched-stack.ts';

const stack = watchedStack();
const widgets = widgetsIn(stack);
const namespace = 'SalesPipeline-prod';

/**
 * Every graph with its lines: a shown metric, or `id =` for a metric that an expression uses. `timed` and
 * `ordered` are the only workers.
 */
const graphs: Record<string, string[]> = {
  Requests: [
    'SampleCount of AWS/ApiGateway Count ApiName SalesPipeline-prod Stage prod',
    'Sum of AWS/ApiGateway 4XXError ApiName SalesPipeline-prod Stage prod',
    'Sum of AWS/ApiGateway 5XXError ApiName SalesPipeline-prod Stage prod',
  ],
  'Answers by status': [
    `\${PROP('Dim.answer')}: SEARCH('{"SalesPipeline-prod",answer} MetricName="answers"', 'Sum', 300)`,
  ],
  'Errors by operation, 500 and more': [
    `\${PROP('Dim.operation')}: SEARCH('{"SalesPipeline-prod",operation} MetricName="serverErrors"', 'Sum', 300)`,
    'Sum of SalesPipeline-prod internalErrors',
    'Sum of SalesPipeline-prod hiddenErrors',
  ],
  'Latency, in milliseconds': [
    'Functions p50: p50 of SalesPipeline-prod milliseconds',
    'Functions p99: p99 of SalesPipeline-prod milliseconds',
    'API p99, with authorizer and cold starts: p99 of AWS/ApiGateway Latency ApiName SalesPipeline-prod Stage prod',
  ],
  'Cold starts, % of requests': [
    'Cold starts, %: 100 * cold / requests',
    'cold = Sum of SalesPipeline-prod coldStarts',
    'requests = SampleCount of AWS/ApiGateway Count ApiName SalesPipeline-prod Stage prod',
  ],
  'Contention: transactions sent for each stored write': [
    'Sent for each stored: sent / stored',
    'sent = Sum of SalesPipeline-prod transactions',
    'stored = Sum of SalesPipeline-prod writes',
  ],
  'Units of DynamoDB': ['Sum of SalesPipeline-prod readUnits', 'Sum of SalesPipeline-prod writeUnits'],
  'Refused for lack of time': ['Sum of SalesPipeline-prod refusals'],
  'Text messages by outcome': [
    `\${PROP('Dim.text')}: SEARCH('{"SalesPipeline-prod",text} MetricName="texts"', 'Sum', 300)`,
  ],
  'Dead letters': [
    'timed: Maximum of AWS/SQS ApproximateNumberOfMessagesVisible QueueName TimedDeadLetters08BB4E1F.QueueName',
    'ordered: Maximum of AWS/SQS ApproximateNumberOfMessagesVisible QueueName OrderedDeadLetters74ABB20B.QueueName',
  ],
  'Runs of workers, and failed runs': [
    'timed: Sum of AWS/Lambda Invocations FunctionName SalesPipeline-prod-Timed',
    'timed failed: Sum of AWS/Lambda Errors FunctionName SalesPipeline-prod-Timed',
    'ordered: Sum of AWS/Lambda Invocations FunctionName SalesPipeline-prod-Ordered',
    'ordered failed: Sum of AWS/Lambda Errors FunctionName SalesPipeline-prod-Ordered',
  ],
  'Webhooks: what arrived, and what did not': [
    'Sum of SalesPipeline-prod deliveries',
    'Sum of SalesPipeline-prod failedAttempts',
    'Sum of SalesPipeline-prod disabledWebhooks',
  ],
};

/** Formats a line of a graph as `graphs` has it. */
function lineOf(metric: unknown[]): string {
  const { label, id, visible, expression, stat, period } = metric.at(-1) as Record<string, string | boolean>;
  const named = metric.filter((part) => typeof part === 'string').join(' ');
  const name = visible === false ? `${id} = ` : label === undefined ? '' : `${label}: `;
  const every = period === undefined ? '' : ` every ${period} s`;
  return `${name}${expression ?? `${stat} of ${named}`}${every}`;
}

describe('the dashboard', () => {
  const two = workersOfEachKind.filter(({ worker }) => ['timed', 'ordered'].includes(worker.name));
  const ofTwoWorkers = widgetsIn(watchedStack({ workers: two }));
  const shown = ofTwoWorkers.flatMap(({ type, properties }) => (type === 'metric' ? [properties] : []));

  test('has these graphs, of five minutes from 0 on', () => {
    const found = shown.map(({ title, metrics: lines = [] }) => [title, lines.map(lineOf)]);
    expect(Object.fromEntries(found)).toEqual(graphs);
    for (const properties of shown)
      expect(properties).toMatchObject({ view: 'timeSeries', period: 300, yAxis: { left: { min: 0 } } });
  });

  test('shows what an operator looks for, alarms first', () => {
    expect(widgets.slice(0, 2).map(({ type }) => type)).toEqual(['text', 'alarm']);
    expect(widgets[1]!.properties.alarms).toHaveLength(propertiesIn(stack, 'AWS::CloudWatch::Alarm').length);
    expect(propertiesIn(stack, 'AWS::CloudWatch::Dashboard')).toEqual([
      expect.objectContaining({ DashboardName: `${namespace}-us-east-1` }),
    ]);
  });

  test('counts the requests of organizations without calls of the authorizer, and knows their price', () => {
    const queries = widgets.flatMap(({ properties: { query = '' } }) =>
      /count\(.*by organization/.test(query) ? [query] : [],
    );
    expect(queries).toHaveLength(1);
    expect(queries[0]).toContain('| filter ispresent(organization) and operation != "authorize"');
    // Dollars per million: a request of API Gateway and of Lambda, a read unit, a write unit, a millisecond of 1 GB.
    expect(queries[0]).toContain(
      '(requests * 3.7 + unitsRead * 0.125 + unitsWritten * 0.625 + time * 0.0133334) / 1000000 as dollars',
    );
  });

  test('has its widgets side by side in 24 columns, none over another', () => {
    const taken = new Set<string>();
    for (const { x, y, width, height, properties } of widgets) {
      expect(x + width).toBeLessThanOrEqual(24);
      for (let column = x; column < x + width; column++)
        for (let row = y; row < y + height; row++) {
          expect(taken, `${properties.title ?? 'a widget'} is over another`).not.toContain(
            `${column},${row}`,
          );
          taken.add(`${column},${row}`);
        }
    }
  });

  test('leaves out graphs of workers where there are none', () => {
    const titles = widgetsIn(watchedStack({ workers: [] })).map(({ properties: { title } }) => title);
    expect(titles).not.toContain('Dead letters');
    expect(titles).toContain('Last errors');
  });
});

const named = metricsNamedIn(stack);
const ours = named.filter((metric) => metric.namespace === namespace);

test('every metric that an alarm or a graph names is one of AWS, with its dimensions, or one of all that functions emit: none is emitted for nobody', () => {
  for (const { by, name, dimensions, ...metric } of named.filter((one) => !ours.includes(one)))
    expect(Object.keys(dimensions).sort(), by).toEqual(awsMetrics[metric.namespace]?.[name]);
  expect(new Set(ours.map(({ name }) => name))).toEqual(
    new Set([...Object.keys(metrics), ...Object.keys(accessPatterns([]))]),
  );
});
