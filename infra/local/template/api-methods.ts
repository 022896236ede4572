import { logicalIdOf, region } from '../intrinsics.ts';
import { LocalError } from '../local-error.ts';
import type { AuthorizerProperties, MethodProperties } from './api-resources.ts';
import type { Statement } from '../role.ts';

export type Authorizer = AuthorizerProperties & { functionName: string };

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

/** Other parts of the template that methods refer to, by logical id. */
interface ApiParts {
  paths: ReadonlyMap<string, { ParentId: string; PathPart: string }>;
  authorizers: ReadonlyMap<string, Authorizer>;
  functionOf: (uri: string, credentials: string) => string;
}

/**
 * Builds the route of a method.
 * @throws LocalError for one that API Gateway would not deploy
 */
export function routeOf(name: string, method: MethodProperties, parts: ApiParts): Route | MockRoute {
  const { paths, authorizers, functionOf } = parts;
  const { HttpMethod, ResourceId, AuthorizationType, AuthorizerId = '', Integration } = method;
  const authorizer = AuthorizationType === 'NONE' ? undefined : authorizers.get(AuthorizerId);
  if (AuthorizationType === 'CUSTOM' && !authorizer)
    throw new LocalError(`${name} asks for the authorizer ${AuthorizerId}, which is not there`);
  const pathOf = (id: string): string => {
    const resource = paths.get(id);
    return resource ? `${pathOf(resource.ParentId)}/${resource.PathPart}` : '';
  };
  const common = { method: HttpMethod, path: pathOf(ResourceId) || '/', authorizer };
  if (Integration.Type === 'AWS_PROXY')
    return { ...common, functionName: functionOf(Integration.Uri, Integration.Credentials) };

  const [{ StatusCode, ResponseParameters, ResponseTemplates }] = Integration.IntegrationResponses;
  const declared = method.MethodResponses.find((response) => response.StatusCode === StatusCode);
  const lacking = declared
    ? Object.keys(ResponseParameters).find((header) => declared.ResponseParameters[header] === undefined)
    : StatusCode;
  if (lacking !== undefined)
    throw new LocalError(
      `The mock integration of ${name} answers ${lacking}, which its method responses lack`,
    );
  const headers = Object.entries(ResponseParameters).map(([name, value]): [string, string] => [
    name.slice('method.response.header.'.length),
    value,
  ]);
  const mock: MockResponse = {
    contentTypes: Object.keys(Integration.RequestTemplates),
    status: Number(StatusCode),
    headers: Object.fromEntries(headers),
    body: ResponseTemplates['application/json'],
  };
  return { ...common, mock };
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
) {
  return (uri: string, credentials: string): string => {
    const [, arn = ''] = /functions\/(.+)\/invocations$/.exec(uri) ?? [];
    const id = logicalIdOf(arn);
    const named = `arn:aws:lambda:${region}:000000000000:function:${functionNames.get(id) ?? ''}`;
    const allowed = (roles.get(logicalIdOf(credentials)) ?? []).some(
      ({ Action, Resource }) =>
        Action.includes('lambda:InvokeFunction') && Resource.some((pattern) => covers(pattern, named)),
    );
    if (!allowed)
      throw new LocalError(
        `API Gateway may not invoke ${id}: ${logicalIdOf(credentials)} does not allow ${named}`,
      );
    return id;
  };
}

/** True if a role's resource covers an ARN. A `*` at the end stands for any text. */
const covers = (pattern: string, arn: string) =>
  pattern.endsWith('*') ? arn.startsWith(pattern.slice(0, -1)) : arn === pattern;
