import { errorEnvelope, failures, hints, otherMethodHint, sentences } from '../../shared/contract/errors.ts';
import { Failure, type FailureKind } from '../../shared/core/failure.ts';
import { readableBy } from '../../shared/http/readable-by.ts';

interface GatewayAnswer {
  failure: Failure;
  headers?: Record<string, string>;
  /**
   * True if a form can get this answer. A script of any page may then read it, because it holds no one's
   * data.
   */
  comesToForms?: true;
  /** True if the answer keeps API Gateway's own status. */
  keepStatus?: true;
}

const answer = (
  kind: FailureKind,
  sentence: keyof typeof sentences,
  { hint, ...more }: Omit<GatewayAnswer, 'failure'> & { hint?: string } = { comesToForms: true },
): GatewayAnswer => ({
  failure: new Failure(kind, sentences[sentence], hint === undefined ? {} : { hint }),
  ...more,
});

const forbidden = answer('forbidden', 'forbidden');
const notFound = answer('notFound', 'unknownRoute', { hint: hints.unknownRoute });

/**
 * API Gateway's own answers, for every type that can be set (REQUEST_TOO_LARGE cannot). A type that is not
 * listed gets DEFAULT_4XX or DEFAULT_5XX. DEFAULT_4XX sets no status, because each of its types has its own
 * status. DEFAULT_5XX sets one status for all its types. INVALID_API_KEY and QUOTA_EXCEEDED are not listed,
 * because they are about API keys and usage plans, which this API does not have.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const answers: Record<string, GatewayAnswer> = {
  ACCESS_DENIED: forbidden,
  DEFAULT_4XX: answer('invalid', 'badRequest', { comesToForms: true, keepStatus: true }),
  DEFAULT_5XX: answer('internal', 'internal'),
  // No method uses AWS signatures. API Gateway expects a signature for a path or method that does not exist.
  EXPIRED_TOKEN: notFound,
  INTEGRATION_TIMEOUT: answer('internal', 'timeout'),
  INVALID_SIGNATURE: notFound,
  // API Gateway's answer for an unknown path or method that does not reach `unknownRoute`.
  MISSING_AUTHENTICATION_TOKEN: notFound,
  RESOURCE_NOT_FOUND: notFound,
  THROTTLED: answer('throttled', 'throttled', { headers: { 'Retry-After': "'1'" }, comesToForms: true }),
  UNAUTHORIZED: answer('unauthorized', 'unauthorized', {
    hint: hints.unauthorized,
    headers: { 'WWW-Authenticate': `'Bearer error="${sentences.unauthorized}"'` },
    comesToForms: true,
  }),
  // Only `unknownRoute` and `otherMethods` have templates by content type. So there is no such path and method.
  UNSUPPORTED_MEDIA_TYPE: notFound,
  WAF_FILTERED: forbidden,
};

const statusOf = ({ failure }: GatewayAnswer) => String(failures[failure.kind].status);

/**
 * Template of an answer's body. The template must not hold `$context.error.message`, which can repeat the
 * caller's token.
 */
const bodyOf = ({ failure }: GatewayAnswer): string =>
  JSON.stringify(errorEnvelope(failure, '$context.requestId'));

const readable = Object.fromEntries(
  Object.entries(readableBy('*')).map(([name, value]) => [name, `'${value}'`]),
);
const headersOf = ({ headers, comesToForms }: GatewayAnswer) => ({
  'X-Request-Id': 'context.requestId',
  ...headers,
  ...(comesToForms && readable),
});

const prefixed = (prefix: string, headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [`${prefix}${name}`, value]));

/**
 * API Gateway's own answers, by their type.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-gateway-responses.html
 */
export const gatewayResponses = Object.fromEntries(
  Object.entries(answers).map(([type, given]) => [
    type,
    {
      ...(!given.keepStatus && { statusCode: statusOf(given) }),
      responseParameters: prefixed('gatewayresponse.header.', headersOf(given)),
      responseTemplates: { 'application/json': bodyOf(given) },
    },
  ]),
);

/** Media types of bodies that clients send without being asked to: programs, curl, and scripts of pages. */
const usualTypes = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/**
 * Operation that API Gateway answers by itself. The templates ignore the body. UNSUPPORTED_MEDIA_TYPE answers other
 * content types.
 */
function mockOf(given: GatewayAnswer) {
  const headers = { 'Content-Type': "'application/json'", ...headersOf(given) };
  const statusCode = statusOf(given);
  return {
    responses: {
      [statusCode]: {
        description: given.failure.message,
        headers: Object.fromEntries(
          Object.keys(headers).map((name) => [name, { schema: { type: 'string' } }]),
        ),
      },
    },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      passthroughBehavior: 'never',
      requestTemplates: Object.fromEntries(usualTypes.map((type) => [type, `{"statusCode": ${statusCode}}`])),
      responses: {
        default: {
          statusCode,
          responseParameters: prefixed('method.response.header.', headers),
          responseTemplates: { 'application/json': bodyOf(given) },
        },
      },
    },
  };
}

/**
 * Operation for every path that no endpoint has. Without it, API Gateway reads the `Authorization` header of an unknown
 * path as an AWS signature, and its refusal repeats the token.
 */
export const unknownRoute = mockOf(notFound);

/** Operation for the methods that a path lacks. Its answer names the methods that the path has. */
export const otherMethods = (path: string, methods: readonly string[]) =>
  mockOf(
    answer('notFound', 'unknownRoute', {
      hint: otherMethodHint(path, methods),
      headers: { Allow: `'${methods.join(', ')}'` },
    }),
  );
