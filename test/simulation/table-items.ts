import { compareStrings, type Item } from './attribute-values.ts';

export interface Version {
  readonly item: Item;
  readonly size: number;
}

/** Position of an entry in its partition: its sort key, and in an index also its key in the table. */
export interface Position {
  readonly sort: string | number;
  readonly pk: string;
  readonly sk: string;
}

/** An item at its position in a partition of the table or of an index. */
export interface Entry extends Position {
  readonly version: Version | undefined;
}

/** Orders two positions of one partition. */
function comparePositions(a: Position, b: Position): number {
  const bySort =
    typeof a.sort === 'string' ? compareStrings(a.sort, String(b.sort)) : a.sort - Number(b.sort);
  return bySort || compareStrings(a.pk, b.pk) || compareStrings(a.sk, b.sk);
}

/** The entries of one partition, in ascending order. */
export class OrderedItems {
  readonly entries: Entry[] = [];

  /** Index of the first entry that is not before the position. */
  indexOf(position: Position): number {
    let [low, high] = [0, this.entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (comparePositions(this.entries[middle]!, position) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Inserts an entry, or replaces the one at its position. */
  put(entry: Entry): void {
    const last = this.entries.at(-1);
    // Most partitions grow at their end.
    if (last === undefined || comparePositions(last, entry) < 0) {
      this.entries.push(entry);
      return;
    }
    const index = this.indexOf(entry);
    const there = this.entries[index]!;
    this.entries.splice(index, comparePositions(there, entry) === 0 ? 1 : 0, entry);
  }

  remove(position: Position): void {
    const index = this.indexOf(position);
    const there = this.entries[index];
    if (there && comparePositions(there, position) === 0) this.entries.splice(index, 1);
  }
}

export interface TableKey {
  readonly pk: string;
  readonly sk: string;
}

/** State of one key: its committed version, and the transaction that holds it. */
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

export class TableItems {
  readonly #partitions = new Map<string, Partition>();
  /** Partitions in the order of a scan; undefined after a partition was added. */
  #byHash: Partition[] | undefined;

  /** Returns the committed version of a key. */
  versionAt({ pk, sk }: TableKey): Version | undefined {
    return this.#partitions.get(pk)?.cells.get(sk)?.version;
  }

  /** Returns the transaction that holds a key. */
  holderOf({ pk, sk }: TableKey): object | undefined {
    return this.#partitions.get(pk)?.cells.get(sk)?.holder;
  }

  /** Returns the cell of a key. `release` drops a cell that is empty and not held. */
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

  /** Commits a version of an item; undefined deletes the item. */
  commit(cell: Cell, version: Version | undefined): void {
    const items = this.#partitions.get(cell.pk)!.items;
    const wasThere = cell.version !== undefined;
    cell.version = version;
    if (version && !wasThere) items.put(cell);
    else if (!version && wasThere) items.remove(cell);
  }

  /** Ends a hold, and drops cells that became empty. */
  release(cell: Cell): void {
    cell.holder = undefined;
    this.forgetEmpty(cell);
  }

  /** Drops a cell that is empty and not held. */
  forgetEmpty(cell: Cell): void {
    if (cell.version || cell.holder) return;
    const partition = this.#partitions.get(cell.pk)!;
    partition.cells.delete(cell.sk);
    if (partition.cells.size > 0) return;
    this.#partitions.delete(cell.pk);
    this.#byHash = undefined;
  }

  partition(pk: string): OrderedItems | undefined {
    return this.#partitions.get(pk)?.items;
  }

  /** Yields the committed items after a key, in the order of a scan: by a hash of the partition key. */
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

/** FNV-1a. A real scan orders partitions by a hash that is not public. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
