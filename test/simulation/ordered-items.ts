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
export function comparePositions(a: Position, b: Position): number {
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
