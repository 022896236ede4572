import { expect, test } from 'vitest';
import { keepWarmWorker } from '../../../shared/contract/keep-warm.ts';
import { allSettings, getLead, templateWith } from '../../support/template/made-up-stack.ts';

const worker = {
  kind: 'worker',
  worker: keepWarmWorker,
  entry: 'functions/workers/keep-warm.ts',
} as const;
/** Operations, as many as there may be one day, with names of 30 characters. */
const operations = Array.from({ length: 119 }, (_, at) => ({
  ...getLead,
  operationId: `anOperationWithALongName${at}`.padEnd(30, 'x'),
  endpoint: { ...getLead.endpoint, path: `/v1/path${at}` },
}));
const settings = { ...allSettings, reservedConcurrency: {} };
const { one, of } = templateWith({ settings, operations, workers: [worker] });
const { Properties } = one('AWS::Lambda::Function', 'KeepWarm');
const { Variables } = Properties['Environment'] as { Variables: Record<string, string> };

test('the worker keep-warm gets no table, and the names of all functions of the API, within the 4 KB of environment that Lambda takes', () => {
  const { FUNCTION_PREFIX: prefix, FUNCTIONS: rests = '' } = Variables;
  const names = of('AWS::Lambda::Function').map(([, function_]) => function_.Properties['FunctionName']);
  expect(rests.split(' ').map((rest) => `${prefix}${rest}`)).toEqual(
    names.filter((name) => name !== Properties['FunctionName']),
  );
  expect(names).toHaveLength(121);
  expect(JSON.stringify(Variables).length).toBeLessThan(4096);
  expect(Variables).not.toHaveProperty('TABLE_NAME');
});
