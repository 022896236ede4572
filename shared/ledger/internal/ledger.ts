import type { System } from '../../core/system.ts';
import type { Caller } from './caller.ts';
import { LedgerReader } from './ledger-reader.ts';
import type { ReadSet } from './read-set.ts';
import type { TableClient } from './table-client.ts';
import { OptimisticWriter, type Build } from './optimistic-writer.ts';
import type { Write } from './unit-of-work.ts';

/**
 * One organization's ledger, for one caller. Every write is one transaction that advances the organization's
 * head. So the writes of an organization happen one after the other, and each as a whole.
 */
export class Ledger extends LedgerReader {
  readonly #writer: OptimisticWriter;

  constructor(table: TableClient, system: System, caller: Caller) {
    super(table, system, caller);
    this.#writer = new OptimisticWriter(table, system, caller);
  }

  /**
   * Changes the organization in one transaction. `build` gets the records of `readSet` and collects the
   * changes in `write`. Its result is returned once the changes are stored, or at once if there are none. If
   * another writer was faster, `build` runs again on newer records, so it must have no other effects.
   *
   * @throws Failure `notFound`, or as the read set says, for a missing record; `conflict` if a claimed value
   * is taken; `throttled` if a daily count is at its maximum; `unavailable` if the deadline came first, with
   * nothing written; `internal` if the deadline came before a reply
   * @throws NoHead if the organization does not exist
   * @throws OtherForm if the data has another storage format
   * @throws Inconsistent if the stored data contradicts itself
   * @throws Error of `build`, with nothing written
   */
  write<R extends ReadSet, T>(readSet: R, build: Build<R, T>): Promise<T> {
    return this.#writer.write(readSet, build);
  }

  /** Creates the organization by its first write. @throws CodeTaken if another organization has its code */
  found<T>(country: string, build: (write: Write) => T): Promise<T> {
    return this.#writer.found(country, build);
  }
}
