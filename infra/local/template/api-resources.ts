import * as v from 'valibot';
import { resource } from './resource-schema.ts';

/** Resources of API Gateway, with the properties that this machine needs. */

const Text = v.string();
const Texts = v.record(v.string(), v.string());

const RestApiResource = resource(
  'AWS::ApiGateway::RestApi',
  v.object({
    Name: Text,
    MinimumCompressionSize: v.optional(v.number()),
    BinaryMediaTypes: v.optional(
      v.array(v.pipe(Text, v.regex(/^[\w.+-]+\/[\w.+-]+$/, 'is not one media type'))),
    ),
  }),
);

const StageResource = resource(
  'AWS::ApiGateway::Stage',
  v.object({
    StageName: Text,
    AccessLogSetting: v.optional(v.strictObject({ DestinationArn: Text, Format: Text })),
  }),
);

const PathResource = resource('AWS::ApiGateway::Resource', v.object({ ParentId: Text, PathPart: Text }));

const FunctionIntegration = v.object({ Type: v.literal('AWS_PROXY'), Uri: Text, Credentials: Text });

/**
 * Mock integrations that this machine can run. For each content type a request template gives a status and
 * nothing else; any other type is refused. There is one response, whatever that status is.
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
    Type: v.literal('REQUEST'),
    AuthorizerUri: Text,
    AuthorizerCredentials: Text,
    AuthorizerResultTtlInSeconds: v.number(),
    /** The part of a request that the authorizer's answer is cached by. */
    IdentitySource: v.pipe(
      Text,
      v.regex(
        /^method\.request\.(?:header|querystring)\.[\w-]+$/,
        'is not one header or one parameter of the query',
      ),
    ),
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

export const apiResources = [
  RestApiResource,
  StageResource,
  PathResource,
  MethodResource,
  AuthorizerResource,
  GatewayResponseResource,
] as const;

type PropertiesOf<S extends v.GenericSchema<unknown, { Properties: unknown }>> =
  v.InferOutput<S>['Properties'];

export type MethodProperties = PropertiesOf<typeof MethodResource>;
export type AuthorizerProperties = PropertiesOf<typeof AuthorizerResource>;
export type GatewayResponse = PropertiesOf<typeof GatewayResponseResource>;
