import * as v from 'valibot';
import { resource, string } from './resource-schema.ts';

/**
 * Resources of API Gateway, and the OpenAPI definition of the API with the parts that this machine runs. Any
 * other part is refused, because API Gateway would do something with it.
 */

const FunctionIntegration = v.strictObject({
  type: v.literal('aws_proxy'),
  httpMethod: v.literal('POST'),
  uri: string,
  credentials: string,
});

/**
 * Mock integrations that this machine can run. For each content type a request template gives only a status;
 * any other type is refused. There is one response, whatever the status is.
 */
const MockIntegration = v.strictObject({
  type: v.literal('mock'),
  passthroughBehavior: v.literal('never'),
  requestTemplates: v.record(
    string,
    v.pipe(string, v.regex(/^\{"statusCode": ?\d{3}\}$/, 'is not {"statusCode": …} alone')),
  ),
  responses: v.strictObject({
    default: v.strictObject({
      statusCode: string,
      responseParameters: v.optional(
        v.record(
          v.pipe(string, v.startsWith('method.response.header.')),
          v.pipe(
            string,
            v.regex(/^(?:'[^']*'|context\.requestId)$/, 'is neither a text nor context.requestId'),
          ),
        ),
        {},
      ),
      responseTemplates: v.strictObject({
        'application/json': v.pipe(
          string,
          v.check(
            (template) => !/[#$]/.test(template.replaceAll('$context.requestId', '')),
            'has variables or directives other than $context.requestId',
          ),
        ),
      }),
    }),
  }),
});

const TextSchema = v.strictObject({ type: v.literal('string') });

const Operation = v.strictObject({
  parameters: v.array(
    v.strictObject({ name: string, in: v.literal('path'), required: v.literal(true), schema: TextSchema }),
  ),
  responses: v.record(
    string,
    v.strictObject({
      description: string,
      headers: v.optional(v.record(string, v.strictObject({ schema: TextSchema })), {}),
    }),
  ),
  /** Name of the one authorizer. Undefined for a public operation. */
  security: v.optional(
    v.pipe(
      v.strictTuple([v.record(string, v.strictTuple([]))]),
      v.transform(([names]) => Object.keys(names)),
      v.strictTuple([string]),
    ),
  ),
  'x-amazon-apigateway-integration': v.variant('type', [FunctionIntegration, MockIntegration]),
});

/** Key of the operation that answers every method of a path. */
export const anyMethodKey = 'x-amazon-apigateway-any-method';
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', anyMethodKey] as const;

const SecurityScheme = v.strictObject({
  type: v.literal('apiKey'),
  name: string,
  in: v.literal('header'),
  'x-amazon-apigateway-authtype': v.literal('custom'),
  'x-amazon-apigateway-authorizer': v.strictObject({
    type: v.literal('request'),
    authorizerUri: string,
    authorizerCredentials: string,
    authorizerResultTtlInSeconds: v.number(),
    /** The part of a request that the authorizer's answer is cached by. */
    identitySource: v.pipe(
      string,
      v.regex(
        /^method\.request\.(?:header|querystring)\.[\w-]+$/,
        'is not one header or one parameter of the query',
      ),
    ),
  }),
});

const GatewayResponse = v.strictObject({
  statusCode: v.optional(string),
  responseParameters: v.optional(v.record(string, string), {}),
  responseTemplates: v.optional(v.record(string, string), {}),
});

const Definition = v.strictObject({
  openapi: v.literal('3.0.1'),
  info: v.strictObject({ title: string, description: string, version: string }),
  paths: v.record(string, v.record(v.picklist(methods), Operation)),
  components: v.strictObject({ securitySchemes: v.record(string, SecurityScheme) }),
  'x-amazon-apigateway-gateway-responses': v.record(string, GatewayResponse),
  'x-amazon-apigateway-binary-media-types': v.optional(
    v.array(v.pipe(string, v.regex(/^[\w.+-]+\/[\w.+-]+$/, 'is not one media type'))),
  ),
  'x-amazon-apigateway-minimum-compression-size': v.optional(v.number()),
});

const RestApiResource = resource(
  'AWS::ApiGateway::RestApi',
  v.strictObject({
    Name: string,
    Mode: v.literal('overwrite'),
    EndpointConfiguration: v.unknown(),
    Parameters: v.unknown(),
    Tags: v.optional(v.unknown()),
    Body: Definition,
  }),
);

const StageResource = resource(
  'AWS::ApiGateway::Stage',
  v.object({
    StageName: string,
    AccessLogSetting: v.optional(v.strictObject({ DestinationArn: string, Format: string })),
  }),
);

export const apiResources = [RestApiResource, StageResource] as const;

export type Definition = v.InferOutput<typeof Definition>;
export type Operation = v.InferOutput<typeof Operation>;
export type GatewayResponse = v.InferOutput<typeof GatewayResponse>;
export type AuthorizerDefinition = v.InferOutput<typeof SecurityScheme>['x-amazon-apigateway-authorizer'];
