import type { Company } from '../../contract/companies.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { notFound } from '../../core/failure.ts';
import type { Ledger, RecordRef } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { readRemovedOwner, runSteps } from '../removal/removal-steps.ts';
import { companies, notes } from './companies.ts';

/**
 * Number of notes that one transaction deletes. DynamoDB allows a hundred items. A note takes three: itself, and the
 * buckets of its holes in the list of all notes and in the company's list. The other five are the head, the item that
 * the company's removal left, the event, and the counts of both lists.
 */
const maxNotes = Math.floor((100 - 5) / 3);

/**
 * Deletes a company, unless it was deleted before, then its notes, step by step: see `runSteps`. If two deletions run
 * at once, only one removes each record.
 *
 * @returns true if everything is gone; false if the request has run all its steps or out of time
 * @throws Failure `notFound` if neither the company nor a note of it exists; as `refuseOutdated` does, if the company
 * exists
 * @throws Failure `unavailable` if nothing was stored before time ran out
 */
export async function deleteCompany(
  ledger: Ledger,
  companyId: string,
  conditions: ChangeConditions<Company> = {},
): Promise<boolean> {
  const ref = ledger.ref(companies, companyId);
  const found = await removeLive(ledger, ref, companyId, conditions);
  if (found === 'alone') return true;
  return runSteps(() => deleteNotes(ledger, ref, companyId), { hasStored: found === 'with notes' });
}

type CompanyRef = RecordRef<typeof companies>;

/**
 * Removes the company, if it exists. 'alone' means that it had no notes; 'gone', that it was removed before and has
 * left notes.
 */
function removeLive(
  ledger: Ledger,
  ref: CompanyRef,
  companyId: string,
  { refuseOutdated }: ChangeConditions<Company>,
): Promise<'alone' | 'with notes' | 'gone'> {
  const company = { ref, mayBeAbsent: true, mayStayUnchanged: true } as const;
  return ledger.write({ change: { company } }, async (write, read) => {
    if (!read.company) {
      if (!write.hasExisted(ref) || !(await write.readFormer(ref))) throw notFound(companies.label);
      return 'gone';
    }
    refuseOutdated?.(read.company);
    const hasNotes = write.membersOf(ref, notes, 'company') > 0;
    write.remove(ref);
    recordEvent(write, { event: 'COMPANY_DELETED', about: companyId });
    return hasNotes ? 'with notes' : 'alone';
  });
}

/**
 * Deletes the newest notes of a removed company. Returns true if no note is left then. Plain reads list the notes:
 * nobody can add a note, and the transaction checks the notes that it deletes.
 */
async function deleteNotes(ledger: Ledger, ref: CompanyRef, companyId: string): Promise<boolean> {
  const page = { page: 1, limit: maxNotes };
  const { items, totalCount } = await ledger.ownedList(ref, notes, 'company', page);
  if (totalCount === 0) return true;
  const refs = items.map(({ id }) => ledger.ref(notes, id));
  await ledger.write({}, async (write) => {
    const [, ...found] = await Promise.all([
      readRemovedOwner(write, ref),
      ...refs.map((note) => write.read(note, { mayStayUnchanged: true })),
    ]);
    const there = refs.filter((_, at) => found[at] !== undefined);
    // Another deletion was faster.
    if (there.length === 0) return;
    for (const note of there) write.remove(note);
    recordEvent(write, { event: 'NOTES_DELETED', about: companyId });
  });
  return items.length === totalCount;
}
