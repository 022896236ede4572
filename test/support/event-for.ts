import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Operation } from '../../infra/functions.ts';
import { proxyEvent } from '../../infra/local/gateway/proxy-event.ts';
import { acceptScope } from '../../shared/contract/scopes.ts';
import { testedOperation } from './operations.ts';
import type { Records } from './filled-records.ts';
import { scopesFor } from './scopes-for.ts';
import type { StoredOrganization } from './stored-organization.ts';

/**
 * Makes the event that API Gateway gives an operation's function for a request by an organization.
 * @throws Error for an operation without an entry
 */
export function eventFor(
  { operationId, endpoint }: Operation,
  organization: Pick<StoredOrganization, 'code' | 'userId'>,
  records: Records,
  n: number,
  request = testedOperation(operationId).request(records, n),
): APIGatewayProxyEvent {
  const { params = {}, query = {}, body } = request;
  const variables = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => variables[name] ?? '');
  const context = {
    organization: organization.code,
    userId: organization.userId,
    scopes: scopesFor(endpoint).join(' '),
    tokenId: String(endpoint.scope === acceptScope ? records.tokenId : 1),
  };
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return proxyEvent({
    request: {
      method: endpoint.method,
      target: path,
      headers: [['Content-Type', 'application/json']],
      body: Buffer.from(body ? JSON.stringify(body) : ''),
      sourceIp: '127.0.0.1',
    },
    route: { method: endpoint.method, path: endpoint.path, functionName: operationId, authorizer: undefined },
    path,
    query: new URLSearchParams(texts).toString(),
    variables,
    requestId: `request-${n}`,
    authorization: { context, allows: () => true },
  });
}
