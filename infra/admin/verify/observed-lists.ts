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
import { areNotesRead, hasOwnState, isDeclared } from './declared-lists.ts';
import { statesIn, readState } from './hole-items.ts';
import { checkSharedRank } from './position-repairs.ts';
import { positionsOf, type IndexPosition } from './index-positions.ts';
import { addRank, hasRank, type ObservedRanks } from './observed-ranks.ts';
import { numberFlag, type ObservedCollection, type Verification } from './verification.ts';

/** What was seen of one list: little, since there are as many lists as owners. */
export interface ListSummary extends ObservedRanks {
  /** The greatest rank, and the number of the member that has it. */
  topRank: number;
  topNumber: number;
  /** Its state, as its owner was read. That of a list of the organization is in the head. */
  state?: string;
  /** ObservedRanks of it that records have which belong elsewhere: they do not count as members. */
  misplacedRanks?: Set<number>;
  /** A sort key among its notes, where a scan of the table showed that there are any. */
  scannedSk?: string;
}

/** A list, and which one it is. */
export interface ObservedList extends ListSummary {
  readonly partition: string;
  readonly key: ListKey;
}

/** A record that owns lists. */
export type Owner = NonNullable<ListKey['owner']>;

/** The same as one text. */
export const ownerName = ({ collection, number }: Owner): string => `${collection}#${number}`;

/** A record that is not there, and those of the lists that it owned which have members. */
export interface RemovedOwner {
  owner: Owner;
  lists: ObservedList[];
}

/** The state of a list that this version of the code does not know, in the record that would own it, or in the head. */
export interface UnknownListState {
  owner?: Owner;
  /** What keeps it, if not the head: the record, or its former item. */
  keeper?: Key;
  list: string;
}

/** What was seen of the lists of an organization: their members, and their states as owners keep them. */
export class ObservedLists {
  /** States that may be of no list. */
  readonly unknown: UnknownListState[] = [];
  readonly #verification: Verification;
  /** By their partitions without what all begin with. */
  readonly #lists = new Map<string, ListSummary>();
  /** The owners that are gone of which something is kept, by name. */
  readonly #formerOwners = new Set<string>();
  readonly #prefix: string;

  constructor(verification: Verification) {
    this.#verification = verification;
    this.#prefix = listPartition(verification.organization, { collection: '' });
  }

  /** Takes note of the lists that a record is in, in some indexes wrongly, and of those that it owns. */
  observe(
    { name, collection }: ObservedCollection,
    number: number,
    item: Item,
    wrongIndexes: readonly ListIndex[],
  ): void {
    // Of what only a newer version of the code has, the numbers are proved.
    if (!collection) return;
    const positions = positionsOf(item).filter(({ partition, index }) => {
      const key = this.#declaredListAt(partition);
      return key?.collection === name && key.index === index;
    });
    for (const position of positions) {
      if (wrongIndexes.includes(position.index)) this.#observeMisplaced(position);
      else this.#observeMember(name, number, position);
    }
    const keeper = recordKey(this.#verification.organization, name, number);
    this.#observeStates({ collection: name, number }, keeper, statesIn(item) ?? {});
  }

  /** Takes note of what the former item of a removed record keeps. */
  observeFormer(owner: Owner, states: Record<string, string>): void {
    this.#formerOwners.add(ownerName(owner));
    const { collection, number } = owner;
    this.#observeStates(owner, formerKey(this.#verification.organization, collection, number), states);
  }

  #observeStates(owner: Owner, keeper: Key, states: Record<string, string>): void {
    for (const [list, state] of Object.entries(states)) {
      const named = parseListName(list);
      const key = named && { ...named, owner };
      if (key && isDeclared(this.#verification, key))
        this.#listAt(listPartition(this.#verification.organization, key)).state = state;
      else this.unknown.push({ owner, keeper, list });
    }
  }

  /** The owners that are not there of lists that have members, by name. Lists of events aside, which nothing is kept of. */
  removedOwners(): Map<string, RemovedOwner> {
    const gone = new Map<string, RemovedOwner>();
    for (const [name, list] of this.#lists) {
      const partition = this.#prefix + name;
      const key = list.topRank > 0 ? this.#declaredListAt(partition) : undefined;
      const owner = key?.collection === events.name ? undefined : key?.owner;
      if (!key || !owner || this.#isThere(owner) || hasOwnState(this.#verification, key)) continue;
      const one = gone.get(ownerName(owner)) ?? { owner, lists: [] };
      gone.set(ownerName(owner), one);
      one.lists.push(Object.assign(list, { partition, key }));
    }
    return gone;
  }

  /** Whether nothing tells who left a list: its owner is gone, and nothing is kept of it. */
  isUnverifiable({ collection, owner }: ListKey): boolean {
    return (
      owner !== undefined &&
      collection !== events.name &&
      this.#isRemoved(owner) &&
      !this.#formerOwners.has(ownerName(owner))
    );
  }

  /** Takes note of the lists of the organization whose states are in the head. */
  observeHead({ lists }: Head): void {
    for (const list of Object.keys(lists)) {
      const key = parseListName(list);
      if (key && key.index === undefined) continue;
      if (key && isDeclared(this.#verification, key))
        this.#listAt(listPartition(this.#verification.organization, key));
      else this.unknown.push({ list });
    }
  }

  /** Takes note that there are notes of a list; false where there can be no such list. */
  observeHoleItems(partition: string, sk: string): boolean {
    const key = this.#declaredListAt(partition);
    if (key) this.#listAt(partition).scannedSk = sk;
    return key !== undefined;
  }

  /** The partitions of all lists that were seen. */
  *partitions(): Generator<string> {
    for (const name of this.#lists.keys()) yield this.#prefix + name;
  }

  /** The lists that a record owns. */
  *ownedBy(owner: { collection: string; number: number }): Generator<ObservedList> {
    const start = listPartition(this.#verification.organization, { collection: '', owner });
    for (const [name, list] of this.#lists) {
      const partition = this.#prefix + name;
      const key = partition.startsWith(start) ? this.#declaredListAt(partition) : undefined;
      if (key) yield { ...list, partition, key };
    }
  }

  /** The lists that are not whole as far as was seen, and those whose notes are still to be read. */
  *suspects(): Generator<ObservedList> {
    for (const [name, list] of this.#lists) {
      const partition = this.#prefix + name;
      const key = this.#declaredListAt(partition);
      // The same object: members that are read later are scannedSk there.
      if (key && !this.#isConsistent(key, list)) yield Object.assign(list, { partition, key });
    }
  }

  /** A list's state as its owner or the head was read; undefined where neither tells. */
  stateOf(key: ListKey, { state }: ListSummary): ListState | undefined {
    if (hasOwnState(this.#verification, key)) return undefined;
    if (!key.owner) return stateIn(this.#verification.head, listName(key));
    const isOfFormer = key.collection !== events.name && this.#formerOwners.has(ownerName(key.owner));
    const isRead = isOfFormer || this.#isThere(key.owner);
    return isRead ? (readState(state) ?? emptyList) : undefined;
  }

  #isConsistent(key: ListKey, list: ListSummary): boolean {
    const { dense, topRank, scannedSk } = list;
    if (scannedSk !== undefined || areNotesRead(this.#verification, key)) return false;
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

  /** A record that belongs elsewhere takes no rank from those that belong there. */
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
      // No rank is given out twice, so no change under way can show two members at one.
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

  /** The list of this partition, where the code has such lists. */
  #declaredListAt(partition: string): ListKey | undefined {
    const key = parseListPartition(this.#verification.organization, partition);
    return key && isDeclared(this.#verification, key) ? key : undefined;
  }
}
