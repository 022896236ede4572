import type { Page, PageQuery } from '../../core/page.ts';
import type { Collection, Ledger, ListKind, RecordOf } from '../../ledger/index.ts';

/** Name of the list with the records that are in use, or with the others. */
export const stateName = (isActive: boolean) => (isActive ? 'active' : 'inactive');

/** Kind of list for records that are in use or not. */
export const byState = {
  of: ({ isActive }: { isActive: boolean }) => ({ name: stateName(isActive) }),
  // Keeps the lists' states out of the head, which every write stores.
  hasManyNames: true,
} as const satisfies ListKind<{ isActive: boolean }>;

/** Page of a collection, newest first: all records, or only records with this `isActive`. */
export function pageByState<C extends Collection & { lists: { state: ListKind } }>(
  ledger: Ledger,
  collection: C,
  { isActive, ...page }: PageQuery & { isActive?: boolean | undefined },
): Promise<Page<RecordOf<C>>> {
  if (isActive === undefined) return ledger.page(collection, page);
  return ledger.list(collection, 'state', stateName(isActive), page);
}
