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

/** A list whose members join and leave, each in a write of its own; and what the ledger notes of it. */
export class StatusList {
  #state: ListState = emptyList;
  /** The ranks that have left. */
  readonly #left: number[] = [];
  /** The buckets of those that left since there are counts. */
  readonly #counted: number[] = [];
  /** How many had left when that was last noted beside the counts. */
  #leftNoted: number | undefined;

  get state(): ListState {
    return this.#state;
  }

  /** Lets a member join, and tells its rank. */
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

  /** The items of the holes, by bucket, and of the counts. */
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
