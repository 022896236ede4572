import { expect, test } from 'vitest';
import {
  createAccessTokenEndpoint,
  deleteAccessTokenEndpoint,
  rotateAccessTokenEndpoint,
  updateAccessTokenEndpoint,
} from '../../shared/contract/access-tokens.ts';
import { listEventsEndpoint } from '../../shared/contract/event-feed.ts';
import { createFormSubmissionEndpoint } from '../../shared/contract/forms.ts';
import { acceptInvitationEndpoint, inviteMemberEndpoint } from '../../shared/contract/invitations.ts';
import { createLeadEndpoint, listLeadsEndpoint, type Lead } from '../../shared/contract/leads.ts';
import { updateMemberScheduleEndpoint } from '../../shared/contract/member-schedule.ts';
import { listMembersEndpoint } from '../../shared/contract/organization.ts';
import { clientFor, newOrganization } from '../support/test-organization.ts';

test('an owner sets a business up by the API alone', async () => {
  const { api } = await newOrganization();

  // Two people join, and say when they work.
  const people = await Promise.all(
    ['max@example.com', 'ann@example.com'].map(async (email) => {
      const { invitation } = await api.call(inviteMemberEndpoint, { body: { email, role: 'USER' } });
      const { member, token } = await clientFor(invitation.token, ['invitations:accept']).call(
        acceptInvitationEndpoint,
        { params: { invitationId: invitation.id } },
      );
      const workingHours = { monday: [{ from: '07:00', to: '15:30' }] };
      const body = { workingHours };
      const { schedule } = await api.call(updateMemberScheduleEndpoint, {
        params: { memberId: member.id },
        body,
      });
      expect(schedule.workingHours.monday).toEqual(workingHours.monday);
      return clientFor(token.value);
    }),
  );
  expect((await api.call(listMembersEndpoint)).totalCount).toBe(3);
  for (const [at, person] of people.entries())
    await person.call(createLeadEndpoint, { body: { name: `Lead ${at}` } });

  // A form is on two websites, and one of the websites moves.
  const sites = ['https://north.example', 'https://south.example'];
  const form = { name: 'Form', scopes: ['forms:submit'], sites };
  const { token: key } = await api.call(createAccessTokenEndpoint, { body: form });
  const moved = { sites: ['https://north.example', 'https://west.example'] };
  await api.call(updateAccessTokenEndpoint, { params: { tokenId: key.id }, body: moved });
  const statuses = ['north', 'south', 'west'].map(async (site) => {
    const headers = { origin: `https://${site}.example` };
    const body = { name: `From ${site}`, email: `${site}@example.com` };
    return (await clientFor(key.value).attempt(createFormSubmissionEndpoint, { headers, body })).status;
  });
  expect(await Promise.all(statuses)).toEqual([201, 403, 201]);

  // A token of a program is rotated, and the new one is revoked.
  const program = { body: { name: 'Export', scopes: ['leads:read'] } };
  const { token: first } = await api.call(createAccessTokenEndpoint, program);
  const { token: second } = await api.call(rotateAccessTokenEndpoint, {
    params: { tokenId: first.id },
    body: { overlapHours: 1 },
  });
  const exporter = clientFor(first.value, ['leads:read']);
  const leads: Lead[] = [];
  for (let page = 1, totalPages = 1; page <= totalPages; page++) {
    const answer = await exporter.call(listLeadsEndpoint, { query: { page, limit: 2 } });
    leads.push(...answer.leads);
    ({ totalPages } = answer);
  }
  expect(leads.map(({ firstName, lastName }) => `${firstName} ${lastName}`).sort()).toEqual([
    'From north',
    'From west',
    'Lead 0',
    'Lead 1',
  ]);
  await api.call(deleteAccessTokenEndpoint, { params: { tokenId: second.id } });
  expect((await clientFor(second.value).attempt(listLeadsEndpoint)).status).toBe(401);

  // The log of the owner says who did all that, and has no secret.
  const { events } = await api.call(listEventsEndpoint, { query: { limit: 100 } });
  const types = events.map(({ type }) => type);
  for (const type of ['INVITATION_CREATED', 'MEMBER_ADDED', 'TOKEN_ISSUED', 'TOKEN_ROTATED', 'TOKEN_REVOKED'])
    expect(types).toContain(type);
  expect(JSON.stringify(events)).not.toContain('sk_');
});
