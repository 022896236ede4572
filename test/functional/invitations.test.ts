import { expect, test } from 'vitest';
import type { MemberRole } from '../../shared/contract/roles.ts';
import { acceptScope } from '../../shared/contract/scopes.ts';
import { createMember } from '../../shared/domain/members/members.ts';
import { acceptInvitation, inviteMember } from '../../shared/domain/tokens/invitations.ts';
import { asOwner } from '../support/filled-records.ts';
import { clientFor, newOrganization, type TestOrganization } from '../support/test-organization.ts';

const ours = await newOrganization();
let count = 0;

const newEmail = () => `new${++count}@example.com`;
const invite = async (body: object = {}, { api }: Pick<TestOrganization, 'api'> = ours) =>
  (await api.call('inviteMember', { body: { email: newEmail(), role: 'USER', ...body } })).invitation;
const at = (invitationId: number) => ({ params: { invitationId } });
const accept = (invitationId: number, token: string) =>
  clientFor(token, [acceptScope]).attempt('acceptInvitation', at(invitationId));

/** Adds a member who may invite. */
async function inviter(role: MemberRole) {
  const person = { firstName: 'Mo', lastName: 'Ali', email: newEmail(), role };
  const { id, user } = await createMember(ours.openLedger().ledger, person);
  const scopes = ['read', 'write', 'members:write'] as const;
  return { id, api: clientFor(await ours.issueToken({ userId: user.id, role, scopes }), [...scopes]) };
}

test.each<[MemberRole, readonly string[]]>([
  ['USER', ['read', 'write']],
  ['OWNER', ['read', 'write', 'members:write', 'tokens:write']],
])('a person is invited as %s, accepts, and has a first token with %j', async (role, scopes) => {
  const given = {
    email: newEmail(),
    firstName: 'Max',
    lastName: 'Tran',
    position: 'Plumber',
    responsibility: 'Drains',
  };
  const { token, ...invitation } = await invite({ ...given, role, phone: '0491 570 156' });
  const { id, createdAt, expiresAt } = invitation;
  expect(invitation).toEqual({ id, createdAt, expiresAt, ...given, role, phone: '+61491570156' });
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(14 * 86_400_000);
  expect((await ours.api.call('getInvitation', at(id))).invitation).toEqual(invitation);
  const listed = async () => (await ours.api.call('listInvitations')).invitations;
  expect(await listed()).toContainEqual(invitation);
  const parts = { ...at(id), headers: { 'Idempotency-Key': 'once' } };
  const guest = clientFor(token, [acceptScope]);
  const joined = await guest.call('acceptInvitation', parts);
  expect(await guest.call('acceptInvitation', parts)).toEqual(joined);
  const { email, ...names } = given;
  expect(joined.member).toMatchObject({ ...names, role, phone: '+61491570156', user: { email } });
  expect(joined.token.scopes).toEqual(scopes);
  const { member } = await ours.api.call('getMember', { params: { memberId: joined.member.id } });
  expect(member).toEqual(joined.member);
  const own = await clientFor(joined.token.value).call('getToken');
  expect(own.userId).toBe(member.user.id);
  expect(await listed()).not.toContainEqual(invitation);
  await ours.api.failure('getInvitation', 404, at(id));
  expect((await accept(id, token)).status).toBe(404);
  const { events } = await ours.api.call('listEvents', { query: { limit: 100 } });
  const types = events.map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(['INVITATION_CREATED', 'MEMBER_ADDED']));
});

test('an email is invited once, and not while a member has it', async () => {
  const email = newEmail();
  const refused = (to: string) =>
    ours.api.failure('inviteMember', 409, { body: { email: to, role: 'USER' } });
  const { id, token } = await invite({ email });
  expect(await refused(email.toUpperCase())).toMatchObject({
    message: 'Another invitation has this email',
    existingId: id,
  });
  const { member } = (await accept(id, token)).body as { member: { id: number } };
  expect(await refused(email)).toMatchObject({
    message: 'Another member has this email',
    existingId: member.id,
  });
  await ours.api.failure('inviteMember', 400, { body: { email: 'max', role: 'USER' } });
});

test('a member who was disabled after the request was let in invites nobody', async () => {
  const { id, api } = await inviter('ADMIN');
  const { id: invited } = await invite({}, { api });
  await ours.api.call('updateMember', { params: { memberId: id }, body: { isDisabled: true } });
  const message = 'The user that the token acts for is disabled; enable the member first';
  const body = { email: newEmail(), role: 'USER' };
  expect(await api.failure('inviteMember', 409, { body })).toMatchObject({ message });
  expect(await api.failure('resendInvitation', 409, at(invited))).toMatchObject({ message });
});

test('a withdrawn or resent invitation leaves no token that accepts it', async () => {
  const { id, token } = await invite();
  const headers = { 'Idempotency-Key': 'once' };
  const resend = async () => (await ours.api.call('resendInvitation', { ...at(id), headers })).invitation;
  const again = await resend();
  expect(await resend()).toEqual(again);
  expect(again.token).not.toBe(token);
  expect((await accept(id, token)).status).toBe(401);
  const other = await invite();
  expect(await accept(id, other.token)).toMatchObject({
    status: 403,
    body: { error: { message: "The token is not the invitation's own" } },
  });
  await ours.api.call('deleteInvitation', at(id));
  expect((await accept(id, again.token)).status).toBe(401);
  await ours.api.failure('resendInvitation', 404, at(id));
});

test('an invitation ends after fourteen days, and another takes its place', async () => {
  const days = 14 * 86_400_000;
  const email = newEmail();
  const at = (shift: number) => ours.openLedger({ system: { now: () => Date.now() + shift } }).ledger;
  const { id } = await inviteMember(at(-days), { email, role: 'USER' }, asOwner(at(0)));
  const { tokens } = await ours.api.call('listAccessTokens', { query: { limit: 1 } });
  const by = { ...asOwner(at(0)), tokenId: tokens[0]!.id };
  await expect(acceptInvitation(at(0), id, by)).rejects.toThrow('The invitation has ended');
  const headers = { 'Idempotency-Key': 'once' };
  const send = () => ours.api.call('inviteMember', { headers, body: { email, role: 'USER' } });
  const { invitation } = await send();
  expect(await send()).toEqual({ invitation });
  await ours.api.failure('getInvitation', 404, { params: { invitationId: id } });
});

test('an ADMIN gives and takes no OWNER, and an inviter who may no more gives nothing', async () => {
  const admin = await inviter('ADMIN');
  const message = 'A member with the role ADMIN gives and takes only the roles USER and ADMIN';
  const body = { email: newEmail(), role: 'OWNER' };
  expect((await admin.api.failure('inviteMember', 403, { body })).message).toBe(message);
  const owners = await invite({ role: 'OWNER' });
  for (const operation of ['deleteInvitation', 'resendInvitation'] as const)
    expect((await admin.api.failure(operation, 403, at(owners.id))).message).toBe(message);
  const [first, second] = [await invite({}, admin), await invite({}, admin)];
  const change = (changes: object) =>
    ours.api.call('updateMember', { params: { memberId: admin.id }, body: changes });
  await change({ role: 'USER' });
  expect(await accept(first.id, first.token)).toMatchObject({
    status: 403,
    body: { error: { message: 'A member with the role USER gives and takes no roles' } },
  });
  await change({ isDisabled: true });
  expect((await accept(second.id, second.token)).status).toBe(401);
});

test("an invitation's token is revoked like any other", async () => {
  const { id, token } = await invite();
  // The authorizer keeps what the token allows.
  await clientFor(token, [acceptScope]).failure('getToken', 403);
  const { tokens } = await ours.api.call('listAccessTokens', { query: { limit: 1 } });
  await ours.api.call('deleteAccessToken', { params: { tokenId: tokens[0]!.id } });
  expect(await accept(id, token)).toMatchObject({
    status: 409,
    body: { error: { message: 'The invitation has ended; ask for it to be resent' } },
  });
});
