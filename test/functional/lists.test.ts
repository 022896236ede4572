import { expect, test } from 'vitest';
import { createCompanyEndpoint, listCompaniesEndpoint } from '../../shared/contract/companies.ts';
import { listCompanyNotesEndpoint } from '../../shared/contract/company-notes.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { listMembersEndpoint, type Member } from '../../shared/contract/organization.ts';
import { getPolicyEndpoint, listPoliciesEndpoint } from '../../shared/contract/policies.ts';
import { addNote, createCompany } from '../../shared/domain/companies/companies.ts';
import { createMember, inviteMember } from '../../shared/domain/members/members.ts';
import { createPolicy } from '../../shared/domain/policies/policies.ts';
import { everyPage, pageOfAll } from '../support/pages.ts';
import { setup, type TestOrganization } from '../support/world.ts';
import { expectMadeSince } from '../support/made-since.ts';

/* Those of leads and of inquiries have files of their own. */

/** A list with all of its members, newest first. */
interface Filled {
  params?: { companyId: string };
  all: object[];
  /** The list before its first member, in an organization that has others. */
  empty?: { organization: TestOrganization; params?: { companyId: string } };
}

async function policies(ours: TestOrganization, theirs: TestOrganization): Promise<Filled> {
  const [{ ledger }, its] = [ours.openLedger(), theirs.openLedger()];
  await createPolicy(its.ledger, { title: 'Theirs', content: 'Theirs' });
  const all: object[] = [];
  for (let id = 1; id <= 5; id++) {
    const given = { title: `Policy ${id}`, content: `Content\n${id}` };
    const policy = await createPolicy(ledger, id === 2 ? { ...given, isActive: false } : given);
    expect(policy).toEqual({ id, ...given, isActive: id !== 2 });
    expect(await ours.api.call(getPolicyEndpoint, { params: { policyId: id } })).toEqual({ policy });
    all.unshift(policy);
  }
  return { all, empty: { organization: (await setup()).ours } };
}

async function companies(ours: TestOrganization, theirs: TestOrganization): Promise<Filled> {
  await createCompany(theirs.openLedger().ledger, { name: 'Theirs' });
  const all: object[] = [];
  for (let at = 1; at <= 5; at++) {
    // Names are not unique.
    const { company } = await ours.api.call(createCompanyEndpoint, { body: { name: `Company ${at % 3}` } });
    all.unshift(company);
  }
  return { all, empty: { organization: (await setup()).ours } };
}

async function notes(ours: TestOrganization, theirs: TestOrganization): Promise<Filled> {
  const { ledger } = ours.openLedger();
  const [company, another] = [
    await createCompany(ledger, { name: 'Harbour Strata' }),
    await createCompany(ledger, { name: 'Another' }),
  ];
  const its = theirs.openLedger();
  const { id: theirId } = await createCompany(its.ledger, { name: 'Theirs' });
  await addNote(its.ledger, theirId, { value: 'Theirs', userId: theirs.userId });
  const { user } = await createMember(ledger, { firstName: 'Bo', lastName: '', email: 'bo@example.com' });
  const all: object[] = [];
  for (let at = 1; at <= 5; at++) {
    const given = { value: `Note ${at}\nof two lines`, userId: at === 2 ? user.id : ours.userId };
    const began = Date.now();
    const { id, createdAt } = await addNote(ledger, company.id, given);
    expectMadeSince(began, createdAt);
    all.unshift({ id, ...given, companyId: company.id, createdAt, updatedAt: createdAt });
    await addNote(ledger, another.id, { value: 'Of another', userId: ours.userId });
  }
  const { id: companyId } = await createCompany(ledger, { name: 'Empty' });
  return { params: { companyId: company.id }, all, empty: { organization: ours, params: { companyId } } };
}

/** Pending invitations are neither listed nor counted. */
async function members(ours: TestOrganization, theirs: TestOrganization): Promise<Filled> {
  const { ledger } = ours.openLedger();
  const nobody = { position: '', responsibility: '', avatarImg: '', isDisabled: false };
  const all: Member[] = [
    {
      ...{ id: 1, role: 'OWNER', firstName: 'Tess', lastName: 'Owner', ...nobody },
      user: { id: ours.userId, email: 'tess@example.com' },
    },
  ];
  await inviteMember(ledger, { email: 'pending@example.com' });
  for (const [at, role] of (['USER', 'ADMIN', 'OWNER', 'USER'] as const).entries()) {
    const person = {
      ...{ role, firstName: `First ${at}`, lastName: `Last ${at}`, position: `Position ${at}` },
      ...{ responsibility: `Responsibility ${at}`, avatarImg: `https://example.com/${at}.png` },
    };
    const email = `member${at}@example.com`;
    const { id, user } = await createMember(ledger, { ...person, email });
    all.unshift({ id, ...person, isDisabled: false, user: { id: user.id, email } });
    await inviteMember(ledger, { email: `pending${at}@example.com`, role });
  }
  const bo = { firstName: 'Bo', lastName: '' };
  const email = 'bo@example.com';
  const { user } = await createMember(ledger, { ...bo, email });
  all.unshift({ id: 6, role: 'USER', ...bo, ...nobody, user: { id: user.id, email } });
  await createMember(theirs.openLedger().ledger, { ...bo, email: 'theirs@example.com' });
  expect(new Set(all.map((member) => member.user.id)).size).toBe(6);
  return { all };
}

test.each<[string, Endpoint, typeof notes]>([
  ['policies', listPoliciesEndpoint, policies],
  ['companies', listCompaniesEndpoint, companies],
  ['notes', listCompanyNotesEndpoint, notes],
  ['members', listMembersEndpoint, members],
])(
  'the %s of an organization are listed newest first, in pages, with exact totals',
  async (key, endpoint, fill) => {
    const { ours, theirs } = await setup();
    const { api } = ours;
    const { params = {}, all, empty } = await fill(ours, theirs);
    expect(await api.call(endpoint, { params })).toEqual(pageOfAll(key, all));
    for (const query of [...everyPage(all, 2), { page: 2 }, { limit: 3 }, { limit: 100 }])
      expect(await api.call(endpoint, { params, query })).toEqual(pageOfAll(key, all, query));
    if (!empty) return;
    const none = await empty.organization.api.call(endpoint, { params: empty.params ?? {} });
    expect(none).toEqual(pageOfAll(key, []));
  },
);
