import { acceptScope, isKeyScope, type KeyScope } from '../../shared/contract/scopes.ts';
import { randomBytes } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { isKeyed } from '../../shared/contract/endpoint.ts';
import { newToken } from '../../shared/domain/tokens/token.ts';
import { listTokens, revokeToken } from '../../shared/domain/tokens/tokens.ts';
import { clientFor, twoOrganizations } from '../support/test-organization.ts';

const { ours, theirs, anonymous } = await twoOrganizations();
const { api } = ours;

const unauthorized = {
  status: 401,
  message: 'invalid_token',
  hint:
    'Usual causes: no Authorization header, no Bearer before the token, a quoted, expired or revoked token, a key where a token is ' +
    'needed, or a form without its key in the query',
};

describe('a request', () => {
  test('without a token is 401', async () => {
    expect(await anonymous.failure('listLeads', 401)).toEqual(unauthorized);
    expect(await anonymous.failure('createLead', 401, { body: { firstName: 'Ann' } })).toEqual(unauthorized);
    const { headers } = await anonymous.attempt('listLeads');
    expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  });

  test.each([
    ['cut short', (token: string) => token.slice(0, -1)],
    ['with one character changed', (token: string) => token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a')],
    ['in another case', (token: string) => token.toUpperCase()],
    [
      'that was never issued',
      () => newToken('test', (size) => new Uint8Array(size).map(() => Math.random() * 256)),
    ],
    ['of another mode', (token: string) => token.replace('sk_test_', 'sk_live_')],
  ])('with a token %s is 401', async (_, mangle) => {
    expect(await clientFor(mangle(ours.token)).failure('listLeads', 401)).toEqual(unauthorized);
  });

  test.each(['Basic', 'Token', ''])('with the scheme "%s" is 401', async (scheme) => {
    const headers = { Authorization: `${scheme} ${ours.token}`.trim() };
    const body = { error: unauthorized };
    expect(await anonymous.send('GET', '/v1/leads', { headers })).toMatchObject({ status: 401, body });
  });

  test('with an expired token is 401, with one yet to expire is served', async () => {
    const expired = await ours.issueToken({ expiresAt: '2026-01-01T00:00:00.000Z' });
    expect(await clientFor(expired).failure('listLeads', 401)).toEqual(unauthorized);
    const lasting = await ours.issueToken({ expiresAt: '2999-01-01T00:00:00.000Z' });
    await clientFor(lasting).call('listLeads');
  });

  test('is 403 if its token lacks the scope, before anything else is checked', async () => {
    const reader = await ours.apiFor('read');
    await reader.call('listLeads');
    const refusal = { status: 403, message: 'The token lacks the scope "leads:create"' };
    expect(await reader.failure('createLead', 403, { body: { nonsense: true } })).toEqual(refusal);

    const writer = await ours.apiFor('write');
    const { lead } = await writer.call('createLead', { body: { firstName: 'Ann' } });
    await writer.failure('getLead', 403, { params: { leadId: lead.id } });
  });

  test('acts for the organization of its token, whatever the request contains', async () => {
    const headers = { 'X-Organization-Id': theirs.code, 'Content-Type': 'application/json' };
    const { totalCount } = await api.call('listLeads');
    const body = '{"name":"Ann"}';
    expect(await api.send('POST', '/v1/leads', { headers, body })).toMatchObject({ status: 201 });
    const path = `/v1/leads?organization=${theirs.code}`;
    expect(await api.send('POST', path, { headers, body })).toMatchObject({ status: 400 });
    expect((await api.call('listLeads')).totalCount).toBe(totalCount + 1);
    expect((await theirs.api.call('listLeads')).totalCount).toBe(0);
  });
});

const { operations } = await findContracts();
const tokened = operations.flatMap(({ endpoint }) => (endpoint.scope === 'public' ? [] : [endpoint]));
const keyed = tokened.flatMap(({ scope, ...endpoint }) =>
  isKeyScope(scope) ? [{ ...endpoint, scope }] : [],
);
const others = tokened.filter((endpoint) => !isKeyed(endpoint));

describe('a key', () => {
  const newKey = (changes: { expiresAt?: string } = {}, scope: KeyScope = 'forms:submit') =>
    ours.issueToken({ scopes: [scope], sites: ['https://a.example'], ...changes });
  /** Addresses that take a key, each with its own key and the other parameters that it needs. */
  const addresses = async () =>
    Promise.all(
      keyed.map(async ({ method, path, scope, example }) => {
        const query = Object.entries<string>(example.query ?? {}).map(([name, value]) => `&${name}=${value}`);
        return { method, path, key: await newKey({}, scope), more: query.join('') };
      }),
    );
  const body = '{"name":"Ann"}';
  const json = { 'Content-Type': 'application/json' };
  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    anonymous.send(method, path, {
      headers: { ...json, ...headers },
      ...(method !== 'GET' && { body }),
    });
  const refused = { status: 401, body: { error: unauthorized } };

  test('is read from the query by an endpoint that takes keys', async () => {
    expect(keyed).not.toEqual([]);
    for (const { method, path, key, more } of await addresses()) {
      const status = path.startsWith('/v1/forms') ? 201 : 200;
      expect(await send(method, `${path}?key=${key}${more}`)).toMatchObject({ status });
      // The signed-in user of that address.
      const headers = { Authorization: `Bearer ${theirs.token}` };
      expect(await send(method, `${path}?key=${key}${more}`, headers)).toMatchObject({ status });
    }
    const { totalCount } = await theirs.api.call('listLeads');
    expect(totalCount).toBe(0);
  });

  test("as Bearer is 403 on every other endpoint, as an invitation's token is, and in the query 401", async () => {
    const [key, invited] = [await newKey(), await ours.issueToken({ scopes: [acceptScope] })];
    for (const { method, path, scope } of others) {
      const message = `The token lacks the scope "${scope}"`;
      const expected = { status: 403, body: { error: { status: 403, message } } };
      for (const token of scope === acceptScope ? [key] : [key, invited])
        expect(await send(method, path, { Authorization: `Bearer ${token}` }), path).toMatchObject(expected);
      expect(await send(method, `${path}?key=${key}`), path).toMatchObject(refused);
    }
  });

  test('that is missing, malformed, of another kind, or given more than once is 401', async () => {
    const [key, reader] = [await newKey(), await ours.issueToken({ scopes: ['leads:create'] })];
    const { token } = ours;
    const queries = [
      '',
      '?key=',
      '?key=x',
      `?KEY=${key}`,
      `?key=${key.slice(0, -1)}`,
      `?key=Bearer%20${key}`,
    ];
    const kinds = [`?key=${token}`, `?key=${reader}`, `?key=${newToken('test', randomBytes)}`];
    const several = [`?key=${key}&key=${key}`, `?key=x&key=${key}`, `?key=${key}&key=x`, `?key=${key}&key=`];
    for (const { method, path } of keyed) {
      for (const query of [...queries, ...kinds, ...several]) {
        expect(await send(method, path + query), query).toMatchObject(refused);
      }
      for (const Authorization of [`Bearer ${key}`, `Bearer ${token}`]) {
        expect(await send(method, path, { Authorization })).toMatchObject(refused);
      }
    }
  });

  test.each(['KEY=x&key=', 'Key=&key=', '%4Bey=x&key=', 'kEY=x&Key=y&key=', '\u212Aey=x&key='])(
    'beside another parameter of its name is 400: %s',
    async (query) => {
      for (const { method, path, key } of await addresses()) {
        expect(await send(method, `${path}?${query}${key}`)).toMatchObject({
          status: 400,
          body: {
            error: {
              message: 'The query must have one key, and no other parameter of that name in any case',
            },
          },
        });
      }
    },
  );

  test('that has expired, or is revoked, is 401', async () => {
    const expired = await newKey({ expiresAt: '2026-01-01T00:00:00.000Z' });
    const revoked = await newKey();
    const { ledger } = ours.openLedger();
    await revokeToken(ledger, (await listTokens(ledger)).at(-1)!.id);
    for (const { method, path } of keyed) {
      for (const key of [expired, revoked])
        expect(await send(method, `${path}?key=${key}`)).toMatchObject(refused);
    }
  });
});

describe('an unknown path or method', () => {
  const expected = { status: 404, message: 'There is no such path and method' };
  const generalHint =
    'Operations have paths in lower case that begin with /v1, such as /v1/leads; GET /openapi lists them all, with their methods';

  test.each([
    // Reported.
    ['GET', '/leads'],
    ['GET', '/V1/Leads'],
    ['GET', '/v1/lead'],
    // Made up.
    ['GET', '/v1'],
    ['POST', '/api/leads'],
  ])(
    '%s %s is 404 in the envelope, with and without a token; the hint says where paths are',
    async (method, path) => {
      for (const client of [api, anonymous]) {
        const answer = await client.send(method, path);
        expect(answer).toMatchObject({ status: 404, body: { error: { ...expected, hint: generalHint } } });
      }
    },
  );

  test.each(['/docs/unknown', '/docs/..%2Findex.html'])('GET %s is 404 in the envelope', async (path) => {
    expect(await anonymous.send('GET', path)).toMatchObject({ status: 404, body: { error: expected } });
  });

  test.each([
    // Reported.
    ['PATCH', '/v1/leads/lead_1', '/v1/leads/{leadId}', 'DELETE, GET, PUT'],
    ['POST', '/v1/leads/lead_1', '/v1/leads/{leadId}', 'DELETE, GET, PUT'],
    ['DELETE', '/v1/leads', '/v1/leads', 'GET, POST, PUT'],
    ['POST', '/v1/products/batch', '/v1/products/batch', 'PATCH'],
    ['OPTIONS', '/v1/leads', '/v1/leads', 'GET, POST, PUT'],
    // Made up.
    ['GET', '/v1/leads/batch', '/v1/leads/batch', 'POST'],
    ['PUT', '/v1/forms/submissions', '/v1/forms/submissions', 'OPTIONS, POST'],
    ['POST', '/', '/', 'GET, HEAD'],
    ['POST', '/openapi', '/openapi', 'GET, HEAD'],
  ])('%s %s names the methods of %s: %s', async (method, path, known, methods) => {
    const hint = `${known} takes ${methods.replace(/, (?=\w+$)/, ' and ')}`;
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
      const { status, headers, body } = await anonymous.send(method, path, {
        headers: { 'Content-Type': type },
      });
      expect([status, body, headers.get('allow')]).toMatchObject([
        404,
        { error: { ...expected, hint } },
        methods,
      ]);
    }
  });

  test.each(['application/json', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense'])(
    'is 404 with a body as %s, and with any Authorization',
    async (type) => {
      const authorizations = [`Bearer ${ours.token}`, 'Basic x', 'AWS4-HMAC-SHA256 Credential=x', 'x=y'];
      for (const Authorization of authorizations) {
        for (const body of ['{"statusCode":200}', '{"a', '']) {
          const headers = { 'Content-Type': type, Authorization };
          for (const path of ['/v1/unknown', '/v1/products/batch']) {
            const answer = await anonymous.send('POST', path, { headers, body });
            expect(answer).toMatchObject({ status: 404, body: { error: expected } });
            expect(JSON.stringify(answer.body)).not.toContain(ours.token);
          }
        }
      }
    },
  );

  test('HEAD of a path that needs a token is 404, without a body, and Allow has the methods', async () => {
    const headers = { Authorization: `Bearer ${ours.token}` };
    const response = await fetch(`${inject('baseUrl')}/v1/leads`, { method: 'HEAD', headers });
    expect([response.status, response.headers.get('allow')]).toEqual([404, 'GET, POST, PUT']);
    expect(await response.text()).toBe('');
  });
});

test('a slash in an encoded id is a part of it', async () => {
  expect(await api.send('GET', '/v1/leads/a%2Factivities')).toMatchObject({
    status: 404,
    body: { error: { message: 'There is no such lead' } },
  });
});

test.each(['/v1/leads/', '//v1/leads', '/v1//leads', '/v1/leads//?limit=1'])(
  'extra slashes are ignored: %s is the list of leads',
  async (path) => {
    expect(await api.send('GET', path)).toMatchObject({ status: 200 });
    expect(await anonymous.send('GET', path)).toMatchObject({ status: 401 });
  },
);
