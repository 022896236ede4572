import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import {
  headKey,
  holesPartition,
  parseListName,
  recordKey,
  stateKey,
  type ListIndex,
} from '../../../shared/ledger/internal/keys.ts';
import { bucketSize, emptyList, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import { areNotesRead, hasOwnState, isOfNewer } from './declared-lists.ts';
import { keyName, safe, unknownItem, type Finding, type Mend } from './finding.ts';
import { FormerItems } from './former-items.ts';
import { notedIndexList, standingIn } from './index-list.ts';
import { judgeEnded } from './ended-lists.ts';
import { judgeMissing, judgeStates, notLeft, raised } from './mend-lists.ts';
import { holesIn, isHoleIn, readState, statesIn, type Notes } from './notes.ts';
import { inParallel } from './parallel.ts';
import { isAt } from './places.ts';
import { suspicious, unreadable } from './prove-notes.ts';
import { isMissing, RankSearch, type DoubtfulRank, type Reading } from './rank-search.ts';
import { hasRank, missingRanks } from './ranks.ts';
import type { CollectionState, Scene } from './scene.ts';
import { SeenLists, type NamedList, type Owner, type UnknownState } from './seen-lists.ts';
import type { Judge, Look } from './snapshots.ts';
import type { TouchedRecords } from './touched-records.ts';

/** How many missing ranks of a list are looked for, and how many of them a sentence names. */
const maxMissing = bucketSize;
const maxNamed = 5;
/** Number of partitions that are read at a time. */
const atOnce = 8;

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
  readonly #formers: FormerItems;
  readonly #search: RankSearch;

  constructor(scene: Scene, reading: Reading, touched: TouchedRecords) {
    this.#scene = scene;
    this.#reading = reading;
    this.#seen = new SeenLists(scene);
    this.#formers = new FormerItems(scene, this.#seen, touched);
    this.#search = new RankSearch(scene, reading);
  }

  /** Takes note of the lists that a record is in, in some indexes wrongly, and of those that it owns. */
  observe(state: CollectionState, number: number, item: Item, wrong: readonly ListIndex[] = []): void {
    this.#seen.observe(state, number, item, wrong);
    this.#search.observe(number, item);
  }

  /** Takes note that a scan of the table showed notes of a list. */
  observeNotes(partition: string, sk: string): boolean {
    return this.#seen.observeNotes(partition, sk);
  }

  /** Takes note that a scan of the table showed the former item of a record. */
  observeFormer(owner: Owner): void {
    this.#formers.observeNoted(owner);
  }

  async settle(): Promise<void> {
    const scene = this.#scene;
    this.#seen.observeHead(scene.head);
    await this.#formers.settle();
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
    await this.#search.lookFor(ranks);
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
    const missing = this.#seen.isUnproved(key)
      ? []
      : missingRanks(list, Math.max(last, list.topRank), holes, maxMissing);
    const doubled = [...holes].filter((rank) => hasRank(list, rank)).slice(0, maxMissing);
    return {
      judges: [
        ...(isListFine ? [] : [this.#judgeList(list), ...judgeEnded(this.#scene, list, notes)]),
        ...suspicious(notedIndexList(this.#scene, list), notes, state),
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
    const isFull = kept?.left === 0 && dense >= Math.max(kept.last, topRank);
    if (isFull && noted === undefined && !areNotesRead(this.#scene, key)) return notes;
    await this.#reading.read(holesPartition(partition), (sk, item) => notes.set(sk, item));
    const ownTop = hasOwnState(this.#scene, key) ? topRank : undefined;
    this.#scene.findings.push(...unreadable(notedIndexList(this.#scene, list), notes, ownTop));
    return notes;
  }

  /** Proves that there can be such a list, and that it has no member after the last rank. */
  #judgeList(list: NamedList): Judge<Finding | undefined> {
    const { key, partition, topRank, topNumber, noted } = list;
    const name = this.#scene.listNameOf(partition);
    const where = this.#scene.nameOf(key.collection, topNumber);
    return (look) => {
      const standing = standingIn(this.#scene, list, look);
      const isThere = this.#isAt(look, { list, rank: topRank }, topNumber);
      if (standing === 'unknown') {
        const notes = { pk: holesPartition(partition), sk: noted ?? '' };
        const sentence = `${where} is in ${name}, which was never there.`;
        if (isThere) return { kind: 'list-unknown', where, sentence };
        return noted === undefined ? undefined : unknownItem(notes);
      }
      if (!isThere || typeof standing !== 'object' || topRank <= standing.last) return undefined;
      const sentence = `${where} has rank ${topRank} of ${name}, which has given out ranks up to ${standing.last} only.`;
      return { kind: 'rank-beyond', where, sentence, mend: raised(this.#scene, list, standing) };
    };
  }

  /** Those ranks that a snapshot shows as what they were taken for. */
  async #stillDoubtful(ranks: readonly DoubtfulRank[]): Promise<DoubtfulRank[]> {
    const results = await this.#scene.settle(ranks.map((one) => this.#judgeRank(one)));
    return ranks.filter((_, at) => results[at]);
  }

  #judgeRank({ list, rank, isHole }: DoubtfulRank): Judge<boolean> {
    return (look) => {
      const standing = standingIn(this.#scene, list, look);
      const isNoted = isHoleIn(look, list.partition, rank);
      if (isHole || isNoted !== false) return isHole && isNoted === true;
      // Nothing notes who left a list of which nothing is kept; but no event ever leaves one.
      if (standing === 'without owner') return list.key.collection === events.name && rank <= list.topRank;
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
      const mend = notLeft(this.#scene, list, { rank, where });
      return { kind: 'rank-and-hole', where, sentence, mend };
    };
  }

  #isAt(look: Look, { list, rank }: { list: NamedList; rank: number }, number: number): boolean {
    if (number === 0) return false;
    const { key, partition } = list;
    const { collection, index } = key;
    const item = look(recordKey(this.#scene.organization, collection, number));
    return index !== undefined && isAt(item, { index, partition, rank });
  }

  #findMissing(partition: string, all: readonly DoubtfulRank[]): void {
    const scene = this.#scene;
    const where = scene.listNameOf(partition);
    const ranks = all.map(({ rank }) => rank);
    const more = ranks.length > maxNamed ? ' and more' : '';
    const named = `${ranks.slice(0, maxNamed).join(', ')}${more}`;
    const sentence = `No member of ${where} has rank ${named}, and it is not noted that one left.`;
    const [list] = all.map((one) => one.list);
    const areRecordsLost = list !== undefined && scene.stateOf(list.key.collection).lost.length > 0;
    scene.vacancies.offer(partition, ranks, areRecordsLost);
    scene.find('rank-missing', where, sentence, list && judgeMissing(this.#scene, list));
  }

  /** The partitions of all lists that were seen, by their members or states. */
  partitions(): Iterable<string> {
    return this.#seen.partitions();
  }

  /** The lists that a record owns, as far as they were seen. */
  ownedBy(owner: { collection: string; number: number }): Iterable<NamedList> {
    return this.#seen.ownedBy(owner);
  }

  /** Judges how the states are made anew that a record keeps of its lists, and that cannot be read. */
  judgeStates(collection: string, number: number): Judge<Mend | undefined> {
    const owner = { collection, number };
    return judgeStates(this.#scene, owner, () => this.ownedBy(owner));
  }

  #judgeUnknown({ owner, keeper, list }: UnknownState): Judge<Finding | undefined> {
    const key = keeper ?? headKey(this.#scene.organization);
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
