import * as v from 'valibot';
import type { OrganizationCode } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import type { Collection, RecordOf, UniqueValue } from './collection.ts';
import type { Key } from './keys.ts';
import type { RecordChange } from './record-change.ts';
import { heldValues, keysOfValue, nextValues, UniqueChanges, type Step } from './unique-values.ts';

/** The unique values of the records of one write. */
export class RecordUniques {
  readonly #organization: OrganizationCode;
  readonly #changes: UniqueChanges;

  constructor(tableName: string, organization: OrganizationCode) {
    this.#organization = organization;
    this.#changes = new UniqueChanges(tableName);
  }

  /** Who has each value when the write is stored: see `UniqueChanges.holdersOf`. */
  holdersOf(
    collection: Collection,
    uniques: readonly UniqueValue[],
    snapshot: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Item>>,
  ): Promise<(string | number | undefined)[]> {
    const keys = uniques.map((unique) => keysOfValue(this.#organization, collection, unique));
    return this.#changes.holdersOf(keys, snapshot);
  }

  /** Moves the unique values of a record to what it becomes; undefined where it is removed. */
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

  steps(): Step[] {
    return this.#changes.steps();
  }
}
