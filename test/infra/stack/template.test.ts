import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { camel, findContracts, pascal, type Contracts } from '../../../infra/functions.ts';
import { runApp } from '../../../infra/local/synthesize.ts';
import { parseOriginationIdentity } from '../../../infra/stack/sms.ts';
import { parseStage, type Stage } from '../../../infra/stack/stage.ts';
import { dueIndex, type Access } from '../../../shared/ledger/index.ts';

interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  DeletionPolicy?: string;
}
interface Statement {
  Action: string | string[];
  Resource: unknown;
  Condition?: unknown;
}

const folder = mkdtempSync(join(tmpdir(), 'template-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const smsOriginationIdentity = 'arn:aws:sms-voice:us-east-1:123456789012:pool/pool-0a1b';

/** The stack of a stage, where only prod can send SMS, and what CDK's own validation finds in it. */
async function synthesize(
  stage: Stage,
): Promise<{ resources: Record<string, Resource>; violations: unknown[] }> {
  const outdir = join(folder, stage);
  await runApp(outdir, stage, { validate: true, ...(stage === 'prod' && { smsOriginationIdentity }) });
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
});

const of = ({ resources }: typeof dev, type: string) =>
  Object.entries(resources).filter(([, resource]) => resource.Type === type);

describe('the table', () => {
  test('is on demand, with a stream, expiry and point-in-time recovery', () => {
    expect(of(prod, 'AWS::DynamoDB::GlobalTable').map(([, { Properties }]) => Properties)).toEqual([
      expect.objectContaining({
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
        TimeToLiveSpecification: { AttributeName: 'expiresAtSecond', Enabled: true },
        Replicas: [
          expect.objectContaining({
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          }),
        ],
      }),
    ]);
  });

  test('has the indexes that it will ever need: of lists, of text, and of what is due', () => {
    const [[, { Properties }]] = of(prod, 'AWS::DynamoDB::GlobalTable') as [[string, Resource]];
    const index = (number: number, sortKeyIs: string, ProjectionType: string) => ({
      IndexName: `gsi${number}`,
      KeySchema: [
        { AttributeName: `gsi${number}pk`, KeyType: 'HASH' },
        { AttributeName: `gsi${number}sk`, KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType },
      sortKeyIs,
    });
    const types = Properties['AttributeDefinitions'] as { AttributeName: string; AttributeType: string }[];
    const typeOf = (name: string) => types.find(({ AttributeName }) => AttributeName === name)!.AttributeType;
    const indexes = Properties['GlobalSecondaryIndexes'] as { IndexName: string }[];
    expect(indexes.map((each) => ({ ...each, sortKeyIs: typeOf(`${each.IndexName}sk`) }))).toEqual([
      ...[1, 2, 3, 4, 5].map((number) => index(number, 'N', 'ALL')),
      ...[6, 7, 8].map((number) => index(number, 'S', 'ALL')),
      index(9, 'S', 'KEYS_ONLY'),
    ]);
  });

  test('cannot be deleted outside dev', () => {
    const [[, production]] = of(prod, 'AWS::DynamoDB::GlobalTable') as [[string, Resource]];
    expect(production).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: { Replicas: [{ DeletionProtectionEnabled: true }] },
    });
    const [[, development]] = of(dev, 'AWS::DynamoDB::GlobalTable') as [[string, Resource]];
    expect(development).toMatchObject({
      DeletionPolicy: 'Delete',
      Properties: { Replicas: [{ DeletionProtectionEnabled: false }] },
    });
  });
});

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

  test('has a method before it, and the authorizer before all but the public', () => {
    const methods = of(prod, 'AWS::ApiGateway::Method').map(([, { Properties }]) => Properties);
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

  const read = ['dynamodb:GetItem'];
  const expected: Record<Access, string[]> = {
    none: [],
    get: read,
    all: [...read, 'dynamodb:Query'],
    page: [...read, 'dynamodb:Query'],
    list: [...read, 'dynamodb:Query index'],
    join: [...read, 'dynamodb:Query', 'dynamodb:Query index', 'dynamodb:BatchGetItem'],
    rename: [...read, 'dynamodb:PutItem', 'dynamodb:DeleteItem', 'dynamodb:UpdateItem turn'],
    write: [...read, 'dynamodb:PutItem', 'dynamodb:UpdateItem turn'],
    delete: [
      ...[...read, 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
      'dynamodb:UpdateItem turn',
    ],
    due: [...read, 'dynamodb:Query due', 'dynamodb:PutItem', 'dynamodb:UpdateItem turn'],
  };
  const inTransaction = {
    'ForAnyValue:StringEquals': { 'dynamodb:EnclosingOperation': ['TransactWriteItems'] },
  };
  const onTurns = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['ORG#*#TURN'] } };

  test('may do to the table what its access says, changes of data in a transaction alone, and nothing else', () => {
    const [[table]] = of(prod, 'AWS::DynamoDB::GlobalTable') as [[string, Resource]];
    const functions: [string, Access][] = operations.map(({ operationId, endpoint }) => [
      pascal(operationId),
      endpoint.access,
    ]);
    functions.push(['Authorizer', 'get']);
    for (const { worker } of workers)
      functions.push([`${pascal(camel(worker.name))}Function`, worker.access]);
    for (const [name, access] of functions) {
      const [, role] = of(prod, 'AWS::IAM::Role').find(([id]) =>
        new RegExp(`^${name}Role[0-9A-F]{8}$`).test(id),
      )!;
      const policies = role.Properties['Policies'] as {
        PolicyName: string;
        PolicyDocument: { Statement: Statement[] };
      }[];
      // What calls a worker, workers.test.ts looks at.
      const ownPolicies = policies.filter(({ PolicyName }) => PolicyName !== 'source');
      const statements = ownPolicies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
      const onTable = statements.filter(({ Action }) =>
        [Action].flat().some((action) => action.startsWith('dynamodb:')),
      );
      const isOnTurns = ({ Condition }: Statement) => isDeepStrictEqual(Condition, onTurns);
      const allowed = onTable.flatMap((statement) =>
        [statement.Resource].flat().flatMap((resource) => {
          const [, index] = /\/index\/(\w+)/.exec(JSON.stringify(resource)) ?? [];
          const onIndex = index === undefined ? '' : index === dueIndex ? ' due' : ' index';
          const suffix = isOnTurns(statement) ? ' turn' : onIndex;
          return [statement.Action].flat().map((action) => `${action}${suffix}`);
        }),
      );
      expect([...new Set(allowed)].sort(), name).toEqual(expected[access].sort());
      for (const statement of onTable) {
        expect(JSON.stringify(statement.Resource)).toContain(table);
        const changes = [statement.Action].flat().some((action) => /:(Put|Update|Delete)Item$/.test(action));
        if (!isOnTurns(statement)) expect(statement.Condition).toEqual(changes ? inTransaction : undefined);
      }
      // The log, and for one the SMS.
      expect(statements.length, name).toBe(onTable.length + (name === 'SendSms' ? 2 : 1));
      expect(role.Properties).not.toHaveProperty('ManagedPolicyArns');
    }
  });

  test('may send SMS where that is what it is for, from the identity given and no other', () => {
    const withSms = ({ resources }: typeof dev) =>
      Object.keys(resources).filter((name) => /sms-voice|ORIGINATION/.test(JSON.stringify(resources[name])));
    expect(withSms(prod)).toEqual([
      expect.stringMatching(/^SendSmsRole/),
      expect.stringMatching(/^SendSms[0-9A-F]{8}$/),
    ]);
    const [[, role]] = of(prod, 'AWS::IAM::Role').filter(([id]) => id.startsWith('SendSmsRole')) as [
      [string, Resource],
    ];
    expect(JSON.stringify(role.Properties)).toContain(
      JSON.stringify({
        Action: 'sms-voice:SendTextMessage',
        Effect: 'Allow',
        Resource: smsOriginationIdentity,
      }),
    );
    expect(withSms(dev)).toEqual([]);
  });

  test('carries nothing of another: the description and the SMS client are in one bundle each', () => {
    const bundles = join(folder, 'prod', 'functions');
    const having = (text: string) =>
      globSync('**/*.mjs', { cwd: bundles })
        .filter((file) => readFileSync(join(bundles, file), 'utf8').includes(text))
        .map((file) => file.split('/')[0]!.replace(/-[0-9a-f]{16}$/, ''));
    expect(having('info:{title:').concat(having('"info":{"title":'))).toEqual(['get-open-api']);
    expect(having('SendTextMessage')).toEqual(['send-sms']);
  });

  test('loads nothing that is for other places than Lambda', async () => {
    const bundles = join(folder, 'dev', 'functions');
    const functions = globSync('*/index.mjs', { cwd: bundles }).map((file) => join(bundles, file));
    expect(functions).toHaveLength(operations.length + workers.length + 1);
    // As Lambda's runtime does, it loads `http` before the function, by a way that leaves undici out.
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
    // Credentials and settings are in a function's environment, and nowhere else is looked.
    expect(code.filter((text) => /GetRoleCredentials|fs\/promises/.test(text))).toEqual([]);
  });

  test('nowhere is a scan or a wildcard allowed', () => {
    const roles = JSON.stringify(of(prod, 'AWS::IAM::Role'));
    expect(roles).not.toMatch(/scan/i);
    expect(roles.replaceAll('"ORG#*#TURN"', '')).not.toContain('*');
    expect(of(prod, 'AWS::IAM::Policy')).toEqual([]);
  });
});

describe('the API', () => {
  test('answers every failure of its own in the envelope, and never with what it was sent', () => {
    const responses = of(prod, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => Properties);
    expect(responses.map(({ ResponseType }) => ResponseType).sort()).toEqual(
      [
        ...[
          'ACCESS_DENIED',
          'API_CONFIGURATION_ERROR',
          'AUTHORIZER_CONFIGURATION_ERROR',
          'AUTHORIZER_FAILURE',
        ],
        ...['BAD_REQUEST_BODY', 'BAD_REQUEST_PARAMETERS', 'DEFAULT_4XX', 'DEFAULT_5XX', 'EXPIRED_TOKEN'],
        ...['INTEGRATION_FAILURE', 'INTEGRATION_TIMEOUT', 'INVALID_API_KEY', 'INVALID_SIGNATURE'],
        ...[
          'MISSING_AUTHENTICATION_TOKEN',
          'QUOTA_EXCEEDED',
          'RESOURCE_NOT_FOUND',
          'THROTTLED',
          'UNAUTHORIZED',
        ],
        ...['UNSUPPORTED_MEDIA_TYPE', 'WAF_FILTERED'],
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

  test('remembers a token for at most a minute, and refuses what cannot be one', () => {
    const [[, { Properties }]] = of(prod, 'AWS::ApiGateway::Authorizer') as [[string, Resource]];
    expect(Properties).toMatchObject({ AuthorizerResultTtlInSeconds: 60, Type: 'TOKEN' });
    const pattern = new RegExp(String(Properties['IdentityValidationExpression']));
    expect(pattern.test(`Bearer sk_live_${'a'.repeat(36)}`)).toBe(true);
    expect(pattern.test(`Bearer ${'a'.repeat(44)}`)).toBe(false);
  });
});

test('the stack has room: CloudFormation takes 500 resources', () => {
  expect(Object.keys(prod.resources).length).toBeLessThan(400);
});

test("CloudFormation's own rules find nothing", () => {
  expect([...dev.violations, ...prod.violations]).toEqual([]);
});

test('a stage that does not exist is refused in one sentence', () => {
  expect(() => parseStage('test')).toThrow(
    'The stage is "test", but it must be one of: dev, prod (-c stage=dev)',
  );
});

test('an identity to send SMS from that is no ARN is refused in one sentence', () => {
  expect(parseOriginationIdentity(undefined)).toBeUndefined();
  expect(parseOriginationIdentity(smsOriginationIdentity)).toBe(smsOriginationIdentity);
  for (const value of ['+61491570156', 'arn:aws:sms-voice:us-east-1:123456789012:pool/*', true, '']) {
    expect(() => parseOriginationIdentity(value)).toThrow(
      `The smsOriginationIdentity is ${JSON.stringify(value)}, but it must be the ARN of`,
    );
  }
});
