import type { APIGatewayAuthorizerResult, Context } from 'aws-lambda';
import * as v from 'valibot';
import { missingScope } from '../contract/errors.ts';
import type { TokenEndpoint } from '../contract/endpoint.ts';
import { isGranted, readScopeOf, scopes, type AskedScope, type Scope } from '../contract/scopes.ts';
import { OrganizationCode } from '../core/ids.ts';
import { timeLimits } from '../core/waits.ts';
import type { IdentifiedEvent, ServedEvent } from './event.ts';
import { system } from './outside/system.ts';
import type { Grant } from '../ledger/index.ts';

/** Time until which a function may begin calls, in epoch milliseconds. */
export const deadlineOf = (context: Context) =>
  system.now() + context.getRemainingTimeInMillis() - timeLimits.answer;

/** Splits a string at its spaces, as OAuth writes scopes. */
const spaceSeparated = v.pipe(
  v.string(),
  v.transform((text) => text.split(' ').filter((word) => word !== '')),
);

/** Schema of the authorizer's context. API Gateway carries only strings. */
export const AuthorizerContext = v.object({
  organization: OrganizationCode,
  userId: v.string(),
  // Optional: AWS does not document whether API Gateway passes on an empty string.
  scopes: v.pipe(v.optional(spaceSeparated, ''), v.array(v.picklist(scopes))),
  sites: v.optional(spaceSeparated, ''),
  signingSecret: v.optional(v.string(), ''),
  formerSecret: v.optional(v.string(), ''),
  formerSecretUntil: v.optional(v.string(), ''),
  tokenId: v.pipe(v.string(), v.toNumber()),
});

/**
 * The authorizer's answer for a valid token. The answer allows every method: API Gateway caches the answer per token,
 * not per method.
 */
export function policyOf(
  { organization, userId, scopes, sites, signingSecret, formerSecret, tokenId }: Grant,
  methodArn: string,
): APIGatewayAuthorizerResult {
  const everyMethod = `${methodArn.split('/').slice(0, 2).join('/')}/*`;
  return {
    principalId: userId,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: everyMethod }],
    },
    context: {
      organization,
      userId,
      scopes: scopes.join(' '),
      sites: sites.join(' '),
      ...(signingSecret !== undefined && { signingSecret }),
      ...(formerSecret && { formerSecret: formerSecret.encrypted, formerSecretUntil: formerSecret.until }),
      tokenId: String(tokenId),
    },
  };
}

/**
 * Finds the sender of a request, and refuses a token without the endpoint's scope. Principal and rights come only from
 * the authorizer's context. @throws Failure `forbidden`
 */
export function identify(endpoint: TokenEndpoint, event: ServedEvent, context: Context): IdentifiedEvent {
  const { scope } = endpoint;
  const { authorizer, requestId } = event.requestContext;
  const { organization, userId, tokenId, ...rights } = v.parse(AuthorizerContext, authorizer);
  if (!isGranted(scope, rights.scopes)) throw missingScope(scope);
  const limits = { reach: endpoint, deadline: deadlineOf(context), capacity: event.capacity };
  const principal = { organization, userId, tokenId, requestId, ...limits };
  return Object.assign(event, { identified: { principal, ...rights } });
}

/** True if a token with these scopes may read the records that an endpoint with this scope is about. */
export const mayRead = (scope: AskedScope, held: readonly Scope[]): boolean =>
  isGranted(readScopeOf(scope), held);
