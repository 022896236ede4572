import { describe, expect, inject, test } from 'vitest';
import { resolve } from '../../../infra/local/intrinsics.ts';
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
  test('gets the names of all functions of the API, within the 4 KB of environment that Lambda takes', () => {
    const { FUNCTION_PREFIX: prefix, FUNCTIONS: rests = '' } = Variables;
    const names = of('AWS::Lambda::Function').map(([, function_]) => function_.Properties['FunctionName']);
    expect(rests.split(' ').map((rest) => `${prefix}${rest}`)).toEqual(
      names.filter((name) => name !== Properties['FunctionName']),
    );
    expect(names).toHaveLength(121);
    expect(JSON.stringify(Variables).length).toBeLessThan(4096);
  });

  test('may invoke the functions of the API, and use nothing else but its log and its dead letters', () => {
    const role = one('AWS::IAM::Role', 'KeepWarm').Properties['Policies'] as {
      PolicyDocument: { Statement: { Action: string; Resource: unknown }[] };
    }[];
    const allowed = role.flatMap(({ PolicyDocument: { Statement } }) => Statement);
    const invoking = allowed.filter(({ Action }) => Action.includes('lambda:'));
    expect(invoking.map(({ Action, Resource }) => [Action, resolve(Resource)])).toEqual([
      ['lambda:InvokeFunction', 'arn:aws:lambda:us-east-1:000000000000:function:SalesPipeline-prod-api-*'],
    ]);
    expect(
      allowed.flatMap(({ Action }) => Action).filter((action) => !/^(logs|xray|sqs|lambda):/.test(action)),
    ).toEqual([]);
    expect(Variables).not.toHaveProperty('TABLE_NAME');
  });

  test('runs every five minutes, and is watched as every worker', () => {
    expect(one('AWS::Events::Rule', 'KeepWarm').Properties).toMatchObject({
      ScheduleExpression: 'rate(5 minutes)',
    });
    const alarms = of('AWS::CloudWatch::Alarm').map(([, { Properties: alarm }]) => alarm['AlarmName']);
    expect(alarms).toEqual(
      expect.arrayContaining(['SalesPipeline-prod-KeepWarmStuck', 'SalesPipeline-prod-KeepWarmDeadLetters']),
    );
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
