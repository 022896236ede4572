import { expect, test } from 'vitest';
import type { Operation, WorkerFunction } from '../../../infra/functions.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { allSettings, getLead, sendSms, submitForm, templateWith } from '../../support/made-up-stack.ts';
import { workersOfEachKind } from '../../support/worker-kinds.ts';

const subjects = Array.from({ length: 17 }, (_, at) => `subject${at}`);

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

/** Workers of each kind, but one for incoming SMS. */
const workers = ['', 'also-', 'even-', 'still-'].flatMap((prefix) =>
  workersOfEachKind.flatMap(({ worker }): WorkerFunction[] => {
    const name = `${prefix}${worker.name}`;
    if (prefix !== '' && worker.name === 'texted') return [];
    return [{ kind: 'worker', worker: { ...worker, name }, entry: `functions/workers/${name}.ts` }];
  }),
);

const settings = { ...allSettings, reservedConcurrency: {} };
const { resources, of } = templateWith({ settings, operations, workers });

/** Names of the resources in the watching construct, or of all others. */
const namesOf = (what: 'watching' | 'service') =>
  Object.keys(resources).filter((name) => name.startsWith('Alarms') === (what === 'watching'));

test('85 operations and 9 workers with every setting leave room: CloudFormation takes 500 resources', () => {
  expect(of('AWS::Lambda::Function')).toHaveLength(85 + 9 + 1);
  expect(namesOf('service').length).toBeLessThan(400);
});

test('watching them takes at most 30 more', () => {
  expect(namesOf('watching').length).toBeGreaterThan(6 + workers.length);
  expect(namesOf('watching').length).toBeLessThanOrEqual(30);
  expect(namesOf('watching').map((name) => resources[name]!.Type)).toContain('AWS::CloudWatch::Dashboard');
  const elsewhere = namesOf('service').map((name) => resources[name]!.Type);
  expect(elsewhere.filter((type) => /CloudWatch|MetricFilter/.test(type))).toEqual([]);
});

test('what grows with the number of operations is a function, its role and its method, and the paths', () => {
  const perOperation = ['AWS::Lambda::Function', 'AWS::IAM::Role', 'AWS::ApiGateway::Method'];
  const types = Map.groupBy(Object.values(resources), ({ Type }) => Type);
  const many = [...types].filter(([, { length }]) => length >= 40).map(([type]) => type);
  expect(many.sort()).toEqual([...perOperation, 'AWS::ApiGateway::Resource'].sort());
});
