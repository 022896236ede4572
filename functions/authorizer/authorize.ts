import type { APIGatewayAuthorizerEvent, APIGatewayAuthorizerResult, Context } from 'aws-lambda';
import { deadlineOf, policyOf } from '../../shared/http/caller.ts';
import { grantOfEvent } from '../../shared/http/grant-of-event.ts';
import { log } from '../../shared/http/log.ts';
import { grantOf } from '../../shared/http/table.ts';
import { newConsumedCapacity } from '../../shared/ledger/index.ts';

const notGranted = ['readUnits'] as const;
/** The time of what it refuses is left out: anyone can send that, as much as they like. */
const granted = [...notGranted, 'milliseconds'] as const;

/**
 * The Lambda authorizer: maps a token to its organization. A token comes in the header `Authorization`, or as the query's `key`.
 * Its answer covers every endpoint, since API Gateway caches it per token. @throws Error `Unauthorized`, the one message that
 * API Gateway answers with 401
 */
export async function handler(
  event: APIGatewayAuthorizerEvent,
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
  const granting = grantOfEvent(event, startedAt, (hash) => grantOf(hash, limits));
  const grant = await granting.catch((error: unknown) => {
    finish(500, { error });
    // Not the error itself: Lambda logs every field of what is thrown.
    throw new Error('The token could not be checked: the line of log says why');
  });
  finish(grant ? 200 : 401, grant && { organization: grant.organization });
  if (!grant) throw new Error('Unauthorized');
  return policyOf(grant, event.methodArn);
}
