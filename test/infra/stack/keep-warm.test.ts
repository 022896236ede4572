import { describe, expect, inject, test } from 'vitest';
import { readTemplate } from '../../../infra/local/template/template.ts';
import { keepWarmWorker } from '../../../shared/contract/keep-warm.ts';
import { allSettings, getLead, templateWith } from '../../support/made-up-stack.ts';

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
const { one, of, resources } = templateWith({ settings, operations, workers: [worker] });
const { Properties } = one('AWS::Lambda::Function', 'KeepWarm');
const { Variables } = Properties['Environment'] as { Variables: Record<string, string> };

describe('the worker keep-warm', () => {
  test('gets no table, and the names of all functions of the API, within the 4 KB of environment that Lambda takes', () => {
    const { FUNCTION_PREFIX: prefix, FUNCTIONS: rests = '' } = Variables;
    const names = of('AWS::Lambda::Function').map(([, function_]) => function_.Properties['FunctionName']);
    expect(rests.split(' ').map((rest) => `${prefix}${rest}`)).toEqual(
      names.filter((name) => name !== Properties['FunctionName']),
    );
    expect(names).toHaveLength(121);
    expect(JSON.stringify(Variables).length).toBeLessThan(4096);
    expect(Variables).not.toHaveProperty('TABLE_NAME');
  });

  test('is not there where the setting is off, as in dev: neither a function, nor a schedule, nor an alarm', () => {
    const off = templateWith({ settings: { ...settings, keepWarm: false }, workers: [worker] });
    const named = (template: object) => JSON.stringify(template).match(/KeepWarm|keep-warm/g);
    expect(named(off.resources)).toBeNull();
    expect(named(resources)).not.toBeNull();
    expect(
      readTemplate(inject('assembly')).functions.filter(({ name }) => name.includes('KeepWarm')),
    ).toEqual([]);
  });
});
