import * as v from 'valibot';
import { resolve } from './intrinsics.ts';
import { LocalError } from './local-error.ts';
import { Statement } from './role.ts';
import { MethodSettings } from './throttling.ts';
import { AccessLogSetting, watchingResources } from './watch/resources.ts';
import { WebAclProperties } from './web-acl.ts';

const Text = v.string();
const Texts = v.record(v.string(), v.string());

/** A resource of one type as the template describes it: what this machine needs to know, the rest left out. */
const resource = <const Type extends string, P extends v.GenericSchema>(type: Type, properties: P) =>
  v.object({ Type: v.literal(type), Properties: properties });

const TableResource = resource(
  'AWS::DynamoDB::GlobalTable',
  v.object({
    AttributeDefinitions: v.array(
      v.object({ AttributeName: Text, AttributeType: v.picklist(['S', 'N', 'B']) }),
    ),
    KeySchema: v.array(v.object({ AttributeName: Text, KeyType: v.picklist(['HASH', 'RANGE']) })),
    GlobalSecondaryIndexes: v.optional(
      v.array(
        v.object({
          IndexName: Text,
          KeySchema: v.array(v.object({ AttributeName: Text, KeyType: v.picklist(['HASH', 'RANGE']) })),
          Projection: v.object({
            ProjectionType: v.picklist(['ALL', 'KEYS_ONLY', 'INCLUDE']),
            NonKeyAttributes: v.exactOptional(v.array(Text)),
          }),
        }),
      ),
      [],
    ),
    StreamSpecification: v.object({ StreamViewType: v.literal('NEW_AND_OLD_IMAGES') }),
    TimeToLiveSpecification: v.object({ AttributeName: Text, Enabled: v.boolean() }),
  }),
);

const FunctionResource = v.object({
  ...resource(
    'AWS::Lambda::Function',
    v.object({
      FunctionName: v.optional(Text),
      Description: Text,
      Handler: Text,
      Timeout: v.number(),
      MemorySize: v.number(),
      Role: Text,
      ReservedConcurrentExecutions: v.optional(v.number()),
      Environment: v.optional(v.object({ Variables: Texts }), { Variables: {} }),
      LoggingConfig: v.optional(v.object({ LogGroup: Text })),
    }),
  ).entries,
  Metadata: v.object({ 'aws:asset:path': Text }),
});

const RoleResource = resource(
  'AWS::IAM::Role',
  v.object({
    Policies: v.optional(
      v.array(v.object({ PolicyDocument: v.object({ Statement: v.array(Statement) }) })),
      [],
    ),
  }),
);

const RestApiResource = resource(
  'AWS::ApiGateway::RestApi',
  v.object({ Name: Text, MinimumCompressionSize: v.optional(v.number()) }),
);

const StageResource = resource(
  'AWS::ApiGateway::Stage',
  v.object({
    StageName: Text,
    AccessLogSetting: v.optional(AccessLogSetting),
    MethodSettings: v.optional(MethodSettings),
  }),
);

const PathResource = resource('AWS::ApiGateway::Resource', v.object({ ParentId: Text, PathPart: Text }));

const FunctionIntegration = v.object({ Type: v.literal('AWS_PROXY'), Uri: Text, Credentials: Text });

/**
 * The mock integrations that this machine can run: a request template that gives a status and nothing else, for each
 * content type; any other type refused; and one answer, whatever that status is.
 */
const MockIntegration = v.strictObject({
  Type: v.literal('MOCK'),
  PassthroughBehavior: v.literal('NEVER'),
  RequestTemplates: v.record(
    Text,
    v.pipe(Text, v.regex(/^\{"statusCode": ?\d{3}\}$/, 'is not {"statusCode": …} alone')),
  ),
  IntegrationResponses: v.strictTuple([
    v.strictObject({
      StatusCode: Text,
      ResponseParameters: v.optional(
        v.record(
          v.pipe(Text, v.startsWith('method.response.header.')),
          v.pipe(
            Text,
            v.regex(/^(?:'[^']*'|context\.requestId)$/, 'is neither a text nor context.requestId'),
          ),
        ),
        {},
      ),
      ResponseTemplates: v.strictObject({
        'application/json': v.pipe(
          Text,
          v.check(
            (template) => !/[#$]/.test(template.replaceAll('$context.requestId', '')),
            'has variables or directives other than $context.requestId',
          ),
        ),
      }),
    }),
  ]),
});

const MethodResource = resource(
  'AWS::ApiGateway::Method',
  v.object({
    HttpMethod: Text,
    ResourceId: Text,
    AuthorizationType: v.picklist(['NONE', 'CUSTOM']),
    AuthorizerId: v.optional(Text),
    Integration: v.variant('Type', [FunctionIntegration, MockIntegration]),
    MethodResponses: v.optional(
      v.array(
        v.object({
          StatusCode: Text,
          ResponseParameters: v.optional(v.record(Text, v.boolean()), {}),
        }),
      ),
      [],
    ),
  }),
);

const AuthorizerResource = resource(
  'AWS::ApiGateway::Authorizer',
  v.object({
    Type: v.literal('TOKEN'),
    AuthorizerUri: Text,
    AuthorizerCredentials: Text,
    AuthorizerResultTtlInSeconds: v.number(),
    IdentitySource: v.literal('method.request.header.Authorization'),
    IdentityValidationExpression: v.optional(Text, ''),
  }),
);

const GatewayResponseResource = resource(
  'AWS::ApiGateway::GatewayResponse',
  v.object({
    ResponseType: Text,
    StatusCode: v.optional(Text),
    ResponseParameters: v.optional(Texts, {}),
    ResponseTemplates: v.optional(Texts, {}),
  }),
);

const RuleResource = resource(
  'AWS::Events::Rule',
  v.strictObject({
    ScheduleExpression: v.pipe(
      Text,
      v.regex(/^rate\([1-9]\d* (minute|hour|day)s?\)$/, 'is no rate, such as rate(5 minutes)'),
    ),
    State: v.literal('ENABLED'),
    Targets: v.array(
      v.strictObject({ Arn: Text, Id: Text, DeadLetterConfig: v.optional(v.object({ Arn: Text })) }),
    ),
  }),
);

const InvokeConfigResource = resource(
  'AWS::Lambda::EventInvokeConfig',
  v.object({
    FunctionName: Text,
    MaximumRetryAttempts: v.number(),
    DestinationConfig: v.object({ OnFailure: v.object({ Destination: Text }) }),
  }),
);

/** A topic whose messages only people get; one that calls a function would be refused. */
const EmailResource = resource('AWS::SNS::Subscription', v.object({ Protocol: v.literal('email') }));

const WebAclResource = resource('AWS::WAFv2::WebACL', WebAclProperties);

/**
 * Resources ignored on this machine: permissions to invoke, API Gateway's account settings, policies of queues and
 * topics, the dashboard, and what only settings of a stage make: emails of alarms, a domain, and what
 * puts a web ACL before the API.
 */
const nothingHere = v.object({
  Type: v.picklist([
    'AWS::ApiGateway::Account',
    'AWS::ApiGateway::BasePathMapping',
    'AWS::ApiGateway::Deployment',
    'AWS::ApiGateway::DomainName',
    'AWS::CDK::Metadata',
    'AWS::CloudWatch::Dashboard',
    'AWS::Lambda::Permission',
    'AWS::SNS::Topic',
    'AWS::SNS::TopicPolicy',
    'AWS::SQS::QueuePolicy',
    'AWS::WAFv2::WebACLAssociation',
  ]),
});

const Resource = v.variant('Type', [
  TableResource,
  FunctionResource,
  RestApiResource,
  StageResource,
  PathResource,
  MethodResource,
  AuthorizerResource,
  GatewayResponseResource,
  RoleResource,
  RuleResource,
  InvokeConfigResource,
  EmailResource,
  WebAclResource,
  ...watchingResources,
  nothingHere,
]);
export type Resource = v.InferOutput<typeof Resource>;

type PropertiesOf<S extends v.GenericSchema<unknown, { Properties: unknown }>> =
  v.InferOutput<S>['Properties'];

export type TableProperties = PropertiesOf<typeof TableResource>;
export type MethodProperties = PropertiesOf<typeof MethodResource>;
export type AuthorizerProperties = PropertiesOf<typeof AuthorizerResource>;
export type GatewayResponse = PropertiesOf<typeof GatewayResponseResource>;

/** @throws LocalError if the resource is of a type, or has a property, that this machine cannot run */
export function parseResource(name: string, value: unknown): Resource {
  const result = v.safeParse(Resource, resolve(value));
  if (result.success) return result.output;
  const [issue] = result.issues;
  const type = v.is(v.object({ Type: v.string() }), value) ? value.Type : 'a resource without a type';
  const at = v.getDotPath(issue) ?? '';
  const reason = at === 'Type' ? 'it does not know this type' : `${at} ${issue.message}`;
  throw new LocalError(`The local machine cannot run ${name} (${type}): ${reason}`);
}
