import { deserialize, serialize } from 'node:v8';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { nameOfKey, type Key } from '../../../shared/ledger/internal/keys.ts';

/** Items of one organization, of one version. */
export interface Items {
  /** Undefined if there is no such item. */
  get(key: Key): Item | undefined;
}

/** Number of items that are compressed together. */
const chunkSize = 100;

/** Items that were read together, compressed: an organization can have a million items. */
interface Chunk {
  /** Greatest sort key. */
  readonly last: string;
  readonly bytes: Uint8Array;
}

const Stored = v.array(v.custom<Item>((item) => typeof item === 'object'));

interface Partition {
  readonly chunks: Chunk[];
  /** Items that replace those of the chunks, by sort key; undefined for a removed item. */
  readonly changes: Map<string, Item | undefined>;
}

/** Items of one organization in memory, by partition. */
export class OrganizationItems implements Items {
  readonly #partitions = new Map<string, Partition>();
  readonly #read = new Set<string>();
  #latest: { chunk: Chunk; items: Map<string, Item> } | undefined;

  /** True if every item of the organization was read. */
  isComplete = false;

  /** Adds items of a partition, with greater sort keys than all earlier items. */
  add(pk: string, all: readonly Item[]): void {
    const { chunks, changes } = this.#partitionAt(pk);
    if (all.length < chunkSize / 10) {
      for (const item of all) if (!changes.has(sortKeyOf(item))) changes.set(sortKeyOf(item), item);
      return;
    }
    for (let at = 0; at < all.length; at += chunkSize) {
      const some = all.slice(at, at + chunkSize);
      // Copied: the result is the beginning of a buffer of 64 kB.
      const bytes = new Uint8Array(zstdCompressSync(serialize(some)));
      chunks.push({ last: sortKeyOf(some.at(-1)), bytes });
    }
  }

  /** Replaces an item; undefined removes it. */
  set({ pk, sk }: Key, item: Item | undefined): void {
    this.#partitionAt(pk).changes.set(sk, item);
  }

  get({ pk, sk }: Key): Item | undefined {
    const partition = this.#partitions.get(pk);
    if (partition?.changes.has(sk)) return partition.changes.get(sk);
    const chunk = partition && chunkAt(partition.chunks, sk);
    return chunk && this.#itemsOf(chunk).get(sk);
  }

  /** Items of a partition by ascending sort key. */
  *partition(pk: string): Generator<Item> {
    const { chunks, changes } = this.#partitions.get(pk) ?? { chunks: [], changes: new Map<string, Item>() };
    const changed = [...changes].sort(([one], [other]) => (one < other ? -1 : 1));
    let at = 0;
    for (const chunk of chunks) {
      for (const [sk, item] of this.#itemsOf(chunk)) {
        for (let next = changed[at]; next && next[0] <= sk; next = changed[++at]) if (next[1]) yield next[1];
        if (!changes.has(sk)) yield item;
      }
    }
    for (const [, item] of changed.slice(at)) if (item) yield item;
  }

  /** Partitions that have items, or had. */
  partitions(): Iterable<string> {
    return this.#partitions.keys();
  }

  /** True if all items of the partition were read. */
  isRead(pk: string): boolean {
    return this.isComplete || this.#read.has(pk);
  }

  markRead(pk: string): void {
    this.#read.add(pk);
  }

  #partitionAt(pk: string): Partition {
    let partition = this.#partitions.get(pk);
    if (!partition) this.#partitions.set(pk, (partition = { chunks: [], changes: new Map() }));
    return partition;
  }

  #itemsOf(chunk: Chunk): Map<string, Item> {
    if (this.#latest?.chunk !== chunk) {
      const all: unknown = deserialize(zstdDecompressSync(chunk.bytes));
      this.#latest = { chunk, items: new Map(v.parse(Stored, all).map((item) => [sortKeyOf(item), item])) };
    }
    return this.#latest.items;
  }
}

/** Item changes that are planned on top of the items. Each repair reads what the repairs before it planned. */
export class RepairPlan implements Items {
  readonly #changes: Map<string, PlannedChange>;
  readonly #items: Items;

  /** Starts with the changes of the plan `earlier`. */
  constructor(items: Items, earlier?: RepairPlan) {
    this.#items = items;
    this.#changes = new Map(earlier?.changes.map((change) => [nameOfKey(change.key), change]));
  }

  get(key: Key): Item | undefined {
    const change = this.#changes.get(nameOfKey(key));
    return change ? change.after : this.#items.get(key);
  }

  /** Stored item, without the planned changes. */
  before(key: Key): Item | undefined {
    return this.#items.get(key);
  }

  /** Plans to store an item. The item may lack the key attributes. */
  put(key: Key, item: Item): void {
    this.#change(key, { ...item, ...key });
  }

  remove(key: Key): void {
    this.#change(key, undefined);
  }

  get changes(): readonly PlannedChange[] {
    return [...this.#changes.values()];
  }

  #change(key: Key, after: Item | undefined): void {
    this.#changes.set(nameOfKey(key), { key, before: this.#items.get(key), after });
  }
}

/** Planned change of one item; `before` is undefined for a new item, `after` for a removed one. */
export interface PlannedChange {
  readonly key: Key;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

const sortKeyOf = (item: Item | undefined) => String(item?.['sk']);

/** Chunk that has the sort key, if any has. DynamoDB sorts by the bytes of UTF-8. */
function chunkAt(chunks: readonly Chunk[], sk: string): Chunk | undefined {
  const bytes = Buffer.from(sk);
  let [low, high] = [0, chunks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Buffer.from(chunks[middle]?.last ?? '').compare(bytes) < 0) low = middle + 1;
    else high = middle;
  }
  return chunks[low];
}
