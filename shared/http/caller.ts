import type { APIGatewayAuthorizerResult, Context } from 'aws-lambda';
import * as v from 'valibot';
import { missingScope } from '../contract/errors.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { isGranted, readScopeOf, scopes, type Scope } from '../contract/scopes.ts';
import { OrganizationCode } from '../core/ids.ts';
import { timeLimits } from '../core/waits.ts';
import type { Middleware, ServedEvent } from './event.ts';
import type { Caller, Grant } from '../ledger/index.ts';

/** Until when a function may begin calls, in epoch milliseconds. */
export const deadlineOf = (context: Context) =>
  Date.now() + context.getRemainingTimeInMillis() - timeLimits.answer;

/** The words of a text that are separated by spaces, as OAuth writes scopes. */
const words = v.pipe(
  v.string(),
  v.transform((text) => text.split(' ').filter((word) => word !== '')),
);

/** The authorizer's context; API Gateway carries strings only. */
export const AuthorizerContext = v.object({
  organization: OrganizationCode,
  userId: v.string(),
  scopes: v.pipe(words, v.array(v.picklist(scopes))),
  /** Not in what an earlier release of the authorizer answered, which API Gateway may remember. */
  sites: v.optional(words, ''),
  /** As `sites`. */
  tokenId: v.optional(v.pipe(v.string(), v.toNumber()), '0'),
});

/**
 * The authorizer's answer for a valid token: the caller, allowed to call every method, since API Gateway
 * caches the answer per token, not per method.
 */
export function policyOf(
  { organization, userId, scopes, sites, tokenId }: Grant,
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
      tokenId: String(tokenId),
    },
  };
}

/**
 * Refuses a token that does not grant the endpoint's scope before anything else is checked. Sets the caller, and what its
 * token allows, from the authorizer's context and nothing else.
 */
export function identifyCaller(scope: Scope): Middleware {
  return {
    before: ({ event, context }) => {
      const { authorizer } = event.requestContext;
      const { organization, userId, scopes, sites, tokenId } = v.parse(AuthorizerContext, authorizer);
      if (!isGranted(scope, scopes)) throw missingScope(scope);
      event.scopes = scopes;
      event.sites = sites;
      event.tokenId = tokenId;
      event.caller = { organization, userId, deadline: deadlineOf(context), capacity: event.capacity };
    },
  };
}

/** Whether the caller's token allows what a scope says. */
export const may = ({ scopes = [] }: ServedEvent, scope: Scope): boolean => isGranted(scope, scopes);

/** Whether the caller may read what an endpoint is about. */
export const mayRead = ({ scope }: Endpoint, event: ServedEvent): boolean =>
  scope === 'public' || may(event, readScopeOf(scope));

/** The caller of an endpoint; a public one has none. */
export type CallerOf<E extends Endpoint> = E['scope'] extends 'public' ? undefined : Caller;

/** The caller that `identifyCaller` found. */
export function callerOf<E extends Endpoint>(endpoint: E, event: ServedEvent): CallerOf<E>;
export function callerOf(_: Endpoint, { caller }: ServedEvent): Caller | undefined {
  return caller;
}
