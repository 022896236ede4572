import { beforeAll, describe, expect, test } from 'vitest';
import { createLeadEndpoint, getLeadEndpoint, listLeadsEndpoint } from '../../shared/contract/leads.ts';
import { getOpenApiEndpoint } from '../../shared/contract/open-api.ts';
import { newToken } from '../../shared/domain/tokens/token.ts';
import { clientFor, setup, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await setup();
});

const unauthorized = { status: 401, message: 'invalid_token' };

describe('a request', () => {
  test('without a token is 401', async () => {
    expect(await world.anonymous.failure(listLeadsEndpoint, 401)).toEqual(unauthorized);
    expect(await world.anonymous.failure(createLeadEndpoint, 401, { body: { firstName: 'Ann' } })).toEqual(
      unauthorized,
    );
    const { headers } = await world.anonymous.attempt(listLeadsEndpoint);
    expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  });

  test.each([
    ['cut short', (token: string) => token.slice(0, -1)],
    [
      'with one character changed',
      (token: string) => token.slice(0, -8) + (token.at(-8) === 'a' ? 'b' : 'a') + token.slice(-7),
    ],
    ['in another case', (token: string) => token.toUpperCase()],
    [
      'that was never issued',
      () => newToken('test', (size) => new Uint8Array(size).map(() => Math.random() * 256)),
    ],
    ['of another mode', (token: string) => token.replace('sk_test_', 'sk_live_')],
    ['that is empty', () => ''],
  ])('with a token %s is 401', async (_, mangle) => {
    expect(await clientFor(mangle(world.ours.token)).failure(listLeadsEndpoint, 401)).toEqual(unauthorized);
  });

  test.each(['Basic', 'Token', ''])('with the scheme "%s" is 401', async (scheme) => {
    const headers = { Authorization: `${scheme} ${world.ours.token}`.trim() };
    expect(await world.anonymous.send('GET', '/v1/leads', { headers })).toMatchObject({ status: 401 });
  });

  test('may write the scheme in any case', async () => {
    const headers = { Authorization: `bearer ${world.ours.token}` };
    expect(await world.anonymous.send('GET', '/v1/leads', { headers })).toMatchObject({ status: 200 });
  });

  test('with an expired token is 401, with one yet to expire is served', async () => {
    const expired = await world.ours.issueToken({ expiresAt: '2026-01-01T00:00:00.000Z' });
    expect(await clientFor(expired).failure(listLeadsEndpoint, 401)).toEqual(unauthorized);
    const lasting = await world.ours.issueToken({ expiresAt: '2999-01-01T00:00:00.000Z' });
    await clientFor(lasting).call(listLeadsEndpoint);
  });

  test('is 403 where its token lacks the scope, before anything of it is looked at', async () => {
    const reader = clientFor(await world.ours.issueToken({ scopes: ['read'] }));
    await reader.call(listLeadsEndpoint);
    const refusal = { status: 403, message: 'The token lacks the scope "write"' };
    expect(await reader.failure(createLeadEndpoint, 403, { body: { nonsense: true } })).toEqual(refusal);

    const writer = clientFor(await world.ours.issueToken({ scopes: ['write'] }));
    const { lead } = await writer.call(createLeadEndpoint, { body: { firstName: 'Ann' } });
    await writer.failure(getLeadEndpoint, 403, { params: { leadId: lead.id } });
  });

  test('acts for the organization of its token, whatever else it says', async () => {
    const headers = { 'X-Organization-Id': world.theirs.code, 'Content-Type': 'application/json' };
    const { totalCount } = await world.ours.api.call(listLeadsEndpoint);
    const body = '{"name":"Ann"}';
    expect(await world.ours.api.send('POST', '/v1/leads', { headers, body })).toMatchObject({ status: 201 });
    const path = `/v1/leads?organization=${world.theirs.code}`;
    expect(await world.ours.api.send('POST', path, { headers, body })).toMatchObject({ status: 400 });
    expect((await world.ours.api.call(listLeadsEndpoint)).totalCount).toBe(totalCount + 1);
    expect((await world.theirs.api.call(listLeadsEndpoint)).totalCount).toBe(0);
  });
});

describe('an unknown path or method', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/v1'],
    ['GET', '/v1/leads/'],
    ['GET', '/v1/lead'],
    ['GET', '/v2/leads'],
    ['PUT', '/v1/leads'],
    ['PATCH', '/v1/leads/lead_0000000000000000'],
    ['OPTIONS', '/v1/leads'],
    ['POST', '/openapi'],
    ['GET', '/v1/leads//activities'],
    ['GET', '/v1/leads/a/activities/b'],
  ])('%s %s is 404 in the envelope, with and without a token', async (method, path) => {
    for (const api of [world.ours.api, world.anonymous]) {
      const expected = { status: 404, message: 'There is no such path and method' };
      const answer = await api.send(method, path);
      expect(answer).toMatchObject({ status: 404, body: { error: expected } });
    }
  });
});

test('the description asks for no token', async () => {
  await world.anonymous.call(getOpenApiEndpoint);
});
