import { ResponseType, type GatewayResponseOptions } from 'aws-cdk-lib/aws-apigateway';
import { errorEnvelope, failures, sentences } from '../../shared/contract/errors.ts';
import { Failure, type FailureKind } from '../../shared/core/failure.ts';

type Sentence = keyof typeof sentences;

interface Answer {
  kind: FailureKind;
  sentence: Sentence;
  headers?: Record<string, string>;
  /** Whether API Gateway's own status is kept. */
  keepStatus?: true;
}

const unauthorized: Answer = {
  kind: 'unauthorized',
  sentence: 'unauthorized',
  headers: { 'WWW-Authenticate': `'Bearer error="${sentences.unauthorized}"'` },
};
const forbidden: Answer = { kind: 'forbidden', sentence: 'forbidden' };
const unknownRoute: Answer = { kind: 'notFound', sentence: 'unknownRoute' };
const badRequest: Answer = { kind: 'invalid', sentence: 'badRequest' };
const throttled: Answer = { kind: 'throttled', sentence: 'throttled', headers: { 'Retry-After': "'1'" } };
const internal: Answer = { kind: 'internal', sentence: 'internal' };
const timeout: Answer = { kind: 'internal', sentence: 'timeout' };

/**
 * API Gateway's own answers, for every type that can be set (not REQUEST_TOO_LARGE). DEFAULT_4XX sets no
 * status, since it would override the types below it; DEFAULT_5XX sets one for all below it.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const answers: Record<string, Answer> = {
  ACCESS_DENIED: forbidden,
  API_CONFIGURATION_ERROR: internal,
  AUTHORIZER_CONFIGURATION_ERROR: internal,
  AUTHORIZER_FAILURE: internal,
  BAD_REQUEST_BODY: badRequest,
  BAD_REQUEST_PARAMETERS: badRequest,
  DEFAULT_4XX: { ...badRequest, keepStatus: true },
  DEFAULT_5XX: internal,
  // AWS signatures are asked for nowhere: API Gateway looks for one where a path or method does not exist.
  EXPIRED_TOKEN: unknownRoute,
  INTEGRATION_FAILURE: internal,
  INTEGRATION_TIMEOUT: timeout,
  INVALID_API_KEY: forbidden,
  INVALID_SIGNATURE: unknownRoute,
  // API Gateway's answer for an unknown path or method.
  MISSING_AUTHENTICATION_TOKEN: unknownRoute,
  QUOTA_EXCEEDED: throttled,
  RESOURCE_NOT_FOUND: unknownRoute,
  THROTTLED: throttled,
  UNAUTHORIZED: unauthorized,
  UNSUPPORTED_MEDIA_TYPE: { kind: 'unsupported', sentence: 'unsupported' },
  WAF_FILTERED: forbidden,
};

/** The templates never name `$context.error.message`: it can echo the caller's token. */
function gatewayResponse(
  type: string,
  { kind, sentence, headers, keepStatus }: Answer,
): GatewayResponseOptions {
  const envelope = errorEnvelope(new Failure(kind, sentences[sentence]), '$context.requestId');
  return {
    type: ResponseType.of(type),
    ...(!keepStatus && { statusCode: String(failures[kind].status) }),
    responseHeaders: { 'X-Request-Id': 'context.requestId', ...headers },
    templates: { 'application/json': JSON.stringify(envelope) },
  };
}

/** By the name of their type. */
export const gatewayResponses: Record<string, GatewayResponseOptions> = Object.fromEntries(
  Object.entries(answers).map(([type, answer]) => [type, gatewayResponse(type, answer)]),
);
