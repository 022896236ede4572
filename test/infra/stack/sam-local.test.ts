import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../../infra/root.ts';
import { parseOptions } from '../../../infra/local/options.ts';
import {
  canBeDeployed,
  models,
  ownStages,
  samLocalDatabase,
  type Stage,
} from '../../../infra/stack/stage.ts';
import { templateWith } from '../../support/template/made-up-stack.ts';
import { workersOfEachKind } from '../../support/template/workers-of-each-kind.ts';

interface FunctionProperties {
  Architectures: string[];
  Environment: { Variables: Record<string, unknown> };
}

const build = (stage: Stage) => {
  const { of, ...template } = templateWith({ stage, workers: workersOfEachKind });
  const functions = of('AWS::Lambda::Function').map(([, { Properties }]) => Properties);
  return { ...template, functions: functions as unknown as FunctionProperties[] };
};

describe('the stage local, for sam local', () => {
  const local = build('local');

  test("has the host's architecture, and declares where DynamoDB and all else of AWS is", () => {
    expect(local.functions.length).toBeGreaterThan(2);
    const endpoint = `http://host.docker.internal:${samLocalDatabase.port}`;
    for (const { Architectures, Environment } of local.functions) {
      expect(Architectures).toEqual([process.arch === 'x64' ? 'x86_64' : process.arch]);
      expect(Environment.Variables).toMatchObject({
        AWS_ENDPOINT_URL_DYNAMODB: endpoint,
        AWS_ENDPOINT_URL: endpoint,
      });
      expect(Environment.Variables).not.toHaveProperty('SMS_ORIGINATION_IDENTITY');
    }
  });

  test('leads to the port that npm start opens without being told', () => {
    const { port } = samLocalDatabase;
    expect(parseOptions([]).engine).toEqual({ host: '127.0.0.1', port, isAskedFor: false });
    const guide = readFileSync(join(root, 'docs/sam-local.md'), 'utf8');
    expect(guide).toContain(`says \`http://host.docker.internal:${port}\``);
  });

  test('cannot be deployed: a rule asks for a value that its parameter cannot have, and says why', () => {
    const [assertion] = local.rules['NeverDeployed']!.Assertions;
    const { 'Fn::Equals': equals } = assertion!.Assert as { 'Fn::Equals': [{ Ref: string }, string] };
    const [{ Ref: name }, wanted] = equals;
    const { AllowedValues, Default } = local.parameters[name]!;
    expect(AllowedValues).toEqual([Default]);
    expect(AllowedValues).not.toContain(wanted);
    expect(assertion!.AssertDescription).toMatch(/^The stage local is a template for sam local, [^.]+\.$/);
  });

  test.each(models)('is alone with all that: %s is deployed, on arm64', (stage) => {
    const { functions, parameters, rules } = build(stage);
    for (const { Architectures, Environment } of functions) {
      expect(Architectures).toEqual(['arm64']);
      expect(Object.keys(Environment.Variables)).not.toContainEqual(
        expect.stringMatching(/^AWS_ENDPOINT_URL/),
      );
    }
    expect(rules).not.toHaveProperty('NeverDeployed');
    expect(parameters).not.toHaveProperty('Deployment');
  });

  test('is the only one that is not deployed', () => {
    expect(ownStages.filter((stage) => !canBeDeployed(stage))).toEqual(['local']);
  });
});
