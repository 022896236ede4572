import type { Item } from './attributes.ts';
import { listStateDoesNotExist, listStateUnchanged } from './conditions.ts';
import { countsKey, holesKey, stateKey, type Key } from './keys.ts';
import {
  bucketSize,
  emptyList,
  formatState,
  hasCounts,
  parseState,
  bucketPositionOf,
  withLeft,
  withNext,
  type ListState,
} from './list-state.ts';
import { countBits, holeBits, increments } from './packed-numbers.ts';
import type { TransactOperation } from './table-client.ts';

/** Stores the states of lists that have no state item: in the head, or in the record that owns the list. */
export interface ListStateStore {
  /** Undefined if the list's owner is gone and left no former item: then the list has no members. */
  stateOf(partition: string): ListState | undefined;
  setState(partition: string, state: ListState): void;
}

/** The state of a list that has a state item. */
interface StateItem {
  /** The state as it was read; undefined if there was no item. */
  before: string | undefined;
  state: ListState;
}

/**
 * Changes that one write makes to lists. A member joins at the next rank. A member that leaves makes a hole.
 * The write adds holes without reading them first. That is safe: the transaction checks the member's
 * revision, so no rank becomes a hole twice.
 */
export class ListChanges {
  readonly #tableName: string;
  readonly #states: ListStateStore;
  /** Lists that have a state item, by partition. */
  readonly #stateItems = new Map<string, StateItem>();
  /** Ranks that leave, by partition. */
  readonly #leaving = new Map<string, number[]>();
  /** Partitions of lists that get a second bucket. */
  readonly #grown = new Set<string>();
  /** Partitions of lists that are empty and that nobody can join any more. */
  readonly #ended = new Set<string>();

  constructor(tableName: string, states: ListStateStore) {
    this.#tableName = tableName;
    this.#states = states;
  }

  /** Adds the state item of a list; `item` is undefined if there is none. */
  addRead(partition: string, item: Item | undefined): void {
    const text = item?.['state'];
    const before = typeof text === 'string' ? text : undefined;
    this.#stateItems.set(partition, { before, state: before === undefined ? emptyList : parseState(before) });
  }

  /** Adds a member and returns its rank. */
  join(partition: string): number {
    const before = this.#stateOf(partition) ?? emptyList;
    const state = withNext(before);
    this.#setState(partition, state);
    if (!hasCounts(before) && hasCounts(state)) this.#grown.add(partition);
    return state.last;
  }

  /** Removes the member with this rank. Does nothing if the list has no state. */
  leave(partition: string, rank: number): void {
    const before = this.#stateOf(partition);
    if (!before) return;
    this.#setState(partition, withLeft(before, rank));
    this.#leaving.set(partition, [...(this.#leaving.get(partition) ?? []), rank]);
  }

  /** Marks an empty list that nobody can join any more: `deletionsOfEnded` deletes its holes and counts. */
  end(partition: string): void {
    this.#ended.add(partition);
  }

  operations(): TransactOperation[] {
    // DynamoDB accepts one operation per item, and `deletionsOfEnded` deletes the holes of ended lists.
    const goesOn = (partition: string) => !this.#ended.has(partition);
    return [
      ...[...this.#stateItems].flatMap(([partition, item]) => this.#updateState(partition, item)),
      ...[...this.#leaving].flatMap(([partition, ranks]) =>
        goesOn(partition) ? this.#addHoles(partition, ranks) : [],
      ),
      ...[...this.#grown].filter(goesOn).flatMap((partition) => this.#createCounts(partition)),
    ];
  }

  /**
   * Deletes the holes and counts of ended lists, at most `max` items. A list of several hundred thousand
   * members has more of these items than fit into a transaction. The items that stay contain no personal
   * data, and nothing reads them. `organization verify --all` finds them, and removes them with
   * `--repair --yes`.
   */
  deletionsOfEnded(max: number): TransactOperation[] {
    return [...this.#ended].flatMap((partition) => this.#delete(partition)).slice(0, max);
  }

  #stateOf(partition: string): ListState | undefined {
    return this.#stateItems.get(partition)?.state ?? this.#states.stateOf(partition);
  }

  #setState(partition: string, state: ListState): void {
    const item = this.#stateItems.get(partition);
    if (item) item.state = state;
    else this.#states.setState(partition, state);
  }

  #updateState(partition: string, { before, state }: StateItem): TransactOperation[] {
    const after = formatState(state);
    if (after === (before ?? formatState(emptyList))) return [];
    const condition = before === undefined ? listStateDoesNotExist : listStateUnchanged(before);
    return [
      {
        Update: {
          TableName: this.#tableName,
          Key: stateKey(partition),
          UpdateExpression: 'SET #state = :after',
          ...condition,
          ExpressionAttributeValues: { ':after': after, ...condition.ExpressionAttributeValues },
        },
      },
    ];
  }

  /** Adds holes to their buckets, and to the counts by bucket if the list has counts. */
  #addHoles(partition: string, ranks: readonly number[]): TransactOperation[] {
    const positions = ranks.map(bucketPositionOf);
    const holes = [...Map.groupBy(positions, ({ bucket }) => bucket)].map(([bucket, inBucket]) => {
      const offsets = inBucket.map(({ offset }) => offset);
      return this.#increment(holesKey(partition, bucket), increments(holeBits, offsets));
    });
    const state = this.#stateOf(partition);
    if (!state || !hasCounts(state)) return holes;
    const buckets = positions.map(({ bucket }) => bucket);
    return [...holes, this.#increment(countsKey(partition), increments(countBits, buckets), state.left)];
  }

  /**
   * Creates the counts of a list that gets its second bucket, if members have left. All holes are in the
   * first.
   */
  #createCounts(partition: string): TransactOperation[] {
    const { left } = this.#stateOf(partition) ?? emptyList;
    if (left === 0 || this.#leaving.has(partition)) return [];
    return [{ Put: { TableName: this.#tableName, Item: { ...countsKey(partition), left } } }];
  }

  /**
   * Deletes the stored items of an empty list: the buckets with holes from before this write, and the counts.
   */
  #delete(partition: string): TransactOperation[] {
    const state = this.#stateOf(partition) ?? emptyList;
    const leaving = this.#leaving.get(partition) ?? [];
    const keys = [];
    for (let bottom = 1, bucket = 0; bottom <= state.last; bottom += bucketSize, bucket++) {
      const given = Math.min(bucketSize, state.last - bottom + 1);
      const now = leaving.filter((rank) => bucketPositionOf(rank).bucket === bucket).length;
      if (given > now) keys.push(holesKey(partition, bucket));
    }
    if (hasCounts(state) && state.left > leaving.length) keys.push(countsKey(partition));
    return keys.map((Key) => ({ Delete: { TableName: this.#tableName, Key } }));
  }

  #increment(Key: Key, words: ReadonlyMap<string, number>, left?: number): TransactOperation {
    const names = [...words.keys()];
    const added = names.map((_, at) => `#w${at} :w${at}`).join(', ');
    return {
      Update: {
        TableName: this.#tableName,
        Key,
        UpdateExpression: `ADD ${added}${left === undefined ? '' : ' SET #left = :left'}`,
        ExpressionAttributeNames: {
          ...Object.fromEntries(names.map((name, at) => [`#w${at}`, name])),
          ...(left !== undefined && { '#left': 'left' }),
        },
        ExpressionAttributeValues: {
          ...Object.fromEntries([...words.values()].map((value, at) => [`:w${at}`, value])),
          ...(left !== undefined && { ':left': left }),
        },
      },
    };
  }
}
