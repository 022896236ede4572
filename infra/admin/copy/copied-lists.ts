import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events, type Collection } from '../../../shared/ledger/internal/collection.ts';
import type { ListStates } from '../../../shared/ledger/internal/head.ts';
import {
  countsKey,
  formerKey,
  holesKey,
  listPartition,
  listPath,
  parseStateName,
  stateName,
  parseListPath,
  stateKey,
  type ListKey,
} from '../../../shared/ledger/internal/keys.ts';
import {
  bucketPositionOf,
  formatState,
  hasCounts,
  parseState,
  windowSize,
  type ListState,
} from '../../../shared/ledger/internal/list-state.ts';
import { countBits, holeBits, increments } from '../../../shared/ledger/internal/packed-numbers.ts';
import { maxOperations } from '../../../shared/ledger/internal/write.ts';
import { AdminError } from '../admin-error.ts';
import { hasOwnState, isDeclared } from '../verify/stored-list.ts';
import { notAsExported } from './files.ts';
import type { HeadLine, IndexKey } from './format.ts';
import type { CopiedRecord } from './read-copy.ts';

/** True if the copy has the record; undefined for a number that was never given out. */
type IsThere = (collection: string, number: number) => boolean | undefined;

interface CopiedList {
  key: ListKey;
  /** Item that keeps the list's state. */
  keeper: 'head or owner' | 'own' | 'former owner';
  ranks: number[];
}

/** A checked list, with its ranks in ascending order. */
type CheckedList = Omit<CopiedList, 'ranks'> & { ranks: Float64Array; state: ListState };

/**
 * Lists of a copy that need items besides their members': holes, and states that are items of their own. Both
 * follow from the members' ranks. A list needs none if nobody has left it and its owner has its state.
 */
export class CopiedLists {
  /** Upper bound of ranks: each write has an event, and at most so many members as a transaction takes. */
  readonly #maxRank: number;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly #isThere: IsThere;
  /** States in the head and in owners, for lists that members have left, by path. */
  readonly #states = new Map<string, ListState>();
  /** Lists by path. */
  readonly #lists = new Map<string, CopiedList>();
  readonly #checked: CheckedList[] = [];

  constructor({ version }: HeadLine, collections: readonly Collection[], isThere: IsThere) {
    this.#maxRank = version * maxOperations;
    this.collections = new Map(collections.map((collection) => [collection.name, collection]));
    this.#isThere = isThere;
  }

  /**
   * Checks that an index key belongs to a list that the record's collection declares in that index. @throws
   * AdminError if it does not
   */
  checkIndexKey({ collection, where }: CopiedRecord, index: string, [path, rank]: IndexKey): void {
    const key = parseListPath(path);
    const isOfIndex = key?.collection === collection.name && key.index === index;
    if (!isOfIndex || !isDeclared(this, key) || typeof rank !== 'number' || rank > this.#maxRank)
      throw cannotBe(where);
  }

  /**
   * Adds list states from the head, or from the record that owns the lists. @throws AdminError for a list
   * that no collection declares, or with more members than writes
   */
  addStates(states: ListStates, where: string, owner?: NonNullable<ListKey['owner']>): void {
    for (const [name, text] of Object.entries(states)) {
      const state = parseState(text);
      const key = parseStateName(name);
      // A collection that this version of the code lacks is reported with its records.
      const isOfAll = key && key.index === undefined && owner === undefined;
      if (!key || !(isOfAll || isDeclared(this, { ...key, owner }))) throw cannotBe(where);
      if (state.last > this.#maxRank || state.left > state.last)
        throw notAsExported(`${where}, counts more in a list than ever joined it`);
      const isProved = !owner || owner.collection === pipelines.name || state.left > 0;
      if (isProved) this.#states.set(listPath({ ...key, owner }), state);
    }
  }

  /** Adds a member's rank to a list. @throws AdminError for a list that no collection declares */
  addMember(path: string, rank: number, where: string): void {
    const list = this.#lists.get(path) ?? this.#newList(path, where);
    if (!list) return;
    list.ranks.push(rank);
    this.#lists.set(path, list);
  }

  /** Checks that members and states agree, once all are added. @throws AdminError if they do not */
  check(): void {
    for (const path of new Set([...this.#states.keys(), ...this.#lists.keys()])) {
      const key = parseListPath(path);
      const list = this.#lists.get(path) ?? (key && { key, keeper: 'head or owner', ranks: [] });
      if (!list) continue;
      const ranks = Float64Array.from(list.ranks).sort();
      const stated =
        list.keeper === 'head or owner' ? (this.#states.get(path) ?? parseState(undefined)) : undefined;
      const state = stateOf(ranks, stated?.last);
      const isOnce = ranks.every((rank, at) => at === 0 || rank !== ranks[at - 1]);
      if (!isOnce || (stated && formatState(stated) !== formatState(state)))
        throw new AdminError(
          `The members of the list ${path} differ from its stored state: take the files exactly as the export wrote them.`,
        );
      this.#checked.push({ ...list, ranks, state });
    }
  }

  /** Items of holes and list states, for checked lists. */
  *items(to: OrganizationCode, revision: number): Generator<Item> {
    const formers = new Map<string, { owner: NonNullable<ListKey['owner']>; lists: ListStates }>();
    for (const { key, keeper, ranks, state } of this.#checked) {
      const partition = listPartition(to, key);
      yield* holeItems(partition, state, ranks);
      if (keeper === 'own') yield { ...stateKey(partition), state: formatState(state) };
      if (keeper !== 'former owner' || !key.owner) continue;
      const name = `${key.owner.collection}#${key.owner.number}`;
      const former = formers.get(name) ?? { owner: key.owner, lists: {} };
      former.lists[stateName(key)] = formatState(state);
      formers.set(name, former);
    }
    for (const { owner, lists } of formers.values())
      yield { ...formerKey(to, owner.collection, owner.number), lists, revision };
  }

  /** A new list; undefined if the list needs no items besides its members'. */
  #newList(path: string, where: string): CopiedList | undefined {
    const key = parseListPath(path);
    if (!key) throw cannotBe(where);
    const { collection, owner } = key;
    if (hasOwnState(this, key)) return { key, keeper: 'own', ranks: [] };
    if (!owner) return { key, keeper: 'head or owner', ranks: [] };
    const isThere = this.#isThere(owner.collection, owner.number);
    if (isThere === undefined) throw notAsExported(`${where}, is in a list of what never was`);
    if (isThere) return this.#states.has(path) ? { key, keeper: 'head or owner', ranks: [] } : undefined;
    // The table keeps the events of a removed record, but no state of their list.
    return collection === events.name ? undefined : { key, keeper: 'former owner', ranks: [] };
  }
}

const cannotBe = (where: string) => notAsExported(`${where}, names a list that cannot be`);

/**
 * State of a list with these members, in ascending order. The last rank is the last member's unless `last`
 * says otherwise.
 */
export function stateOf(ranks: Float64Array, last = ranks.at(-1) ?? 0): ListState {
  const members = new Set(ranks.subarray(-windowSize));
  let newest = 0n;
  for (let age = 0; age < Math.min(windowSize, last); age++)
    if (!members.has(last - age)) newest |= 1n << BigInt(age);
  return { last, left: last - ranks.length, newest };
}

/** Items that record the holes of a list. */
function* holeItems(partition: string, state: ListState, ranks: Float64Array): Generator<Item> {
  const { last, left } = state;
  if (left === 0) return;
  const holes = new Map<number, number[]>();
  for (let rank = 1, at = 0; rank <= last; rank++) {
    if (ranks[at] === rank) at++;
    else {
      const { bucket, offset } = bucketPositionOf(rank);
      const offsets = holes.get(bucket);
      if (offsets) offsets.push(offset);
      else holes.set(bucket, [offset]);
    }
  }
  for (const [bucket, offsets] of holes)
    yield { ...holesKey(partition, bucket), ...Object.fromEntries(increments(holeBits, offsets)) };
  if (!hasCounts(state)) return;
  const buckets = [...holes].flatMap(([bucket, { length }]) => Array.from({ length }, () => bucket));
  yield { ...countsKey(partition), left, ...Object.fromEntries(increments(countBits, buckets)) };
}
