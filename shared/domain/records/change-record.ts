import { isDeepStrictEqual } from 'node:util';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { notFound } from '../../core/failure.ts';
import type { Collection, Ledger, RecordOf, RecordRef, Write } from '../../ledger/index.ts';
import { changedFields } from '../events/changed-fields.ts';
import { recordEvent, type ChangeInput, type EventInput } from '../events/record-event.ts';

/**
 * Replaces a record that the write has read, sets its `updatedAt` if it has one, and appends the event with the names
 * of the changed fields. Stores nothing if nothing changed. Returns the record as stored.
 * @param shown the record as the API shows it, if the API does not show it as it is stored
 */
export function storeChange<C extends Collection>(
  write: Write,
  ref: RecordRef<C>,
  { before, after }: { before: RecordOf<C>; after: RecordOf<C> },
  event: ChangeInput,
  shown: (record: RecordOf<C>) => object = (record) => record,
): RecordOf<C> {
  if (isDeepStrictEqual(after, before)) return before;
  const stored = { ...after, ...('updatedAt' in after && { updatedAt: write.now }) };
  write.replace(ref, stored);
  recordEvent(write, { ...event, fields: changedFields(shown(before), shown(stored)) });
  return stored;
}

/**
 * Changes one record that no other record depends on. One transaction, or none if nothing changes. Returns the record
 * as stored.
 * @throws Failure `notFound`; as `refuseOutdated` and `change` do
 */
export function changeRecord<C extends Collection>(
  ledger: Ledger,
  ref: RecordRef<C>,
  change: (before: RecordOf<C>) => RecordOf<C>,
  { refuseOutdated, ...event }: ChangeInput & ChangeConditions<RecordOf<C>>,
): Promise<RecordOf<C>> {
  return ledger.write({ change: { record: ref } }, (write) => {
    const before = presentIn(write, ref);
    refuseOutdated?.(before);
    return storeChange(write, ref, { before, after: change(before) }, event);
  });
}

/**
 * Deletes one record that no other record depends on. One transaction.
 * @throws Failure `notFound`; as `refuseOutdated` does
 */
export function deleteRecord<C extends Collection>(
  ledger: Ledger,
  ref: RecordRef<C>,
  { refuseOutdated, ...event }: EventInput & ChangeConditions<RecordOf<C>>,
): Promise<void> {
  return ledger.write({ change: { record: ref } }, (write) => {
    refuseOutdated?.(presentIn(write, ref));
    write.remove(ref);
    recordEvent(write, event);
  });
}

/** A record that the write has read. @throws Failure `notFound` */
function presentIn<C extends Collection>(write: Write, ref: RecordRef<C>): RecordOf<C> {
  const record = write.current(ref);
  if (record === undefined) throw notFound(ref.collection.label);
  return record;
}
