import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import { RefusedTokens } from '../../shared/domain/tokens/refused-tokens.ts';
import { deadlineOf, policyOf } from '../../shared/http/caller.ts';
import { grantOfEvent, type TokenPlace } from '../../shared/http/grant-of-event.ts';
import { log } from '../../shared/http/log.ts';
import { grantOf } from '../../shared/http/table.ts';
import { newConsumedCapacity } from '../../shared/ledger/index.ts';

const notGranted = ['readUnits'] as const;
/** The time of what it refuses is left out: anyone can send that, as much as they like. */
const granted = [...notGranted, 'milliseconds'] as const;

/** The paths, as the API has them, of the endpoints whose token comes in the query. */
const keyedPaths = (process.env['KEYED_PATHS'] ?? '').split(' ');
const refusedPerMinute = Number(process.env['REFUSED_TOKENS_PER_MINUTE']);
/** Apart, since a token that is refused as a key may be granted in the header. */
const refusedTokens = {
  header: new RefusedTokens(refusedPerMinute),
  key: new RefusedTokens(refusedPerMinute),
} satisfies Record<TokenPlace, RefusedTokens>;

/**
 * The Lambda authorizer: maps a token to its organization. A token comes in the header `Authorization`, or as the query's `key`.
 * Its answer covers every endpoint, since API Gateway caches it per token. @throws Error `Unauthorized`, the one message that
 * API Gateway answers with 401
 */
export async function handler(
  event: APIGatewayRequestAuthorizerEvent,
  context: Context,
): Promise<APIGatewayAuthorizerResult> {
  const startedAt = Date.now();
  const limits = { deadline: deadlineOf(context), capacity: newConsumedCapacity() };
  const finish = (status: number, more: { organization?: string; error?: unknown } = {}) => {
    const milliseconds = Date.now() - startedAt;
    const { awsRequestId: requestId } = context;
    const line = { requestId, operation: 'authorize', status, milliseconds, capacity: limits.capacity };
    log({ ...line, ...more }, status === 200 ? granted : notGranted);
  };
  // Not by what the request has: a page may send a form with a key where someone is signed in.
  const place = keyedPaths.includes(event.resource) ? 'key' : 'header';
  const granting = refusedTokens[place].grant(
    { address: event.requestContext.identity.sourceIp, now: startedAt },
    (hash) => grantOf(hash, limits),
    (readGrant) => grantOfEvent(event, place, startedAt, readGrant),
  );
  const grant = await granting.catch((error: unknown) => {
    finish(500, { error });
    // Not the error itself: Lambda logs every field of what is thrown.
    throw new Error('The token could not be checked: the line of log says why');
  });
  finish(grant ? 200 : 401, grant && { organization: grant.organization });
  if (!grant) throw new Error('Unauthorized');
  return policyOf(grant, event.methodArn);
}
