import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { countsKey, holesKey } from '../../../shared/ledger/internal/keys.ts';
import {
  emptyList,
  hasCounts,
  bucketPositionOf,
  withLeft,
  withNext,
  type ListState,
} from '../../../shared/ledger/internal/list-state.ts';
import { countBits, holeBits, increments } from '../../../shared/ledger/internal/packed-numbers.ts';

/**
 * A list whose members join and leave, each in a write of its own, with the items that the ledger stores for
 * its holes.
 */
export class StatusList {
  #state: ListState = emptyList;
  /** Ranks that were left. */
  readonly #left: number[] = [];
  /** Buckets of the ranks that were left since the list has counts. */
  readonly #counted: number[] = [];
  /** Number of left ranks that the item of the counts has; undefined without such an item. */
  #leftNoted: number | undefined;

  get state(): ListState {
    return this.#state;
  }

  /** Adds a member. Returns its rank. */
  join(): number {
    const hadCounts = hasCounts(this.#state);
    this.#state = withNext(this.#state);
    if (!hadCounts && hasCounts(this.#state) && this.#state.left > 0) this.#leftNoted = this.#state.left;
    return this.#state.last;
  }

  leave(rank: number): void {
    this.#state = withLeft(this.#state, rank);
    this.#left.push(rank);
    if (!hasCounts(this.#state)) return;
    this.#counted.push(bucketPositionOf(rank).bucket);
    this.#leftNoted = this.#state.left;
  }

  /** Items of the holes, one a bucket, and of the counts. */
  notes(partition: string): Item[] {
    const byBucket = Map.groupBy(this.#left.map(bucketPositionOf), ({ bucket }) => bucket);
    const holes = [...byBucket].map(([bucket, places]): Item => {
      const offsets = places.map(({ offset }) => offset);
      return { ...holesKey(partition, bucket), ...Object.fromEntries(increments(holeBits, offsets)) };
    });
    if (this.#leftNoted === undefined) return holes;
    const counts = Object.fromEntries(increments(countBits, this.#counted));
    return [...holes, { ...countsKey(partition), ...counts, left: this.#leftNoted }];
  }
}
