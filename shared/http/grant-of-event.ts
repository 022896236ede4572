import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { grantOfBearer, grantOfKey, type ReadGrant } from '../domain/tokens/grant-of-token.ts';
import type { Grant } from '../ledger/index.ts';

/** Part of a request that has its token: the header `Authorization`, or the query's `key`. */
export type TokenSource = 'header' | 'key';

/** Returns what the token in this part of a request grants; undefined if there is no valid token. */
export const grantOfEvent = (
  event: APIGatewayRequestAuthorizerEvent,
  source: TokenSource,
  now: number,
  readGrant: ReadGrant,
): Promise<Grant | undefined> =>
  source === 'header'
    ? grantOfBearer(authorizationIn(event), now, readGrant)
    : grantOfKey(keysIn(event), now, readGrant);

/** Returns the last `Authorization` header. Its name may be in any case: HTTP/2 has names in lower case. */
const authorizationIn = ({ headers }: APIGatewayRequestAuthorizerEvent): string =>
  Object.entries(headers ?? {}).findLast(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';

/** Returns every value of the query's `key`. */
const keysIn = ({
  queryStringParameters: last,
  multiValueQueryStringParameters: all,
}: APIGatewayRequestAuthorizerEvent): string[] => all?.['key'] ?? [last?.['key'] ?? ''];
