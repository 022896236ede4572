import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn, type Head } from '../../../shared/ledger/internal/head.ts';
import {
  formerKey,
  listName,
  listPartition,
  parseListName,
  parseListPartition,
  recordKey,
  type Key,
  type ListIndex,
  type ListKey,
} from '../../../shared/ledger/internal/keys.ts';
import { emptyList, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import { mustReadHoleItems, hasOwnState, isDeclared } from './declared-lists.ts';
import { statesIn, readState } from './hole-items.ts';
import { checkSharedRank } from './position-repairs.ts';
import { positionsOf, type IndexPosition } from './index-positions.ts';
import { addRank, hasRank, type ObservedRanks } from './observed-ranks.ts';
import { numberFlag, type ObservedCollection, type Verification } from './verification.ts';

/** Observations of one list. Kept small, since there are as many lists as owners. */
export interface ListSummary extends ObservedRanks {
  /** Greatest rank, and the number of its member. */
  topRank: number;
  topNumber: number;
  /**
   * State in the owner or its former item; undefined for a list of the organization, whose state is in the
   * head.
   */
  state?: string;
  /** Ranks of records that belong to another list. Such records are no members here. */
  misplacedRanks?: Set<number>;
  /** One sort key of the hole items that a scan showed. */
  scannedSk?: string;
}

export interface ObservedList extends ListSummary {
  readonly partition: string;
  readonly key: ListKey;
}

export type Owner = NonNullable<ListKey['owner']>;

export const ownerName = ({ collection, number }: Owner): string => `${collection}#${number}`;

/** Owner that is removed, and its lists that have members. */
export interface RemovedOwner {
  owner: Owner;
  lists: ObservedList[];
}

/** State of a list that this version of the code does not know. */
export interface UnknownListState {
  owner?: Owner;
  /** Key of the owner or its former item; undefined for the head. */
  stateHolder?: Key;
  list: string;
}

/** Observed members of the lists of an organization, and their states. */
export class ObservedLists {
  readonly unknown: UnknownListState[] = [];
  readonly #verification: Verification;
  /** Keys are list partitions without `#prefix`. */
  readonly #lists = new Map<string, ListSummary>();
  /** Names of removed owners that have a former item. */
  readonly #formerOwners = new Set<string>();
  readonly #prefix: string;

  constructor(verification: Verification) {
    this.#verification = verification;
    this.#prefix = listPartition(verification.organization, { collection: '' });
  }

  /**
   * Observes the lists that a record is in, and the lists that it owns. In `wrongIndexes` the record stands
   * in a wrong list.
   */
  observe(
    { name, collection }: ObservedCollection,
    number: number,
    item: Item,
    wrongIndexes: readonly ListIndex[],
  ): void {
    // For a collection of a newer version, only the numbers are verified.
    if (!collection) return;
    const positions = positionsOf(item).filter(({ partition, index }) => {
      const key = this.#declaredListAt(partition);
      return key?.collection === name && key.index === index;
    });
    for (const position of positions) {
      if (wrongIndexes.includes(position.index)) this.#observeMisplaced(position);
      else this.#observeMember(name, number, position);
    }
    const stateHolder = recordKey(this.#verification.organization, name, number);
    this.#observeStates({ collection: name, number }, stateHolder, statesIn(item) ?? {});
  }

  observeFormer(owner: Owner, states: Record<string, string>): void {
    this.#formerOwners.add(ownerName(owner));
    const { collection, number } = owner;
    this.#observeStates(owner, formerKey(this.#verification.organization, collection, number), states);
  }

  #observeStates(owner: Owner, stateHolder: Key, states: Record<string, string>): void {
    for (const [list, state] of Object.entries(states)) {
      const named = parseListName(list);
      const key = named && { ...named, owner };
      if (key && isDeclared(this.#verification, key))
        this.#listAt(listPartition(this.#verification.organization, key)).state = state;
      else this.unknown.push({ owner, stateHolder, list });
    }
  }

  /**
   * Removed owners of lists that have members, by name. Lists of events do not count: no former item keeps
   * their states.
   */
  removedOwners(): Map<string, RemovedOwner> {
    const removed = new Map<string, RemovedOwner>();
    for (const [name, list] of this.#lists) {
      const partition = this.#prefix + name;
      const key = list.topRank > 0 ? this.#declaredListAt(partition) : undefined;
      const owner = key?.collection === events.name ? undefined : key?.owner;
      if (!key || !owner || this.#isThere(owner) || hasOwnState(this.#verification, key)) continue;
      const one = removed.get(ownerName(owner)) ?? { owner, lists: [] };
      removed.set(ownerName(owner), one);
      one.lists.push(Object.assign(list, { partition, key }));
    }
    return removed;
  }

  /** True if nothing tells who left the list: its owner is removed, and has no former item. */
  isUnverifiable({ collection, owner }: ListKey): boolean {
    return (
      owner !== undefined &&
      collection !== events.name &&
      this.#isRemoved(owner) &&
      !this.#formerOwners.has(ownerName(owner))
    );
  }

  observeHead({ lists }: Head): void {
    for (const list of Object.keys(lists)) {
      const key = parseListName(list);
      if (key && key.index === undefined) continue;
      if (key && isDeclared(this.#verification, key))
        this.#listAt(listPartition(this.#verification.organization, key));
      else this.unknown.push({ list });
    }
  }

  /** Observes that a scan showed hole items of a list; false if no such list is possible. */
  observeHoleItems(partition: string, sk: string): boolean {
    const key = this.#declaredListAt(partition);
    if (key) this.#listAt(partition).scannedSk = sk;
    return key !== undefined;
  }

  *partitions(): Generator<string> {
    for (const name of this.#lists.keys()) yield this.#prefix + name;
  }

  *ownedBy(owner: { collection: string; number: number }): Generator<ObservedList> {
    const start = listPartition(this.#verification.organization, { collection: '', owner });
    for (const [name, list] of this.#lists) {
      const partition = this.#prefix + name;
      const key = partition.startsWith(start) ? this.#declaredListAt(partition) : undefined;
      if (key) yield { ...list, partition, key };
    }
  }

  /** Lists that seem inconsistent, and lists whose hole items must be read. */
  *suspects(): Generator<ObservedList> {
    for (const [name, list] of this.#lists) {
      const partition = this.#prefix + name;
      const key = this.#declaredListAt(partition);
      // The same object, so that it includes members that are observed later.
      if (key && !this.#isConsistent(key, list)) yield Object.assign(list, { partition, key });
    }
  }

  /** List state in the owner or the head, as observed; undefined if neither has it. */
  stateOf(key: ListKey, { state }: ListSummary): ListState | undefined {
    if (hasOwnState(this.#verification, key)) return undefined;
    if (!key.owner) return stateIn(this.#verification.head, listName(key));
    const isOfFormer = key.collection !== events.name && this.#formerOwners.has(ownerName(key.owner));
    const isRead = isOfFormer || this.#isThere(key.owner);
    return isRead ? (readState(state) ?? emptyList) : undefined;
  }

  #isConsistent(key: ListKey, list: ListSummary): boolean {
    const { dense, topRank, scannedSk } = list;
    if (scannedSk !== undefined || mustReadHoleItems(this.#verification, key)) return false;
    if (this.isUnverifiable(key)) return true;
    if (dense !== topRank) return false;
    // No event leaves a list.
    if (key.collection === events.name && key.owner && this.#isRemoved(key.owner)) return true;
    const state = this.stateOf(key, list);
    return state?.left === 0 && state.last === dense;
  }

  #isThere({ collection, number }: Owner): boolean {
    return (this.#verification.observedCollection(collection).flags.get(number) & numberFlag.record) !== 0;
  }

  #isRemoved({ collection, number }: Owner): boolean {
    return this.#verification.observedCollection(collection).flags.get(number) === numberFlag.hole;
  }

  /** Keeps the rank apart: it may also be the rank of a rightful member. */
  #observeMisplaced({ partition, rank }: IndexPosition): void {
    const list = this.#listAt(partition);
    (list.misplacedRanks ??= new Set()).add(rank);
    if (hasRank(list, rank)) this.#verification.freeRanks.keep(partition, rank);
  }

  #observeMember(name: string, number: number, position: IndexPosition): void {
    const { partition, rank } = position;
    const list = this.#listAt(partition);
    if (list.misplacedRanks?.has(rank)) this.#verification.freeRanks.keep(partition, rank);
    if (!addRank(list, rank)) {
      // A rank is given out once, so no write of others can show two members at one rank.
      const where = this.#verification.nameOf(name, number);
      const sentence = `${where} has rank ${rank} of ${this.#verification.listNameOf(partition)}, and so has another ${name}.`;
      this.#verification.freeRanks.request(partition, number);
      this.#verification.addFinding(
        'rank-doubled',
        where,
        sentence,
        checkSharedRank(this.#verification, name, number, position),
      );
    } else if (rank > list.topRank) [list.topRank, list.topNumber] = [rank, number];
  }

  #listAt(partition: string): ListSummary {
    const name = partition.slice(this.#prefix.length);
    let list = this.#lists.get(name);
    if (list === undefined) this.#lists.set(name, (list = { dense: 0, topRank: 0, topNumber: 0 }));
    return list;
  }

  /** Undefined if the code has no such list. */
  #declaredListAt(partition: string): ListKey | undefined {
    const key = parseListPartition(this.#verification.organization, partition);
    return key && isDeclared(this.#verification, key) ? key : undefined;
  }
}
