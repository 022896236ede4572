import { beforeEach, describe, expect, test } from 'vitest';
import type { Outcome } from '../../../infra/local/functions/function-messages.ts';
import { Gateway } from '../../../infra/local/gateway/gateway.ts';
import type { Authorizer } from '../../../infra/local/template/api.ts';
import { tokenAuthorizer } from '../../support/token-authorizer.ts';

const keyAuthorizer: Authorizer = {
  authorizerResultTtlInSeconds: 60,
  identitySource: 'method.request.querystring.key',
  functionName: 'Authorizer',
};
const formOf = (method: string) => ({
  method,
  path: '/forms/{form}',
  functionName: 'TakeForm',
  authorizer: keyAuthorizer,
});
const api = {
  routes: [
    formOf('POST'),
    formOf('OPTIONS'),
    { method: 'GET', path: '/things', functionName: 'ListThings', authorizer: tokenAuthorizer },
  ],
  gatewayResponses: new Map(),
  minimumCompressionSize: undefined,
};

const done = (result: unknown): Outcome => ({ id: '1', result: JSON.stringify(result), output: '' });
const policy = done({
  principalId: 'p',
  policyDocument: { Statement: [{ Effect: 'Allow', Resource: '*' }] },
  context: { organization: 'o', sites: 'https://a.example' },
});

let asked: { functionName: string; event: Record<string, unknown> }[];
let now: number;
let gateway: Gateway;
beforeEach(() => {
  [asked, now] = [[], 0];
  const invoke = (functionName: string, event: unknown) => {
    asked.push({ functionName, event: event as Record<string, unknown> });
    return Promise.resolve(functionName === 'Authorizer' ? policy : done({ statusCode: 200, body: '{}' }));
  };
  gateway = new Gateway(api, invoke, () => now);
});

async function send(method: string, target: string, headers: [string, string][] = []) {
  const { status } = await gateway.answer({
    method,
    target,
    headers,
    body: Buffer.from('a=b'),
    sourceIp: '::1',
  });
  return status;
}
const functions = () => asked.splice(0).map(({ functionName }) => functionName);

describe('an authorizer by the key of the query', () => {
  test('gets the request without its body, and its context reaches the function', async () => {
    expect(await send('POST', '/forms/quote?key=sk%5Flive&a=1', [['Origin', 'https://a.example']])).toBe(200);
    expect(asked[0]!.event).toMatchObject({
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:us-east-1:000000000000:local/local/POST/forms/quote',
      resource: '/forms/{form}',
      path: '/forms/quote',
      httpMethod: 'POST',
      headers: { Origin: 'https://a.example' },
      queryStringParameters: { key: 'sk_live', a: '1' },
      pathParameters: { form: 'quote' },
      requestContext: { resourcePath: '/forms/{form}', identity: { sourceIp: '::1' } },
    });
    expect(asked[0]!.event).not.toHaveProperty('body');
    expect(asked[1]!.event).toMatchObject({
      requestContext: { authorizer: { organization: 'o', sites: 'https://a.example', principalId: 'p' } },
    });
  });

  test('is not asked without a key, which is answered 401', async () => {
    for (const query of ['', '?key=', '?Key=sk', '?a=1'])
      expect(await send('POST', `/forms/quote${query}`)).toBe(401);
    expect(await send('POST', '/forms/quote', [['Authorization', 'Bearer x']])).toBe(401);
    expect(asked).toEqual([]);
  });

  test('is asked once per key and cache time, for all of its methods', async () => {
    await send('POST', '/forms/quote?key=a');
    await send('OPTIONS', '/forms/quote?key=a');
    await send('POST', '/forms/other?x=1&key=b&key=a');
    expect(functions()).toEqual(['Authorizer', 'TakeForm', 'TakeForm', 'TakeForm']);
    await send('POST', '/forms/quote?key=b');
    expect(functions()).toEqual(['Authorizer', 'TakeForm']);
    now = 60_000;
    await send('OPTIONS', '/forms/quote?key=a');
    expect(functions()).toEqual(['Authorizer', 'TakeForm']);
  });

  test('does not share its cache with the other authorizer', async () => {
    expect(await send('GET', '/things', [['Authorization', 'Bearer x']])).toBe(200);
    expect(functions()).toEqual(['Authorizer', 'ListThings']);
    await send('POST', '/forms/quote?key=Bearer%20x');
    expect(functions()).toEqual(['Authorizer', 'TakeForm']);
  });
});
