import type { Item } from './attributes.ts';
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
import type { TransactItem } from './table-client.ts';

/** Keeps the states of lists that have no item of their own: in the head, or in the records that own them. */
export interface ListStateStore {
  /** Undefined for a list of which nothing is kept: its owner was removed by an older version of the code. */
  stateOf(partition: string): ListState | undefined;
  keep(partition: string, state: ListState): void;
}

/** A list whose state is an item of its own. */
interface OwnState {
  /** As it was read; undefined where there was none. */
  before: string | undefined;
  state: ListState;
}

/**
 * What one write does to lists: members join, at the next rank, and leave. Holes are added to the stored
 * notes without reading them: no rank leaves twice, since the transaction checks the record's revision.
 */
export class ListChanges {
  readonly #tableName: string;
  readonly #keeper: ListStateStore;
  /** By partition. */
  readonly #own = new Map<string, OwnState>();
  /** The ranks that leave, by partition. */
  readonly #leaving = new Map<string, number[]>();
  /** The lists that get a second bucket. */
  readonly #grown = new Set<string>();
  /** The lists that nobody joins any more, now that all have left. */
  readonly #ended = new Set<string>();

  constructor(tableName: string, keeper: ListStateStore) {
    this.#tableName = tableName;
    this.#keeper = keeper;
  }

  /** Notes the state of a list that has an item for it: the item, or undefined where there is none. */
  addRead(partition: string, item: Item | undefined): void {
    const text = item?.['state'];
    const before = typeof text === 'string' ? text : undefined;
    this.#own.set(partition, { before, state: before === undefined ? emptyList : parseState(before) });
  }

  /** Adds a member and returns its rank. */
  join(partition: string): number {
    const before = this.#stateOf(partition) ?? emptyList;
    const state = withNext(before);
    this.#keep(partition, state);
    if (!hasCounts(before) && hasCounts(state)) this.#grown.add(partition);
    return state.last;
  }

  /** Lets the member of this rank leave. Of a list of which nothing is kept, nothing is noted. */
  leave(partition: string, rank: number): void {
    const before = this.#stateOf(partition);
    if (!before) return;
    this.#keep(partition, withLeft(before, rank));
    this.#leaving.set(partition, [...(this.#leaving.get(partition) ?? []), rank]);
  }

  /** Ends a list that all members have left and that nobody can join any more: what is noted of it goes. */
  end(partition: string): void {
    this.#ended.add(partition);
  }

  steps(): TransactItem[] {
    // DynamoDB takes one operation per item: of a list that ends, nothing else is noted.
    const goesOn = (partition: string) => !this.#ended.has(partition);
    return [
      ...[...this.#own].flatMap(([partition, own]) => this.#keepOwn(partition, own)),
      ...[...this.#leaving].flatMap(([partition, ranks]) =>
        goesOn(partition) ? this.#note(partition, ranks) : [],
      ),
      ...[...this.#grown].filter(goesOn).flatMap((partition) => this.#beginCounts(partition)),
    ];
  }

  /**
   * Deletes what is noted of the lists that end, as many items as the transaction has `room` for. A list of some hundred
   * thousand members has more notes than a transaction takes: what stays holds no one's data, nobody reads it any more, and
   * `organization verify --all` finds and removes it.
   */
  forgetting(room: number): TransactItem[] {
    return [...this.#ended].flatMap((partition) => this.#forget(partition)).slice(0, room);
  }

  #stateOf(partition: string): ListState | undefined {
    return this.#own.get(partition)?.state ?? this.#keeper.stateOf(partition);
  }

  #keep(partition: string, state: ListState): void {
    const own = this.#own.get(partition);
    if (own) own.state = state;
    else this.#keeper.keep(partition, state);
  }

  #keepOwn(partition: string, { before, state }: OwnState): TransactItem[] {
    const after = formatState(state);
    if (after === (before ?? formatState(emptyList))) return [];
    const isFirst = before === undefined;
    return [
      {
        Update: {
          TableName: this.#tableName,
          Key: stateKey(partition),
          UpdateExpression: 'SET #state = :after',
          ConditionExpression: isFirst ? 'attribute_not_exists(#state)' : '#state = :before',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: { ':after': after, ...(!isFirst && { ':before': before }) },
        },
      },
    ];
  }

  /** Adds holes to their buckets, and to the counts by bucket if the list has those. */
  #note(partition: string, ranks: readonly number[]): TransactItem[] {
    const positions = ranks.map(bucketPositionOf);
    const holes = [...Map.groupBy(positions, ({ bucket }) => bucket)].map(([bucket, inBucket]) => {
      const offsets = inBucket.map(({ offset }) => offset);
      return this.#add(holesKey(partition, bucket), increments(holeBits, offsets));
    });
    const state = this.#stateOf(partition);
    if (!state || !hasCounts(state)) return holes;
    const buckets = positions.map(({ bucket }) => bucket);
    return [...holes, this.#add(countsKey(partition), increments(countBits, buckets), state.left)];
  }

  /**
   * Creates the counts of a list that gets its second bucket, if members have left: all from the first one.
   */
  #beginCounts(partition: string): TransactItem[] {
    const { left } = this.#stateOf(partition) ?? emptyList;
    if (left === 0 || this.#leaving.has(partition)) return [];
    return [{ Put: { TableName: this.#tableName, Item: { ...countsKey(partition), left } } }];
  }

  /**
   * Deletes what is noted of a list that all have left: the holes of each bucket of which some left before this write, and
   * the counts.
   */
  #forget(partition: string): TransactItem[] {
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

  #add(Key: Key, words: ReadonlyMap<string, number>, left?: number): TransactItem {
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
