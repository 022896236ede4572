import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { camel, findContracts, pascal, type Contracts } from '../../../infra/functions.ts';
import { runApp } from '../../../infra/local/synthesize.ts';
import type { StageSettings } from '../../../infra/stack/stage-settings.ts';
import { parseStage, type Stage } from '../../../infra/stack/stage.ts';
import { awsRefusals } from '../../support/aws-refusals.ts';
import { allSettings } from '../../support/made-up-stack.ts';

interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  DeletionPolicy?: string;
}

const folder = mkdtempSync(join(tmpdir(), 'template-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Settings as `-c` gives them. */
const everySetting = Object.fromEntries(
  Object.entries(allSettings).map(([name, value]) => [name, textOf(value)]),
);

function textOf(value: StageSettings[keyof StageSettings]): string {
  if (typeof value !== 'object' || Array.isArray(value)) return String(value);
  return Object.entries(value)
    .map((pair) => pair.join(':'))
    .join(',');
}

/** Stack of a stage, in prod with every setting, and the findings of CDK's own validation. */
async function synthesize(
  stage: Stage,
): Promise<{ resources: Record<string, Resource>; violations: unknown[] }> {
  const outdir = join(folder, stage);
  await runApp(outdir, stage, {
    validate: true,
    settings: stage === 'prod' ? everySetting : {},
  });
  const read = (file: string) =>
    JSON.parse(readFileSync(join(outdir, file), 'utf8')) as Record<string, unknown>;
  return {
    resources: read(`SalesPipeline-${stage}.template.json`)['Resources'] as Record<string, Resource>,
    violations: read('validation-report.json')['pluginReports'] as unknown[],
  };
}

let dev: Awaited<ReturnType<typeof synthesize>>;
let prod: Awaited<ReturnType<typeof synthesize>>;
let operations: Contracts['operations'];
let workers: Contracts['workers'];
beforeAll(async () => {
  [dev, prod, { operations, workers }] = await Promise.all([
    synthesize('dev'),
    synthesize('prod'),
    findContracts(),
  ]);
}, 180_000);

const of = ({ resources }: typeof dev, type: string) =>
  Object.entries(resources).filter(([, resource]) => resource.Type === type);

describe('every endpoint', () => {
  test('is a function of its own, on Node.js 24 and arm64, beside the authorizer and the workers', () => {
    const functions = of(prod, 'AWS::Lambda::Function');
    expect(functions).toHaveLength(operations.length + workers.length + 1);
    for (const [, { Properties }] of functions) {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
      });
    }
    expect(new Set(functions.map(([, { Properties }]) => JSON.stringify(Properties['Role']))).size).toBe(
      functions.length,
    );
  });

  test('has a name that tells its stage, and what calls it', () => {
    const names = (stack: typeof dev) =>
      of(stack, 'AWS::Lambda::Function').map(([, { Properties }]) => String(Properties['FunctionName']));
    const expected = (stage: Stage) => [
      `SalesPipeline-${stage}-api-Authorizer`,
      ...operations.map(({ operationId }) => `SalesPipeline-${stage}-api-${pascal(operationId)}`),
      ...workers.map(({ worker }) => `SalesPipeline-${stage}-${pascal(camel(worker.name))}`),
    ];
    expect(names(dev).sort()).toEqual(expected('dev').sort());
    expect(names(prod).sort()).toEqual(expected('prod').sort());
    for (const stack of [dev, prod]) {
      const [[, api]] = of(stack, 'AWS::ApiGateway::RestApi') as [[string, Resource]];
      expect(api.Properties['Name']).toBe(stack === dev ? 'SalesPipeline-dev' : 'SalesPipeline-prod');
    }
  });

  test('knows the namespace of its metrics, which is its stack', () => {
    for (const [stack, namespace] of [
      [dev, 'SalesPipeline-dev'],
      [prod, 'SalesPipeline-prod'],
    ] as const)
      for (const [, { Properties }] of of(stack, 'AWS::Lambda::Function'))
        expect(Properties).toHaveProperty('Environment.Variables.METRICS_NAMESPACE', namespace);
  });

  test('logs where all of its kind do, and can make no group that a stack would leave behind', () => {
    const groups = of(prod, 'AWS::Logs::LogGroup').map(([name, { Properties, DeletionPolicy }]) => {
      expect(DeletionPolicy).toBe('RetainExceptOnCreate');
      return [{ Ref: name }, Properties['LogGroupName']] as const;
    });
    const kindOf = (name: unknown) =>
      String(name).startsWith('SalesPipeline-prod-api-') ? 'api' : 'workers';
    for (const [, { Properties }] of of(prod, 'AWS::Lambda::Function')) {
      const { LogGroup } = Properties['LoggingConfig'] as { LogGroup: unknown };
      const [, name] = groups.find(([reference]) => isDeepStrictEqual(reference, LogGroup))!;
      expect(name).toBe(`/SalesPipeline-prod/${kindOf(Properties['FunctionName'])}`);
    }
    expect(JSON.stringify(prod.resources)).not.toContain('CreateLogGroup');
    for (const [, { DeletionPolicy }] of of(dev, 'AWS::Logs::LogGroup'))
      expect(DeletionPolicy).toBe('Delete');
  });

  test('has a method before it, and the authorizer before all but the public', () => {
    const methods = of(prod, 'AWS::ApiGateway::Method')
      .map(([, { Properties }]) => Properties)
      // api.test.ts checks the routes without an endpoint, and `OPTIONS` for forms.
      .filter(({ HttpMethod }) => HttpMethod !== 'ANY' && HttpMethod !== 'OPTIONS');
    expect(methods).toHaveLength(operations.length);
    const open = methods.filter(({ AuthorizationType }) => AuthorizationType === 'NONE');
    expect(open).toHaveLength(operations.filter(({ endpoint }) => endpoint.scope === 'public').length);
    for (const method of methods) {
      if (!open.includes(method))
        expect(method).toMatchObject({
          AuthorizationType: 'CUSTOM',
          AuthorizerId: { Ref: expect.any(String) as string },
        });
    }
  });

  test('carries nothing of another: the description is in one bundle, the SMS client in those that send', () => {
    const bundles = join(folder, 'prod', 'functions');
    const having = (text: string) =>
      globSync('**/*.mjs', { cwd: bundles })
        .filter((file) => readFileSync(join(bundles, file), 'utf8').includes(text))
        .map((file) => file.split('/')[0]!.replace(/-[0-9a-f]{16}$/, ''));
    expect(having('info:{title:').concat(having('"info":{"title":'))).toEqual(['get-open-api']);
    expect(having('SendTextMessage').sort()).toEqual(['receive-texts', 'send-sms']);
  });

  test('loads nothing that is for other places than Lambda', async () => {
    const bundles = join(folder, 'dev', 'functions');
    const functions = globSync('*/index.mjs', { cwd: bundles }).map((file) => join(bundles, file));
    expect(functions).toHaveLength(operations.length + workers.length + 1);
    // Lambda's runtime loads `http` before the function, in a way that leaves undici out.
    const load = `require('http');
      Promise.all(${JSON.stringify(functions)}.map((file) => import(file)))
        .then(() => process.stdout.write(JSON.stringify(process.moduleLoadList)));`;
    const env = {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9',
      TABLE_NAME: 'test',
    };
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', load], { env });
    const loaded = JSON.parse(stdout) as string[];
    expect(loaded).toContain('NativeModule https');
    expect(loaded.filter((name) => /undici|readline/.test(name))).toEqual([]);
    const code = globSync('**/*.mjs', { cwd: bundles }).map((file) =>
      readFileSync(join(bundles, file), 'utf8'),
    );
    // A function reads credentials and settings from its environment alone.
    expect(code.filter((text) => /GetRoleCredentials|fs\/promises/.test(text))).toEqual([]);
  });

  test('nowhere is a scan or a wildcard allowed', () => {
    const roles = JSON.stringify(of(prod, 'AWS::IAM::Role'));
    expect(roles).not.toMatch(/scan/i);
    // Keys have patterns, which access.test.ts checks.
    const withoutKeys = roles.replaceAll(/"dynamodb:LeadingKeys":\[[^\]]*\]/g, '');
    // X-Ray has no resources to name: built-settings.test.ts.
    const withoutTraces = withoutKeys.replaceAll(/"xray:[^\]]*\],"Effect":"Allow","Resource":"\*"/g, '');
    // Organizations get their numbers after the deployment.
    const withoutNumbers = withoutTraces.replaceAll(':phone-number/*', '');
    // api.test.ts checks what API Gateway may invoke.
    expect(withoutNumbers.replace(':function:SalesPipeline-prod-api-*', '')).not.toContain('*');
    expect(of(prod, 'AWS::IAM::Policy')).toEqual([]);
  });
});

describe('the API', () => {
  test('answers every failure of its own in the envelope, and never with what it was sent', () => {
    const responses = of(prod, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => Properties);
    expect(responses.map(({ ResponseType }) => ResponseType).sort()).toEqual(
      [
        ...['ACCESS_DENIED', 'DEFAULT_4XX', 'DEFAULT_5XX', 'EXPIRED_TOKEN', 'INTEGRATION_TIMEOUT'],
        ...['INVALID_SIGNATURE', 'MISSING_AUTHENTICATION_TOKEN', 'RESOURCE_NOT_FOUND', 'THROTTLED'],
        ...['UNAUTHORIZED', 'UNSUPPORTED_MEDIA_TYPE', 'WAF_FILTERED'],
      ].sort(),
    );
    for (const { ResponseType, StatusCode, ResponseTemplates } of responses) {
      const template = (ResponseTemplates as Record<string, string>)['application/json']!;
      const envelope = JSON.parse(template) as { error: { status: number } };
      expect(envelope).toMatchObject({ success: false, requestId: '$context.requestId' });
      expect(template.match(/\$context\.[\w.]+/g)).toEqual(['$context.requestId']);
      if (ResponseType === 'DEFAULT_4XX') expect(StatusCode).toBeUndefined();
      else expect(StatusCode).toBe(String(envelope.error.status));
    }
    const statuses = new Map(responses.map(({ ResponseType, StatusCode }) => [ResponseType, StatusCode]));
    expect(statuses.get('MISSING_AUTHENTICATION_TOKEN')).toBe('404');
    expect(statuses.get('UNAUTHORIZED')).toBe('401');
  });

  test('remembers a token for at most a minute', () => {
    const authorizers = of(prod, 'AWS::ApiGateway::Authorizer');
    expect(authorizers).toHaveLength(2);
    for (const [, { Properties }] of authorizers) expect(Properties['AuthorizerResultTtlInSeconds']).toBe(60);
  });
});

test("CloudFormation's own rules find nothing, nor do those of AWS that it does not know", () => {
  expect([...dev.violations, ...prod.violations]).toEqual([]);
  expect([dev, prod].flatMap(({ resources }) => awsRefusals(resources))).toEqual([]);
});

test('a stage that does not exist is refused in one sentence', () => {
  expect(() => parseStage('test')).toThrow(
    'The stage is "test", but it must be one of: dev, prod, local (-c stage=dev)',
  );
});
