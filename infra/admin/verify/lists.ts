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
import { keyName, redacted, unknownItem, type Finding } from './finding.ts';
import type { Repair } from './repair-plan.ts';
import { FormerItems } from './former-items.ts';
import { storedIndexList, lookUpState } from './index-list.ts';
import { checkEnded } from './ended-lists.ts';
import { checkMissing, checkListStates, removeHoleOf, raiseLastRank } from './list-repairs.ts';
import { holesIn, isHoleIn, readState, statesIn, type HoleItems } from './hole-items.ts';
import { inParallel } from './parallel.ts';
import { isAt } from './index-positions.ts';
import { suspectChecks, malformedHoleItems } from './hole-checks.ts';
import { isMissing, RankSearch, type SuspectedRank, type PartitionReader } from './rank-search.ts';
import { hasRank, missingRanks } from './observed-ranks.ts';
import type { ObservedCollection, Verification } from './verification.ts';
import { ObservedLists, type ObservedList, type Owner, type UnknownListState } from './observed-lists.ts';
import type { Check, Snapshot } from './snapshots.ts';
import type { TouchedRecords } from './touched-records.ts';

/** How many missing ranks of a list are looked for, and how many of them a sentence names. */
const maxMissing = bucketSize;
const maxNamed = 5;
/** Number of partitions that are read at a time. */
const atOnce = 8;

/**
 * Proves that each rank up to the last of a list is either a member or a scannedSk hole, that no two members have the same one,
 * and that the list's notes fit its state.
 *
 * The rank that no member was seen to have is the one case that no snapshot of known items settles, since a rank says
 * nothing of which record has it. But a rank is never given out again, and whoever leaves makes a hole. So where a first
 * snapshot shows that the rank was given out and is no hole, and a last one that it is none yet, one and the same record
 * has had it all the time between. That record is looked for meanwhile: among those that were added, then by a query of
 * all, and last by snapshots of all, since a query can show a record as it was before the change that gave it the rank.
 */
export class Lists {
  readonly #verification: Verification;
  readonly #reader: PartitionReader;
  readonly #observed: ObservedLists;
  readonly #formerItems: FormerItems;
  readonly #search: RankSearch;

  constructor(verification: Verification, reader: PartitionReader, touchedRecords: TouchedRecords) {
    this.#verification = verification;
    this.#reader = reader;
    this.#observed = new ObservedLists(verification);
    this.#formerItems = new FormerItems(verification, this.#observed, touchedRecords);
    this.#search = new RankSearch(verification, reader);
  }

  /** Takes note of the lists that a record is in, in some indexes wrongly, and of those that it owns. */
  observe(
    state: ObservedCollection,
    number: number,
    item: Item,
    wrongIndexes: readonly ListIndex[] = [],
  ): void {
    this.#observed.observe(state, number, item, wrongIndexes);
    this.#search.observe(number, item);
  }

  /** Takes note that a scan of the table showed notes of a list. */
  observeHoleItems(partition: string, sk: string): boolean {
    return this.#observed.observeHoleItems(partition, sk);
  }

  /** Takes note that a scan of the table showed the former item of a record. */
  observeFormer(owner: Owner): void {
    this.#formerItems.observeScanned(owner);
  }

  async verify(): Promise<void> {
    const verification = this.#verification;
    this.#observed.observeHead(verification.head);
    await this.#formerItems.verify();
    await verification.inBatches(this.#observed.unknown, 'the states of lists', (batch) =>
      verification.confirmFindings(batch.map((state) => this.#checkUnknown(state))),
    );
    // All at once: what is read meanwhile brings new lists, which are of no version that is asked for.
    const suspects = [...this.#observed.suspects()];
    await verification.inBatches(suspects, 'the lists', (batch) => this.#verifyBatch(batch));
  }

  async #verifyBatch(lists: readonly ObservedList[]): Promise<void> {
    const verification = this.#verification;
    const suspicions = await inParallel(atOnce, lists, (list) => this.#suspect(list));
    await verification.confirmFindings(suspicions.flatMap(({ checks }) => checks));
    const ranks = await this.#stillSuspected(suspicions.flatMap((one) => one.ranks));
    await this.#search.findHolders(ranks);
    const doubled = ranks.filter(({ isHole, holder }) => isHole && holder !== undefined);
    await verification.confirmFindings(doubled.map((one) => this.#checkHolder(one)));
    const missing = await this.#stillSuspected(ranks.filter(isMissing));
    for (const [partition, all] of Map.groupBy(missing, ({ list }) => list.partition))
      this.#findMissing(partition, all);
  }

  /** What may be wrongIndexes with a list, by what was read of it. */
  async #suspect(
    list: ObservedList,
  ): Promise<{ checks: Check<Finding | undefined>[]; ranks: SuspectedRank[] }> {
    const { key, partition } = list;
    const keptState = this.#observed.stateOf(key, list);
    const holeItems = await this.#readHoleItems(list, keptState);
    const own = holeItems.get(stateKey(partition).sk);
    const ownState = own ? readState(own['state']) : emptyList;
    const state = hasOwnState(this.#verification, key) ? ownState : keptState;
    const isListFine = state !== undefined && list.topRank <= state.last;
    const holes = holesIn(holeItems);
    const { last } = state ?? emptyList;
    const missing = this.#observed.isUnverifiable(key)
      ? []
      : missingRanks(list, Math.max(last, list.topRank), holes, maxMissing);
    const doubled = [...holes].filter((rank) => hasRank(list, rank)).slice(0, maxMissing);
    return {
      checks: [
        ...(isListFine ? [] : [this.#checkList(list), ...checkEnded(this.#verification, list, holeItems)]),
        ...suspectChecks(storedIndexList(this.#verification, list), holeItems, state),
      ],
      ranks: [
        ...missing.map((rank) => ({ list, rank, isHole: false })),
        ...doubled.map((rank) => ({ list, rank, isHole: true })),
      ],
    };
  }

  /** What is scannedSk of a list, where anything may be. */
  async #readHoleItems(list: ObservedList, keptState: ListState | undefined): Promise<HoleItems> {
    const holeItems = new Map<string, Item>();
    const { partition, key, dense, topRank, scannedSk } = list;
    // Nobody has left, and nobody is missing.
    const isFull = keptState?.left === 0 && dense >= Math.max(keptState.last, topRank);
    if (isFull && scannedSk === undefined && !areNotesRead(this.#verification, key)) return holeItems;
    await this.#reader.read(holesPartition(partition), (sk, item) => holeItems.set(sk, item));
    const ownTop = hasOwnState(this.#verification, key) ? topRank : undefined;
    this.#verification.findings.push(
      ...malformedHoleItems(storedIndexList(this.#verification, list), holeItems, ownTop),
    );
    return holeItems;
  }

  /** Proves that there can be such a list, and that it has no member after the last rank. */
  #checkList(list: ObservedList): Check<Finding | undefined> {
    const { key, partition, topRank, topNumber, scannedSk } = list;
    const name = this.#verification.listNameOf(partition);
    const where = this.#verification.nameOf(key.collection, topNumber);
    return (snapshot) => {
      const found = lookUpState(this.#verification, list, snapshot);
      const isThere = this.#isAt(snapshot, { list, rank: topRank }, topNumber);
      if (found === 'unknown') {
        const holeItems = { pk: holesPartition(partition), sk: scannedSk ?? '' };
        const sentence = `${where} is in ${name}, which was never there.`;
        if (isThere) return { kind: 'list-unknown', where, sentence };
        return scannedSk === undefined ? undefined : unknownItem(holeItems);
      }
      if (!isThere || typeof found !== 'object' || topRank <= found.last) return undefined;
      const sentence = `${where} has rank ${topRank} of ${name}, which has given out ranks up to ${found.last} only.`;
      return { kind: 'rank-beyond', where, sentence, repair: raiseLastRank(this.#verification, list, found) };
    };
  }

  /** Those ranks that a snapshot shows as what they were taken for. */
  async #stillSuspected(ranks: readonly SuspectedRank[]): Promise<SuspectedRank[]> {
    const results = await this.#verification.runChecks(ranks.map((one) => this.#checkRank(one)));
    return ranks.filter((_, at) => results[at]);
  }

  #checkRank({ list, rank, isHole }: SuspectedRank): Check<boolean> {
    return (snapshot) => {
      const found = lookUpState(this.#verification, list, snapshot);
      const isNoted = isHoleIn(snapshot, list.partition, rank);
      if (isHole || isNoted !== false) return isHole && isNoted === true;
      // Nothing notes who left a list of which nothing is keptState; but no event ever leaves one.
      if (found === 'without owner') return list.key.collection === events.name && rank <= list.topRank;
      return typeof found === 'object' && rank <= found.last;
    };
  }

  #checkHolder({ list, rank, holder = 0 }: SuspectedRank): Check<Finding | undefined> {
    const where = this.#verification.nameOf(list.key.collection, holder);
    const name = this.#verification.listNameOf(list.partition);
    return (snapshot) => {
      const isThere = this.#isAt(snapshot, { list, rank }, holder);
      const isNoted = isHoleIn(snapshot, list.partition, rank);
      if (!isThere || !isNoted) return undefined;
      const sentence = `${where} has rank ${rank} of ${name}, and it is noted that it left.`;
      const repair = removeHoleOf(this.#verification, list, { rank, where });
      return { kind: 'rank-and-hole', where, sentence, repair };
    };
  }

  #isAt(snapshot: Snapshot, { list, rank }: { list: ObservedList; rank: number }, number: number): boolean {
    if (number === 0) return false;
    const { key, partition } = list;
    const { collection, index } = key;
    const item = snapshot.get(recordKey(this.#verification.organization, collection, number));
    return index !== undefined && isAt(item, { index, partition, rank });
  }

  #findMissing(partition: string, all: readonly SuspectedRank[]): void {
    const verification = this.#verification;
    const where = verification.listNameOf(partition);
    const ranks = all.map(({ rank }) => rank);
    const more = ranks.length > maxNamed ? ' and more' : '';
    const named = `${ranks.slice(0, maxNamed).join(', ')}${more}`;
    const sentence = `No member of ${where} has rank ${named}, and it is not noted that one left.`;
    const [list] = all.map((one) => one.list);
    const areRecordsLost =
      list !== undefined && verification.observedCollection(list.key.collection).lost.length > 0;
    verification.freeRanks.offer(partition, ranks, areRecordsLost);
    verification.addFinding('rank-missing', where, sentence, list && checkMissing(this.#verification, list));
  }

  /** The partitions of all lists that were seen, by their members or states. */
  partitions(): Iterable<string> {
    return this.#observed.partitions();
  }

  /** The lists that a record owns, as far as they were seen. */
  ownedBy(owner: { collection: string; number: number }): Iterable<ObservedList> {
    return this.#observed.ownedBy(owner);
  }

  /** Judges how the states are made anew that a record keeps of its lists, and that cannot be read. */
  checkListStates(collection: string, number: number): Check<Repair | undefined> {
    const owner = { collection, number };
    return checkListStates(this.#verification, owner, () => this.ownedBy(owner));
  }

  #checkUnknown({ owner, keeper, list }: UnknownListState): Check<Finding | undefined> {
    const key = keeper ?? headKey(this.#verification.organization);
    const where = owner ? this.#verification.nameOf(owner.collection, owner.number) : keyName(key);
    return (snapshot) => {
      const head = this.#verification.headIn(snapshot);
      const states = statesIn(snapshot.get(key) ?? {});
      const isKept = states?.[list] !== undefined;
      const named = parseListName(list);
      if (!head || !isKept || (named && isOfNewer(this.#verification, head, { ...named, owner })))
        return undefined;
      const sentence = `${where} keeps the state of ${redacted(list)}, which is no list that this version of the code knows.`;
      return { kind: 'list-unknown', where, sentence };
    };
  }
}
