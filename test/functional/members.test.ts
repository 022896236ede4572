import { describe, expect, test } from 'vitest';
import type { MemberRole } from '../../shared/contract/roles.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import { createMember } from '../../shared/domain/members/members.ts';
import { clientFor, newOrganization, type TestOrganization } from '../support/test-organization.ts';

const ours = await newOrganization();
let count = 0;

/** Adds a member with a token that may manage members. */
async function add(role: MemberRole, to: TestOrganization = ours) {
  const person = { firstName: 'Max', lastName: 'Tran', email: `max${++count}@example.com`, role };
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
  expect(await api.call('updateMember', change(member.id, body))).toEqual({ member: after });
  for (const same of [{}, after, { phone: null }]) await api.call('updateMember', change(member.id, same));
  const params = { memberId: member.id };
  expect(await api.call('getMember', { params })).toEqual({ member: { ...after, phone: '' } });
});

test.each([
  [{ phone: 'mobile' }, 'phone must be a phone number'],
  [{ avatarImg: 'javascript:alert(1)' }, 'avatarImg must be a link that begins with https:// or http://'],
])('a member is not changed to %j', async (body, message) => {
  const { member, api } = await add('ADMIN');
  const error = await api.failure('updateMember', 400, change(member.id, body));
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
    const answer = await api.attempt('updateMember', change(member.id, body));
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
    for (const client of [first, api]) await client.call('getMember', { params: { memberId: 1 } });
    const answers = await Promise.all([
      first.attempt('updateMember', change(member.id, { role: 'USER' })),
      api.attempt('updateMember', change(1, { isDisabled: true })),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

test('no token of a disabled member works, until the member is enabled', async () => {
  const [{ api }, { member, api: disabled }] = [await add('OWNER'), await add('ADMIN')];
  const scopes: Scope[] = ['members:write'];
  const other = clientFor(await ours.issueToken({ userId: member.user.id, scopes }), scopes);
  const tried = change(member.id, { position: 'Plumber' });
  const set = (body: object) => api.call('updateMember', change(member.id, body));
  await set({ isDisabled: true, role: 'USER' });
  expect((await disabled.attempt('updateMember', tried)).status).toBe(401);
  await set({ role: 'ADMIN' });
  await set({ isDisabled: false });
  await other.call('updateMember', tried);
});

describe('removal', () => {
  const remove = (memberId: number) => ({ params: { memberId } });

  test('a member with open appointments or transfer rules stays, and the past keeps the user id', async () => {
    const [{ api }, { member, api: removed }] = [await add('OWNER'), await add('USER')];
    const { id, user } = member;
    const book = async (day: string, body: object = { attendees: [user.id] }) => {
      const times = { start: `${day}T09:00:00Z`, end: `${day}T10:00:00Z` };
      const lead = { name: 'Ann', email: `${id}.${day}@example.com` };
      return (await api.call('createAppointment', { body: { title: 'Drain', lead, ...times, ...body } }))
        .appointment;
    };
    const change = (appointmentId: string, body: object) =>
      api.call('updateAppointment', { params: { appointmentId }, body });
    const refused = async () => (await api.failure('deleteMember', 409, remove(id))).message;
    const rule = { label: `Max ${id}`, method: 'WARM', destinationType: 'MEMBER', destination: String(id) };
    const { transfer } = await api.call('createTransfer', {
      body: { ...rule, conditions: 'Asks for Max' },
    });
    const [done, cancelled, other, erased] = [
      await book('2031-03-03'),
      await book('2031-03-04'),
      await book('2031-03-05', { attendees: [] }),
      await book('2031-03-06'),
    ];
    await change(other.id, { attendees: [user.id], status: 'CONFIRMED' });
    expect(await refused()).toBe('The member is in use by 1 transfer and 4 open appointments');
    await api.call('deleteTransfer', { params: { transferId: transfer.id } });
    await change(done.id, { status: 'COMPLETED' });
    await api.call('cancelAppointment', { params: { appointmentId: cancelled.id } });
    await api.call('eraseLead', { params: { leadId: erased.leadId ?? '' } });
    expect(await refused()).toBe('The member is in use by 1 open appointment');
    await change(other.id, { attendees: [] });
    await api.call('deleteMember', remove(id));
    await api.failure('deleteMember', 404, remove(id));
    expect((await removed.attempt('getMember', remove(1))).status).toBe(401);
    const ofMember = async () =>
      (await api.call('listAppointments', { query: { userId: user.id } })).appointments;
    expect((await ofMember()).map(({ start, attendees }) => [start.slice(0, 10), attendees])).toEqual([
      ['2031-03-04', [user.id]],
      ['2031-03-03', [user.id]],
    ]);
    await api.call('eraseLead', { params: { leadId: done.leadId ?? '' } });
    expect(await ofMember()).toHaveLength(1);
  });

  test('the only owner stays, and an ADMIN removes no OWNER', async () => {
    const organization = await newOrganization();
    const [owner, admin] = [await add('OWNER', organization), await add('ADMIN', organization)];
    expect(await admin.api.failure('deleteMember', 403, remove(1))).toMatchObject({
      message: 'A member with the role ADMIN gives and takes only the roles USER and ADMIN',
    });
    await owner.api.call('deleteMember', remove(1));
    const { message } = await admin.api.failure('deleteMember', 409, remove(owner.member.id));
    expect(message).toBe('The member is the only owner; make another member an OWNER first');
  });
});
