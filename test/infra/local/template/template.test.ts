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

const isApi = ({ Type }: Resource) => Type === 'AWS::ApiGateway::RestApi';

interface Operation {
  responses: Record<string, Json>;
  security: Json[];
  'x-amazon-apigateway-integration': Json & { responses: { default: Json } & Json };
}
interface Body extends Json {
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, Record<string, Json>> };
}
/** Reads the template after a change of the API's definition. */
const withBody = (change: (body: Body) => void) =>
  read(isApi, (properties) => {
    change(properties['Body'] as Body);
  });

type Integration = Operation['x-amazon-apigateway-integration'];
const changed = (change: (integration: Integration, operation: Operation) => void) => () =>
  withBody(({ paths }) => {
    const operation = paths['/']!['x-amazon-apigateway-any-method']!;
    change(operation['x-amazon-apigateway-integration'], operation);
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
      changed((mock) => (mock['passthroughBehavior'] = 'when_no_match')),
      'passthroughBehavior',
    ],
    [
      'does not say what it does with other types',
      changed((mock) => delete mock['passthroughBehavior']),
      'passthrough',
    ],
    [
      'has a request template that reads the body',
      changed(
        (mock) => (mock['requestTemplates'] = { 'application/json': '{"statusCode": $input.path("$.a")}' }),
      ),
      'is not {"statusCode": …} alone',
    ],
    [
      'chooses one of several answers by a pattern',
      changed(({ responses }) => (responses['5..'] = responses.default)),
      'responses.5..',
    ],
    [
      'answers with what it was sent',
      changed(
        (mock) => (mock.responses.default['responseTemplates'] = { 'application/json': '$input.body' }),
      ),
      'has variables or directives other than $context.requestId',
    ],
    [
      'maps a header of an integration',
      changed(
        (mock) =>
          (mock.responses.default['responseParameters'] = {
            'method.response.header.A': 'integration.response.header.B',
          }),
      ),
      'is neither a text nor context.requestId',
    ],
    [
      'has a part that is not known',
      changed((mock) => (mock['contentHandling'] = 'CONVERT_TO_TEXT')),
      'contentHandling',
    ],
    [
      'answers a status that the method does not',
      changed((_, operation) => (operation.responses = { 200: { description: '' } })),
      'ANY / answers 404, which its responses lack',
    ],
    [
      'answers a header that the method does not',
      changed((_, { responses }) => delete responses['404']!['headers']),
      'answers Content-Type, which its responses lack',
    ],
  ] as [string, () => unknown, string][])('that %s is refused at start', (_, start, message) => {
    expect(start).toThrow(message);
  });
});

describe('a definition is refused if', () => {
  const authorizerOf = ({ components }: Body) =>
    components.securitySchemes['KeyAuthorizer']!['x-amazon-apigateway-authorizer']!;
  const getLead = ({ paths }: Body) => paths['/v1/leads/{leadId}']!['get']!;

  test.each<[string, (body: Body) => void, string]>([
    ['it has a part that is not known', (body) => (body['x-other'] = 1), 'Properties.Body.x-other'],
    [
      'a path has a method that is not known',
      ({ paths }) => (paths['/']!['trace'] = getLead({ paths } as Body)),
      'trace',
    ],
    ['an operation has such a part', (body) => Object.assign(getLead(body), { 'x-other': 1 }), 'get.x-other'],
    [
      'an operation has two authorizers',
      (body) => getLead(body).security.push({ KeyAuthorizer: [] }),
      'security',
    ],
    ['one has to have both', (body) => (getLead(body).security[0]!['KeyAuthorizer'] = []), 'security'],
    [
      'its authorizer is not there',
      (body) => (getLead(body).security = [{ Other: [] }]),
      'GET /v1/leads/{leadId} asks for the authorizer Other, which is not there',
    ],
    [
      'an authorizer has several identity sources',
      (body) => (authorizerOf(body)['identitySource'] = 'method.request.querystring.key,context.path'),
      'identitySource is not one header or one parameter of the query',
    ],
    // A pattern would need matching.
    [
      'it has a pattern of media types',
      (body) => (body['x-amazon-apigateway-binary-media-types'] = ['image/*']),
      'is not one media type',
    ],
  ])('%s', (_, change, message) => {
    expect(() => withBody(change)).toThrow(message);
  });

  test.each([
    ['an import would merge it', { Mode: 'merge' }, 'Properties.Mode'],
    ['the resource has a part of it beside it', { BinaryMediaTypes: [] }, 'Properties.BinaryMediaTypes'],
  ])('%s', (_, changes, message) => {
    expect(() => read(isApi, (properties) => Object.assign(properties, changes))).toThrow(message);
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
    const start = () =>
      withBody(({ paths }) => {
        delete paths['/v1/leads']!['get']!['x-amazon-apigateway-integration']['credentials'];
      });
    expect(start).toThrow('credentials');
  });
});

test('the compression size and the binary media types are read, or their absence', () => {
  expect(readTemplate(folder).minimumCompressionSize).toBe(1024);
  expect(readTemplate(folder).binaryMediaTypes).toEqual(['multipart/form-data']);
  const without = withBody((body) => {
    delete body['x-amazon-apigateway-minimum-compression-size'];
    delete body['x-amazon-apigateway-binary-media-types'];
  });
  expect(without.minimumCompressionSize).toBeUndefined();
  expect(without.binaryMediaTypes).toBeUndefined();
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
