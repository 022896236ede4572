import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { grantOfBearer } from '../domain/tokens/bearer.ts';
import type { ReadGrant } from '../domain/tokens/grant-of-token.ts';
import { grantOfKey } from '../domain/tokens/key.ts';
import type { Grant } from '../ledger/index.ts';

/** Where a request has its token: in the header `Authorization`, or as the query's `key`. */
export type TokenPlace = 'header' | 'key';

/** What the token of a request grants that has it in this place. */
export const grantOfEvent = (
  event: APIGatewayRequestAuthorizerEvent,
  place: TokenPlace,
  now: number,
  readGrant: ReadGrant,
): Promise<Grant | undefined> =>
  place === 'header'
    ? grantOfBearer(authorizationIn(event), now, readGrant)
    : grantOfKey(keysIn(event), now, readGrant);

/** The last `Authorization`, however its name is written: HTTP/2 has names in lower case. */
const authorizationIn = ({ headers }: APIGatewayRequestAuthorizerEvent): string =>
  Object.entries(headers ?? {}).findLast(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';

/** Every value of the query's `key`. */
const keysIn = ({
  queryStringParameters: last,
  multiValueQueryStringParameters: all,
}: APIGatewayRequestAuthorizerEvent): string[] => all?.['key'] ?? [last?.['key'] ?? ''];
