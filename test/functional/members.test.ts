import { describe, expect, test } from 'vitest';
import { getMemberEndpoint, updateMemberEndpoint } from '../../shared/contract/members.ts';
import type { MemberRole } from '../../shared/contract/roles.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import { createMember } from '../../shared/domain/members/members.ts';
import { clientFor, newOrganization, type TestOrganization } from '../support/test-organization.ts';

const ours = await newOrganization();

/** Adds a member with a token that may manage members. */
async function add(role: MemberRole, to: TestOrganization = ours) {
  const person = { firstName: 'Max', lastName: 'Tran', email: 'max@example.com', role };
  const member = await createMember(to.openLedger().ledger, person);
  const scopes: Scope[] = ['read', 'write', 'members:write'];
  const token = await to.issueToken({ userId: member.user.id, role, scopes });
  return { member, api: clientFor(token, scopes) };
}
const change = (memberId: number, body: object) => ({ params: { memberId }, body });

test('a member is changed in part, and read', async () => {
  const { member, api } = await add('ADMIN');
  const body = {
    firstName: ' Maxine ',
    position: 'Plumber',
    responsibility: 'Drains',
    phone: '0491 570 156',
    avatarImg: 'https://example.com/max.png',
  };
  const after = { ...member, ...body, firstName: 'Maxine', phone: '+61491570156' };
  expect(await api.call(updateMemberEndpoint, change(member.id, body))).toEqual({ member: after });
  for (const same of [{}, after, { phone: null }])
    await api.call(updateMemberEndpoint, change(member.id, same));
  const params = { memberId: member.id };
  expect(await api.call(getMemberEndpoint, { params })).toEqual({ member: { ...after, phone: '' } });
});

test.each([
  [{ phone: 'mobile' }, 'phone must be a phone number'],
  [{ avatarImg: 'javascript:alert(1)' }, 'avatarImg must be a link that begins with https:// or http://'],
  [{ firstName: ' ' }, 'firstName must not be empty'],
  [{ role: 'Worker' }, 'role must be one of USER, ADMIN, OWNER'],
])('a member is not changed to %j', async (body, message) => {
  const { member, api } = await add('ADMIN');
  const error = await api.failure(updateMemberEndpoint, 400, change(member.id, body));
  expect(error.message).toContain(message);
});

describe('roles', () => {
  test.each<[MemberRole, MemberRole, object, 200 | 403]>([
    ['ADMIN', 'USER', { role: 'ADMIN' }, 200],
    ['ADMIN', 'ADMIN', { role: 'USER' }, 200],
    ['ADMIN', 'USER', { role: 'OWNER' }, 403],
    ['ADMIN', 'OWNER', { role: 'ADMIN' }, 403],
    ['ADMIN', 'OWNER', { isDisabled: true }, 403],
    ['ADMIN', 'OWNER', { position: 'Founder' }, 200],
    ['OWNER', 'USER', { role: 'OWNER' }, 200],
    ['OWNER', 'OWNER', { isDisabled: true }, 200],
  ])('a token of an %s changes an %s to %j: %i', async (by, of, body, status) => {
    const [{ api }, { member }] = [await add(by), await add(of)];
    const answer = await api.attempt(updateMemberEndpoint, change(member.id, body));
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject(
      status === 200
        ? { member: body }
        : {
            error: { message: 'A member with the role ADMIN gives and takes only the roles USER and ADMIN' },
          },
    );
  });

  test('two owners who demote each other leave one', async () => {
    const organization = await newOrganization();
    const scopes: Scope[] = ['read', 'members:write'];
    const first = clientFor(await organization.issueToken({ scopes }), scopes);
    const { member, api } = await add('OWNER', organization);
    // Both tokens are in the authorizer's cache.
    for (const client of [first, api]) await client.call(getMemberEndpoint, { params: { memberId: 1 } });
    const answers = await Promise.all([
      first.attempt(updateMemberEndpoint, change(member.id, { role: 'USER' })),
      api.attempt(updateMemberEndpoint, change(1, { isDisabled: true })),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

test('no token of a disabled member works, until the member is enabled', async () => {
  const [{ api }, { member, api: disabled }] = [await add('OWNER'), await add('ADMIN')];
  const scopes: Scope[] = ['members:write'];
  const other = clientFor(await ours.issueToken({ userId: member.user.id, scopes }), scopes);
  const tried = change(member.id, { position: 'Plumber' });
  const set = (body: object) => api.call(updateMemberEndpoint, change(member.id, body));
  await set({ isDisabled: true, role: 'USER' });
  expect((await disabled.attempt(updateMemberEndpoint, tried)).status).toBe(401);
  await set({ role: 'ADMIN' });
  await set({ isDisabled: false });
  await other.call(updateMemberEndpoint, tried);
});
