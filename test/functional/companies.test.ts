import { beforeAll, describe, expect, test } from 'vitest';
import { addNote, createCompany } from '../../shared/domain/companies/companies.ts';
import { listCompanyNotesEndpoint, type CompanyNote } from '../../shared/contract/companies.ts';
import { createMember } from '../../shared/domain/members/members.ts';
import { everyPage, pageOfAll, refusedPages } from '../support/pages.ts';
import { setup, type World } from '../support/world.ts';

let world: World;
let companyId: string;
beforeAll(async () => {
  world = await setup();
  ({ id: companyId } = await createCompany(world.ours.openLedger().ledger, { name: 'Strata 12' }));
});

describe("a company's notes", () => {
  test('are listed newest first, without those of another company', async () => {
    const { api, userId } = world.ours;
    const { ledger } = world.ours.openLedger();
    const [{ id }, { id: other }] = [
      await createCompany(ledger, { name: 'Harbour Strata' }),
      await createCompany(ledger, { name: 'Another' }),
    ];
    const { user } = await createMember(ledger, { firstName: 'Bo', lastName: '', email: 'bo@example.com' });
    const all: CompanyNote[] = [];
    for (let at = 1; at <= 5; at++) {
      const author = at === 2 ? user.id : userId;
      const value = `Note ${at}\nof two lines`;
      const note = await addNote(ledger, id, { value, userId: author });
      await addNote(ledger, other, { value: 'Of another', userId });
      const { createdAt } = note;
      all.unshift({ id: note.id, value, companyId: id, userId: author, createdAt, updatedAt: createdAt });
      expect(Math.abs(Date.parse(createdAt) - Date.now())).toBeLessThan(60_000);
    }
    expect(new Set(all.map((note) => note.id)).size).toBe(5);

    const params = { companyId: id };
    const { body, cost } = await api.answer(listCompanyNotesEndpoint, { params });
    expect(body).toEqual(pageOfAll('notes', all));
    // Reads the company, and the page from an index.
    expect(cost).toEqual({ calls: 2, readUnits: 1 + 0.5, writeUnits: 0 });
    for (const query of [...everyPage(all, 2), { page: 2 }, { limit: 3 }, { limit: 100 }]) {
      expect(await api.call(listCompanyNotesEndpoint, { params, query })).toEqual(
        pageOfAll('notes', all, query),
      );
    }
    const { notes, ...totals } = await api.call(listCompanyNotesEndpoint, { params: { companyId: other } });
    expect(new Set(notes.map(({ value, companyId }) => `${companyId} ${value}`))).toEqual(
      new Set([`${other} Of another`]),
    );
    expect(totals).toEqual({ totalPages: 1, currentPage: 1, totalCount: 5 });
  });

  test('are none, with no pages, before the first', async () => {
    const { body, cost } = await world.ours.api.answer(listCompanyNotesEndpoint, { params: { companyId } });
    expect(body).toEqual(pageOfAll('notes', []));
    expect(cost.calls).toBe(2);
  });

  test.each(refusedPages)('refuse %s=%s', async (name, value, message) => {
    const query = { [name]: value };
    expect(
      await world.ours.api.failure(listCompanyNotesEndpoint, 400, { params: { companyId }, query }),
    ).toEqual({
      status: 400,
      message: `${name} ${message}`,
      details: [{ field: name, message }],
    });
  });

  test('are 404 for an unknown company', async () => {
    for (const unknown of [
      'nonsense',
      'company_',
      '1',
      `${companyId}0`,
      companyId.toLowerCase(),
      companyId.replace('company_', 'lead_'),
      companyId.replace(/.$/, 'Z'),
    ]) {
      expect(
        await world.ours.api.failure(listCompanyNotesEndpoint, 404, { params: { companyId: unknown } }),
      ).toEqual({ status: 404, message: 'There is no such company' });
    }
  });

  test('are never shown to another organization', async () => {
    const { ours, theirs } = await setup();
    const [ledger, theirLedger] = [ours.openLedger().ledger, theirs.openLedger().ledger];
    const { id } = await createCompany(ledger, { name: 'Ours' });
    const { id: other } = await createCompany(theirLedger, { name: 'Theirs' });
    await addNote(ledger, id, { value: 'Ours', userId: ours.userId });
    await addNote(theirLedger, other, { value: 'Theirs', userId: theirs.userId });
    // Both organizations have a company with this number.
    expect(id.slice(-8)).toBe(other.slice(-8));

    expect(await theirs.api.failure(listCompanyNotesEndpoint, 404, { params: { companyId: id } })).toEqual(
      await theirs.api.failure(listCompanyNotesEndpoint, 404, {
        params: { companyId: other.replace(/.$/, 'Z') },
      }),
    );
    const { notes } = await theirs.api.call(listCompanyNotesEndpoint, { params: { companyId: other } });
    expect(notes.map(({ value }) => value)).toEqual(['Theirs']);
  });
});
