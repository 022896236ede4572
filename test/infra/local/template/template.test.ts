import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { LocalError } from '../../../../infra/local/local-error.ts';
import { readTemplate } from '../../../../infra/local/template/template.ts';

type Json = Record<string, unknown>;
interface Resource {
  Type: string;
  Properties: Json;
}

const file = 'SalesPipeline-dev.template.json';
const dataFile = 'SalesPipeline-dev-data.template.json';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'template-'));
  for (const name of ['manifest.json', file, dataFile])
    cpSync(join(inject('assembly'), name), join(folder, name));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Reads the template after a change of the first matching resource. */
function read(isMeant: (resource: Resource) => boolean, change: (properties: Json) => void) {
  const template = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
    Resources: Record<string, Resource>;
  };
  const meant = Object.values(template.Resources).find(isMeant)!;
  change(meant.Properties);
  writeFileSync(join(folder, file), JSON.stringify(template));
  return readTemplate(folder);
}

const isMock = ({ Properties }: Resource) =>
  (Properties['Integration'] as Json | undefined)?.['Type'] === 'MOCK';
type Mock = Json & { IntegrationResponses: Json[] };
const changed = (change: (integration: Mock, method: Json) => void) => () =>
  read(isMock, (method) => {
    change(method['Integration'] as Mock, method);
  });

describe('a mock integration', () => {
  test('is read with its content types, and the response that its method declares', () => {
    const mocks = readTemplate(folder).routes.filter((route) => 'mock' in route);
    expect(mocks.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(['ANY /', 'ANY /{proxy+}']);
    for (const { mock, authorizer } of mocks) {
      expect(authorizer).toBeUndefined();
      expect(mock).toMatchObject({
        contentTypes: ['application/json'],
        status: 404,
        headers: { 'Content-Type': "'application/json'", 'X-Request-Id': 'context.requestId' },
      });
    }
  });

  test.each([
    [
      'passes bodies on',
      changed((mock) => (mock['PassthroughBehavior'] = 'WHEN_NO_MATCH')),
      'PassthroughBehavior',
    ],
    [
      'does not say what it does with other types',
      changed((mock) => delete mock['PassthroughBehavior']),
      'Passthrough',
    ],
    [
      'has a request template that reads the body',
      changed(
        (mock) => (mock['RequestTemplates'] = { 'application/json': '{"statusCode": $input.path("$.a")}' }),
      ),
      'is not {"statusCode": …} alone',
    ],
    [
      'has several answers',
      changed((mock) =>
        mock.IntegrationResponses.push({ ...mock.IntegrationResponses[0], SelectionPattern: '5..' }),
      ),
      'IntegrationResponses',
    ],
    [
      'chooses its answer by a pattern',
      changed((mock) => (mock.IntegrationResponses[0]!['SelectionPattern'] = '404')),
      'SelectionPattern',
    ],
    [
      'answers with what it was sent',
      changed(
        (mock) =>
          (mock.IntegrationResponses[0]!['ResponseTemplates'] = { 'application/json': '$input.body' }),
      ),
      'has variables or directives other than $context.requestId',
    ],
    [
      'maps a header of an integration',
      changed(
        (mock) =>
          (mock.IntegrationResponses[0]!['ResponseParameters'] = {
            'method.response.header.A': 'integration.response.header.B',
          }),
      ),
      'is neither a text nor context.requestId',
    ],
    [
      'has a part that is not known',
      changed((mock) => (mock['ContentHandling'] = 'CONVERT_TO_TEXT')),
      'ContentHandling',
    ],
    [
      'answers a status that the method does not',
      changed((_, method) => (method['MethodResponses'] = [{ StatusCode: '200' }])),
      'answers 404, which its method responses lack',
    ],
    [
      'answers a header that the method does not',
      changed((_, method) => (method['MethodResponses'] = [{ StatusCode: '404' }])),
      'answers method.response.header.Content-Type, which its method responses lack',
    ],
  ] as [string, () => unknown, string][])('that %s is refused at start', (_, start, message) => {
    expect(start).toThrow(message);
  });
});

describe('a function of the API', () => {
  const named = (name: string) => (resource: Resource) => resource.Properties['FunctionName'] === name;

  test.each([['SalesPipeline-dev-api-ListLeads'], ['SalesPipeline-dev-api-Authorizer']])(
    '%s is refused where the role of API Gateway does not cover its name',
    (name) => {
      const start = () =>
        read(named(name), (properties) => (properties['FunctionName'] = 'SalesPipeline-dev-Other'));
      expect(start).toThrow(
        /^API Gateway may not invoke \w+: ApiInvokeRole\w+ does not allow arn:aws:lambda:.+Other$/,
      );
    },
  );

  test('is refused if API Gateway has no role to invoke it', () => {
    const isProxy = ({ Properties }: Resource) =>
      (Properties['Integration'] as Json | undefined)?.['Type'] === 'AWS_PROXY';
    expect(() => read(isProxy, ({ Integration }) => delete (Integration as Json)['Credentials'])).toThrow(
      'Credentials',
    );
  });
});

test('the compression size and the binary media types are read, or their absence', () => {
  expect(readTemplate(folder).minimumCompressionSize).toBe(1024);
  expect(readTemplate(folder).binaryMediaTypes).toEqual(['multipart/form-data']);
  const isApi = ({ Type }: Resource) => Type === 'AWS::ApiGateway::RestApi';
  const without = read(isApi, (properties) => {
    delete properties['MinimumCompressionSize'];
    delete properties['BinaryMediaTypes'];
  });
  expect(without.minimumCompressionSize).toBeUndefined();
  expect(without.binaryMediaTypes).toBeUndefined();
  // A pattern would need matching.
  expect(() => read(isApi, (properties) => (properties['BinaryMediaTypes'] = ['image/*']))).toThrow(
    'is not one media type',
  );
});

describe('logging', () => {
  const isOf = (type: string) => (resource: Resource) => resource.Type === type;

  test('is read: the log of each function, and the access log', () => {
    const { functions, logGroups } = readTemplate(folder);
    const groups = functions.map(({ name }) => logGroups.ofFunctions.get(name));
    expect(new Set(groups)).toEqual(new Set(['api', 'workers']));
    expect(logGroups.accessLog?.group).toBe('access');
  });

  test('is refused if the access log would have the path', () => {
    const start = () =>
      read(isOf('AWS::ApiGateway::Stage'), (properties) => {
        (properties['AccessLogSetting'] as Json)['Format'] = '{"a":"$context.path"}';
      });
    expect(start).toThrow(LocalError);
    expect(start).toThrow('$context.path, which the local machine does not know');
  });
});

test('the two stacks are read as one, and refused if they have a resource of one id', () => {
  const { tables, messaging } = readTemplate(folder);
  expect(tables.map(({ name }) => name)).toEqual(['SalesPipeline-dev']);
  expect(messaging.subscribers.get(messaging.textsTopic!)).toHaveLength(1);
  cpSync(join(folder, file), join(folder, dataFile));
  expect(() => readTemplate(folder)).toThrow(/^Two stacks in \S+ have a resource \w+$/);
});
