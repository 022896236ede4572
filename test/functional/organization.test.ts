import { beforeAll, describe, expect, test } from 'vitest';
import { createCategory } from '../../shared/domain/categories/categories.ts';
import {
  listMembersEndpoint,
  listOrganizationServicesEndpoint,
  type Member,
} from '../../shared/contract/organization.ts';
import { createServiceEndpoint, type Service } from '../../shared/contract/services.ts';
import { createMember, inviteMember } from '../../shared/domain/members/members.ts';
import { everyPage, pageOfAll, refusedPages } from '../support/pages.ts';
import { setup, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await setup();
});

/** The first member of every test organization. */
const owner = (userId: string): Member => ({
  id: 1,
  role: 'OWNER',
  firstName: 'Tess',
  lastName: 'Owner',
  position: '',
  responsibility: '',
  avatarImg: '',
  isDisabled: false,
  user: { id: userId, email: 'tess@example.com' },
});

describe('the list of members', () => {
  test('has those with a user account, newest first; pending invitations are neither listed nor counted', async () => {
    const { ours } = await setup();
    const { ledger } = ours.openLedger();
    const all = [owner(ours.userId)];
    await inviteMember(ledger, { email: 'pending@example.com' });
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
      all.unshift({ id, ...person, isDisabled: false, user: { id: user.id, email } });
      await inviteMember(ledger, { email: `pending${at}@example.com`, role });
    }
    const { user } = await createMember(ledger, { firstName: 'Bo', lastName: '', email: 'bo@example.com' });
    all.unshift({
      ...owner(user.id),
      ...{ id: 6, role: 'USER', firstName: 'Bo', lastName: '' },
      user: { id: user.id, email: 'bo@example.com' },
    });
    expect(all.map(({ id }) => id)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(new Set(all.map((member) => member.user.id)).size).toBe(6);

    const { body, cost } = await ours.api.answer(listMembersEndpoint);
    expect(body).toEqual(pageOfAll('members', all));
    expect(cost.calls).toBe(2);
    for (const query of [...everyPage(all, 2), { page: 2 }, { limit: 4 }, { limit: 100 }]) {
      expect(await ours.api.call(listMembersEndpoint, { query })).toEqual(pageOfAll('members', all, query));
    }
  });

  test('has no members of another organization', async () => {
    const { ours, theirs } = await setup();
    const bo = { firstName: 'Bo', lastName: '', email: 'bo@example.com' };
    await createMember(theirs.openLedger().ledger, bo);
    expect(await ours.api.call(listMembersEndpoint)).toEqual(pageOfAll('members', [owner(ours.userId)]));
  });

  test.each(refusedPages)('refuses %s=%s', async (name, value, message) => {
    expect(await world.ours.api.failure(listMembersEndpoint, 400, { query: { [name]: value } })).toEqual({
      status: 400,
      message: `${name} ${message}`,
      details: [{ field: name, message }],
    });
  });
});

describe('the services by category', () => {
  test('are listed for all categories, also empty ones and those of products, by id ascending', async () => {
    const { ours, theirs } = await setup();
    const { ledger } = ours.openLedger();
    for (const name of ['Emergencies', 'Renovations'])
      await createCategory(ledger, { name, type: 'SERVICE' });
    await createCategory(ledger, { name: 'Parts', type: 'PRODUCT' });
    await theirs.api.call(createServiceEndpoint, { body: { name: 'Theirs', tradeCategoryId: 1 } });

    const switchedOff = {
      name: 'Switched off',
      tradeCategoryId: 4,
      description: 'Not now',
      duration: 90,
      followUpQuestions: ['When?', 'Why?'],
      isActive: false,
    };
    const inCategories = [4, 3, 1, 3, 1, 3].map((tradeCategoryId, at) => ({
      name: `Service ${at}`,
      tradeCategoryId,
    }));
    const services: Service[] = [];
    for (const body of [...inCategories, switchedOff]) {
      services.push((await ours.api.call(createServiceEndpoint, { body })).service);
    }
    const listed = (...ids: number[]) =>
      ids.map((id) => {
        const service = services.find((candidate) => candidate.id === id)!;
        const { name, description, duration, followUpQuestions, tradeCategoryId, createdAt, isActive } =
          service;
        return { id, name, description, duration, followUpQuestions, tradeCategoryId, createdAt, isActive };
      });
    const { body, cost } = await ours.api.answer(listOrganizationServicesEndpoint);
    expect(body).toEqual({
      categories: [
        { id: 1, name: 'Services', type: 'SERVICE', services: listed(3, 5) },
        { id: 2, name: 'Products', type: 'PRODUCT', services: [] },
        { id: 3, name: 'Emergencies', type: 'SERVICE', services: listed(2, 4, 6) },
        { id: 4, name: 'Renovations', type: 'SERVICE', services: listed(1, 7) },
        { id: 5, name: 'Parts', type: 'PRODUCT', services: [] },
      ],
      totalCategories: 5,
      totalServices: 7,
    });
    expect(body.categories[3]!.services[1]).toMatchObject(switchedOff);
    expect(cost).toEqual({ calls: 2, readUnits: 1 + 1, writeUnits: 0 });
  });

  test('are empty in a new organization', async () => {
    const { ours } = await setup();
    expect(await ours.api.call(listOrganizationServicesEndpoint)).toEqual({
      categories: [
        { id: 1, name: 'Services', type: 'SERVICE', services: [] },
        { id: 2, name: 'Products', type: 'PRODUCT', services: [] },
      ],
      totalCategories: 2,
      totalServices: 0,
    });
  });
});
