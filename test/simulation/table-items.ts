import { compareStrings } from './attribute-values.ts';
import { OrderedItems, type Entry, type Version } from './ordered-items.ts';

export interface TableKey {
  readonly pk: string;
  readonly sk: string;
}

/** The place of one item: what is committed there, and which transaction holds it. */
export class Cell implements Entry {
  readonly sort: string;
  readonly pk: string;
  readonly sk: string;
  version: Version | undefined;
  holder: object | undefined;

  constructor({ pk, sk }: TableKey) {
    this.sort = sk;
    this.pk = pk;
    this.sk = sk;
  }
}

interface Partition {
  readonly pk: string;
  readonly hash: number;
  readonly cells: Map<string, Cell>;
  readonly items: OrderedItems;
}

/** The committed items of the table. */
export class TableItems {
  readonly #partitions = new Map<string, Partition>();
  /** The partitions as a scan meets them; undefined when one was added since. */
  #byHash: Partition[] | undefined;

  /** What is committed at a key. */
  versionAt({ pk, sk }: TableKey): Version | undefined {
    return this.#partitions.get(pk)?.cells.get(sk)?.version;
  }

  /** Who holds the item at a key. */
  holderOf({ pk, sk }: TableKey): object | undefined {
    return this.#partitions.get(pk)?.cells.get(sk)?.holder;
  }

  /** The place of a key; kept only while something is there, or holds it: see `release`. */
  cellOf(key: TableKey): Cell {
    let partition = this.#partitions.get(key.pk);
    if (!partition) {
      partition = { pk: key.pk, hash: hashOf(key.pk), cells: new Map(), items: new OrderedItems() };
      this.#partitions.set(key.pk, partition);
      this.#byHash = undefined;
    }
    let cell = partition.cells.get(key.sk);
    if (!cell) {
      cell = new Cell(key);
      partition.cells.set(key.sk, cell);
    }
    return cell;
  }

  /** Commits a version of an item, or that there is none. */
  commit(cell: Cell, version: Version | undefined): void {
    const items = this.#partitions.get(cell.pk)!.items;
    const wasThere = cell.version !== undefined;
    cell.version = version;
    if (version && !wasThere) items.put(cell);
    else if (!version && wasThere) items.remove(cell);
  }

  /** Ends a hold, and forgets places where nothing is. */
  release(cell: Cell): void {
    cell.holder = undefined;
    this.forgetEmpty(cell);
  }

  /** Forgets a place where nothing is, and that nobody holds. */
  forgetEmpty(cell: Cell): void {
    if (cell.version || cell.holder) return;
    const partition = this.#partitions.get(cell.pk)!;
    partition.cells.delete(cell.sk);
    if (partition.cells.size > 0) return;
    this.#partitions.delete(cell.pk);
    this.#byHash = undefined;
  }

  /** The items of one partition. */
  partition(pk: string): OrderedItems | undefined {
    return this.#partitions.get(pk)?.items;
  }

  /** The committed items in the order of a scan, from behind a key: by a hash of the partition key. */
  *scan(after?: TableKey): Generator<Entry> {
    this.#byHash ??= [...this.#partitions.values()].sort(comparePartitions);
    const start = after && { pk: after.pk, hash: hashOf(after.pk) };
    for (const partition of this.#byHash) {
      const order = start ? comparePartitions(partition, start) : 1;
      if (order < 0) continue;
      const { entries } = partition.items;
      const from = order === 0 && after ? entries.findIndex(({ sk }) => compareStrings(sk, after.sk) > 0) : 0;
      if (from >= 0) yield* entries.slice(from);
    }
  }
}

const comparePartitions = (a: Pick<Partition, 'hash' | 'pk'>, b: Pick<Partition, 'hash' | 'pk'>) =>
  a.hash - b.hash || compareStrings(a.pk, b.pk);

/** FNV-1a: a scan of DynamoDB meets the partitions in the order of a hash that nobody knows. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
