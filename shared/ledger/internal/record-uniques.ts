import * as v from 'valibot';
import type { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import type { Collection, RecordOf, UniqueValue } from './collection.ts';
import type { Key } from './keys.ts';
import type { RecordChange } from './record-change.ts';
import type { WriteOperation } from './table-client.ts';
import { heldValues, keyOfValue, nextValues, UniqueChanges } from './unique-values.ts';

/** The unique values of the records of one write. */
export class RecordUniques {
  readonly #organization: OrganizationCode;
  readonly #changes: UniqueChanges;

  constructor(tableName: string, organization: OrganizationCode) {
    this.#organization = organization;
    this.#changes = new UniqueChanges(tableName);
  }

  /**
   * The public ids of the records that hold these values once the write is stored, in the order of `uniques`.
   */
  holdersOf(
    collection: Collection,
    uniques: readonly UniqueValue[],
    snapshot: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Item>>,
  ): Promise<(string | number | undefined)[]> {
    const keys = uniques.map((unique) => keyOfValue(this.#organization, collection, unique));
    return this.#changes.holdersOf(keys, snapshot);
  }

  /**
   * Replaces the values that a record holds by those that it will hold. `record` is undefined if it is
   * removed.
   */
  move<C extends Collection>(collection: C, change: RecordChange, record: RecordOf<C> | undefined): void {
    if (!collection.uniques) return;
    const item = change.before?.item;
    const had =
      change.held ??
      (item ? heldValues(this.#organization, collection, v.parse(collection.schema, item), item) : []);
    const has = record ? nextValues(this.#organization, collection, record, had) : [];
    this.#changes.move(collection, had, has);
    change.held = has;
  }

  operations(): WriteOperation[] {
    return this.#changes.operations();
  }
}
