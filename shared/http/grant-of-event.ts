import type { APIGatewayAuthorizerEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { grantOfBearer } from '../domain/tokens/bearer.ts';
import type { ReadGrant } from '../domain/tokens/grant-of-token.ts';
import { grantOfKey } from '../domain/tokens/key.ts';
import type { Grant } from '../ledger/index.ts';

/** What the token of a request grants: that in the header `Authorization`, or the query's `key`, as its authorizer asks for. */
export const grantOfEvent = (
  event: APIGatewayAuthorizerEvent,
  now: number,
  readGrant: ReadGrant,
): Promise<Grant | undefined> =>
  event.type === 'TOKEN'
    ? grantOfBearer(event.authorizationToken, now, readGrant)
    : grantOfKey(keysIn(event), now, readGrant);

/** Every value of the query's `key`. */
const keysIn = ({
  queryStringParameters: last,
  multiValueQueryStringParameters: all,
}: APIGatewayRequestAuthorizerEvent): string[] => all?.['key'] ?? [last?.['key'] ?? ''];
