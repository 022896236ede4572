import { beforeEach, expect, test } from 'vitest';
import type { Outcome } from '../../../../infra/local/functions/function-messages.ts';
import { Gateway } from '../../../../infra/local/gateway/gateway.ts';
import type { HttpRequest } from '../../../../infra/local/gateway/http-message.ts';
import type { Access } from '../../../../infra/local/template/logs.ts';
import { tokenAuthorizer as authorizer } from '../../../support/token-authorizer.ts';

const allowed = {
  principalId: 'p',
  policyDocument: { Statement: [{ Effect: 'Allow', Resource: '*' }] },
  context: { organization: '6H8EV880' },
};

let accesses: Access[];
let outcomes: Record<string, Omit<Outcome, 'output'>>;
let gateway: Gateway;
beforeEach(() => {
  accesses = [];
  outcomes = {
    Authorizer: { id: 'a', result: JSON.stringify(allowed) },
    GetThing: { id: 'f', result: JSON.stringify({ statusCode: 200, body: '{}' }) },
  };
  gateway = new Gateway(
    {
      routes: [{ method: 'GET', path: '/things/{thingId}', functionName: 'GetThing', authorizer }],
      gatewayResponses: new Map(),
      minimumCompressionSize: 1024,
    },
    (name) => Promise.resolve({ ...outcomes[name]!, output: '' }),
    () => 5000,
    (access) => accesses.push(access),
  );
});

const send = async (changes: Partial<HttpRequest> = {}) => {
  const headers: [string, string][] = [['Authorization', 'Bearer x']];
  const common = { method: 'GET', target: '/things/1', headers, body: Buffer.alloc(0), sourceIp: '::1' };
  await gateway.answer({ ...common, ...changes });
};
const failed = (message: string) => ({ id: 'e', error: { type: 'Error', message, stack: '' } });
const taken = { status: 200, milliseconds: expect.any(Number) as number };

test('an access has the request, its organization, and the calls of both functions', async () => {
  await send();
  const [access] = accesses;
  expect(access).toMatchObject({
    at: 5000,
    method: 'GET',
    route: '/things/{thingId}',
    authorizer: { organization: '6H8EV880' },
    authorizing: { ...taken, requestId: 'a' },
    integration: { ...taken, requestId: 'f' },
    status: 200,
    length: 2,
  });
  expect(access).not.toHaveProperty('responseType');
});

test('an access with a cached authorization calls no authorizer', async () => {
  await send();
  await send();
  expect(accesses[1]).toMatchObject({ authorizer: { organization: '6H8EV880' } });
  expect(accesses[1]).not.toHaveProperty('authorizing');
});

test.each([
  ['Unauthorized', 401, 'UNAUTHORIZED', 401],
  ['Broken', 500, 'AUTHORIZER_FAILURE', 500],
])('an authorizer that throws %s', async (message, status, responseType, authorizerStatus) => {
  outcomes['Authorizer'] = failed(message);
  await send();
  expect(accesses).toMatchObject([{ status, responseType, authorizing: { status: authorizerStatus } }]);
  expect(accesses[0]).not.toHaveProperty('integration');
});

test('a function that throws counts as run: Lambda answered 200', async () => {
  outcomes['GetThing'] = failed('Broken');
  await send();
  expect(accesses).toMatchObject([{ status: 502, integration: { ...taken, requestId: 'e' } }]);
});

test('an access without a route or a token has the gateway response that refused it', async () => {
  await send({ target: '/other' });
  await send({ headers: [] });
  expect(accesses.map(({ route, responseType }) => [route, responseType])).toEqual([
    [undefined, 'MISSING_AUTHENTICATION_TOKEN'],
    ['/things/{thingId}', 'UNAUTHORIZED'],
  ]);
});

test('a body that is too large is refused before an access is logged', async () => {
  await send({ body: Buffer.alloc(7_000_000), headers: [['Content-Encoding', 'gzip']] });
  expect(accesses).toEqual([]);
});
