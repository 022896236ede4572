import {
  AuthorizationType,
  MockIntegration,
  PassthroughBehavior,
  ResponseType,
  type GatewayResponseOptions,
  type MethodOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { errorEnvelope, failures, sentences } from '../../shared/contract/errors.ts';
import { Failure, type FailureKind } from '../../shared/core/failure.ts';
import { readableBy } from '../../shared/http/forms/sites.ts';

type Sentence = keyof typeof sentences;

interface GatewayAnswer {
  kind: FailureKind;
  sentence: Sentence;
  headers?: Record<string, string>;
  /**
   * True if a form can get this answer. A script of any page may then read it, since it holds no one's data.
   */
  comesToForms?: true;
  /** True if the answer keeps API Gateway's own status. */
  keepStatus?: true;
}

const unauthorized: GatewayAnswer = {
  kind: 'unauthorized',
  sentence: 'unauthorized',
  headers: { 'WWW-Authenticate': `'Bearer error="${sentences.unauthorized}"'` },
  comesToForms: true,
};
const forbidden: GatewayAnswer = { kind: 'forbidden', sentence: 'forbidden', comesToForms: true };
const unknownRoute: GatewayAnswer = { kind: 'notFound', sentence: 'unknownRoute' };
const badRequest: GatewayAnswer = { kind: 'invalid', sentence: 'badRequest', comesToForms: true };
const throttled: GatewayAnswer = {
  kind: 'throttled',
  sentence: 'throttled',
  headers: { 'Retry-After': "'1'" },
  comesToForms: true,
};
const internal: GatewayAnswer = { kind: 'internal', sentence: 'internal', comesToForms: true };
const timeout: GatewayAnswer = { kind: 'internal', sentence: 'timeout', comesToForms: true };

/**
 * API Gateway's own answers, for every type that can be set (REQUEST_TOO_LARGE cannot). A type that is not
 * listed gets DEFAULT_4XX or DEFAULT_5XX, to save resources of the stack. DEFAULT_4XX sets no status, since
 * each of those types has its own. DEFAULT_5XX sets one for all of them. INVALID_API_KEY and QUOTA_EXCEEDED
 * are not listed, since they are about API keys and usage plans, which this API does not have.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const answers: Record<string, GatewayAnswer> = {
  ACCESS_DENIED: forbidden,
  DEFAULT_4XX: { ...badRequest, keepStatus: true },
  DEFAULT_5XX: internal,
  // No method uses AWS signatures. API Gateway expects one for a path or method that does not exist.
  EXPIRED_TOKEN: unknownRoute,
  INTEGRATION_TIMEOUT: timeout,
  INVALID_SIGNATURE: unknownRoute,
  // API Gateway's answer for an unknown path or method that does not reach `unknownRouteMock`.
  MISSING_AUTHENTICATION_TOKEN: unknownRoute,
  RESOURCE_NOT_FOUND: unknownRoute,
  THROTTLED: throttled,
  UNAUTHORIZED: unauthorized,
  // Only `unknownRouteMock` has templates by content type, so this type means an unknown path.
  UNSUPPORTED_MEDIA_TYPE: unknownRoute,
  WAF_FILTERED: forbidden,
};

const statusOf = ({ kind }: GatewayAnswer) => String(failures[kind].status);

/**
 * Template of an answer's body. It must not hold `$context.error.message`, which can repeat the caller's
 * token.
 */
function bodyOf({ kind, sentence }: GatewayAnswer): string {
  return JSON.stringify(errorEnvelope(new Failure(kind, sentences[sentence]), '$context.requestId'));
}

const readable = Object.fromEntries(
  Object.entries(readableBy('*')).map(([name, value]) => [name, `'${value}'`]),
);
const headersOf = ({ headers, comesToForms }: GatewayAnswer) => ({
  'X-Request-Id': 'context.requestId',
  ...headers,
  ...(comesToForms && readable),
});

const gatewayResponse = (type: string, answer: GatewayAnswer): GatewayResponseOptions => ({
  type: ResponseType.of(type),
  ...(!answer.keepStatus && { statusCode: statusOf(answer) }),
  responseHeaders: headersOf(answer),
  templates: { 'application/json': bodyOf(answer) },
});

/** API Gateway's own answers, by their type. */
export const gatewayResponses: Record<string, GatewayResponseOptions> = Object.fromEntries(
  Object.entries(answers).map(([type, answer]) => [type, gatewayResponse(type, answer)]),
);

const mockHeaders = Object.entries({ 'Content-Type': "'application/json'", ...headersOf(unknownRoute) }).map(
  ([name, value]): [string, string] => [`method.response.header.${name}`, value],
);

/**
 * Answers every path and method that no endpoint has. Without it, API Gateway reads the `Authorization`
 * header of an unknown path as an AWS signature, and its refusal repeats the token. The template ignores the
 * body. UNSUPPORTED_MEDIA_TYPE answers other content types than `application/json`.
 */
export const unknownRouteMock: { integration: MockIntegration; options: MethodOptions } = {
  integration: new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: { 'application/json': `{"statusCode": ${statusOf(unknownRoute)}}` },
    integrationResponses: [
      {
        statusCode: statusOf(unknownRoute),
        responseParameters: Object.fromEntries(mockHeaders),
        responseTemplates: { 'application/json': bodyOf(unknownRoute) },
      },
    ],
  }),
  options: {
    authorizationType: AuthorizationType.NONE,
    methodResponses: [
      {
        statusCode: statusOf(unknownRoute),
        responseParameters: Object.fromEntries(mockHeaders.map(([name]) => [name, true])),
      },
    ],
  },
};
