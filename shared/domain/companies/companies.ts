import * as v from 'valibot';
import { Company, companyLabel, type CompanyChanges, type NewCompany } from '../../contract/companies.ts';
import { CompanyNote, noteLabel, type CompanyNoteChanges } from '../../contract/company-notes.ts';
import type { PageQuery } from '../../contract/pagination.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { notFound } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';
import type { Page } from '../../core/page.ts';
import type { Collection, Ledger } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { changedToE164, toE164 } from '../phone/phone-number.ts';
import { storeChange } from '../records/change-record.ts';

export const companies = {
  name: 'COMPANY',
  label: companyLabel,
  prefix: 'company',
  schema: v.object(Company.entries),
} as const satisfies Collection;

export const notes = {
  name: 'NOTE',
  label: noteLabel,
  schema: v.object(CompanyNote.entries),
  lists: {
    company: {
      of: ({ companyId }: Pick<CompanyNote, 'companyId'>) => ({
        owner: { collection: companies, id: companyId },
      }),
    },
  },
} as const satisfies Collection;

/** Page of the organization's companies, newest first. */
export function listCompanies(ledger: Ledger, query: PageQuery): Promise<Page<Company>> {
  return ledger.page(companies, query);
}

/** One company. One round trip. @throws Failure `notFound` */
export function getCompany(ledger: Ledger, companyId: string): Promise<Company> {
  return ledger.get(ledger.ref(companies, companyId));
}

/** Creates a company. One transaction. @throws Failure `invalid` for the phone number */
export function createCompany(
  ledger: Ledger,
  { name, phone = '', email = '', website = '', address = '' }: NewCompany,
): Promise<Company> {
  return ledger.write({}, async (write) => {
    const number = phone && (await toE164(phone, write.country));
    const { record } = write.append(companies, ({ id }) => ({
      id,
      name,
      phone: number,
      email,
      website,
      address,
      createdAt: write.now,
      updatedAt: write.now,
    }));
    recordEvent(write, { event: 'COMPANY_CREATED', about: record.id });
    return record;
  });
}

/**
 * Changes a company. One transaction, or none if nothing changes.
 * @throws Failure `notFound`; as `refuseOutdated` does; `invalid` for the phone number
 */
export function updateCompany(
  ledger: Ledger,
  companyId: string,
  { phone, ...changes }: CompanyChanges,
  { refuseOutdated }: ChangeConditions<Company> = {},
): Promise<Company> {
  const ref = ledger.ref(companies, companyId);
  return ledger.write({ change: { company: ref } }, async (write, { company }) => {
    refuseOutdated?.(company);
    const number = await changedToE164(phone, company.phone, write.country);
    const after = merge(company, { ...changes, phone: number });
    return storeChange(
      write,
      ref,
      { before: company, after },
      { event: 'COMPANY_UPDATED', about: companyId },
    );
  });
}

/** Page of the notes about a company, newest first. @throws Failure `notFound` for the company. */
export async function listCompanyNotes(
  ledger: Ledger,
  companyId: string,
  query: PageQuery,
): Promise<Page<CompanyNote>> {
  const ref = ledger.ref(companies, companyId);
  const { owner, ...page } = await ledger.ownedList(ref, notes, 'company', query);
  if (owner === undefined) throw notFound(companies.label);
  return page;
}

/** Names one note, by its company. */
export type NoteName = Pick<CompanyNote, 'companyId'> & { noteId: number };

/** One note. Two round trips. @throws Failure `notFound` for the company or the note */
export async function getCompanyNote(ledger: Ledger, { companyId, noteId }: NoteName): Promise<CompanyNote> {
  await ledger.get(ledger.ref(companies, companyId));
  return ofCompany(await ledger.get(ledger.ref(notes, noteId)), companyId);
}

/** Adds a user's note about a company. One transaction. @throws Failure `notFound` for the company. */
export function createCompanyNote(
  ledger: Ledger,
  companyId: string,
  { value, userId }: Pick<CompanyNote, 'value' | 'userId'>,
): Promise<CompanyNote> {
  const ref = ledger.ref(companies, companyId);
  return ledger.write({ change: { company: ref } }, (write) => {
    const { now } = write;
    const { record } = write.append(notes, ({ number }) => ({
      id: number,
      value,
      companyId,
      userId,
      createdAt: now,
      updatedAt: now,
    }));
    recordEvent(write, { event: 'NOTE_CREATED', about: record.id });
    return record;
  });
}

/**
 * Changes a note. One transaction, or none if nothing changes.
 * @throws Failure `notFound` for the company or the note; as `refuseOutdated` does
 */
export function updateCompanyNote(
  ledger: Ledger,
  { companyId, noteId }: NoteName,
  changes: CompanyNoteChanges,
  { refuseOutdated }: ChangeConditions<CompanyNote> = {},
): Promise<CompanyNote> {
  const company = ledger.ref(companies, companyId);
  const ref = ledger.ref(notes, noteId);
  // The note stays in the list of its company, so the company is only checked: its deletion may be under way.
  return ledger.write({ check: { company }, change: { note: ref } }, (write, { note }) => {
    const before = ofCompany(note, companyId);
    refuseOutdated?.(before);
    const after = merge(before, changes);
    return storeChange(write, ref, { before, after }, { event: 'NOTE_UPDATED', about: noteId });
  });
}

/**
 * Deletes a note. One transaction.
 * @throws Failure `notFound` for the company or the note; as `refuseOutdated` does
 */
export async function deleteCompanyNote(
  ledger: Ledger,
  { companyId, noteId }: NoteName,
  { refuseOutdated }: ChangeConditions<CompanyNote> = {},
): Promise<void> {
  const company = ledger.ref(companies, companyId);
  const ref = ledger.ref(notes, noteId);
  await ledger.write({ change: { company, note: ref } }, (write, { note }) => {
    refuseOutdated?.(ofCompany(note, companyId));
    write.remove(ref);
    recordEvent(write, { event: 'NOTE_DELETED', about: noteId });
  });
}

/** @throws Failure `notFound` for a note about another company */
function ofCompany(note: CompanyNote, companyId: string): CompanyNote {
  if (note.companyId !== companyId) throw notFound(notes.label);
  return note;
}
