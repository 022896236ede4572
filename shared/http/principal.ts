import type { APIGatewayAuthorizerResult, Context } from 'aws-lambda';
import * as v from 'valibot';
import { missingScope } from '../contract/errors.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { isGranted, readScopeOf, scopes, type AskedScope } from '../contract/scopes.ts';
import { OrganizationCode } from '../core/ids.ts';
import { timeLimits } from '../core/waits.ts';
import type { Middleware, ServedEvent } from './event.ts';
import { system } from './outside/system.ts';
import type { FunctionPrincipal, Grant, Reach } from '../ledger/index.ts';

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
  tokenId: v.pipe(v.string(), v.toNumber()),
});

/**
 * The authorizer's answer for a valid token. The answer allows every method: API Gateway caches the answer per token,
 * not per method.
 */
export function policyOf(
  { organization, userId, scopes, sites, signingSecret, tokenId }: Grant,
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
      tokenId: String(tokenId),
    },
  };
}

/**
 * Refuses a token without the endpoint's scope, before all other checks. Sets the principal and the rights of the token.
 * Both come only from the authorizer's context.
 */
export function identifyPrincipal(scope: AskedScope, reach: Reach): Middleware {
  return {
    before: ({ event, context }) => {
      const { authorizer, requestId } = event.requestContext;
      const { organization, userId, scopes, sites, signingSecret, tokenId } = v.parse(
        AuthorizerContext,
        authorizer,
      );
      if (!isGranted(scope, scopes)) throw missingScope(scope);
      event.scopes = scopes;
      event.sites = sites;
      event.signingSecret = signingSecret;
      const { capacity } = event;
      const limits = { reach, deadline: deadlineOf(context), capacity };
      event.principal = { organization, userId, tokenId, requestId, ...limits };
    },
  };
}

/** True if the principal's token has the rights of this scope. */
export const isAllowed = ({ scopes = [] }: ServedEvent, scope: AskedScope): boolean =>
  isGranted(scope, scopes);

/** True if the principal may read the records that an endpoint is about. */
export const mayRead = ({ scope }: Pick<Endpoint, 'scope'>, event: ServedEvent): boolean =>
  scope === 'public' || isAllowed(event, readScopeOf(scope));

/** Type of an endpoint's principal. A public endpoint has none. */
export type PrincipalOf<E extends Endpoint> = E['scope'] extends 'public' ? undefined : FunctionPrincipal;

/** Returns the principal that `identifyPrincipal` found. */
export function principalOf<E extends Endpoint>(endpoint: E, event: ServedEvent): PrincipalOf<E>;
export function principalOf(_: Endpoint, { principal }: ServedEvent): FunctionPrincipal | undefined {
  return principal;
}
