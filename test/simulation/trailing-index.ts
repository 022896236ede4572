import type { Behaviour, Chance } from './behaviour.ts';
import { indexEntryOf, nameOf, type IndexDescription } from './index-keys.ts';
import { OrderedItems, type TableKey, type Version } from './table-items.ts';
import type { VirtualTime } from './virtual-time.ts';

/** An index that lags behind the table. The versions of one item stay in their order. */
export class TrailingIndex {
  readonly description: IndexDescription;
  readonly #time: VirtualTime;
  readonly #chance: Chance;
  readonly #behaviour: Behaviour;
  readonly #partitions = new Map<string, OrderedItems>();
  /** Time at which the last pending change of each item becomes visible. */
  readonly #underWay = new Map<string, number>();

  constructor(description: IndexDescription, time: VirtualTime, chance: Chance, behaviour: Behaviour) {
    this.description = description;
    this.#time = time;
    this.#chance = chance;
    this.#behaviour = behaviour;
  }

  /** True if every change is visible. */
  get isUpToDate(): boolean {
    return this.#underWay.size === 0;
  }

  partition(pk: string): OrderedItems | undefined {
    return this.#partitions.get(pk);
  }

  /** Applies the change of an item to the index after a delay. */
  follow(key: TableKey, before: Version | undefined, after: Version | undefined): void {
    const old = before && indexEntryOf(this.description, before);
    const now = after && indexEntryOf(this.description, after);
    if (!old && !now) return;
    const { indexLag, lateIndexChance, lateIndex } = this.#behaviour;
    const late = this.#chance.happens(lateIndexChance);
    const lag = this.#chance.within(late ? [indexLag[1], Math.max(indexLag[1], lateIndex)] : indexLag);
    const name = nameOf(key);
    const shown = Math.max(this.#time.now + lag, this.#underWay.get(name) ?? 0);
    this.#underWay.set(name, shown);
    this.#time.atQuietly(shown - this.#time.now, () => {
      if (this.#underWay.get(name) === shown) this.#underWay.delete(name);
      if (old) this.#remove(old.partition, { sort: old.sort, ...key });
      if (now) this.#put(now.partition, { sort: now.sort, ...key, version: now.version });
    });
  }

  #put(pk: string, entry: Parameters<OrderedItems['put']>[0]): void {
    let items = this.#partitions.get(pk);
    if (!items) {
      items = new OrderedItems();
      this.#partitions.set(pk, items);
    }
    items.put(entry);
  }

  #remove(pk: string, position: Parameters<OrderedItems['remove']>[0]): void {
    const items = this.#partitions.get(pk);
    items?.remove(position);
    if (items?.entries.length === 0) this.#partitions.delete(pk);
  }
}
