import { describe, expect, test, vi } from 'vitest';
import { accessLogFields } from '../../../../infra/stack/access-log.ts';
import { log } from '../../../../shared/http/log.ts';
import { metrics } from '../../../../shared/http/metrics.ts';
import { metricsNamedIn, propertiesIn, queriesNamedIn, widgetsIn } from '../../../support/watched.ts';
import { watchedStack } from './watched-stack.ts';

const stack = watchedStack();
const widgets = widgetsIn(stack);
const namespace = 'SalesPipeline-prod';

/** The names of the dimensions of AWS's own metrics: their documentation names others too, which are not used. */
const awsMetrics: Record<string, Record<string, string[]>> = {
  'AWS/ApiGateway': {
    Count: ['ApiName', 'Stage'],
    '4XXError': ['ApiName', 'Stage'],
    '5XXError': ['ApiName', 'Stage'],
    Latency: ['ApiName', 'Stage'],
  },
  'AWS/Lambda': { Invocations: ['FunctionName'], Errors: ['FunctionName'] },
  'AWS/SQS': { ApproximateNumberOfMessagesVisible: ['QueueName'] },
};

describe('the dashboard', () => {
  test('shows what an operator looks for, alarms first', () => {
    expect(widgets.slice(0, 2).map(({ type }) => type)).toEqual(['text', 'alarm']);
    expect(widgets[1]!.properties.alarms).toHaveLength(propertiesIn(stack, 'AWS::CloudWatch::Alarm').length);
    expect(widgets.slice(2).map(({ properties: { title } }) => title)).toEqual([
      'Requests',
      'Answers by status',
      'Errors by operation, 500 and more',
      'Latency, in milliseconds',
      'Cold starts, % of requests',
      'Contention: transactions sent for each stored write',
      'Units of DynamoDB',
      'Refused for lack of time',
      'Text messages by outcome',
      'Dead letters',
      'Runs of workers, and those that failed',
      'Last errors',
      'Latency by operation',
      'Cold starts by operation',
      'Contention by organization',
      'Cost by organization, in dollars',
      'Refused before a function, or in the place of one',
    ]);
    expect(propertiesIn(stack, 'AWS::CloudWatch::Dashboard')).toEqual([
      expect.objectContaining({ DashboardName: namespace }),
    ]);
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

describe('every metric that an alarm or a graph names', () => {
  const named = metricsNamedIn(stack);
  const ours = named.filter((metric) => metric.namespace === namespace);

  test('is one that functions emit or the access log gives, with its own dimension', () => {
    for (const { by, name, dimensions, each } of ours) {
      if (name === 'internalErrors') {
        expect(dimensions, by).toEqual({});
        continue;
      }
      expect(Object.keys(metrics), by).toContain(name);
      const { by: dimension } = { by: undefined, ...metrics[name as keyof typeof metrics] };
      expect([...Object.keys(dimensions), ...(each === undefined ? [] : [each])], by).toEqual(
        dimension === undefined ? [] : [dimension],
      );
    }
  });

  test('is otherwise one of AWS, with its dimensions', () => {
    for (const { by, name, dimensions, ...metric } of named.filter((one) => !ours.includes(one)))
      expect(Object.keys(dimensions), by).toEqual(awsMetrics[metric.namespace]?.[name]);
  });

  test('is among all there are: none is emitted for nobody', () => {
    expect(new Set(ours.map(({ name }) => name))).toEqual(
      new Set([...Object.keys(metrics), 'internalErrors']),
    );
  });
});

describe('every query', () => {
  const queries = queriesNamedIn(stack);

  /** A line of a function's log with all that it can have. */
  function fullLine(): Record<string, unknown> {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const capacity = { calls: 1, readUnits: 1, writeUnits: 1, transactions: 1, writes: 1 };
    const flags = { coldStarts: 1, answers: 1, serverErrors: 1, texts: 1 } as const;
    const line = { requestId: 'r', operation: 'o', organization: 'o', status: 500, milliseconds: 1, done: 1 };
    const error = new Error('failed');
    try {
      log({ ...line, ...flags, capacity, answer: '500', text: 'SENT', error }, []);
      return JSON.parse(String(write.mock.lastCall![0])) as Record<string, unknown>;
    } finally {
      write.mockRestore();
    }
  }

  test('is of logs of the stage', () => {
    const groups = propertiesIn<{ LogGroupName: string }>(stack, 'AWS::Logs::LogGroup');
    expect(queries).toHaveLength(6);
    for (const query of queries) {
      expect(query.groups.length).toBeGreaterThan(0);
      for (const group of query.groups)
        expect(groups.map(({ LogGroupName }) => LogGroupName)).toContain(group);
    }
  });

  test('names fields that a line of its logs has, and no others', () => {
    const line = fullLine();
    const ofFunctions = [
      ...Object.keys(line),
      ...Object.keys(line['error'] as object).map((part) => `error.${part}`),
      // Only where there is something refused.
      'refusals',
    ];
    for (const { title, groups, fields } of queries) {
      const isAccess = groups.every((group) => group.endsWith('/access'));
      expect(fields.length, title).toBeGreaterThan(0);
      for (const field of fields)
        expect(isAccess ? Object.keys(accessLogFields) : ofFunctions, title).toContain(field);
    }
  });

  test('asks for costs at the prices of the list', () => {
    const { properties } = widgets.find((one) => one.properties.title?.startsWith('Cost by organization'))!;
    // Per million: a request of API Gateway and of Lambda, a read unit, a write unit, a millisecond of 1 GB.
    expect(properties.query).toContain(
      '(requests * 3.7 + unitsRead * 0.125 + unitsWritten * 0.625 + time * 0.0133334) / 1000000 as dollars',
    );
  });
});
