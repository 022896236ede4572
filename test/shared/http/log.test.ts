import * as v from 'valibot';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { created, endpoint, ok } from '../../../shared/contract/endpoint.ts';
import { failureReasons, smsFailure } from '../../../shared/contract/errors.ts';
import { getLeadEndpoint, type Lead } from '../../../shared/contract/leads.ts';
import { worker } from '../../../shared/contract/worker.ts';
import { work } from '../../../shared/http/work.ts';
import { metrics } from '../../../shared/http/metrics.ts';
import type { Handler } from '../../../shared/http/serve.ts';
import { Failure, notFound, unavailable } from '../../../shared/core/failure.ts';
import { contextWith, linesOf, requestId, served } from './invocation.ts';

const namespace = 'SalesPipeline-test';
const now = Date.parse('2026-11-02T13:00:00Z');

beforeEach(() => {
  vi.stubEnv('METRICS_NAMESPACE', namespace);
  // The clock stands still, so that whole lines can be compared.
  vi.useFakeTimers({ now, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const lead = { lead: { firstName: 'Ann' } as Lead };
const operation = 'GET /v1/leads/{leadId}';
const sendText = endpoint({
  method: 'POST',
  path: '/v1/sms',
  scope: 'leads:create',
  access: 'put',
  uses: 'sms',
  summary: '',
  description: '',
  params: {},
  responses: { 201: v.strictObject({}) },
  errors: [404],
  bareErrors: [400, 502],
  example: { response: {} },
});

interface EmbeddedMetrics {
  Timestamp: number;
  CloudWatchMetrics: {
    Namespace: string;
    Dimensions: string[][];
    Metrics: { Name: string; Unit: string }[];
  }[];
}

const emitted = new Set<string>();

/** Metrics that CloudWatch makes of a line, by name and dimension. The rules are in its documentation. */
function metricsOf(line: Record<string, unknown>): Record<string, number> {
  const { Timestamp, CloudWatchMetrics } = line['_aws'] as EmbeddedMetrics;
  expect(Timestamp).toBe(now);
  const found = CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) => {
    expect(Namespace).toBe(namespace);
    return Dimensions.flatMap((names) => {
      const values = names.map((name) => v.parse(v.string(), line[name]));
      return Metrics.map(({ Name }): [string, number] => {
        emitted.add(Name);
        return [[Name, ...values].join(' '), v.parse(v.number(), line[Name])];
      });
    });
  });
  expect(new Set(CloudWatchMetrics.map(({ Dimensions }) => Dimensions.join())).size).toBe(
    CloudWatchMetrics.length,
  );
  return Object.fromEntries(found);
}

const count = (...names: string[]) => names.map((Name) => ({ Name, Unit: 'Count' }));

test('a response leaves one flat line with its organization, cost and metrics, and none of its data', async () => {
  const send = served(getLeadEndpoint, ({ principal }) => {
    principal.capacity.calls += 2;
    principal.capacity.readUnits += 1.5;
    vi.setSystemTime(now);
    return ok(lead);
  });
  await send();
  vi.setSystemTime(now - 12);
  const { line } = await send();
  expect(line).toEqual({
    level: 'info',
    requestId,
    operation,
    organization: '6H8EV880',
    status: 200,
    milliseconds: 12,
    calls: 2,
    readUnits: 1.5,
    writeUnits: 0,
    transactions: 0,
    writes: 0,
    answers: 1,
    answer: '200',
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [
        { Namespace: namespace, Dimensions: [['answer']], Metrics: count('answers') },
        {
          Namespace: namespace,
          Dimensions: [[]],
          Metrics: [...count('readUnits'), { Name: 'milliseconds', Unit: 'Milliseconds' }],
        },
      ],
    },
  });
  // CloudWatch takes $0.50 for each GB: $0.30 per million lines.
  expect(JSON.stringify(line).length).toBeLessThan(600);
});

/** Sends a request to a handler that does this. Returns the line of its log. */
async function lineOf(act: Handler<typeof getLeadEndpoint> | Error) {
  const handler = act instanceof Error ? () => Promise.reject(act) : act;
  return (await served(getLeadEndpoint, handler)()).line;
}

describe('the metrics', () => {
  const cost = { calls: 4, readUnits: 1, writeUnits: 18, transactions: 2, writes: 1 };
  const { calls, ...charged } = cost;

  test.each<[string, Parameters<typeof lineOf>[0], Record<string, number>, object]>([
    [
      'a write; a duration of 0 counts too',
      ({ principal }) => {
        Object.assign(principal.capacity, cost);
        return ok(lead);
      },
      { 'answers 200': 1, milliseconds: 0, ...charged },
      { level: 'info', calls },
    ],
    [
      'a 4xx: its duration, and no server error',
      notFound('lead'),
      { 'answers 404': 1, milliseconds: 0 },
      { level: 'info', status: 404, error: { name: 'Failure' } },
    ],
    [
      'a 5xx: by operation, without its duration',
      new Error('No'),
      { 'answers 500': 1, [`serverErrors ${operation}`]: 1 },
      { level: 'error', serverErrors: 1 },
    ],
    [
      'a request that the ledger refused for lack of time: one refusal',
      unavailable(new Error('throttled')),
      { 'answers 503': 1, [`serverErrors ${operation}`]: 1, refusals: 1 },
      {},
    ],
    [
      'a batch: a refusal for each item that reports one, however few are described, and other errors',
      ({ report }) => {
        report(new Error('No'));
        for (let item = 0; item < 98; item++) report(unavailable());
        return ok(lead);
      },
      { 'answers 200': 1, milliseconds: 0, refusals: 98, hiddenErrors: 1 },
      { level: 'error', status: 200, error: { more: 94 } },
    ],
    [
      'a failure with further reported errors: the line has both',
      ({ report }) => {
        report(unavailable());
        throw new Failure('invalid', 'No', { smsReason: 'OPTED_OUT' });
      },
      { 'answers 400': 1, milliseconds: 0, refusals: 1 },
      {
        level: 'error',
        error: { errors: [{ message: 'No' }, { message: expect.stringContaining('in time') as string }] },
      },
    ],
  ])('of %s', async (_, act, expected, more) => {
    const line = await lineOf(act);
    expect(line).toMatchObject(more);
    expect(metricsOf(line)).toEqual({ ...expected, coldStarts: 1 });
  });

  test('of the endpoint that sends SMS: one SMS, by its outcome', async () => {
    const texts = async (failure?: Failure) => {
      const send = served(sendText, () => {
        if (failure) throw failure;
        return created({});
      });
      const { line } = await send();
      return Object.keys(metricsOf(line)).filter((name) => name.startsWith('texts'));
    };
    expect(await texts()).toEqual(['texts SENT']);
    for (const reason of failureReasons) expect(await texts(smsFailure(reason))).toEqual([`texts ${reason}`]);
    // No SMS was to be sent.
    for (const failure of [notFound('lead'), unavailable()]) expect(await texts(failure)).toEqual([]);
    expect(await lineOf(() => ok(lead))).not.toHaveProperty('texts');
  });

  test('of a worker that sends events: their number, failures, and webhooks that it disabled', async () => {
    const tick = worker({
      name: 'tick',
      summary: 'Ticks',
      breaks: 'Nothing.',
      access: 'none',
      timeoutSeconds: 30,
      retries: 0,
      deadLetters: { keptDays: 14 },
      on: { schedule: { everyMinutes: 5 } },
    });
    const handler = work(tick, ({ count }) => {
      (['deliveries', 'deliveries', 'failedAttempts', 'disabledWebhooks'] as const).forEach(count);
      return Promise.resolve(2);
    });
    const event = {} as Parameters<typeof handler>[0];
    const { lines } = await linesOf(() => handler(event, contextWith(30_000)));
    expect(metricsOf(JSON.parse(lines[0]!) as Record<string, unknown>)).toEqual({
      deliveries: 2,
      failedAttempts: 1,
      disabledWebhooks: 1,
    });
  });

  test('are not there without a namespace', async () => {
    vi.stubEnv('METRICS_NAMESPACE', undefined);
    const line = await lineOf(() => ok(lead));
    expect(line).not.toHaveProperty('_aws');
    expect(line).toMatchObject({ answers: 1, answer: '200' });
  });

  afterAll(() => {
    expect([...emitted].sort(), 'every metric is in one of these lines').toEqual(Object.keys(metrics).sort());
  });
});
