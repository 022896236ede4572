import type { APIGatewayAuthorizerResult, Context } from 'aws-lambda';
import * as v from 'valibot';
import { missingScope } from '../contract/errors.ts';
import { scopes, type Endpoint, type Scope } from '../contract/endpoint.ts';
import { OrganizationCode } from '../core/ids.ts';
import type { Middleware, ServedEvent } from './event.ts';
import type { Caller, Grant } from '../ledger/index.ts';

/** Time kept back from a function's own limit to finish the last call and to answer in, in milliseconds. */
const timeToAnswer = 1500;

/** Until when a function may begin calls, in epoch milliseconds. */
export const deadlineOf = (context: Context) =>
  Date.now() + context.getRemainingTimeInMillis() - timeToAnswer;

/** What the authorizer says of the bearer of a token: API Gateway carries strings only. */
export const AuthorizerContext = v.object({
  organization: OrganizationCode,
  userId: v.string(),
  /** Separated by spaces, as OAuth writes them. */
  scopes: v.pipe(
    v.string(),
    v.transform((text) => text.split(' ').filter((scope) => scope !== '')),
    v.array(v.picklist(scopes)),
  ),
});

/**
 * The authorizer's answer for a token that grants something: the caller, and leave to call every method, since API
 * Gateway remembers the answer per token and not per method.
 */
export function policyOf(
  { organization, userId, scopes }: Grant,
  methodArn: string,
): APIGatewayAuthorizerResult {
  const everyMethod = `${methodArn.split('/').slice(0, 2).join('/')}/*`;
  return {
    principalId: userId,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: everyMethod }],
    },
    context: { organization, userId, scopes: scopes.join(' ') },
  };
}

/**
 * Refuses a token without the endpoint's scope, before anything of the request is looked at, and tells on whose behalf
 * the request is: from the authorizer, and from nowhere else.
 */
export function identifyCaller(scope: Scope): Middleware {
  return {
    before: ({ event, context }) => {
      const { organization, userId, scopes } = v.parse(AuthorizerContext, event.requestContext.authorizer);
      if (!scopes.includes(scope)) throw missingScope(scope);
      event.caller = { organization, userId, deadline: deadlineOf(context), capacity: event.capacity };
    },
  };
}

/** On whose behalf a request of this endpoint is; a public endpoint has no caller. */
export type CallerOf<E extends Endpoint> = E['scope'] extends 'public' ? undefined : Caller;

/** The caller that `identifyCaller` found. */
export function callerOf<E extends Endpoint>(endpoint: E, event: ServedEvent): CallerOf<E>;
export function callerOf(_: Endpoint, { caller }: ServedEvent): Caller | undefined {
  return caller;
}
