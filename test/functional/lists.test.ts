import { expect, test } from 'vitest';
import { listCompaniesEndpoint } from '../../shared/contract/companies.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { listMembersEndpoint, type Member } from '../../shared/contract/organization.ts';
import { createCompany } from '../../shared/domain/companies/companies.ts';
import { createMember } from '../../shared/domain/members/members.ts';
import { inviteMember } from '../../shared/domain/tokens/invitations.ts';
import { asOwner } from '../support/filled-records.ts';
import type { MemberRole } from '../../shared/contract/roles.ts';
import { everyPage, pageOfAll } from '../support/page-of-all.ts';
import { twoOrganizations, type TestOrganization } from '../support/test-organization.ts';

/* Those of leads and of inquiries have files of their own. */

async function companies(ours: TestOrganization, theirs: TestOrganization): Promise<object[]> {
  await createCompany(theirs.openLedger().ledger, { name: 'Theirs' });
  const all: object[] = [];
  for (let at = 1; at <= 5; at++) {
    // Names are not unique.
    const { company } = await ours.api.call('createCompany', { body: { name: `Company ${at % 3}` } });
    all.unshift(company);
  }
  return all;
}

/** Pending invitations are neither listed nor counted. */
async function members(ours: TestOrganization, theirs: TestOrganization): Promise<object[]> {
  const { ledger } = ours.openLedger();
  const nobody = { position: '', responsibility: '', phone: '', avatarImg: '', isDisabled: false };
  const all: Member[] = [
    {
      id: 1,
      role: 'OWNER',
      firstName: 'Tess',
      lastName: 'Owner',
      ...nobody,
      user: { id: ours.userId, email: 'tess@example.com' },
    },
  ];
  const invite = (email: string, role: MemberRole) => inviteMember(ledger, { email, role }, asOwner(ledger));
  await invite('pending@example.com', 'USER');
  for (const [at, role] of (['USER', 'ADMIN', 'OWNER', 'USER'] as const).entries()) {
    const person = {
      role,
      firstName: `First ${at}`,
      lastName: `Last ${at}`,
      position: `Position ${at}`,
      responsibility: `Responsibility ${at}`,
      avatarImg: `https://example.com/${at}.png`,
    };
    const email = `member${at}@example.com`;
    const { id, user } = await createMember(ledger, { ...person, email });
    all.unshift({ id, ...person, phone: '', isDisabled: false, user: { id: user.id, email } });
    await invite(`pending${at}@example.com`, role);
  }
  const bo = { firstName: 'Bo', lastName: '' };
  const email = 'bo@example.com';
  const { user } = await createMember(ledger, { ...bo, email });
  all.unshift({ id: 6, role: 'USER', ...bo, ...nobody, user: { id: user.id, email } });
  await createMember(theirs.openLedger().ledger, { ...bo, email: 'theirs@example.com' });
  expect(new Set(all.map((member) => member.user.id)).size).toBe(6);
  return all;
}

test.each<[string, Endpoint, typeof members]>([
  ['companies', listCompaniesEndpoint, companies],
  ['members', listMembersEndpoint, members],
])(
  'the %s of an organization are listed newest first, in pages, with exact totals',
  async (key, endpoint, fill) => {
    const { ours, theirs } = await twoOrganizations();
    const { api } = ours;
    if (key === 'companies') expect(await api.call(endpoint)).toEqual(pageOfAll(key, []));
    const all = await fill(ours, theirs);
    expect(await api.call(endpoint)).toEqual(pageOfAll(key, all));
    for (const query of [...everyPage(all, 2), { page: 2 }, { limit: 3 }, { limit: 100 }])
      expect(await api.call(endpoint, { query })).toEqual(pageOfAll(key, all, query));
  },
);
