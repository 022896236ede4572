import {
  addNote as storeNote,
  createCompany as storeCompany,
} from '../../../../shared/domain/companies/companies.ts';
import { createMember as storeMember } from '../../../../shared/domain/members/members.ts';
import { createPolicy as storePolicy } from '../../../../shared/domain/policies/policies.ts';
import type { Change } from '../model/change.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { notFound, Refused } from '../model/refusal.ts';
import { someIfMatch } from '../conditions.ts';
import { checkPage } from '../pages.ts';
import { once, type Plan, type WeightedPlan } from '../plan.ts';
import { asQuery, someNumber, somePage, type Planner } from '../planner.ts';
import { same, type Fields } from '../same.ts';
import { listOf } from './leads.ts';

export function createCompany({ draw, organization }: Planner): Plan {
  const name = `Company ${draw.whole(1, 99)}`;
  return {
    operation: 'createCompany',
    organization,
    call: { verb: (ledger) => storeCompany(ledger, { name }) },
    stages: once((change) => {
      const id = organization.idOf('COMPANY', change.next('COMPANY'));
      change.append('COMPANY', () => ({ id, name, createdAt: change.now }));
      change.event('COMPANY_CREATED', 'The company was created', id);
      return { id };
    }),
  };
}

/** List of a company's notes. */
const notesOf = (organization: OrganizationModel, company: number) =>
  organization.partitionOf('gsi1', 'NOTE', { owner: ['COMPANY', company] });

export function addNote(planner: Planner): Plan {
  const { draw, organization } = planner;
  const company = someNumber(planner, 'COMPANY');
  const companyId = organization.idOf('COMPANY', company);
  const note = { value: `Note ${draw.whole(1, 999)}`, userId: organization.ownerId };
  return {
    operation: 'addNote',
    organization,
    call: { verb: (ledger) => storeNote(ledger, companyId, note) },
    stages: once((change) => {
      if (!change.get('COMPANY', company)) throw new Refused(notFound('company'));
      const stamps = { createdAt: change.now, updatedAt: change.now };
      const stored = change.append('NOTE', (id) => ({ id, ...note, companyId, ...stamps }), [
        ['gsi1', notesOf(organization, company)],
      ]);
      change.event('NOTE_CREATED', 'A note was added to a company', companyId);
      return stored;
    }),
    refusals: (window) => (window.canMiss('COMPANY', company) ? [notFound('company')] : []),
  };
}

export function listCompanyNotes(planner: Planner): Plan {
  const { organization } = planner;
  const number = someNumber(planner, 'COMPANY');
  const list = organization.list(notesOf(organization, number));
  const query = somePage(planner, list.count);
  return {
    operation: 'listCompanyNotes',
    organization,
    call: {
      endpoint: 'listCompanyNotes',
      params: { companyId: organization.idOf('COMPANY', number) },
      query: asQuery(query),
    },
    check: (body, window) => {
      const states = window.statesByOwner(list);
      const rule = { list, states, collection: 'NOTE', key: 'notes', query, fromIndex: true };
      checkPage(body, window, { ...rule, numberOf: Number, shown: (note) => note });
    },
    refusals: (window) => (window.canMiss('COMPANY', number) ? [notFound('company')] : []),
  };
}

/** A member as the API shows it. */
const shownMember = ({ userId, email, ...member }: Fields): Fields => ({
  ...member,
  user: { id: userId, email },
});

export const listMembers = (planner: Planner) =>
  listOf(planner, 'listMembers', { collection: 'MEMBER', key: 'members', shown: shownMember });

/** Adds a member and returns it as stored. */
export function addMember(change: Change, person: Fields): Fields {
  const presets = { role: 'USER', position: '', responsibility: '', avatarImg: '', isDisabled: false };
  return change.append('MEMBER', (id) => ({
    ...presets,
    id,
    ...person,
    userId: change.organization.userId(id),
  }));
}

export function createMember({ draw, organization }: Planner): Plan {
  const person = { firstName: 'Max', lastName: 'Tran', email: `max${draw.whole(1, 99)}@example.com` };
  return {
    operation: 'createMember',
    organization,
    call: { verb: (ledger) => storeMember(ledger, person) },
    stages: once((change) => {
      const member = addMember(change, person);
      change.event('MEMBER_ADDED', 'A member was added', member['userId'] as string);
      return shownMember(member);
    }),
  };
}

export function createPolicy({ draw, organization }: Planner): Plan {
  const input = { title: `Policy ${draw.whole(1, 99)}`, content: 'Free until a day before.' };
  return {
    operation: 'createPolicy',
    organization,
    call: { verb: (ledger) => storePolicy(ledger, input) },
    stages: once((change) => {
      const policy = change.append('POLICY', (id) => ({ id, ...input, isActive: true }));
      change.event('POLICY_CREATED', 'The policy was created', policy['id'] as number);
      return policy;
    }),
  };
}

export function updatePolicy(planner: Planner): Plan {
  const { draw, organization } = planner;
  const number = someNumber(planner, 'POLICY');
  const { headers, tags } = someIfMatch(planner, 'policy', number);
  const changes: Fields = draw.pick<Fields>([
    {},
    { isActive: draw.happens(0.5) },
    { content: `Version ${draw.whole(1, 30)}` },
    { title: 'Cancelling', content: 'Never' },
  ]);
  return {
    operation: 'updatePolicy',
    organization,
    call: {
      endpoint: 'updatePolicy',
      params: { policyId: String(number) },
      body: JSON.stringify(changes),
      headers,
    },
    stages: once((change) => {
      const before = change.get('POLICY', number);
      if (!before) throw new Refused(notFound('policy'));
      tags.check(before);
      const after = { ...before, ...changes };
      if (same(before, after)) throw new Refused({ status: 200, message: 'nothing changes' });
      const policy = change.replace('POLICY', number, after);
      change.event('POLICY_UPDATED', 'The policy was changed', number);
      return { policy };
    }),
    refusals: (window) => [
      ...(window.canMiss('POLICY', number) ? [notFound('policy')] : []),
      ...tags.refusalsOf(window.present('POLICY', number)),
    ],
    unchanged: (window) =>
      window
        .present('POLICY', number)
        .filter((before) => tags.fits(before))
        .filter((before) => same(before, { ...before, ...changes }))
        .map((policy) => ({ policy })),
  };
}

export function createFaq({ draw, organization }: Planner): Plan {
  const input = { question: `Question ${draw.whole(1, 99)}?`, answer: 'Emergencies only.' };
  return {
    operation: 'createFaq',
    organization,
    call: { endpoint: 'createFaq', body: JSON.stringify(input) },
    stages: once((change) => {
      const faq = change.append('FAQ', (id) => ({ id, ...input, isActive: true }));
      change.event('FAQ_CREATED', 'The FAQ was created', faq['id'] as number);
      return { faq };
    }),
  };
}

export const plans: readonly WeightedPlan[] = [
  [addNote, 3],
  [createCompany, 1],
  [createFaq, 1],
  [createMember, 0.5],
  [createPolicy, 1.5],
  [listCompanyNotes, 3],
  [listMembers, 2],
  [updatePolicy, 4],
];
