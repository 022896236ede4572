import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { agentAddressHeader } from '../contract/agents.ts';
import { grantOfBearer, grantOfKey, type ReadGrant } from '../domain/tokens/grant-of-token.ts';
import type { Grant } from '../ledger/index.ts';

/** Part of a request that has its token: the header `Authorization`, or the query's `key`. */
export type TokenSource = 'header' | 'key';

/** Returns the grant of the token in this part of a request; undefined if there is no valid token. */
export const grantOfEvent = (
  event: APIGatewayRequestAuthorizerEvent,
  source: TokenSource,
  now: number,
  readGrant: ReadGrant,
): Promise<Grant | undefined> =>
  source === 'header'
    ? grantOfBearer(authorizationIn(event), now, readGrant)
    : grantOfKey(keysIn(event), now, readGrant);

/**
 * Returns a header; the last one, if several differ only in the case of their names. HTTP/2 has names in lower case.
 */
const headerIn = ({ headers }: APIGatewayRequestAuthorizerEvent, wanted: string): string | undefined =>
  Object.entries(headers ?? {}).findLast(([name]) => name.toLowerCase() === wanted)?.[1];

const authorizationIn = (event: APIGatewayRequestAuthorizerEvent) => headerIn(event, 'authorization') ?? '';

/** Returns the agent's address that the request states; undefined for a request that is not sent for an agent. */
export const agentAddressIn = (event: APIGatewayRequestAuthorizerEvent) =>
  headerIn(event, agentAddressHeader);

/** Returns every value of the query's `key`. */
const keysIn = ({
  queryStringParameters: last,
  multiValueQueryStringParameters: all,
}: APIGatewayRequestAuthorizerEvent): string[] => all?.['key'] ?? [last?.['key'] ?? ''];
