import { functionArnOf, logicalIdOf } from '../arns.ts';
import { LocalError } from '../local-error.ts';
import { allows, type Statement } from '../role.ts';
import {
  anyMethodKey,
  type AuthorizerDefinition,
  type Definition,
  type GatewayResponse,
  type Operation,
} from './api-resources.ts';

/** The API of a template, as this machine serves it. */
export interface Api {
  routes: (Route | MockRoute)[];
  gatewayResponses: ReadonlyMap<string, GatewayResponse>;
  /** Minimum bytes of bodies that API Gateway compresses and decompresses; undefined for never. */
  minimumCompressionSize: number | undefined;
  /** Media types of bodies that functions get in Base64. */
  binaryMediaTypes?: readonly string[] | undefined;
}

export type Authorizer = Pick<AuthorizerDefinition, 'identitySource' | 'authorizerResultTtlInSeconds'> & {
  functionName: string;
};

interface Method {
  /** HTTP method, or `ANY` for every method that API Gateway knows. */
  method: string;
  /** Path such as `/v1/leads/{leadId}` or `/{proxy+}`. */
  path: string;
  authorizer: Authorizer | undefined;
}

/** A method that a function answers. */
export interface Route extends Method {
  functionName: string;
}

/** A method that API Gateway answers by itself. */
export interface MockRoute extends Method {
  mock: MockResponse;
}

/** Response of a mock integration. A header's value is a quoted text or `context.requestId`. */
export interface MockResponse {
  /** Media types that have a request template. */
  contentTypes: string[];
  status: number;
  headers: Record<string, string>;
  /** Body, which may contain `$context.requestId`. */
  body: string;
}

/** Finds the function of an integration or an authorizer. */
type FunctionOf = (uri: string, credentials: string) => string;

/**
 * Reads an API's definition as API Gateway imports it.
 * @throws LocalError for a part that API Gateway would not deploy
 */
export function apiOf(definition: Definition, functionOf: FunctionOf): Api {
  const authorizers = new Map(
    Object.entries(definition.components.securitySchemes).map(([name, scheme]): [string, Authorizer] => {
      const { authorizerUri, authorizerCredentials, ...rest } = scheme['x-amazon-apigateway-authorizer'];
      return [name, { ...rest, functionName: functionOf(authorizerUri, authorizerCredentials) }];
    }),
  );
  return {
    routes: Object.entries(definition.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([key, operation]) => {
        const method = key === anyMethodKey ? 'ANY' : key.toUpperCase();
        return routeOf({ method, path }, operation, { authorizers, functionOf });
      }),
    ),
    gatewayResponses: new Map(Object.entries(definition['x-amazon-apigateway-gateway-responses'])),
    minimumCompressionSize: definition['x-amazon-apigateway-minimum-compression-size'],
    binaryMediaTypes: definition['x-amazon-apigateway-binary-media-types'],
  };
}

function routeOf(
  at: Pick<Method, 'method' | 'path'>,
  { security, responses, 'x-amazon-apigateway-integration': integration }: Operation,
  { authorizers, functionOf }: { authorizers: ReadonlyMap<string, Authorizer>; functionOf: FunctionOf },
): Route | MockRoute {
  const name = `${at.method} ${at.path}`;
  const authorizer = security && authorizers.get(security[0]);
  if (security && !authorizer)
    throw new LocalError(`${name} asks for the authorizer ${security[0]}, which is not there`);
  if (integration.type === 'aws_proxy')
    return { ...at, authorizer, functionName: functionOf(integration.uri, integration.credentials) };

  const { statusCode, responseParameters, responseTemplates } = integration.responses.default;
  const headers = Object.entries(responseParameters).map(([parameter, value]): [string, string] => [
    parameter.slice('method.response.header.'.length),
    value,
  ]);
  const declared = responses[statusCode];
  const lacking = declared ? headers.find(([header]) => !declared.headers[header])?.[0] : statusCode;
  if (lacking !== undefined)
    throw new LocalError(`The mock integration of ${name} answers ${lacking}, which its responses lack`);
  const mock: MockResponse = {
    contentTypes: Object.keys(integration.requestTemplates),
    status: Number(statusCode),
    headers: Object.fromEntries(headers),
    body: responseTemplates['application/json'],
  };
  return { ...at, authorizer, mock };
}

/**
 * Finds the function in an integration's URI, `…:lambda:path/2015-03-31/functions/<its ARN>/invocations`.
 *
 * @throws LocalError if the integration's role may not invoke it: API Gateway would answer 500
 */
export function functionFinder(
  roles: ReadonlyMap<string, readonly Statement[]>,
  /** Names by logical id. */
  functionNames: ReadonlyMap<string, string | undefined>,
): FunctionOf {
  return (uri, credentials) => {
    const [, arn = ''] = /functions\/(.+)\/invocations$/.exec(uri) ?? [];
    const id = logicalIdOf(arn);
    const named = functionArnOf(functionNames.get(id) ?? '');
    const role = roles.get(logicalIdOf(credentials)) ?? [];
    if (!allows(role, { action: 'lambda:InvokeFunction', resource: named }))
      throw new LocalError(
        `API Gateway may not invoke ${id}: ${logicalIdOf(credentials)} does not allow ${named}`,
      );
    return id;
  };
}
