import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import {
  headKey,
  listName,
  notesPartition,
  parseListName,
  recordKey,
  stateKey,
} from '../../../shared/ledger/internal/keys.ts';
import { emptyList, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import { keyName, safe, unknownItem, type Finding } from './finding.ts';
import {
  holesIn,
  isHoleIn,
  readState,
  statesIn,
  suspicious,
  unreadable,
  type NotedList,
  type Notes,
} from './notes.ts';
import { inParallel } from './parallel.ts';
import { placesOf } from './places.ts';
import { hasRank, missingRanks } from './ranks.ts';
import { marks, type CollectionState, type Scene } from './scene.ts';
import { hasOwnState, isOfNewer, SeenLists, type NamedList, type UnknownState } from './seen-lists.ts';
import type { Judge, Look } from './snapshots.ts';

/** How the lists read more of the organization. */
export interface Reading {
  /** Reads a partition, item by item. */
  read: (pk: string, observe: (sk: string, item: Item) => void) => Promise<void>;
  /** Reads the records that were added to a collection since it was read. */
  catchUp: (collection: string) => Promise<void>;
}

/** A rank that no member was seen to have, or one that is a hole and that a member was seen to have all the same. */
interface DoubtfulRank {
  readonly list: NamedList;
  readonly rank: number;
  readonly isHole: boolean;
  /** The number of a record that was seen to have it since. */
  holder?: number;
  /** A record could not be read that may have it. */
  isUndecided?: true;
}

/**
 * The state of a list in a snapshot. That of a list whose owner was deleted went with it: then there must be members up to
 * the greatest rank.
 */
type Standing = ListState | 'without owner' | 'unknown' | 'unreadable';

/** How many missing ranks of a list are looked for, and how many of them a sentence names. */
const maxMissing = 100;
const maxNamed = 5;
/** How many partitions are read at a time, and how many records are looked at before it is asked whether that will do. */
const atOnce = 8;
const perLook = 1000;

/**
 * Proves that each rank up to the last of a list is either a member or a noted hole, that no two members have the same one,
 * and that the list's notes fit its state.
 *
 * The rank that no member was seen to have is the one case that no snapshot of known items settles, since a rank says
 * nothing of which record has it. But a rank is never given out again, and whoever leaves makes a hole. So where a first
 * snapshot shows that the rank was given out and is no hole, and a last one that it is none yet, one and the same record
 * has had it all the time between. That record is looked for meanwhile: among those that were added, then by a query of
 * all, and last by snapshots of all, since a query can show a record as it was before the change that gave it the rank.
 */
export class Lists {
  readonly #scene: Scene;
  readonly #reading: Reading;
  readonly #seen: SeenLists;
  /** The ranks that are looked for, by the partitions of their lists. */
  #doubtful = new Map<string, Map<number, DoubtfulRank>>();

  constructor(scene: Scene, reading: Reading) {
    this.#scene = scene;
    this.#reading = reading;
    this.#seen = new SeenLists(scene);
  }

  /** Takes note of the lists that a record is in, and of those that it owns. */
  observe(state: CollectionState, number: number, item: Item): void {
    this.#seen.observe(state, number, item);
    this.#observeHolder(number, item);
  }

  /** Takes note that a scan of the table showed notes of a list. */
  observeNotes(partition: string, sk: string): boolean {
    return this.#seen.observeNotes(partition, sk);
  }

  async settle(): Promise<void> {
    const scene = this.#scene;
    this.#seen.observeHead(scene.head);
    await scene.inPortions(this.#seen.unknown, 'the states of lists', (portion) =>
      scene.settleFindings(portion.map((state) => this.#judgeUnknown(state))),
    );
    // All at once: what is read meanwhile brings new lists, which are of no version that is asked for.
    const doubtful = [...this.#seen.doubtful()];
    await scene.inPortions(doubtful, 'the lists', (portion) => this.#settlePortion(portion));
  }

  async #settlePortion(lists: readonly NamedList[]): Promise<void> {
    const scene = this.#scene;
    const suspicions = await inParallel(atOnce, lists, (list) => this.#suspect(list));
    await scene.settleFindings(suspicions.flatMap(({ judges }) => judges));
    const ranks = await this.#stillDoubtful(suspicions.flatMap((one) => one.ranks));
    await this.#lookForHolders(ranks);
    const doubled = ranks.filter(({ isHole, holder }) => isHole && holder !== undefined);
    await scene.settleFindings(doubled.map((one) => this.#judgeHolder(one)));
    const missing = await this.#stillDoubtful(ranks.filter(isMissing));
    for (const [partition, all] of Map.groupBy(missing, ({ list }) => list.partition))
      this.#findMissing(partition, all);
  }

  /** What may be wrong with a list, by what was read of it. */
  async #suspect(list: NamedList): Promise<{ judges: Judge<Finding | undefined>[]; ranks: DoubtfulRank[] }> {
    const { key, partition } = list;
    const kept = this.#seen.stateOf(key, list);
    const notes = await this.#readNotes(list, kept);
    const own = notes.get(stateKey(partition).sk);
    const ownState = own ? readState(own['state']) : emptyList;
    const state = hasOwnState(this.#scene, key) ? ownState : kept;
    const isListFine = state !== undefined && list.topRank <= state.last;
    const holes = holesIn(notes);
    const { last } = state ?? emptyList;
    const missing = missingRanks(list, Math.max(last, list.topRank), holes, maxMissing);
    const doubled = [...holes].filter((rank) => hasRank(list, rank)).slice(0, maxMissing);
    return {
      judges: [
        ...(isListFine ? [] : [this.#judgeList(list)]),
        ...suspicious(this.#notedList(list), notes, state),
      ],
      ranks: [
        ...missing.map((rank) => ({ list, rank, isHole: false })),
        ...doubled.map((rank) => ({ list, rank, isHole: true })),
      ],
    };
  }

  /** What is noted of a list, where anything may be. */
  async #readNotes(list: NamedList, kept: ListState | undefined): Promise<Notes> {
    const notes = new Map<string, Item>();
    const { partition, key, dense, topRank, noted } = list;
    // Nobody has left, and nobody is missing.
    if (kept?.left === 0 && dense >= Math.max(kept.last, topRank) && noted === undefined) return notes;
    await this.#reading.read(notesPartition(partition), (sk, item) => notes.set(sk, item));
    this.#scene.findings.push(...unreadable(partition, notes, hasOwnState(this.#scene, key)));
    return notes;
  }

  #notedList(list: NamedList): NotedList {
    const { partition, key } = list;
    const { organization } = this.#scene;
    const owner = key.owner && this.#scene.nameOf(key.owner.collection, key.owner.number);
    return {
      partition,
      name: this.#scene.listNameOf(partition),
      isCollection: false,
      keeper: hasOwnState(this.#scene, key)
        ? keyName(stateKey(partition))
        : (owner ?? keyName(headKey(organization))),
      stateIn: (look) => {
        const standing = this.#standingIn(list, look);
        return typeof standing === 'object' ? standing : undefined;
      },
    };
  }

  #standingIn({ key, partition }: NamedList, look: Look): Standing {
    const head = this.#scene.headIn(look);
    if (hasOwnState(this.#scene, key)) {
      const item = look(stateKey(partition));
      return item ? (readState(item['state']) ?? 'unreadable') : emptyList;
    }
    if (!key.owner) return head ? stateIn(head, listName(key)) : 'unreadable';
    const { collection, number } = key.owner;
    const owner = look(recordKey(this.#scene.organization, collection, number));
    if (!head) return 'unreadable';
    if (!owner) return number > stateIn(head, collection).last ? 'unknown' : 'without owner';
    const states = statesIn(owner);
    return states ? (readState(states[listName(key)]) ?? emptyList) : 'unreadable';
  }

  /** Proves that there can be such a list, and that it has no member after the last rank. */
  #judgeList(list: NamedList): Judge<Finding | undefined> {
    const { key, partition, topRank, topNumber, noted } = list;
    const name = this.#scene.listNameOf(partition);
    const where = this.#scene.nameOf(key.collection, topNumber);
    return (look) => {
      const standing = this.#standingIn(list, look);
      const isThere = this.#isAt(look, { list, rank: topRank }, topNumber);
      if (standing === 'unknown') {
        const notes = { pk: notesPartition(partition), sk: noted ?? '' };
        const sentence = `${where} is in ${name}, which was never there.`;
        if (isThere) return { kind: 'list-unknown', where, sentence };
        return noted === undefined ? undefined : unknownItem(notes);
      }
      if (!isThere || typeof standing !== 'object' || topRank <= standing.last) return undefined;
      const sentence = `${where} has rank ${topRank} of ${name}, which has given out ranks up to ${standing.last} only.`;
      return { kind: 'rank-beyond', where, sentence };
    };
  }

  /** Those ranks that a snapshot shows as what they were taken for. */
  async #stillDoubtful(ranks: readonly DoubtfulRank[]): Promise<DoubtfulRank[]> {
    const results = await this.#scene.settle(ranks.map((one) => this.#judgeRank(one)));
    return ranks.filter((_, at) => results[at]);
  }

  #judgeRank({ list, rank, isHole }: DoubtfulRank): Judge<boolean> {
    return (look) => {
      const standing = this.#standingIn(list, look);
      const isNoted = isHoleIn(look, list.partition, rank);
      if (isHole || isNoted !== false) return isHole && isNoted === true;
      if (standing === 'without owner') return rank <= list.topRank;
      return typeof standing === 'object' && rank <= standing.last;
    };
  }

  #judgeHolder({ list, rank, holder = 0 }: DoubtfulRank): Judge<Finding | undefined> {
    const where = this.#scene.nameOf(list.key.collection, holder);
    const name = this.#scene.listNameOf(list.partition);
    return (look) => {
      const isThere = this.#isAt(look, { list, rank }, holder);
      const isNoted = isHoleIn(look, list.partition, rank);
      if (!isThere || !isNoted) return undefined;
      const sentence = `${where} has rank ${rank} of ${name}, and it is noted that it left.`;
      return { kind: 'rank-and-hole', where, sentence };
    };
  }

  #isAt(look: Look, { list, rank }: { list: NamedList; rank: number }, number: number): boolean {
    if (number === 0) return false;
    const { key, partition } = list;
    const item = look(recordKey(this.#scene.organization, key.collection, number));
    const place = placesOf(item ?? {}).find(({ index }) => index === key.index);
    return place?.partition === partition && place.rank === rank;
  }

  /** Looks for the records that have these ranks: where it costs least first, and on while any is missing. */
  async #lookForHolders(ranks: readonly DoubtfulRank[]): Promise<void> {
    for (const one of ranks) {
      const ofList = this.#doubtful.get(one.list.partition) ?? new Map<number, DoubtfulRank>();
      this.#doubtful.set(one.list.partition, ofList.set(one.rank, one));
    }
    const collectionsOf = (some: readonly DoubtfulRank[]) =>
      new Set(some.map(({ list }) => list.key.collection));
    for (const name of collectionsOf(ranks)) await this.#reading.catchUp(name);
    for (const name of collectionsOf(ranks.filter(({ holder }) => holder === undefined)))
      await this.#queryAll(name);
    // A member at a hole stays there, so a query has shown it.
    for (const name of collectionsOf(ranks.filter(isMissing))) await this.#lookAtAll(name, ranks);
    this.#doubtful.clear();
  }

  #observeHolder(number: number, item: Item): void {
    if (this.#doubtful.size === 0) return;
    for (const { index, partition, rank } of placesOf(item)) {
      const doubtful = this.#doubtful.get(partition)?.get(rank);
      if (doubtful?.list.key.index === index) doubtful.holder = number;
    }
  }

  async #queryAll(name: string): Promise<void> {
    const { pk } = recordKey(this.#scene.organization, name, 1);
    await this.#reading.read(pk, (sk, item) => {
      this.#observeHolder(Number(sk), item);
    });
  }

  async #lookAtAll(name: string, ranks: readonly DoubtfulRank[]): Promise<void> {
    const scene = this.#scene;
    const ofCollection = ranks.filter(({ list }) => list.key.collection === name);
    const numbers = holdersIn(scene.stateOf(name), stateIn(scene.head, name).last);
    const before = scene.unsettled;
    while (ofCollection.some(isMissing)) {
      const portion = numbers.take(perLook).toArray();
      if (portion.length === 0) return;
      const keys = portion.map((number) => recordKey(scene.organization, name, number));
      const items = await scene.settle(keys.map((key) => (look) => look(key)));
      for (const [at, number] of portion.entries()) this.#observeHolder(number, items[at] ?? {});
      if (scene.unsettled > before) for (const rank of ofCollection) rank.isUndecided = true;
    }
  }

  #findMissing(partition: string, all: readonly DoubtfulRank[]): void {
    const where = this.#scene.listNameOf(partition);
    const ranks = all.map(({ rank }) => rank);
    const more = ranks.length > maxNamed ? ' and more' : '';
    const named = `${ranks.slice(0, maxNamed).join(', ')}${more}`;
    const sentence = `No member of ${where} has rank ${named}, and it is not noted that one left.`;
    this.#scene.find('rank-missing', where, sentence);
  }

  #judgeUnknown({ owner, list }: UnknownState): Judge<Finding | undefined> {
    const { organization } = this.#scene;
    const key = owner ? recordKey(organization, owner.collection, owner.number) : headKey(organization);
    const where = owner ? this.#scene.nameOf(owner.collection, owner.number) : keyName(key);
    return (look) => {
      const head = this.#scene.headIn(look);
      const states = statesIn(look(key) ?? {});
      const isKept = states?.[list] !== undefined;
      const named = parseListName(list);
      if (!head || !isKept || (named && isOfNewer(this.#scene, head, { ...named, owner }))) return undefined;
      const sentence = `${where} keeps the state of ${safe(list)}, which is no list that this version of the code knows.`;
      return { kind: 'list-unknown', where, sentence };
    };
  }
}

const isMissing = ({ isHole, holder, isUndecided }: DoubtfulRank) =>
  !isHole && holder === undefined && !isUndecided;

/** The numbers of a collection that may have a place which was not seen yet. An event stays where it is. */
function* holdersIn({ name, marks: all, settledTo }: CollectionState, last: number): Generator<number> {
  if (name !== events.name) for (const [number, is] of all) if ((is & marks.record) !== 0) yield number;
  for (let number = settledTo + 1; number <= last; number++) if (all.get(number) === 0) yield number;
}
