import { describe, expect, test } from 'vitest';
import type { NewCompany } from '../../shared/contract/companies.ts';
import { companies } from '../../shared/domain/companies/companies.ts';
import { events } from '../../shared/ledger/index.ts';
import { verifiedOrganization } from '../support/test-organization.ts';
import { notPhone } from '../support/not-phone.ts';

/* `numbered-records.test.ts` has what notes and other records have in common, `lists.test.ts` the lists. */

const ours = await verifiedOrganization();
const { api } = ours;

const bayview = {
  name: 'Bayview Strata',
  phone: '+61491570158',
  email: 'office@bayview.example',
  website: 'https://bayview.example',
  address: '12 Bay Street\nGlebe NSW 2037',
};

const make = async (body: NewCompany = bayview, of = ours) =>
  (await of.api.call('createCompany', { body })).company;
const read = async (companyId: string) => (await api.call('getCompany', { params: { companyId } })).company;
const change = async (companyId: string, body: object) =>
  (await api.call('updateCompany', { params: { companyId }, body })).company;
const addNote = async (companyId: string, value: string) =>
  (await api.call('createCompanyNote', { params: { companyId }, body: { value } })).note;
const remove = (companyId: string, of = ours) => of.api.call('deleteCompany', { params: { companyId } });
/** The newest events of an organization, newest first. */
const history = async (limit: number, of = ours) =>
  (await of.openLedger().ledger.page(events, { page: 1, limit })).items.map(
    ({ event, referenceId }) => `${event} ${referenceId}`,
  );

const done = { message: 'Company deleted successfully', done: true };

describe('a company', () => {
  test('is made of what is given, has a national number in E.164, and empty texts for the rest', async () => {
    const given = {
      ...bayview,
      name: ' Bayview Strata\t',
      phone: '0491 570 158',
      email: ` ${bayview.email} `,
    };
    const made = await make(given);
    const { id, createdAt } = made;
    expect(made).toEqual({ id, ...bayview, createdAt, updatedAt: createdAt });
    expect(await read(id)).toEqual(made);
    const none = { phone: '', email: '', website: '', address: '' };
    expect(await make({ name: 'Bayview Strata' })).toMatchObject({ name: 'Bayview Strata', ...none });
    expect(await make({ ...none, name: 'Bayview Strata' })).toMatchObject(none);
  });

  test('may be as large as its contract says', async () => {
    const longest = '€'.repeat(500);
    const email = `${'x'.repeat(64)}@${`${'x'.repeat(60)}.`.repeat(3)}org.au`;
    const largest = { name: '€'.repeat(150), email, website: longest, address: longest };
    const made = await make(largest);
    expect(made).toMatchObject(largest);
    expect(await read(made.id)).toEqual(made);
  });

  test.each([
    { phone: '+64211234567', email: '' },
    { website: 'bayview.example', address: '' },
  ])('is changed by %j, and keeps the rest', async (changes) => {
    const [before, other] = [await make(), await make()];
    const after = await change(before.id, changes);
    expect(after).toEqual({ ...before, ...changes, updatedAt: after.updatedAt });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    expect(await read(before.id)).toEqual(after);
    expect(await read(other.id)).toEqual(other);
    expect(await history(1)).toEqual([`COMPANY_UPDATED ${before.id}`]);
  });

  test('stays as it is, at no cost, where nothing else is sent back', async () => {
    const before = await make();
    for (const body of [{}, before, { phone: '0491 570 158' }, { id: before.id, updatedAt: 0 }]) {
      const parts = { params: { companyId: before.id }, body };
      const { body: answer, cost } = await api.answer('updateCompany', parts);
      expect(answer).toEqual({ company: before });
      expect(cost.writeUnits).toBe(0);
    }
    const { id, createdAt, updatedAt } = await make(before);
    expect(await read(id)).toEqual({ ...before, id, createdAt, updatedAt });
  });

  test('keeps a number that has become invalid, until another is given', async () => {
    const { ledger } = ours.openLedger();
    const { id } = await make();
    const ref = ledger.ref(companies, id);
    const phone = '+612937440001234';
    await ledger.write({ change: { company: ref } }, (write, { company }) => {
      write.replace(ref, { ...company, phone });
      write.event({ event: 'TEST', data: 'A test.', referenceId: id });
    });
    expect(await change(id, { phone, address: '' })).toMatchObject({ phone, address: '' });
  });

  test.each([
    [`phone ${notPhone}`, '12345'],
    ['phone must be a phone number without an extension', '+61 2 9374 4000 ext 5'],
    ['email must be an email address', 'office'],
    [
      'website must be a link that begins with https:// or http://, or a name without a scheme, such as @joe',
      'data:,x',
    ],
  ])('is refused where %s: %j', async (problem, value) => {
    const { id } = await make();
    const body = { name: 'Never', [problem.split(' ')[0]!]: value };
    await api.refuses('createCompany', { body }, problem);
    await api.refuses('updateCompany', { params: { companyId: id }, body }, problem);
    expect((await read(id)).name).toBe(bayview.name);
  });
});

describe('a note', () => {
  const ofCompany = [
    ['getCompany', {}],
    ['deleteCompany', {}],
    ['listCompanyNotes', {}],
    ['updateCompany', { body: {} }],
    ['createCompanyNote', { body: { value: 'Late' } }],
  ] as const;
  const ofNote = [
    ['getCompanyNote', {}],
    ['updateCompanyNote', { body: { value: 'New' } }],
    ['deleteCompanyNote', {}],
  ] as const;

  test('is unknown at another company, whoever wrote it, and stays as it is', async () => {
    const [company, other] = [await make(), await make()];
    const note = await addNote(company.id, 'Quotes by email');
    expect(note).toMatchObject({ companyId: company.id, userId: ours.userId });
    for (const [operation, parts] of ofNote)
      await api.lacks(operation, { ...parts, params: { companyId: other.id, noteId: note.id } }, 'note');
    const params = { companyId: company.id, noteId: note.id };
    expect(await api.call('getCompanyNote', { params })).toEqual({ note });
  });

  test('does not change its company when it is added, changed or deleted', async () => {
    const company = await make();
    const { id: noteId } = await addNote(company.id, 'Quotes by email');
    const params = { companyId: company.id, noteId };
    await api.call('updateCompanyNote', { params, body: { value: 'No quotes' } });
    await api.call('deleteCompanyNote', { params });
    expect(await read(company.id)).toEqual(company);
  });

  test('is gone with its company, at once', async () => {
    const [company, other] = [await make(), await make()];
    const note = await addNote(company.id, 'Quotes by email');
    const kept = await addNote(other.id, 'Quotes by post');
    const before = (await api.call('listCompanies')).totalCount;
    expect(await remove(company.id)).toEqual(done);
    expect(await history(2)).toEqual([`NOTES_DELETED ${company.id}`, `COMPANY_DELETED ${company.id}`]);
    expect((await api.call('listCompanies')).totalCount).toBe(before - 1);
    const params = { companyId: company.id, noteId: note.id };
    for (const [operation, parts] of [...ofCompany, ...ofNote])
      await api.lacks(operation, { ...parts, params }, 'company');
    const ofOther = await api.call('listCompanyNotes', { params: { companyId: other.id } });
    expect(ofOther).toMatchObject({ notes: [kept], totalCount: 1 });
  });
});
