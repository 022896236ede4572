import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, inject, test } from 'vitest';
import { LocalError } from '../../../../infra/local/local-error.ts';
import { readTemplate } from '../../../../infra/local/template/template.ts';
import { newFolder } from '../../../support/new-folder.ts';

type Part = Record<string, unknown>;

const files = ['SalesPipeline-dev.template.json', 'SalesPipeline-dev-data.template.json'] as const;
let folder: string;
beforeEach(() => {
  folder = newFolder();
  for (const name of ['manifest.json', ...files]) cpSync(join(inject('assembly'), name), join(folder, name));
});

/** Reads the templates after a change of every resource of a type. */
function read(type: string, change: (properties: Part) => unknown): unknown {
  for (const file of files) {
    const template = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      Resources: Record<string, { Type: string; Properties: Part }>;
    };
    for (const { Type, Properties } of Object.values(template.Resources))
      if (Type === type) change(Properties);
    writeFileSync(join(folder, file), JSON.stringify(template));
  }
  return readTemplate(folder);
}

type Change = () => unknown;
/** Sets a part of each resource of a type, or deletes it. Its place is the names that lead to it. */
const setIn =
  (type: string, place: string, value: unknown): Change =>
  () =>
    read(type, (properties) => {
      const names = place.split(' ');
      const last = names.pop()!;
      names.reduce((at, name) => at[name] as Part, properties)[last] = value;
    });
const api = (place: string, value: unknown) => setIn('AWS::ApiGateway::RestApi', place, value);
const ofRoot = 'Body paths / x-amazon-apigateway-any-method';
const mock = (place: string, value: unknown) =>
  api(`${ofRoot} x-amazon-apigateway-integration ${place}`, value);
const getLead = 'Body paths /v1/leads/{leadId} get';
const rule = (place: string, value: unknown) => setIn('AWS::Events::Rule', place, value);
const subscription = (place: string, value: unknown) => setIn('AWS::SNS::Subscription', place, value);
/** Sets a part of each resource of a type where the part has another value. */
const replaced = (type: string, place: string, from: unknown, to: unknown) => () =>
  read(type, (properties) => {
    if (properties[place] === from) properties[place] = to;
  });
/** Changes the statements of the policies of a type that allow something. */
const allowing = (type: string, change: Part) => () =>
  read(type, ({ PolicyDocument }) => {
    for (const statement of (PolicyDocument as { Statement: Part[] }).Statement)
      if (statement['Effect'] === 'Allow') Object.assign(statement, change);
  });
const denied = { Effect: 'Deny' };

test.each<[string, Change, string | RegExp]>([
  ['a mock passes bodies on', mock('passthroughBehavior', 'when_no_match'), 'passthrough'],
  [
    'the request template of a mock reads the body',
    mock('requestTemplates', { 'application/json': '{"statusCode": $input.path("$.a")}' }),
    'is not {"statusCode": …} alone',
  ],
  ['a mock chooses one of several answers by a pattern', mock('responses 5..', {}), 'responses.5..'],
  [
    'a mock answers with what it was sent',
    mock('responses default responseTemplates', { 'application/json': '$input.body' }),
    'has variables or directives other than $context.requestId',
  ],
  [
    'a mock maps a header of an integration',
    mock('responses default responseParameters', {
      'method.response.header.A': 'integration.response.header.B',
    }),
    'is neither a text nor context.requestId',
  ],
  ['a mock has an unknown part', mock('contentHandling', 'x'), 'contentHandling'],
  [
    'a mock answers a status that the method does not',
    api(`${ofRoot} responses`, { 200: { description: '' } }),
    'ANY / answers 404, which its responses lack',
  ],
  [
    'a mock answers a header that the method does not',
    api(`${ofRoot} responses 404 headers`, undefined),
    'answers Content-Type, which its responses lack',
  ],
  ['the definition has an unknown part', api('Body x-other', 1), 'Properties.Body.x-other'],
  ['a path has an unknown method', api('Body paths / trace', {}), 'trace'],
  ['an operation has an unknown part', api(`${getLead} x-other`, 1), 'get.x-other'],
  ['an operation has two authorizers', api(`${getLead} security 1`, { KeyAuthorizer: [] }), 'security'],
  ['an operation asks for both authorizers', api(`${getLead} security 0 KeyAuthorizer`, []), 'security'],
  [
    'an authorizer is not there',
    api(`${getLead} security`, [{ Other: [] }]),
    'GET /v1/leads/{leadId} asks for the authorizer Other, which is not there',
  ],
  [
    'an authorizer has several identity sources',
    api(
      'Body components securitySchemes KeyAuthorizer x-amazon-apigateway-authorizer identitySource',
      'method.request.querystring.key,context.path',
    ),
    'identitySource is not one header or one parameter of the query',
  ],
  // A pattern would need matching.
  [
    'it has a pattern of media types',
    api('Body x-amazon-apigateway-binary-media-types', ['image/*']),
    'is not one media type',
  ],
  ['an import would merge the definition', api('Mode', 'merge'), 'Properties.Mode'],
  ['a part of the definition is beside it', api('BinaryMediaTypes', []), 'Properties.BinaryMediaTypes'],
  [
    'the role of API Gateway does not cover a function',
    replaced(
      'AWS::Lambda::Function',
      'FunctionName',
      'SalesPipeline-dev-api-ListLeads',
      'SalesPipeline-dev-Other',
    ),
    /^API Gateway may not invoke \w+: ApiInvokeRole\w+ does not allow arn:aws:lambda:.+Other$/,
  ],
  [
    'API Gateway has no role to invoke a function',
    api(`${getLead} x-amazon-apigateway-integration credentials`, undefined),
    'credentials',
  ],
  [
    'the access log would have the path',
    setIn('AWS::ApiGateway::Stage', 'AccessLogSetting Format', '{"a":"$context.path"}'),
    '$context.path, which the local machine does not know',
  ],
  [
    'a schedule is at a time of the day',
    rule('ScheduleExpression', 'cron(0 8 * * ? *)'),
    /^The local machine cannot run \w+ \(AWS::Events::Rule\): \S*ScheduleExpression is no rate, [^\n]+$/,
  ],
  ['a schedule is not enabled', rule('State', 'DISABLED'), 'State Invalid type: Expected "ENABLED"'],
  ['a rule is of events', rule('ScheduleExpression', undefined), 'ScheduleExpression Invalid key'],
  ['a schedule has an input of its own', rule('Targets 0 Input', '{}'), 'Targets.0.Input Invalid key'],
  [
    'a worker is given several messages at once',
    replaced('AWS::Lambda::EventSourceMapping', 'BatchSize', 1, 10),
    'BatchSize Invalid type: Expected 1 but received 10',
  ],
  ['a topic calls a function', subscription('Protocol', 'lambda'), 'Protocol Invalid type: Expected'],
  [
    'a queue gets what is published without its envelope',
    subscription('RawMessageDelivery', true),
    'Properties.RawMessageDelivery Invalid key',
  ],
  [
    'a topic may not send to its queue',
    allowing('AWS::SQS::QueuePolicy', denied),
    /^sns\.amazonaws\.com may not sqs:SendMessage to SalesPipeline-dev-ReceiveTextsQueue: no policy of it says so$/,
  ],
  [
    'the policy of a queue is about another topic',
    allowing('AWS::SQS::QueuePolicy', { Condition: { ArnEquals: { 'aws:SourceArn': 'Other' } } }),
    /^sns\.amazonaws\.com may not sqs:SendMessage/,
  ],
  [
    'the provider may not publish to its topic',
    allowing('AWS::SNS::TopicPolicy', denied),
    /^sms-voice\.amazonaws\.com may not sns:Publish to SalesPipeline-dev-texts: no policy of it says so$/,
  ],
  [
    'the provider may publish of another account alone',
    allowing('AWS::SNS::TopicPolicy', { Condition: { StringEquals: { 'aws:SourceAccount': '1' } } }),
    /^sms-voice\.amazonaws\.com may not sns:Publish/,
  ],
  [
    'a role may not take messages from its queue',
    () =>
      read('AWS::IAM::Role', (properties) => {
        const text = JSON.stringify(properties);
        Object.assign(properties, JSON.parse(text.replaceAll('sqs:DeleteMessage', 'sqs:Other')));
      }),
    /^The role of \w+ does not allow sqs:DeleteMessage on its queue [\w-]+$/,
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
