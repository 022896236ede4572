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
import { statesIn, readState } from './notes.ts';
import { judgeDoubled } from './mend-places.ts';
import { placesOf, type PlaceIn } from './places.ts';
import { addRank, hasRank, type Ranks } from './ranks.ts';
import { marks, type CollectionState, type Scene } from './scene.ts';

/** What was seen of one list: little, since there are as many lists as owners. */
export interface SeenList extends Ranks {
  /** The greatest rank, and the number of the member that has it. */
  topRank: number;
  topNumber: number;
  /** Its state, as its owner was read. That of a list of the organization is in the head. */
  state?: string;
  /** Ranks of it that records have which belong elsewhere: they do not count as members. */
  strays?: Set<number>;
  /** A sort key among its notes, where a scan of the table showed that there are any. */
  noted?: string;
}

/** A list, and which one it is. */
export interface NamedList extends SeenList {
  readonly partition: string;
  readonly key: ListKey;
}

/** A record that owns lists. */
export type Owner = NonNullable<ListKey['owner']>;

/** The same as one text. */
export const nameOfOwner = ({ collection, number }: Owner): string => `${collection}#${number}`;

/** A record that is not there, and those of the lists that it owned which have members. */
export interface OwnerGone {
  owner: Owner;
  lists: NamedList[];
}

/** The state of a list that this version of the code does not know, in the record that would own it, or in the head. */
export interface UnknownState {
  owner?: Owner;
  /** What keeps it, if not the head: the record, or its former item. */
  keeper?: Key;
  list: string;
}

/** What was seen of the lists of an organization: their members, and their states as owners keep them. */
export class SeenLists {
  /** States that may be of no list. */
  readonly unknown: UnknownState[] = [];
  readonly #scene: Scene;
  /** By their partitions without what all begin with. */
  readonly #lists = new Map<string, SeenList>();
  /** The owners that are gone of which something is kept, by name. */
  readonly #formers = new Set<string>();
  readonly #start: string;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#start = listPartition(scene.organization, { collection: '' });
  }

  /** Takes note of the lists that a record is in, in some indexes wrongly, and of those that it owns. */
  observe(
    { name, collection }: CollectionState,
    number: number,
    item: Item,
    wrong: readonly ListIndex[],
  ): void {
    // Of what only a newer version of the code has, the numbers are proved.
    if (!collection) return;
    const places = placesOf(item).filter(({ partition, index }) => {
      const key = this.#declaredAt(partition);
      return key?.collection === name && key.index === index;
    });
    for (const place of places) {
      if (wrong.includes(place.index)) this.#observeStray(place);
      else this.#observeMember(name, number, place);
    }
    const keeper = recordKey(this.#scene.organization, name, number);
    this.#observeStates({ collection: name, number }, keeper, statesIn(item) ?? {});
  }

  /** Takes note of what the former item of a removed record keeps. */
  observeFormer(owner: Owner, states: Record<string, string>): void {
    this.#formers.add(nameOfOwner(owner));
    const { collection, number } = owner;
    this.#observeStates(owner, formerKey(this.#scene.organization, collection, number), states);
  }

  #observeStates(owner: Owner, keeper: Key, states: Record<string, string>): void {
    for (const [list, state] of Object.entries(states)) {
      const named = parseListName(list);
      const key = named && { ...named, owner };
      if (key && isDeclared(this.#scene, key))
        this.#listAt(listPartition(this.#scene.organization, key)).state = state;
      else this.unknown.push({ owner, keeper, list });
    }
  }

  /** The owners that are not there of lists that have members, by name. Lists of events aside, which nothing is kept of. */
  ownersGone(): Map<string, OwnerGone> {
    const gone = new Map<string, OwnerGone>();
    for (const [name, list] of this.#lists) {
      const partition = this.#start + name;
      const key = list.topRank > 0 ? this.#declaredAt(partition) : undefined;
      const owner = key?.collection === events.name ? undefined : key?.owner;
      if (!key || !owner || this.#isThere(owner) || hasOwnState(this.#scene, key)) continue;
      const one = gone.get(nameOfOwner(owner)) ?? { owner, lists: [] };
      gone.set(nameOfOwner(owner), one);
      one.lists.push(Object.assign(list, { partition, key }));
    }
    return gone;
  }

  /** Whether nothing tells who left a list: its owner is gone, and nothing is kept of it. */
  isUnproved({ collection, owner }: ListKey): boolean {
    return (
      owner !== undefined &&
      collection !== events.name &&
      this.#isRemoved(owner) &&
      !this.#formers.has(nameOfOwner(owner))
    );
  }

  /** Takes note of the lists of the organization whose states are in the head. */
  observeHead({ lists }: Head): void {
    for (const list of Object.keys(lists)) {
      const key = parseListName(list);
      if (key && key.index === undefined) continue;
      if (key && isDeclared(this.#scene, key)) this.#listAt(listPartition(this.#scene.organization, key));
      else this.unknown.push({ list });
    }
  }

  /** Takes note that there are notes of a list; false where there can be no such list. */
  observeNotes(partition: string, sk: string): boolean {
    const key = this.#declaredAt(partition);
    if (key) this.#listAt(partition).noted = sk;
    return key !== undefined;
  }

  /** The partitions of all lists that were seen. */
  *partitions(): Generator<string> {
    for (const name of this.#lists.keys()) yield this.#start + name;
  }

  /** The lists that a record owns. */
  *ownedBy(owner: { collection: string; number: number }): Generator<NamedList> {
    const start = listPartition(this.#scene.organization, { collection: '', owner });
    for (const [name, list] of this.#lists) {
      const partition = this.#start + name;
      const key = partition.startsWith(start) ? this.#declaredAt(partition) : undefined;
      if (key) yield { ...list, partition, key };
    }
  }

  /** The lists that are not whole as far as was seen, and those whose notes are still to be read. */
  *doubtful(): Generator<NamedList> {
    for (const [name, list] of this.#lists) {
      const partition = this.#start + name;
      const key = this.#declaredAt(partition);
      // The same object: members that are read later are noted there.
      if (key && !this.#isWhole(key, list)) yield Object.assign(list, { partition, key });
    }
  }

  /** A list's state as its owner or the head was read; undefined where neither tells. */
  stateOf(key: ListKey, { state }: SeenList): ListState | undefined {
    if (hasOwnState(this.#scene, key)) return undefined;
    if (!key.owner) return stateIn(this.#scene.head, listName(key));
    const isOfFormer = key.collection !== events.name && this.#formers.has(nameOfOwner(key.owner));
    const isRead = isOfFormer || this.#isThere(key.owner);
    return isRead ? (readState(state) ?? emptyList) : undefined;
  }

  #isWhole(key: ListKey, list: SeenList): boolean {
    const { dense, topRank, noted } = list;
    if (noted !== undefined || areNotesRead(this.#scene, key)) return false;
    if (this.isUnproved(key)) return true;
    if (dense !== topRank) return false;
    // No event leaves a list.
    if (key.collection === events.name && key.owner && this.#isRemoved(key.owner)) return true;
    const state = this.stateOf(key, list);
    return state?.left === 0 && state.last === dense;
  }

  #isThere({ collection, number }: Owner): boolean {
    return (this.#scene.stateOf(collection).marks.get(number) & marks.record) !== 0;
  }

  #isRemoved({ collection, number }: Owner): boolean {
    return this.#scene.stateOf(collection).marks.get(number) === marks.hole;
  }

  /** A record that belongs elsewhere takes no rank from those that belong there. */
  #observeStray({ partition, rank }: PlaceIn): void {
    const list = this.#listAt(partition);
    (list.strays ??= new Set()).add(rank);
    if (hasRank(list, rank)) this.#scene.vacancies.hold(partition, rank);
  }

  #observeMember(name: string, number: number, place: PlaceIn): void {
    const { partition, rank } = place;
    const list = this.#listAt(partition);
    if (list.strays?.has(rank)) this.#scene.vacancies.hold(partition, rank);
    if (!addRank(list, rank)) {
      // No rank is given out twice, so no change under way can show two members at one.
      const where = this.#scene.nameOf(name, number);
      const sentence = `${where} has rank ${rank} of ${this.#scene.listNameOf(partition)}, and so has another ${name}.`;
      this.#scene.vacancies.seek(partition, number);
      this.#scene.find('rank-doubled', where, sentence, judgeDoubled(this.#scene, name, number, place));
    } else if (rank > list.topRank) [list.topRank, list.topNumber] = [rank, number];
  }

  #listAt(partition: string): SeenList {
    const name = partition.slice(this.#start.length);
    let list = this.#lists.get(name);
    if (list === undefined) this.#lists.set(name, (list = { dense: 0, topRank: 0, topNumber: 0 }));
    return list;
  }

  /** The list of this partition, where the code has such lists. */
  #declaredAt(partition: string): ListKey | undefined {
    const key = parseListPartition(this.#scene.organization, partition);
    return key && isDeclared(this.#scene, key) ? key : undefined;
  }
}
