import * as v from 'valibot';
import { CompanyNote } from '../../contract/companies.ts';
import type { PageQuery } from '../../contract/pagination.ts';
import { type Collection } from '../../ledger/internal/collection.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';
import { notFound } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';
import type { Page } from '../../core/page.ts';

/** The list of the notes about a company. */
const notesView = { index: 'view1' } as const;

export const companies = {
  name: 'COMPANY',
  label: 'company',
  prefix: 'company',
  schema: v.object({ id: v.string(), name: v.string(), noteCount: v.number(), createdAt: v.string() }),
  lists: ({ noteCount }: { noteCount: number }) => [{ of: notes.name, ...notesView, length: noteCount }],
} as const satisfies Collection;

export const notes = {
  name: 'NOTE',
  label: 'note',
  schema: v.object(CompanyNote.entries),
} as const satisfies Collection;

/** A page of the notes about a company, newest first. @throws Failure `notFound` for the company. */
export async function listNotes(
  ledger: Ledger,
  companyId: string,
  query: PageQuery,
): Promise<Page<CompanyNote>> {
  const ref = ledger.ref(companies, companyId);
  const { owner, ...page } = await ledger.owned(ref, notes, notesView, query);
  if (owner === undefined) throw notFound(companies.label);
  return page;
}

/** Creates a company. One transaction. */
export function createCompany(ledger: Ledger, { name }: { name: string }): Promise<{ id: string }> {
  return ledger.write({}, (write) => {
    const { record } = write.append(companies, ({ id }) => ({
      id,
      name,
      noteCount: 0,
      createdAt: write.now,
    }));
    write.event({ event: 'COMPANY_CREATED', data: 'The company was created', referenceId: record.id });
    return { id: record.id };
  });
}

/** Adds a note about a company, by a user. One transaction. @throws Failure `notFound` for the company. */
export function addNote(
  ledger: Ledger,
  companyId: string,
  { value, userId }: Pick<CompanyNote, 'value' | 'userId'>,
): Promise<CompanyNote> {
  const ref = ledger.ref(companies, companyId);
  return ledger.write({ change: { company: ref } }, (write, { company }) => {
    if (company === undefined) throw notFound(companies.label);
    const noteCount = company.noteCount + 1;
    write.replace(ref, merge(company, { noteCount }));
    const { now } = write;
    const { record } = write.append(
      notes,
      ({ number }) => ({ id: number, value, companyId, userId, createdAt: now, updatedAt: now }),
      [{ ...notesView, owner: ref, rank: noteCount }],
    );
    write.event({ event: 'NOTE_CREATED', data: 'A note was added to a company', referenceId: companyId });
    return record;
  });
}
