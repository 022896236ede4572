import * as v from 'valibot';
import { companyLabel, CompanyNote } from '../../contract/companies.ts';
import type { PageQuery } from '../../contract/pagination.ts';
import { notFound } from '../../core/failure.ts';
import type { Page } from '../../core/page.ts';
import type { Collection, Ledger } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';

export const companies = {
  name: 'COMPANY',
  label: companyLabel,
  prefix: 'company',
  schema: v.object({ id: v.string(), name: v.string(), createdAt: v.string() }),
} as const satisfies Collection;

export const notes = {
  name: 'NOTE',
  label: 'note',
  schema: v.object(CompanyNote.entries),
  lists: {
    company: {
      of: ({ companyId }: Pick<CompanyNote, 'companyId'>) => ({
        owner: { collection: companies, id: companyId },
      }),
    },
  },
} as const satisfies Collection;

/** Page of the notes about a company, newest first. @throws Failure `notFound` for the company. */
export async function listNotes(
  ledger: Ledger,
  companyId: string,
  query: PageQuery,
): Promise<Page<CompanyNote>> {
  const ref = ledger.ref(companies, companyId);
  const { owner, ...page } = await ledger.ownedList(ref, notes, 'company', query);
  if (owner === undefined) throw notFound(companies.label);
  return page;
}

/** Creates a company. One transaction. */
export function createCompany(ledger: Ledger, { name }: { name: string }): Promise<{ id: string }> {
  return ledger.write({}, (write) => {
    const { record } = write.append(companies, ({ id }) => ({
      id,
      name,
      createdAt: write.now,
    }));
    recordEvent(write, { event: 'COMPANY_CREATED', about: record.id });
    return { id: record.id };
  });
}

/** Adds a user's note about a company. One transaction. @throws Failure `notFound` for the company. */
export function addNote(
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
    recordEvent(write, { event: 'NOTE_CREATED', about: companyId });
    return record;
  });
}
