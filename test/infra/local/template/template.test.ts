import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, inject, test } from 'vitest';
import { LocalError } from '../../../../infra/local/local-error.ts';
import { readTemplate } from '../../../../infra/local/template/template.ts';
import { newFolder } from '../../../support/new-folder.ts';

type Json = Record<string, unknown>;
interface Statement {
  Effect: string;
  Action: unknown;
}
interface Properties extends Json {
  Body: Body;
  PolicyDocument: { Statement: Statement[] };
  Policies?: { PolicyDocument: { Statement: Statement[] } }[];
}
interface Operation {
  responses: Record<string, Json>;
  security: Json[];
  'x-amazon-apigateway-integration': Integration;
}
type Integration = Json & { responses: { default: Json } & Json };
interface Body extends Json {
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, Record<string, Json>> };
}

const files = ['SalesPipeline-dev.template.json', 'SalesPipeline-dev-data.template.json'] as const;
let folder: string;
beforeEach(() => {
  folder = newFolder();
  for (const name of ['manifest.json', ...files]) cpSync(join(inject('assembly'), name), join(folder, name));
});

/** Reads the templates after a change of every resource of a type. */
function read(type: string, change: (properties: Properties) => unknown): unknown {
  for (const file of files) {
    const template = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      Resources: Record<string, { Type: string; Properties: Properties }>;
    };
    for (const { Type, Properties } of Object.values(template.Resources))
      if (Type === type) change(Properties);
    writeFileSync(join(folder, file), JSON.stringify(template));
  }
  return readTemplate(folder);
}

type Change = () => unknown;
const api = (changes: object) => () =>
  read('AWS::ApiGateway::RestApi', (properties) => Object.assign(properties, changes));
const body = (change: (body: Body) => unknown) => () =>
  read('AWS::ApiGateway::RestApi', ({ Body }) => change(Body));
const mock = (change: (integration: Integration, operation: Operation) => unknown) =>
  body(({ paths }) => {
    const operation = paths['/']!['x-amazon-apigateway-any-method']!;
    change(operation['x-amazon-apigateway-integration'], operation);
  });
const getLead = ({ paths }: Body) => paths['/v1/leads/{leadId}']!['get']!;
const renamed = (name: string) => () =>
  read('AWS::Lambda::Function', (properties) => {
    if (properties['FunctionName'] === name) properties['FunctionName'] = 'SalesPipeline-dev-Other';
  });
const rule = (changes: object) => () =>
  read('AWS::Events::Rule', (properties) => Object.assign(properties, changes));
/** Changes the statements of the policies of a type that allow something. */
const allowing = (type: string, change: (statement: Statement) => unknown) => () =>
  read(type, ({ PolicyDocument: { Statement } }) => {
    for (const statement of Statement) if (statement.Effect === 'Allow') change(statement);
  });
const denied = (statement: Statement) => (statement.Effect = 'Deny');
const conditioned = (Condition: object) => (statement: Statement) => Object.assign(statement, { Condition });

test.each<[string, Change, string | RegExp]>([
  ['a mock passes bodies on', mock((one) => (one['passthroughBehavior'] = 'when_no_match')), 'passthrough'],
  [
    'the request template of a mock reads the body',
    mock((one) => (one['requestTemplates'] = { 'application/json': '{"statusCode": $input.path("$.a")}' })),
    'is not {"statusCode": …} alone',
  ],
  [
    'a mock chooses one of several answers by a pattern',
    mock(({ responses }) => (responses['5..'] = responses.default)),
    'responses.5..',
  ],
  [
    'a mock answers with what it was sent',
    mock((one) => (one.responses.default['responseTemplates'] = { 'application/json': '$input.body' })),
    'has variables or directives other than $context.requestId',
  ],
  [
    'a mock maps a header of an integration',
    mock(
      (one) =>
        (one.responses.default['responseParameters'] = {
          'method.response.header.A': 'integration.response.header.B',
        }),
    ),
    'is neither a text nor context.requestId',
  ],
  ['a mock has an unknown part', mock((one) => (one['contentHandling'] = 'x')), 'contentHandling'],
  [
    'a mock answers a status that the method does not',
    mock((_, operation) => (operation.responses = { 200: { description: '' } })),
    'ANY / answers 404, which its responses lack',
  ],
  [
    'a mock answers a header that the method does not',
    mock((_, { responses }) => delete responses['404']!['headers']),
    'answers Content-Type, which its responses lack',
  ],
  ['the definition has an unknown part', body((all) => (all['x-other'] = 1)), 'Properties.Body.x-other'],
  ['a path has an unknown method', body((all) => (all.paths['/']!['trace'] = getLead(all))), 'trace'],
  [
    'an operation has an unknown part',
    body((all) => Object.assign(getLead(all), { 'x-other': 1 })),
    'get.x-other',
  ],
  [
    'an operation has two authorizers',
    body((all) => getLead(all).security.push({ KeyAuthorizer: [] })),
    'security',
  ],
  [
    'an operation asks for both authorizers',
    body((all) => (getLead(all).security[0]!['KeyAuthorizer'] = [])),
    'security',
  ],
  [
    'an authorizer is not there',
    body((all) => (getLead(all).security = [{ Other: [] }])),
    'GET /v1/leads/{leadId} asks for the authorizer Other, which is not there',
  ],
  [
    'an authorizer has several identity sources',
    body(({ components }) => {
      const authorizer = components.securitySchemes['KeyAuthorizer']!['x-amazon-apigateway-authorizer']!;
      authorizer['identitySource'] = 'method.request.querystring.key,context.path';
    }),
    'identitySource is not one header or one parameter of the query',
  ],
  // A pattern would need matching.
  [
    'it has a pattern of media types',
    body((all) => (all['x-amazon-apigateway-binary-media-types'] = ['image/*'])),
    'is not one media type',
  ],
  ['an import would merge the definition', api({ Mode: 'merge' }), 'Properties.Mode'],
  ['a part of the definition is beside it', api({ BinaryMediaTypes: [] }), 'Properties.BinaryMediaTypes'],
  [
    'the role of API Gateway does not cover a function',
    renamed('SalesPipeline-dev-api-ListLeads'),
    /^API Gateway may not invoke \w+: ApiInvokeRole\w+ does not allow arn:aws:lambda:.+Other$/,
  ],
  [
    'API Gateway has no role to invoke a function',
    body((all) => delete getLead(all)['x-amazon-apigateway-integration']['credentials']),
    'credentials',
  ],
  [
    'the access log would have the path',
    () =>
      read('AWS::ApiGateway::Stage', (properties) =>
        Object.assign(properties['AccessLogSetting'] as Json, { Format: '{"a":"$context.path"}' }),
      ),
    '$context.path, which the local machine does not know',
  ],
  [
    'a schedule is at a time of the day',
    rule({ ScheduleExpression: 'cron(0 8 * * ? *)' }),
    /^The local machine cannot run \w+ \(AWS::Events::Rule\): \S*ScheduleExpression is no rate, [^\n]+$/,
  ],
  ['a schedule is not enabled', rule({ State: 'DISABLED' }), 'State Invalid type: Expected "ENABLED"'],
  [
    'a rule is of events',
    rule({ ScheduleExpression: undefined, EventPattern: {} }),
    'ScheduleExpression Invalid key',
  ],
  [
    'a schedule has an input of its own',
    rule({ Targets: [{ Arn: 'a', Id: 'b', Input: '{}' }] }),
    'Targets.0.Input Invalid key',
  ],
  [
    'a worker is given several messages at once',
    () =>
      read('AWS::Lambda::EventSourceMapping', (properties) => {
        if (properties['BatchSize'] === 1) properties['BatchSize'] = 10;
      }),
    'BatchSize Invalid type: Expected 1 but received 10',
  ],
  [
    'a topic calls a function',
    () => read('AWS::SNS::Subscription', (properties) => (properties['Protocol'] = 'lambda')),
    'Protocol Invalid type: Expected',
  ],
  [
    'a queue gets what is published without its envelope',
    () => read('AWS::SNS::Subscription', (properties) => (properties['RawMessageDelivery'] = true)),
    'Properties.RawMessageDelivery Invalid key',
  ],
  [
    'a topic may not send to its queue',
    allowing('AWS::SQS::QueuePolicy', denied),
    /^sns\.amazonaws\.com may not sqs:SendMessage to SalesPipeline-dev-ReceiveTextsQueue: no policy of it says so$/,
  ],
  [
    'the policy of a queue is about another topic',
    allowing('AWS::SQS::QueuePolicy', conditioned({ ArnEquals: { 'aws:SourceArn': 'Other' } })),
    /^sns\.amazonaws\.com may not sqs:SendMessage/,
  ],
  [
    'the provider may not publish to its topic',
    allowing('AWS::SNS::TopicPolicy', denied),
    /^sms-voice\.amazonaws\.com may not sns:Publish to SalesPipeline-dev-texts: no policy of it says so$/,
  ],
  [
    'the provider may publish of another account alone',
    allowing('AWS::SNS::TopicPolicy', conditioned({ StringEquals: { 'aws:SourceAccount': '1' } })),
    /^sms-voice\.amazonaws\.com may not sns:Publish/,
  ],
  [
    'a role may not take messages from its queue',
    () =>
      read('AWS::IAM::Role', ({ Policies = [] }) => {
        for (const { PolicyDocument } of Policies)
          PolicyDocument.Statement = PolicyDocument.Statement.filter(
            ({ Action }) => !JSON.stringify(Action).includes('sqs:DeleteMessage'),
          );
      }),
    /^The role of \w+ does not allow sqs:ReceiveMessage on its queue [\w-]+$/,
  ],
])('a start is refused in one sentence if %s', async (_, start, message) => {
  const error = await Promise.try(start).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LocalError);
  expect((error as LocalError).message).toMatch(message);
});

test('two stacks with a resource of one id are refused', () => {
  cpSync(join(folder, files[0]), join(folder, files[1]));
  expect(() => readTemplate(folder)).toThrow(/^Two stacks in \S+ have a resource \w+$/);
});
