import { logicalIdOf } from '../arns.ts';
import { LocalError } from '../local-error.ts';
import type { ResourcesOf } from './resources.ts';

/** Facts about one request that API Gateway logs and counts. */
export interface Access {
  requestId: string;
  /** Arrival, in epoch milliseconds. */
  at: number;
  method: string;
  /** Path of the route, such as `/v1/leads/{leadId}`; undefined without a route. */
  route?: string | undefined;
  /** Authorizer's context for the token. */
  authorizer?: Readonly<Record<string, string>> | undefined;
  /** Call of the authorizer's function; undefined if its answer was cached. */
  authorizing?: FunctionCall | undefined;
  /** Call of the route's function. */
  integration?: FunctionCall | undefined;
  /** Type of the gateway response that refused the request. */
  responseType?: string | undefined;
  /** Status and length of the response, and duration in milliseconds. */
  status: number;
  length: number;
  milliseconds: number;
}

/** A call of a function, with its duration. */
export interface FunctionCall {
  /** Undefined if no answer came in time. */
  status: number | undefined;
  milliseconds: number;
  /** Lambda's id of the call. */
  requestId: string | undefined;
}

type Variable = (access: Access) => string | number | undefined;

const time: Variable = ({ at }) => {
  const [, day, month, year, clock] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(at).toUTCString()) ?? [];
  return `${day ?? ''}/${month ?? ''}/${year ?? ''}:${clock ?? ''} +0000`;
};

/**
 * Variables that a format may contain. Values that a client sent (path, query, address, messages that quote
 * it) are missing on purpose: they must not be logged.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html
 */
const variables = new Map<string, Variable>(
  Object.entries({
    requestId: ({ requestId }) => requestId,
    extendedRequestId: ({ requestId }) => requestId,
    requestTime: time,
    requestTimeEpoch: ({ at }) => at,
    httpMethod: ({ method }) => method,
    resourcePath: ({ route }) => route,
    status: ({ status }) => status,
    responseLength: ({ length }) => length,
    responseLatency: ({ milliseconds }) => milliseconds,
    'error.responseType': ({ responseType }) => responseType,
    integrationLatency: ({ integration }) => integration?.milliseconds,
    'integration.latency': ({ integration }) => integration?.milliseconds,
    // The status is Lambda's, not the function's.
    integrationStatus: ({ integration }) => integration?.status,
    'integration.integrationStatus': ({ integration }) => integration?.status,
    'integration.requestId': ({ integration }) => integration?.requestId,
    awsEndpointRequestId: ({ integration }) => integration?.requestId,
    'authorizer.latency': ({ authorizing }) => authorizing?.milliseconds,
    'authorizer.integrationLatency': ({ authorizing }) => authorizing?.milliseconds,
    'authorizer.requestId': ({ authorizing }) => authorizing?.requestId,
    'authorizer.status': ({ authorizing }) => authorizing?.status,
    'authorizer.integrationStatus': ({ authorizing }) => authorizing?.status,
    'authorizer.principalId': ({ authorizer }) => authorizer?.['principalId'],
    'authorizer.organization': ({ authorizer }) => authorizer?.['organization'],
    // This machine has no web ACL.
    'waf.status': () => undefined,
    wafResponseCode: () => undefined,
  } satisfies Record<string, Variable>),
);

const inFormat = /\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g;

/**
 * Reads a stage's format of access lines. A missing value is `-`, as on AWS.
 * @throws LocalError for a variable that this machine does not know
 */
export function accessLineOf(format: string): (access: Access) => string {
  for (const [, name = ''] of format.matchAll(inFormat))
    if (!variables.has(name))
      throw new LocalError(
        `The stage's access log has $context.${name}, which the local machine does not know`,
      );
  return (access) =>
    format.replaceAll(inFormat, (_, name: string) => String(variables.get(name)?.(access) ?? '-'));
}

/** Log groups of a template. */
export interface LogGroups {
  /** Log group of each function, by the function's logical id. */
  ofFunctions: ReadonlyMap<string, string>;
  accessLog: { group: string; lineOf: (access: Access) => string } | undefined;
}

/** @throws LocalError for an access log with a format that this machine does not know */
export function logGroupsOf(of: ResourcesOf): LogGroups {
  // The log group `/SalesPipeline-dev/api` is `api` here. A function without one has its own.
  const nameOf = (group: string) => group.split('/').at(-1) ?? group;
  const accessLog = of('AWS::ApiGateway::Stage')[0]?.[1].Properties.AccessLogSetting;
  return {
    ofFunctions: new Map(
      of('AWS::Lambda::Function').map(([id, { Properties }]) => [
        id,
        nameOf(Properties.LoggingConfig?.LogGroup ?? id),
      ]),
    ),
    accessLog: accessLog && {
      group: nameOf(logicalIdOf(accessLog.DestinationArn)),
      lineOf: accessLineOf(accessLog.Format),
    },
  };
}
