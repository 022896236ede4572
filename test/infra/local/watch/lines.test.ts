import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LocalError } from '../../../../infra/local/local-error.ts';
import { accessLineOf, type Access } from '../../../../infra/local/watch/access-log.ts';
import { DeadLetters } from '../../../../infra/local/watch/dead-letters.ts';
import { embeddedMetrics } from '../../../../infra/local/watch/embedded-metrics.ts';
import { functionLines } from '../../../../infra/local/watch/function-log.ts';
import { LogFiles } from '../../../../infra/local/watch/log-files.ts';
import { metricFilterOf } from '../../../../infra/local/watch/metric-filter.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lines-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('a line of the access log', () => {
  const access: Access = {
    requestId: 'r1',
    at: Date.UTC(2026, 10, 2, 9, 5, 7),
    method: 'GET',
    route: '/v1/leads/{leadId}',
    status: 200,
    length: 12,
    milliseconds: 34,
  };

  test('has the variables that the format names, and - for a missing value', () => {
    const line = accessLineOf(
      '{"id":"$context.requestId","time":"$context.requestTime","route":"$context.httpMethod $context.resourcePath",' +
        '"organization":"$context.authorizer.organization","by":"$context.error.responseType",' +
        '"function":"$context.integrationLatency/$context.integrationStatus","authorizer":"$context.authorizer.latency/$context.authorizer.requestId",' +
        '"all":"$context.responseLatency","length":"$context.responseLength","waf":"$context.wafResponseCode"}',
    );
    const common = {
      id: 'r1',
      time: '02/Nov/2026:09:05:07 +0000',
      route: 'GET /v1/leads/{leadId}',
      all: '34',
      length: '12',
    };
    expect(JSON.parse(line(access))).toEqual({
      ...common,
      organization: '-',
      by: '-',
      function: '-/-',
      authorizer: '-/-',
      waf: '-',
    });
    const more: Access = {
      ...access,
      authorizer: { organization: '6H8EV880' },
      authorizing: { status: 200, milliseconds: 5, requestId: 'a1' },
      integration: { status: 200, milliseconds: 20, requestId: 'f1' },
      responseType: 'DEFAULT_5XX',
      webAcl: { status: 403, refusedBy: undefined },
    };
    expect(JSON.parse(line(more))).toEqual({
      ...common,
      organization: '6H8EV880',
      by: 'DEFAULT_5XX',
      function: '20/200',
      authorizer: '5/a1',
      waf: 'WAF_BLOCK',
    });
  });

  test.each(['path', 'identity.sourceIp', 'error.message', 'authorizer.token', 'resourcepath', 'toString'])(
    'cannot have $context.%s',
    (name) => {
      const read = () => accessLineOf(`{"a":"$context.${name}"}`);
      expect(read).toThrow(LocalError);
      expect(read).toThrow(`$context.${name}, which the local machine does not know`);
    },
  );
});

describe('a metric filter', () => {
  const filter = (FilterPattern: string) =>
    metricFilterOf(
      'Filter',
      {
        LogGroupName: 'AccessLog',
        FilterPattern,
        MetricTransformations: [
          { MetricNamespace: 'N', MetricName: 'errors', MetricValue: '1', DefaultValue: 0 },
        ],
      },
      'access',
    );

  test('counts the lines whose field has the value', () => {
    const { metric, valueOf } = filter('{ $.status = "500" }');
    expect(metric).toEqual({ namespace: 'N', name: 'errors', dimensions: {} });
    expect(['{"status":"500"}', '{"status":"503"}', '{"status":500}', 'text', '[]'].map(valueOf)).toEqual([
      1, 0, 0, 0, 0,
    ]);
  });

  test.each(['{ $.status = 500 }', '{ $.status = "5*" }', 'ERROR', '{ $.a = "b" && $.c = "d" }', ''])(
    'of the pattern %s is refused',
    (pattern) => {
      expect(() => filter(pattern)).toThrow(LocalError);
    },
  );
});

describe('a line with embedded metrics', () => {
  const line = (more: object, directive: object = {}) =>
    JSON.stringify({
      ...more,
      _aws: {
        Timestamp: 7,
        CloudWatchMetrics: [
          { Namespace: 'N', Dimensions: [[]], Metrics: [{ Name: 'units', Unit: 'Count' }], ...directive },
        ],
      },
    });
  const units = { namespace: 'N', name: 'units', at: 7 };

  test('gives those metrics, once for each set of dimensions and each value', () => {
    expect(embeddedMetrics(line({ units: 2 }))).toEqual([{ ...units, dimensions: {}, value: 2 }]);
    expect(embeddedMetrics(line({ units: [2, 3], answer: '200' }, { Dimensions: [['answer'], []] }))).toEqual(
      [
        { ...units, dimensions: { answer: '200' }, value: 2 },
        { ...units, dimensions: { answer: '200' }, value: 3 },
        { ...units, dimensions: {}, value: 2 },
        { ...units, dimensions: {}, value: 3 },
      ],
    );
  });

  test.each([
    ['whose value is not there', line({})],
    ['whose value is a text', line({ units: '2' })],
    ['whose dimension is a number', line({ units: 2, answer: 200 }, { Dimensions: [['answer']] })],
    ['that are none', '{"_aws":1}'],
    ['that are no JSON', 'the "_aws" of this'],
  ])('%s gives no metric, as on AWS', (_, text) => {
    expect(embeddedMetrics(text)).toEqual([]);
  });
});

test('a function that fails logs its own output, and the error as Lambda writes it', () => {
  const error = { type: 'Error', message: 'No', stack: 'Error: No\n    at here' };
  const [written, thrown, ...others] = functionLines({ id: 'f1', output: 'one\n', error }, 0);
  expect(written).toBe('one');
  expect(others).toEqual([]);
  expect(thrown!.split('\t').slice(0, 4)).toEqual([
    '1970-01-01T00:00:00.000Z',
    'f1',
    'ERROR',
    'Invoke Error ',
  ]);
  expect(JSON.parse(thrown!.split('\t')[4]!)).toEqual({
    errorType: 'Error',
    errorMessage: 'No',
    stack: ['Error: No', '    at here'],
  });
});

test('logs are files, which each start writes anew', () => {
  const logs = join(folder, 'logs');
  const read = (group: string) => readFileSync(join(logs, `${group}.log`), 'utf8');
  const first = new LogFiles(logs);
  first.write('api', 'one');
  first.write('workers', 'two');
  first.write('api', 'three');
  expect([read('api'), read('workers')]).toEqual(['one\nthree\n', 'two\n']);
  const second = new LogFiles(logs);
  second.write('api', 'four');
  expect(read('api')).toBe('four\n');
  expect(() => read('workers')).toThrow();
});

test('a log that cannot be written is reported once for each reason, and written again when possible', () => {
  const logs = join(folder, 'logs');
  const said: string[] = [];
  writeFileSync(logs, 'A file is where the folder should be');
  const files = new LogFiles(logs, (sentence) => said.push(sentence));
  rmSync(logs);
  mkdirSync(logs);
  symlinkSync('/dev/full', join(logs, 'api.log'));
  for (const line of ['one', 'two']) files.write('api', line);
  expect(said).toEqual([
    expect.stringMatching(/^\S+\/logs cannot be written: EEXIST: /) as string,
    expect.stringMatching(/^\S+\/logs\/api\.log cannot be written: ENOSPC: no space left/) as string,
  ]);
  rmSync(join(logs, 'api.log'));
  files.write('api', 'three');
  expect(readFileSync(join(logs, 'api.log'), 'utf8')).toBe('three\n');
});

test('dead letters are lines of a file, and deleting the file deletes them', () => {
  const letters = new DeadLetters(join(folder, 'letters'));
  expect(letters.countOf('Q')).toBe(0);
  const outcome = { id: 'f1', output: '', error: { type: 'Error', message: 'No', stack: '' } };
  letters.add({ queue: 'Q', functionName: 'F', event: { a: 1 }, tries: 3, outcome }, 0);
  letters.add({ queue: 'Q', functionName: 'F', event: { a: 2 }, tries: 3, outcome }, 0);
  expect([letters.countOf('Q'), letters.countOf('Other')]).toEqual([2, 0]);
  const file = join(folder, 'letters', 'Q.jsonl');
  const [line = ''] = readFileSync(file, 'utf8').split('\n');
  expect(JSON.parse(line)).toMatchObject({
    requestContext: { requestId: 'f1', condition: 'RetriesExhausted', approximateInvokeCount: 3 },
    requestPayload: { a: 1 },
    responsePayload: { errorType: 'Error', errorMessage: 'No' },
  });
  rmSync(file);
  expect(letters.countOf('Q')).toBe(0);
});
