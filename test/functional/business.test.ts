import { expect, test } from 'vitest';
import type { Lead } from '../../shared/contract/leads.ts';
import { clientFor, newOrganization } from '../support/test-organization.ts';

test('an owner sets a business up by the API alone', async () => {
  const { api } = await newOrganization();

  // Two people join, and say when they work.
  const people = await Promise.all(
    ['max@example.com', 'ann@example.com'].map(async (email) => {
      const { invitation } = await api.call('inviteMember', { body: { email, role: 'USER' } });
      const { member, token } = await clientFor(invitation.token, ['invitations:accept']).call(
        'acceptInvitation',
        { params: { invitationId: invitation.id } },
      );
      const workingHours = { monday: [{ from: '07:00', to: '15:30' }] };
      const body = { workingHours };
      const { schedule } = await api.call('updateMemberSchedule', {
        params: { memberId: member.id },
        body,
      });
      expect(schedule.workingHours.monday).toEqual(workingHours.monday);
      return clientFor(token.value);
    }),
  );
  expect((await api.call('listMembers')).totalCount).toBe(3);
  for (const [at, person] of people.entries())
    await person.call('createLead', { body: { name: `Lead ${at}` } });

  // A form is on two websites, and one of the websites moves.
  const sites = ['https://north.example', 'https://south.example'];
  const form = { name: 'Form', scopes: ['forms:submit'], sites };
  const { token: key } = await api.call('createAccessToken', { body: form });
  const moved = { sites: ['https://north.example', 'https://west.example'] };
  await api.call('updateAccessToken', { params: { tokenId: key.id }, body: moved });
  const statuses = ['north', 'south', 'west'].map(async (site) => {
    const headers = { origin: `https://${site}.example` };
    const body = { name: `From ${site}`, email: `${site}@example.com` };
    return (await clientFor(key.value).attempt('createFormSubmission', { headers, body })).status;
  });
  expect(await Promise.all(statuses)).toEqual([201, 403, 201]);

  // A token of a program is rotated, and the new one is revoked.
  const program = { body: { name: 'Export', scopes: ['leads:read'] } };
  const { token: first } = await api.call('createAccessToken', program);
  const { token: second } = await api.call('rotateAccessToken', {
    params: { tokenId: first.id },
    body: { overlapHours: 1 },
  });
  const exporter = clientFor(first.value, ['leads:read']);
  const leads: Lead[] = [];
  for (let page = 1, totalPages = 1; page <= totalPages; page++) {
    const answer = await exporter.call('listLeads', { query: { page, limit: 2 } });
    leads.push(...answer.leads);
    ({ totalPages } = answer);
  }
  expect(leads.map(({ firstName, lastName }) => `${firstName} ${lastName}`).sort()).toEqual([
    'From north',
    'From west',
    'Lead 0',
    'Lead 1',
  ]);
  await api.call('deleteAccessToken', { params: { tokenId: second.id } });
  expect((await clientFor(second.value).attempt('listLeads')).status).toBe(401);

  // The log of the owner says who did all that, and has no secret.
  const { events } = await api.call('listEvents', { query: { limit: 100 } });
  const types = events.map(({ type }) => type);
  for (const type of ['INVITATION_CREATED', 'MEMBER_ADDED', 'TOKEN_ISSUED', 'TOKEN_ROTATED', 'TOKEN_REVOKED'])
    expect(types).toContain(type);
  expect(JSON.stringify(events)).not.toContain('sk_');
});
