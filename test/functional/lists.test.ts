import { expect, test } from 'vitest';
import { createMember } from '../../shared/domain/members/members.ts';
import { inviteMember } from '../../shared/domain/tokens/invitations.ts';
import type { Called } from '../support/api-client.ts';
import { asOwner } from '../support/filled-records.ts';
import { everyPage, pageOfAll } from '../support/page-of-all.ts';
import { verifiedOrganization, type TestOrganization } from '../support/test-organization.ts';

/* Those of leads and of inquiries have files of their own. */

async function companies({ api }: TestOrganization): Promise<object[]> {
  expect(await api.call('listCompanies')).toEqual(pageOfAll('companies', []));
  const all: object[] = [];
  // Names are not unique.
  for (const name of ['A', 'B', 'C', 'A', 'B'])
    all.unshift((await api.call('createCompany', { body: { name } })).company);
  return all;
}

/** Pending invitations are neither listed nor counted. */
async function members({ api, userId, ...organization }: TestOrganization): Promise<object[]> {
  const { ledger } = organization.openLedger();
  const [owner] = (await api.call('listMembers')).members;
  const nobody = { position: '', responsibility: '', phone: '', avatarImg: '', isDisabled: false };
  const user = { id: userId, email: owner?.user.email };
  expect(owner).toEqual({ id: 1, role: 'OWNER', firstName: 'Tess', lastName: 'Owner', ...nobody, user });
  const all: object[] = [owner!];
  for (const role of ['USER', 'ADMIN', 'OWNER', 'USER'] as const) {
    const email = `member${all.length}@example.com`;
    await inviteMember(ledger, { email: `pending.${email}`, role }, asOwner(ledger));
    all.unshift(await createMember(ledger, { firstName: 'Bo', lastName: '', role, email }));
  }
  return all;
}

test.each<[string, Called, typeof members]>([
  ['companies', 'listCompanies', companies],
  ['members', 'listMembers', members],
])(
  'the %s of an organization are listed newest first, in pages, with exact totals',
  async (key, operation, fill) => {
    const ours = await verifiedOrganization();
    const all = await fill(ours);
    for (const query of [{}, ...everyPage(all, 2)])
      expect(await ours.api.call(operation, { query })).toEqual(pageOfAll(key, all, query));
  },
);
