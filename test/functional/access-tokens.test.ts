import { expect, test } from 'vitest';
import type { NewAccessToken } from '../../shared/contract/access-tokens.ts';
import type { MemberRole } from '../../shared/contract/roles.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import { createMember } from '../../shared/domain/members/members.ts';
import { clientFor, newOrganization } from '../support/test-organization.ts';

const ours = await newOrganization();
const { api } = ours;
const website = { name: 'Website', scopes: ['leads:read'] };

/** Issues a token by the owner's token. */
const issue = async (body: object = {}) =>
  (await api.call('createAccessToken', { body: { ...website, ...body } })).token;
const at = (tokenId: number, body?: object) => ({ params: { tokenId }, ...(body && { body }) });
const read = async (tokenId: number) => (await api.call('getAccessToken', at(tokenId))).token;

let count = 0;
/** Adds a member with a token. */
async function join(role: MemberRole, scopes: Scope[] = ['read', 'write', 'tokens:write']) {
  const person = { firstName: 'Mo', lastName: 'Ali', email: `mo${++count}@example.com`, role };
  const { id, user } = await createMember(ours.openLedger().ledger, person);
  const token = await ours.issueToken({ userId: user.id, role, scopes });
  return { id, userId: user.id, api: clientFor(token, scopes) };
}

test('a token is issued, used, renamed and revoked, and its value is shown once', async () => {
  const { value, ...token } = await issue({ expiresAt: '2999-01-01T10:00:00+10:00' });
  expect(token).toMatchObject({ ...website, expiresAt: '2999-01-01T00:00:00.000Z', lastUsedOn: null });
  expect(value).toMatch(/^sk_test_/);
  expect(await read(token.id)).toEqual(token);
  const client = clientFor(value, ['leads:read']);
  await client.call('listLeads');
  const used = { ...token, name: 'Website of Glebe', lastUsedOn: new Date().toISOString().slice(0, 10) };
  for (const body of [{ name: used.name }, {}, used])
    expect((await api.call('updateAccessToken', at(token.id, body))).token).toEqual(used);
  for (let times = 0; times < 2; times++) await api.call('deleteAccessToken', at(token.id));
  expect(await read(token.id)).toEqual({ ...used, revokedAt: expect.any(String) as string });
  const { tokens } = await api.call('listAccessTokens', { query: { limit: 1 } });
  expect(tokens).toEqual([await read(token.id)]);
});

test('a request with a key gets the same value again', async () => {
  const headers = { 'Idempotency-Key': 'once' };
  const twice = async <T>(send: () => Promise<T>) => {
    const [first, again] = [await send(), await send()];
    expect(again).toEqual(first);
    return first;
  };
  const { token } = await twice(() => api.call('createAccessToken', { headers, body: website }));
  await twice(() => api.call('rotateAccessToken', { ...at(token.id, {}), headers }));
});

test('a token is replaced, and works on for the overlap', async () => {
  const { id, value } = await issue();
  const rotate = async (body: object) => (await api.call('rotateAccessToken', at(id, body))).token;
  const next = await rotate({});
  expect(next).toMatchObject({ ...website, expiresAt: null });
  const old = await read(id);
  expect(old.replacedBy).toBe(next.id);
  const hours = (Date.parse(old.expiresAt!) - Date.parse(next.createdAt)) / 3_600_000;
  expect(hours).toBe(24);
  await clientFor(value, ['leads:read']).call('listLeads');
  const refused = await api.failure('rotateAccessToken', 409, at(id, {}));
  expect(refused).toMatchObject({
    message: `The token was rotated before; rotate token ${next.id}, which takes its place`,
  });
  const last = await api.call('rotateAccessToken', at(next.id, { overlapHours: 0, expiresAt: null }));
  expect(last.token.expiresAt).toBeNull();
  expect((await clientFor(next.value, ['leads:read']).attempt('listLeads')).status).toBe(401);
  await api.call('deleteAccessToken', at(last.token.id));
  expect((await clientFor(last.token.value, ['leads:read']).attempt('listLeads')).status).toBe(401);
  const { events } = await api.call('listEvents', { query: { limit: 100 } });
  const types = ['TOKEN_ISSUED', 'TOKEN_ROTATED', 'TOKEN_REVOKED'];
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(types));
  expect(JSON.stringify(events)).not.toContain('sk_');
});

test('a key moves to another website, and a platform to another secret', async () => {
  const [a, b] = ['https://shop.example', 'https://yard.example'];
  const form = await issue({ scopes: ['forms:submit'], sites: [`${a}/contact`, b] });
  expect(form.sites).toEqual([a, b]);
  await api.call('updateAccessToken', at(form.id, { sites: ['https://Van.example'] }));
  const sent = (origin: string) =>
    clientFor(form.value).attempt('createFormSubmission', {
      headers: { origin },
      body: { name: 'Ann', email: 'ann@example.com' },
    });
  expect([(await sent(a)).status, (await sent('https://van.example')).status]).toEqual([403, 201]);

  const secrets = ['secret-of-the-first', 'secret-of-the-second'] as const;
  /** Statuses of events with each secret, after a rotation of a new key. */
  const afterRotation = async (overlap: object) => {
    const key = await issue({ scopes: ['calls:submit'], secret: secrets[0] });
    expect(key.isSigned).toBe(true);
    await api.call('rotateKeySecret', at(key.id, { secret: secrets[1], ...overlap }));
    const send = async (secret: string) => {
      const event = { headers: { 'x-vapi-secret': secret }, body: { event: 'nothing' } };
      return (await clientFor(key.value).attempt('submitCallEvent', event)).status;
    };
    return [await send(secrets[0]), await send(secrets[1]), await send('another-secret-yet')];
  };
  expect(await afterRotation({})).toEqual([200, 200, 403]);
  expect(await afterRotation({ overlapHours: 0 })).toEqual([403, 200, 403]);
  const { message } = await api.failure('rotateKeySecret', 400, at(form.id, { secret: secrets[0] }));
  expect(message).toBe('secret goes with calls:submit or receptionist:answer alone');
});

test.each<[Partial<Record<keyof NewAccessToken, unknown>>, string]>([
  [{ scopes: ['leads:delete'] }, 'scopes.0 must be one of read, write, leads:read'],
  [{ scopes: ['invitations:accept'] }, 'scopes.0 must be one of read, write'],
  [{ scopes: [] }, 'scopes must'],
  [
    { scopes: ['read', 'forms:submit'] },
    'scopes must be forms:submit, calls:submit, or receptionist:answer alone',
  ],
  [{ scopes: ['forms:submit'] }, 'sites must have, for forms:submit, the websites'],
  [
    { scopes: ['forms:submit'], sites: ['shop.example'] },
    'sites.0 must be a website such as https://www.harbourplumbing.example',
  ],
  [{ sites: ['https://shop.example'] }, 'sites goes with forms:submit alone'],
  [{ scopes: ['receptionist:answer'] }, 'secret must be given for receptionist:answer'],
  [{ secret: 'secret-of-the-first' }, 'secret goes with calls:submit or receptionist:answer alone'],
  [{ userId: 'user_6H8EV88000000001' }, 'userId names no user of the organization'],
])('a token with %j is refused: %s', async (body, message) => {
  const error = await api.failure('createAccessToken', 400, { body: { ...website, ...body } });
  expect(error.message).toContain(message);
});

test('a token gives no more than it has, and manages no tokens of a higher role', async () => {
  const [admin, user] = [await join('ADMIN'), await join('USER', ['read', 'write'])];
  const give = (scopes: string[], userId?: string) =>
    admin.api.attempt('createAccessToken', { body: { ...website, scopes, ...(userId && { userId }) } });
  const refusal = async (answer: ReturnType<typeof give>) =>
    ((await answer).body as { error: { message: string } }).error.message;
  expect(await refusal(give(['members:write', 'read']))).toBe(
    'The token does not allow as much as members:write, so it cannot give that',
  );
  const ofRole =
    "A member with the role ADMIN manages other members' tokens of only the roles USER and ADMIN";
  expect(await refusal(give(['read'], ours.userId))).toBe(ofRole);
  for (const scope of ['forms:submit', 'leads:create', 'tokens:read'] as const)
    expect((await give([scope], user.userId)).status).toBe(scope === 'forms:submit' ? 400 : 201);
  const narrow = await ours.apiFor('tokens:write', 'leads:create');
  const key = { body: { name: 'Form', scopes: ['forms:submit'], sites: ['https://shop.example'] } };
  expect((await narrow.failure('createAccessToken', 403, key)).message).toContain('forms:submit');
  // What is the owner's stays the owner's, whatever is done with it.
  const { id } = await issue();
  for (const [endpoint, body] of [
    ['updateAccessToken', { name: 'Mine' }],
    ['rotateAccessToken', {}],
    ['deleteAccessToken'],
  ] as const)
    expect((await admin.api.failure(endpoint, 403, at(id, body))).message).toBe(ofRole);
  const { message } = await user.api.failure('createAccessToken', 403, { body: website });
  expect(message).toBe('The token lacks the scope "tokens:create"');
});
