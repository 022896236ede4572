import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { callsFunctions, findContracts, functionNameOf } from '../../../infra/functions.ts';
import { runApp } from '../../../infra/local/synthesize.ts';
import { stackNameOf } from '../../../infra/stack/resource-names.ts';
import type { Model } from '../../../infra/stack/stage.ts';
import { stageSettings } from '../../../infra/stack/stages.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { isKeyScope } from '../../../shared/contract/scopes.ts';
import { awsRefusals } from '../../support/template/aws-refusals.ts';
import {
  templateOf,
  triedSettings,
  type Template,
  type Templates,
} from '../../support/template/made-up-stack.ts';
import { newFolder } from '../../support/new-folder.ts';

const folder = newFolder();

const dev = templateOf(inject('assembly'), stackNameOf('dev'));
await runApp(folder, 'prod', { settings: triedSettings });
const prod = templateOf(folder, stackNameOf('prod'));
const { operations, workers, publicFunctions, descriptions } = await findContracts();

/** Names of the functions that have such code. */
function bundlesWith(isSuch: (code: string) => boolean): string[] {
  const bundles = join(folder, 'functions');
  // A chunk of several functions is one file with several names.
  const judged = new Map<number, boolean>();
  const files = globSync('**/*.mjs', { cwd: bundles }).filter((name) => {
    const file = join(bundles, name);
    const { ino } = statSync(file);
    const known = judged.get(ino) ?? isSuch(readFileSync(file, 'utf8'));
    judged.set(ino, known);
    return known;
  });
  return [...new Set(files.map((file) => file.split('/')[0]!.replace(/-[0-9a-f]{16}$/, '')))].sort();
}

describe('every endpoint', () => {
  test('is a function of its own, on Node.js 24 and arm64, beside the authorizer and the workers', () => {
    const functions = prod.of('AWS::Lambda::Function');
    expect(functions).toHaveLength(operations.length + workers.length + publicFunctions.length + 1);
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
    const names = (stack: Template) =>
      stack.of('AWS::Lambda::Function').map(([, { Properties }]) => String(Properties['FunctionName']));
    const expected = (stage: Model) => [
      `SalesPipeline-${stage}-api-Authorizer`,
      ...[...operations, ...publicFunctions].map(
        (served) => `SalesPipeline-${stage}-api-${functionNameOf(served)}`,
      ),
      ...workers
        .filter((worker) => stageSettings[stage].keepWarm || !callsFunctions(worker))
        .map((worker) => `SalesPipeline-${stage}-${functionNameOf(worker)}`),
    ];
    expect(names(dev).sort()).toEqual(expected('dev').sort());
    expect(names(prod).sort()).toEqual(expected('prod').sort());
  });

  test('knows the namespace of its metrics, which is its stack', () => {
    for (const [stack, namespace] of [
      [dev, 'SalesPipeline-dev'],
      [prod, 'SalesPipeline-prod'],
    ] as const)
      for (const [, { Properties }] of stack.of('AWS::Lambda::Function'))
        expect(Properties).toHaveProperty('Environment.Variables.METRICS_NAMESPACE', namespace);
  });

  test('logs where all of its kind do, and can make no group that a stack would leave behind', () => {
    const kindOf = (name: unknown) =>
      String(name).startsWith('SalesPipeline-prod-api-') ? 'api' : 'workers';
    for (const [, { Properties }] of prod.of('AWS::Lambda::Function')) {
      const { LogGroup } = Properties['LoggingConfig'] as { LogGroup: unknown };
      expect(LogGroup).toBe(`/SalesPipeline-prod/${kindOf(Properties['FunctionName'])}`);
    }
    expect(JSON.stringify(prod.resources)).not.toContain('CreateLogGroup');
  });

  test('has a method before it, and an authorizer before all but the public', () => {
    const defined = Object.entries(prod.definition.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        // api.test.ts checks the routes without an endpoint, `HEAD` of pages, and `OPTIONS` for forms.
        .filter(([method]) => !method.startsWith('x-') && !['head', 'options'].includes(method))
        .map(([method, { security }]) => `${method.toUpperCase()} ${path}: ${JSON.stringify(security)}`),
    );
    const authorizerOf = ({ scope }: Endpoint) =>
      scope === 'public' ? undefined : isKeyScope(scope) ? 'KeyAuthorizer' : 'TokenAuthorizer';
    const meant = operations.map(({ endpoint }) => {
      const name = authorizerOf(endpoint);
      return `${endpoint.method} ${endpoint.path}: ${JSON.stringify(name && [{ [name]: [] }])}`;
    });
    const ofPublic = publicFunctions.flatMap(({ definition }) =>
      definition.routes.map(({ method, path }) => `${method} ${path}: undefined`),
    );
    expect(defined.sort()).toEqual([...meant, ...ofPublic].sort());
  });

  test('carries nothing of another: the description is in one bundle, the SMS client in those that send', () => {
    expect(bundlesWith((code) => /info:\{title:|"info":\{"title":/.test(code))).toEqual(['get-open-api']);
    expect(bundlesWith((code) => code.includes('SendTextMessage'))).toEqual(['receive-texts', 'send-sms']);
    expect(bundlesWith((code) => code.includes('InvokeCommand'))).toEqual(['keep-warm']);
  });

  test('carries no description of a schema or a field, except in the whole description', () => {
    expect(bundlesWith((code) => code.includes(operations[0]!.endpoint.summary))).not.toEqual([]);
    const sentences = Object.values(descriptions).flatMap(({ is, fields = {} }) => [
      is,
      ...Object.values(fields),
    ]);
    // Shorter sentences may stand in the code for another reason.
    const long = sentences.filter((sentence) => sentence.length > 25);
    expect(bundlesWith((code) => long.some((sentence) => code.includes(sentence)))).toEqual(['get-open-api']);
  });

  test('nowhere is a scan or a wildcard allowed', () => {
    const roles = JSON.stringify(prod.of('AWS::IAM::Role'));
    expect(roles).not.toMatch(/scan/i);
    // Keys have patterns, which access.test.ts checks.
    const withoutKeys = roles.replaceAll(/"dynamodb:LeadingKeys":\[[^\]]*\]/g, '');
    // X-Ray has no resources to name: built-settings.test.ts.
    const withoutTraces = withoutKeys.replaceAll(/"xray:[^\]]*\],"Effect":"Allow","Resource":"\*"/g, '');
    // Organizations get their numbers after the deployment.
    const withoutNumbers = withoutTraces.replaceAll(':phone-number/*', '');
    const withoutStreams = withoutNumbers.replaceAll(
      /:log-group:\/SalesPipeline-prod\/(api|workers):\*/g,
      '',
    );
    // api.test.ts checks what API Gateway may invoke, keep-warm.test.ts what the worker may.
    expect(withoutStreams.replaceAll(':function:SalesPipeline-prod-api-*', '')).not.toContain('*');
    expect(prod.of('AWS::IAM::Policy')).toEqual([]);
  });
});

test('the API answers every failure of its own in the envelope, and never with what it was sent', () => {
  const responses = prod.definition['x-amazon-apigateway-gateway-responses'];
  expect(Object.keys(responses).sort()).toEqual(
    [
      ...['ACCESS_DENIED', 'DEFAULT_4XX', 'DEFAULT_5XX', 'EXPIRED_TOKEN', 'INTEGRATION_TIMEOUT'],
      ...['INVALID_SIGNATURE', 'MISSING_AUTHENTICATION_TOKEN', 'RESOURCE_NOT_FOUND', 'THROTTLED'],
      ...['UNAUTHORIZED', 'UNSUPPORTED_MEDIA_TYPE', 'WAF_FILTERED'],
    ].sort(),
  );
  for (const [type, { statusCode, responseTemplates }] of Object.entries(responses)) {
    const template = responseTemplates['application/json']!;
    const envelope = JSON.parse(template) as { error: { status: number } };
    expect(envelope).toMatchObject({ success: false, requestId: '$context.requestId' });
    expect(template.match(/\$context\.[\w.]+/g)).toEqual(['$context.requestId']);
    if (type === 'DEFAULT_4XX') expect(statusCode).toBeUndefined();
    else expect(statusCode).toBe(String(envelope.error.status));
  }
});

test('a stage is in the account and region that are set, with both stacks, or in those of whoever deploys it', () => {
  for (const [stage, environment] of [
    [dev, 'aws://unknown-account/unknown-region'],
    [prod, 'aws://123456789012/eu-west-1'],
  ] as const)
    for (const stack of [stage, stage.data]) expect(stack.environment).toBe(environment);
  expect(JSON.stringify(prod.of('AWS::Lambda::Function'))).not.toContain('AWS::Region');
});

test('settings that are tried replace those of the file', () => {
  for (const [, { Properties }] of prod.data.of('AWS::Logs::LogGroup'))
    expect(Properties['RetentionInDays']).toBe(30);
  expect(prod.one('AWS::ApiGateway::Stage').Properties['MethodSettings']).toMatchObject([
    { HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 3, ThrottlingBurstLimit: 7 },
  ]);
});

test('the rules of AWS that CloudFormation does not know find nothing', () => {
  expect([dev, dev.data, prod, prod.data].flatMap(({ resources }) => awsRefusals(resources))).toEqual([]);
});

test('two stages of one account share no name', () => {
  const namesIn = ({ resources, data }: Templates) =>
    [resources, data.resources].flatMap((all) =>
      Object.values(all).flatMap(({ Type, Properties }) =>
        Object.entries(Properties)
          // A metric's name is the name of the watched thing, not of the alarm.
          .filter(([key, value]) => key.endsWith('Name') && key !== 'MetricName' && typeof value === 'string')
          .map(([, value]) => `${Type} ${String(value)}`),
      ),
    );
  const names = namesIn(prod);
  expect(names).toContain('AWS::WAFv2::WebACL SalesPipeline-prod');
  expect(namesIn(dev).filter((name) => names.includes(name))).toEqual([]);
});
