import { isDeepStrictEqual } from 'node:util';
import type { Collection, RecordOf, RecordRef, Write } from '../../ledger/index.ts';
import { recordEvent, type EventInput } from './record-event.ts';

/**
 * Replaces a record that the write has read, sets its `updatedAt` if it has one, and appends the event.
 * Stores nothing if nothing changed. Returns the record as stored.
 */
export function storeChange<C extends Collection>(
  write: Write,
  ref: RecordRef<C>,
  { before, after }: { before: RecordOf<C>; after: RecordOf<C> },
  event: EventInput,
): RecordOf<C> {
  if (isDeepStrictEqual(after, before)) return before;
  const stored = { ...after, ...('updatedAt' in after && { updatedAt: write.now }) };
  write.replace(ref, stored);
  recordEvent(write, event);
  return stored;
}
