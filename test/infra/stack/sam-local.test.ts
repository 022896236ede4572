import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../../../infra/functions.ts';
import { parseOptions } from '../../../infra/local/options.ts';
import { deployedStages, samLocalDatabase, stages, type Stage } from '../../../infra/stack/stage.ts';
import { getLead, synthesizeStack, templateOf } from '../../support/made-up-stack.ts';
import { workersOfEachKind } from '../../support/worker-kinds.ts';

const folder = mkdtempSync(join(tmpdir(), 'sam-local-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Rule {
  Assertions: { Assert: { 'Fn::Equals': [{ Ref: string }, string] }; AssertDescription: string }[];
}

const build = (stage: Stage) => {
  synthesizeStack(folder, { stage, contracts: { operations: [getLead], workers: workersOfEachKind } });
  const { resources } = templateOf(folder);
  const { Parameters, Rules } = JSON.parse(readFileSync(join(folder, 'MadeUp.template.json'), 'utf8')) as {
    Parameters: Record<string, { AllowedValues?: string[]; Default: string }>;
    Rules: Record<string, Rule>;
  };
  const functions = Object.values(resources)
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .map(
      ({ Properties }) =>
        Properties as { Architectures: string[]; Environment: { Variables: Record<string, unknown> } },
    );
  return { functions, parameters: Parameters, rules: Rules };
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
    const [{ Ref: name }, wanted] = assertion!.Assert['Fn::Equals'];
    const { AllowedValues, Default } = local.parameters[name]!;
    expect(AllowedValues).toEqual([Default]);
    expect(AllowedValues).not.toContain(wanted);
    expect(assertion!.AssertDescription).toMatch(/^The stage local is a template for sam local, [^.]+\.$/);
  });

  test.each(deployedStages)('is alone with all that: %s is deployed, on arm64', (stage) => {
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
    expect(stages.filter((stage) => !deployedStages.some((one) => one === stage))).toEqual(['local']);
  });
});
