import { LocalError } from '../local-error.ts';

/** What API Gateway knows of one request, for its log and its metrics. */
export interface Access {
  requestId: string;
  /** When it came, in epoch milliseconds. */
  at: number;
  method: string;
  /** Its route's path, such as `/v1/leads/{leadId}`; undefined where there is none. */
  route?: string | undefined;
  /** What the authorizer said of the token. */
  authorizer?: Readonly<Record<string, string>> | undefined;
  /** How the authorizer's function was asked, unless its answer was remembered. */
  authorizing?: FunctionCall | undefined;
  /** How the route's function was asked. */
  integration?: FunctionCall | undefined;
  /** The type of the gateway response that refused it. */
  responseType?: string | undefined;
  /** The answer's status and length, and how long it took, in milliseconds. */
  status: number;
  length: number;
  milliseconds: number;
  /** Answer of the web ACL and the rule that gave it, if it refused. */
  webAcl?: { status: number; refusedBy: Readonly<Record<string, string>> | undefined } | undefined;
}

/** A call of a function: the status, undefined if there was no answer in time, and how long it took in milliseconds. */
interface Asked {
  status: number | undefined;
  milliseconds: number;
}

export interface FunctionCall extends Asked {
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
 * The variables that a format can have. What a client sent (path, query, address, messages that quote it) is not among
 * them: it has no place in a log.
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
    // Of a function: what Lambda answered, not the function.
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
    'waf.status': ({ webAcl }) => webAcl?.status,
    wafResponseCode: ({ webAcl }) => webAcl && (webAcl.status === 200 ? 'WAF_ALLOW' : 'WAF_BLOCK'),
  } satisfies Record<string, Variable>),
);

const inFormat = /\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g;

/**
 * Reads a stage's format of access lines. What a request does not have is `-`, as on AWS.
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
