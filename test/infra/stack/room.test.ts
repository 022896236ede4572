import { expect, test } from 'vitest';
import type { Operation, WorkerFunction } from '../../../infra/functions.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import {
  allSettings,
  getLead,
  sendSms,
  submitForm,
  templateWith,
} from '../../support/template/made-up-stack.ts';
import { workersOfEachKind } from '../../support/template/workers-of-each-kind.ts';

const subjects = Array.from({ length: 30 }, (_, at) => `subject${at}`);

/** Operations of each subject, by their method and the rest of the path. */
const kinds = [
  ['GET', ''],
  ['POST', ''],
  ['GET', '/{leadId}'],
  ['PUT', '/{leadId}'],
  ['POST', '/{leadId}/part'],
] as const;

/** Operations of a future service: it may have so many one day. */
const operations = subjects
  .flatMap((subject) =>
    kinds.map(([method, rest], at): Operation => {
      const operationId = `${subject}Operation${at}`;
      const endpoint: Endpoint = { ...getLead.endpoint, method, path: `/v1/${subject}${rest}` };
      return { kind: 'endpoint', operationId, endpoint, entry: `functions/made-up/${operationId}.ts` };
    }),
  )
  .slice(2)
  .concat(submitForm, sendSms);

/** Workers of each kind, but only one for incoming SMS. */
const workers = ['', 'also-', 'even-', 'still-', 'yet-', 'then-']
  .flatMap((prefix) =>
    workersOfEachKind.flatMap(({ worker }): WorkerFunction[] => {
      const name = `${prefix}${worker.name}`;
      if (prefix !== '' && worker.name === 'texted') return [];
      return [{ kind: 'worker', worker: { ...worker, name }, entry: `functions/workers/${name}.ts` }];
    }),
  )
  .slice(0, 12);

const settings = { ...allSettings, reservedConcurrency: {} };
const service = templateWith({ settings, operations, workers });
const { resources, of, data } = service;

/** Names of the resources in the watching construct, or of all others. */
const namesOf = (what: 'watching' | 'service') =>
  Object.keys(resources).filter((name) => name.startsWith('Alarms') === (what === 'watching'));

// CloudFormation takes 500 resources and 1 MB:
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
test('150 operations and 12 workers with every setting leave room in each stack', () => {
  expect(of('AWS::Lambda::Function')).toHaveLength(150 + 12 + 1);
  for (const stack of [service, data]) {
    expect(Object.keys(stack.resources).length).toBeLessThan(450);
    expect(stack.bytes).toBeLessThan(800_000);
  }
});

test('watching them takes at most 50 more', () => {
  expect(namesOf('watching').length).toBeGreaterThan(11 + workers.length);
  expect(namesOf('watching').length).toBeLessThanOrEqual(50);
  expect(namesOf('watching').map((name) => resources[name]!.Type)).toContain('AWS::CloudWatch::Dashboard');
  const elsewhere = namesOf('service').map((name) => resources[name]!.Type);
  expect(elsewhere.filter((type) => /CloudWatch|MetricFilter/.test(type))).toEqual([]);
});

test('a further operation takes a function and its role', () => {
  const { resources: without } = templateWith({ settings, operations: operations.slice(1), workers });
  const added = Object.entries(resources).filter(([name]) => !(name in without));
  const types = added.map(([, { Type }]) => Type).filter((type) => type !== 'AWS::ApiGateway::Deployment');
  expect(types.sort()).toEqual(['AWS::IAM::Role', 'AWS::Lambda::Function']);
});
