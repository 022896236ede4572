import { describe, expect, test } from 'vitest';
import { authorizer, findContracts, functionNameOf } from '../../../infra/functions.ts';
import { apiFunctionPrefixOf } from '../../../infra/stack/resource-names.ts';
import { maxStageLength, models, parseStage } from '../../../infra/stack/stage.ts';
import { stageFileOf, stageSettings } from '../../../infra/stack/stages.ts';
import { allSettings, templateWith } from '../../support/template/made-up-stack.ts';

test.each([
  ['dev', undefined],
  ['prod', 'prod'],
  ['local', undefined],
] as const)('a stage with settings of its own takes these: %s, like %s', (stage, like) => {
  expect(stageFileOf(stage, like)).toBe(stageSettings[stage]);
});

describe('a stage of another name', () => {
  test('takes the settings of the stage that it is like, except the table and the domain', () => {
    const { domainName, certificateArn, ...rest } = allSettings;
    expect(domainName ?? certificateArn).toBeDefined();
    const files = { ...stageSettings, prod: allSettings };
    expect(stageFileOf('staging', 'prod', files)).toEqual({ ...rest, tableName: 'SalesPipeline-staging' });
  });

  test.each(models)('like %s keeps its data as that stage does', (like) => {
    const { data, outputs } = templateWith({ stage: 'staging', like });
    const [[, table] = []] = data.of('AWS::DynamoDB::GlobalTable');
    const isKept = like === 'prod';
    expect(data.terminationProtection).toBe(isKept);
    expect(table).toMatchObject({
      DeletionPolicy: isKept ? 'RetainExceptOnCreate' : 'Delete',
      Properties: { TableName: 'SalesPipeline-staging', Replicas: [{ DeletionProtectionEnabled: isKept }] },
    });
    expect(data.outputs).toHaveProperty('Like.Value', like);
    expect('ProbeRoleArn' in outputs).toBe(!isKept);
  });

  test('leaves room for the longest name of a function', async () => {
    const { operations, workers, publicFunctions } = await findContracts();
    const names = [authorizer, ...operations, ...workers, ...publicFunctions].map(functionNameOf);
    const prefix = apiFunctionPrefixOf('x'.repeat(maxStageLength));
    expect(names.filter((name) => `${prefix}${name}`.length > 64)).toEqual([]);
  });
});

describe('one sentence refuses', () => {
  const rule =
    'must be 1 to 16 lower-case letters and digits, first a letter, such as staging (-c stage=staging)';
  test.each([
    ['Staging', `The stage is "Staging", but it ${rule}`],
    ['2nd', `The stage is "2nd", but it ${rule}`],
    ['x-data', `The stage is "x-data", but it ${rule}`],
    ['', `The stage is "", but it ${rule}`],
    [undefined, `The stage is "undefined", but it ${rule}`],
    ['x'.repeat(17), `The stage is "${'x'.repeat(17)}", but it ${rule}`],
  ])('the name %s', (name, sentence) => {
    expect(() => parseStage(name)).toThrow(sentence);
    expect(parseStage('x'.repeat(16))).toBe('x'.repeat(16));
  });

  const own = 'Or name a stage with settings: dev, prod, local';
  test.each([
    [
      'prd',
      undefined,
      `The stage "prd" has no settings of its own: add -c like=dev or -c like=prod, whose settings it takes. ${own}`,
    ],
    ['staging', 'local', 'The stage "staging" is like "local", but it can only be like one of: dev, prod'],
    ['prod', 'dev', 'The stage prod has settings of its own: leave out -c like'],
  ])('the stage %s like %s', (stage, like, sentence) => {
    expect(() => stageFileOf(stage, like)).toThrow(sentence);
  });
});
