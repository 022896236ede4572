import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Key } from '../../../shared/ledger/internal/keys.ts';
import type { Look } from './snapshots.ts';

/** One item that a draft changes: as the snapshot has it, and as it shall be. */
export interface Change {
  readonly key: Key;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/** What shall be written, on top of a snapshot: a mend sees what those before it have drafted. */
export class Draft {
  readonly #changes = new Map<string, Change>();
  readonly #snapshot: Look;

  constructor(snapshot: Look) {
    this.#snapshot = snapshot;
  }

  readonly look: Look = (key) => {
    const change = this.#changes.get(nameOf(key));
    return change ? change.after : this.#snapshot(key);
  };

  /** An item as it is stored. */
  before(key: Key): Item | undefined {
    return this.#snapshot(key);
  }

  /** Stores an item, of which the attributes of its key need not be a part. */
  put(key: Key, item: Item): void {
    this.#change(key, { ...item, ...key });
  }

  remove(key: Key): void {
    this.#change(key, undefined);
  }

  get changes(): readonly Change[] {
    return [...this.#changes.values()];
  }

  #change(key: Key, after: Item | undefined): void {
    this.#changes.set(nameOf(key), { key, before: this.#snapshot(key), after });
  }
}

const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`;
