import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import type { ReadGrant } from '../../shared/domain/tokens/grant-of-token.ts';
import { RefusedTokens } from '../../shared/domain/tokens/refused-tokens.ts';
import { deadlineOf, policyOf } from '../../shared/http/principal.ts';
import { agentAddressIn, grantOfEvent, type TokenSource } from '../../shared/http/grant-of-event.ts';
import { log } from '../../shared/http/log.ts';
import { settings } from '../../shared/http/outside/settings.ts';
import { system } from '../../shared/http/outside/system.ts';
import { timeLimits } from '../../shared/core/waits.ts';
import { grantOf, noteUse } from '../../shared/http/outside/table.ts';
import type { WarmUp } from '../../shared/http/warm-up.ts';
import { newConsumedCapacity } from '../../shared/ledger/index.ts';

const notGranted = ['readUnits'] as const;
/** Metrics of a valid token. The duration of a refusal is left out: anyone can send any number of invalid tokens. */
const granted = [...notGranted, 'milliseconds'] as const;

const { keyedPaths, refusedPerMinute } = settings;
/** One limit for each source: a token that is refused as a key may be valid in the header. */
const refusedTokens = {
  header: new RefusedTokens(refusedPerMinute),
  key: new RefusedTokens(refusedPerMinute),
} satisfies Record<TokenSource, RefusedTokens>;
/**
 * Limits of the calls that the function for agents sends. The calls come from the few addresses that AWS gives to
 * functions. So each agent has the usual limit, and each AWS address has a larger limit. Anyone can forge an agent's
 * address, but not the sender's address, so the limit of an agent also counts per sender's address.
 */
const refusedOfAgents = {
  each: new RefusedTokens(refusedPerMinute),
  all: new RefusedTokens(100 * refusedPerMinute),
};

/** Answer to the worker `keep-warm`, which does not read it. */
const nobody: APIGatewayAuthorizerResult = {
  principalId: 'nobody',
  policyDocument: { Version: '2012-10-17', Statement: [] },
};

/**
 * The Lambda authorizer: maps a token to its organization. The token comes in the header `Authorization`, or as the
 * query's `key`. The answer covers every endpoint, because API Gateway caches the answer per token.
 * @throws Error `Unauthorized`, the only message that API Gateway answers with 401
 */
export async function handler(
  event: APIGatewayRequestAuthorizerEvent & WarmUp,
  context: Context,
): Promise<APIGatewayAuthorizerResult> {
  if (event.warmUp) return nobody;
  const startedAt = system.now();
  const limits = { deadline: deadlineOf(context), capacity: newConsumedCapacity() };
  const finish = (status: number, more: { organization?: string; error?: unknown } = {}) => {
    const milliseconds = system.now() - startedAt;
    const { awsRequestId: requestId } = context;
    const line = { requestId, operation: 'authorize', status, milliseconds, capacity: limits.capacity };
    log({ ...line, ...more }, status === 200 ? granted : notGranted);
  };
  // The endpoint decides, not the request: a page may send a form with a key while someone is signed in.
  const source = keyedPaths.includes(event.resource) ? 'key' : 'header';
  const from = { address: event.requestContext.identity.sourceIp, now: startedAt };
  const client = agentAddressIn(event);
  let used = '';
  const read: ReadGrant = (hash) => grantOf((used = hash), limits);
  const find = (readGrant: ReadGrant) => grantOfEvent(event, source, startedAt, readGrant);
  const granting =
    client === undefined
      ? refusedTokens[source].grant(from, read, find)
      : refusedOfAgents.all.grant(from, read, (readGrant) =>
          refusedOfAgents.each.grant({ ...from, client }, readGrant, find),
        );
  const grant = await granting.catch((error: unknown) => {
    finish(500, { error });
    // The error itself is not thrown: Lambda logs every field of a thrown error.
    throw new Error('The token could not be checked: the line of log says why');
  });
  const day = new Date(startedAt).toISOString().slice(0, 10);
  if (grant && (grant.lastUsedOn ?? '') < day) {
    const deadline = Math.min(limits.deadline, system.now() + timeLimits.noteUse);
    // The use is for people to see, so a request never fails for it.
    await noteUse(used, day, { ...limits, deadline }).catch(() => undefined);
  }
  finish(grant ? 200 : 401, grant && { organization: grant.organization });
  if (!grant) throw new Error('Unauthorized');
  return policyOf(grant, event.methodArn);
}
