import { Aws } from 'aws-cdk-lib/core';
import { isKeyed, pathParameters, type Endpoint, type Method } from '../../shared/contract/endpoint.ts';
import type { PublicRoute } from '../../shared/contract/public-function.ts';
import { gatewayResponses, otherMethods, unknownRoute } from './gateway-responses.ts';
import { apiNameOf } from './resource-names.ts';
import { authorizerCacheTime, type Stage } from './stage.ts';

interface Parts {
  stage: Stage;
  /** ARN of the role that API Gateway invokes functions with. */
  invoker: string;
  /** ARN of the authorizer's function. */
  authorizer: string;
  /** Endpoints, each with the ARN of its function. */
  routes: readonly { endpoint: Endpoint; handler: string }[];
  /** Routes of public functions, each with the ARN of its function. */
  publicRoutes: readonly (PublicRoute & { handler: string })[];
}

/** Minimum size of an answer that API Gateway compresses, if the client accepts that. */
const minCompressionBytes = 1024;

/**
 * Media types of bodies that functions get in Base64. As text, each byte of a file that is not UTF-8 would
 * become three, and a form with a photo of 2.5 MB would exceed Lambda's limit.
 */
const binaryTypes = ['multipart/form-data'];

/** Parts of a request that authorizers map to a caller, and that are the keys of cached answers. */
const identitySources = {
  TokenAuthorizer: 'method.request.header.Authorization',
  KeyAuthorizer: 'method.request.querystring.key',
};

/**
 * Builds the whole API as one OpenAPI definition, which API Gateway imports. The definition has routes,
 * authorizers before all but the public routes, and the error envelope on every failure. The definition has
 * no schemas, because functions check requests and answers. The API is one resource, so a further operation
 * costs only its function and role.
 *
 * API Gateway imports OpenAPI 3.0 and no later version. An import replaces what is there, so that no part of
 * the API can be a separate resource:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-import-api.html
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-import-api-update.html
 */
export function apiDefinition({ stage, invoker, authorizer, routes, publicRoutes }: Parts) {
  const paths: Record<string, Record<string, object>> = {};
  for (const { endpoint, handler } of routes) {
    const { path, method, takesForms } = endpoint;
    const operation = operationOf(endpoint, { uri: invocationOf(handler), credentials: invoker });
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: operation,
      // Browsers ask by `OPTIONS` before a page of another site sends a form. The query of that request has
      // the key, too.
      ...(takesForms && { options: operation }),
      ...(endpoint.scope === 'public' && withHead(method, operation)),
    };
  }
  for (const { method, path, handler } of publicRoutes) {
    const invocation = { uri: invocationOf(handler), credentials: invoker };
    const operation = {
      parameters: parametersOf(path),
      responses: { 200: answerOfFunction },
      ...proxied(invocation),
    };
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation, ...withHead(method, operation) };
  }
  // `{proxy+}` matches every path that is not above, at any depth. The pattern does not match `/`.
  for (const path of new Set([...Object.keys(paths), '/', everyOtherPath])) {
    const methods = Object.keys(paths[path] ?? {}).map((method) => method.toUpperCase());
    const isKnown = path !== everyOtherPath && methods.length > 0;
    paths[path] = {
      ...paths[path],
      'x-amazon-apigateway-any-method': {
        parameters: parametersOf(path),
        ...(isKnown ? otherMethods(path, methods.sort()) : unknownRoute),
      },
    };
  }
  return {
    openapi: '3.0.1',
    info: { title: apiNameOf(stage), description: 'Sales Pipeline Service', version: '1' },
    paths,
    components: {
      securitySchemes: Object.fromEntries(
        Object.entries(identitySources).map(([name, source]) => [
          name,
          securityScheme(source, { uri: invocationOf(authorizer), credentials: invoker }),
        ]),
      ),
    },
    'x-amazon-apigateway-gateway-responses': gatewayResponses,
    'x-amazon-apigateway-binary-media-types': binaryTypes,
    'x-amazon-apigateway-minimum-compression-size': minCompressionBytes,
  };
}

/** Function, as API Gateway calls it, and the role for the call. */
interface Invocation {
  uri: string;
  credentials: string;
}

/** `HEAD` of a page. The function answers as for `GET`, and API Gateway sends no body. */
const withHead = (method: Method, operation: object) => method === 'GET' && { head: operation };

/** Path that matches each path that no other matches. */
const everyOtherPath = '/{proxy+}';

const invocationOf = (functionArn: string) =>
  `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/${functionArn}/invocations`;

function operationOf(endpoint: Endpoint, invocation: Invocation) {
  const authorizer: keyof typeof identitySources = isKeyed(endpoint) ? 'KeyAuthorizer' : 'TokenAuthorizer';
  return {
    parameters: parametersOf(endpoint.path),
    responses: Object.fromEntries(
      Object.keys(endpoint.responses).map((status) => [status, answerOfFunction]),
    ),
    ...(endpoint.scope !== 'public' && { security: [{ [authorizer]: [] }] }),
    ...proxied(invocation),
  };
}

const answerOfFunction = { description: 'Answer of the function' };

/** Integration of a function. https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-integration.html */
const proxied = (invocation: Invocation) => ({
  'x-amazon-apigateway-integration': { type: 'aws_proxy', httpMethod: 'POST', ...invocation },
});

const parametersOf = (path: string) =>
  pathParameters(path.replace('+}', '}')).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

/**
 * Describes an authorizer. The type is `request`, because an authorizer of type `token` does not learn the
 * client's address. For the type `request`, the name and the place of the key say nothing.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-authorizer.html
 */
const securityScheme = (identitySource: string, { uri, credentials }: Invocation) => ({
  type: 'apiKey',
  name: 'Unused',
  in: 'header',
  'x-amazon-apigateway-authtype': 'custom',
  'x-amazon-apigateway-authorizer': {
    type: 'request',
    identitySource,
    authorizerUri: uri,
    authorizerCredentials: credentials,
    authorizerResultTtlInSeconds: authorizerCacheTime,
  },
});
