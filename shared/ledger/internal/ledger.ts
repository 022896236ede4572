import type { System } from '../../core/system.ts';
import type { Caller } from './caller.ts';
import { LedgerReader } from './ledger-reader.ts';
import type { ReadSet } from './read-set.ts';
import type { TableClient } from './table-client.ts';
import type { Write } from './write.ts';
import { OptimisticWriter, type Build } from './optimistic-writer.ts';

/**
 * One organization's ledger, as one caller may use it. Every write is one transaction that advances the
 * organization's head, so writes of one organization happen one after the other and never in part.
 */
export class Ledger extends LedgerReader {
  readonly #writer: OptimisticWriter;

  constructor(table: TableClient, system: System, caller: Caller) {
    super(table, system, caller);
    this.#writer = new OptimisticWriter(table, system, caller);
  }

  /**
   * Changes the organization in one transaction. `build` gets the records of `reading`, collects the change
   * in `write`, and its result is returned once the change is stored, or at once if there is none. It runs
   * again on newer records if another writer was faster, so it must have no other effects.
   *
   * @throws Failure `notFound`, or as the reading says, for a missing record; `conflict` if a claimed value
   * is taken; `unavailable` if the deadline came first, with nothing written; `internal` if the deadline came
   * before a reply; whatever `build` throws, with nothing written
   */
  write<R extends ReadSet, T>(reading: R, build: Build<R, T>): Promise<T> {
    return this.#writer.write(reading, build);
  }

  /** Founds the organization: its first write. @throws CodeTaken when its code is another organization's. */
  found<T>(country: string, build: (write: Write) => T): Promise<T> {
    return this.#writer.found(country, build);
  }
}
