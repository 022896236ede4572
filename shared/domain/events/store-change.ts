import { isDeepStrictEqual } from 'node:util';
import type { Collection, RecordOf, RecordRef, Write } from '../../ledger/index.ts';
import { tell, type Happening } from './tell.ts';

/**
 * The part of a write that replaces a record it has read, sets its `updatedAt` if it has one, and appends the
 * event. Stores nothing if nothing changed. Returns the record as stored.
 */
export function storeChange<C extends Collection>(
  write: Write,
  ref: RecordRef<C>,
  { before, after }: { before: RecordOf<C>; after: RecordOf<C> },
  happening: Happening,
): RecordOf<C> {
  if (isDeepStrictEqual(after, before)) return before;
  const stored = { ...after, ...('updatedAt' in after && { updatedAt: write.now }) };
  write.replace(ref, stored);
  tell(write, happening);
  return stored;
}
