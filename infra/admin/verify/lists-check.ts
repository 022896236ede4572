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
import { mustReadHoleItems, hasOwnState, isOfNewer } from './declared-lists.ts';
import { keyName, redacted, unknownItem, type Finding } from './finding.ts';
import type { Repair } from './repair-plan.ts';
import { FormerItems } from './former-items.ts';
import { storedIndexList, lookUpState } from './index-list.ts';
import { checkEnded } from './ended-lists.ts';
import { checkMissingRanks, checkListStates, removeHoleOf, raiseLastRank } from './list-repairs.ts';
import { holesIn, isHoleIn, readState, statesIn, type HoleItems } from './hole-items.ts';
import { inParallel } from './parallel.ts';
import { isAt } from './index-positions.ts';
import { suspectChecks, malformedHoleItems } from './hole-checks.ts';
import { isMissing, RankSearch, type SuspectedRank, type PartitionReader } from './rank-search.ts';
import { hasRank, missingRanks } from './observed-ranks.ts';
import type { ObservedCollection, Verification } from './verification.ts';
import { ObservedLists, type ObservedList, type Owner, type UnknownListState } from './observed-lists.ts';
import type { Check, Snapshot } from './snapshots.ts';
import type { TouchedRecordsCheck } from './touched-records-check.ts';

/**
 * Maximum number of missing ranks that are searched for in a list; a sentence names at most `maxNamed` of
 * them.
 */
const maxMissing = bucketSize;
const maxNamed = 5;
/** Number of partitions that are read at a time. */
const atOnce = 8;

/**
 * Verifies that each rank of a list is either a member or a hole, that no two members have the same rank, and
 * that the hole items fit the list state.
 *
 * No single snapshot proves that a rank is missing: a rank does not tell which record has it. But a rank is
 * given out once, and a member that leaves makes a hole. Snapshot 1 shows that the rank was given out;
 * snapshot 2 shows that it is still no hole. Then one record had it in between. Between the two snapshots
 * every record that may have the rank is read: first the added ones, then all by a query, then all by
 * snapshots, since a query can show a record as it was before it got the rank.
 */
export class ListsCheck {
  readonly #verification: Verification;
  readonly #reader: PartitionReader;
  readonly #observed: ObservedLists;
  readonly #formerItems: FormerItems;
  readonly #search: RankSearch;

  constructor(verification: Verification, reader: PartitionReader, touchedRecords: TouchedRecordsCheck) {
    this.#verification = verification;
    this.#reader = reader;
    this.#observed = new ObservedLists(verification);
    this.#formerItems = new FormerItems(verification, this.#observed, touchedRecords);
    this.#search = new RankSearch(verification, reader);
  }

  /** Observes the lists that the record is in, and the lists that it owns. */
  observe(
    observed: ObservedCollection,
    number: number,
    item: Item,
    wrongIndexes: readonly ListIndex[] = [],
  ): void {
    this.#observed.observe(observed, number, item, wrongIndexes);
    this.#search.observe(number, item);
  }

  /** Observes that a scan showed hole items of a list; false if no such list is possible. */
  observeHoleItems(partition: string, sk: string): boolean {
    return this.#observed.observeHoleItems(partition, sk);
  }

  /** Observes that a scan showed the former item of a record. */
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
    // Collected first: reads from here on show lists newer than the head that is verified.
    const suspects = [...this.#observed.suspects()];
    await verification.inBatches(suspects, 'the lists', (batch) => this.#verifyBatch(batch));
  }

  async #verifyBatch(lists: readonly ObservedList[]): Promise<void> {
    const verification = this.#verification;
    const suspected = await inParallel(atOnce, lists, (list) => this.#suspect(list));
    await verification.confirmFindings(suspected.flatMap(({ checks }) => checks));
    const ranks = await this.#stillSuspected(suspected.flatMap((one) => one.ranks));
    await this.#search.findHolders(ranks);
    const occupiedHoles = ranks.filter(({ isHole, holder }) => isHole && holder !== undefined);
    await verification.confirmFindings(occupiedHoles.map((one) => this.#checkHolder(one)));
    const missing = await this.#stillSuspected(ranks.filter(isMissing));
    for (const [partition, all] of Map.groupBy(missing, ({ list }) => list.partition))
      this.#addMissing(partition, all);
  }

  /** Checks and ranks of a list that seem wrong. */
  async #suspect(
    list: ObservedList,
  ): Promise<{ checks: Check<Finding | undefined>[]; ranks: SuspectedRank[] }> {
    const { key, partition } = list;
    const observedState = this.#observed.stateOf(key, list);
    const holeItems = await this.#readHoleItems(list, observedState);
    const own = holeItems.get(stateKey(partition).sk);
    const ownState = own ? readState(own['state']) : emptyList;
    const state = hasOwnState(this.#verification, key) ? ownState : observedState;
    const isListFine = state !== undefined && list.topRank <= state.last;
    const holes = holesIn(holeItems);
    const { last } = state ?? emptyList;
    const missing = this.#observed.isUnverifiable(key)
      ? []
      : missingRanks(list, Math.max(last, list.topRank), holes, maxMissing);
    const occupiedHoles = [...holes].filter((rank) => hasRank(list, rank)).slice(0, maxMissing);
    return {
      checks: [
        ...(isListFine ? [] : [this.#checkList(list), ...checkEnded(this.#verification, list, holeItems)]),
        ...suspectChecks(storedIndexList(this.#verification, list), holeItems, state),
      ],
      ranks: [
        ...missing.map((rank) => ({ list, rank, isHole: false })),
        ...occupiedHoles.map((rank) => ({ list, rank, isHole: true })),
      ],
    };
  }

  /** Hole items of a list, if it may have any. */
  async #readHoleItems(list: ObservedList, observedState: ListState | undefined): Promise<HoleItems> {
    const holeItems = new Map<string, Item>();
    const { partition, key, dense, topRank, scannedSk } = list;
    // No hole, and no rank missing.
    const isFull = observedState?.left === 0 && dense >= Math.max(observedState.last, topRank);
    if (isFull && scannedSk === undefined && !mustReadHoleItems(this.#verification, key)) return holeItems;
    await this.#reader.read(holesPartition(partition), (sk, item) => holeItems.set(sk, item));
    const ownTop = hasOwnState(this.#verification, key) ? topRank : undefined;
    this.#verification.findings.push(
      ...malformedHoleItems(storedIndexList(this.#verification, list), holeItems, ownTop),
    );
    return holeItems;
  }

  /** Checks that the list is possible, and has no member beyond its last rank. */
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
      const sentence = `${where} has rank ${topRank} of ${name}, whose last rank is ${found.last}.`;
      return { kind: 'rank-beyond', where, sentence, repair: raiseLastRank(this.#verification, list, found) };
    };
  }

  /** Ranks that a snapshot confirms as suspects. */
  async #stillSuspected(ranks: readonly SuspectedRank[]): Promise<SuspectedRank[]> {
    const results = await this.#verification.runChecks(ranks.map((one) => this.#checkRank(one)));
    return ranks.filter((_, at) => results[at]);
  }

  #checkRank({ list, rank, isHole }: SuspectedRank): Check<boolean> {
    return (snapshot) => {
      const found = lookUpState(this.#verification, list, snapshot);
      const isStoredHole = isHoleIn(snapshot, list.partition, rank);
      if (isHole || isStoredHole !== false) return isHole && isStoredHole === true;
      // Such a list has no hole items to tell who left. But no event ever leaves a list.
      if (found === 'without owner') return list.key.collection === events.name && rank <= list.topRank;
      return typeof found === 'object' && rank <= found.last;
    };
  }

  #checkHolder({ list, rank, holder = 0 }: SuspectedRank): Check<Finding | undefined> {
    const where = this.#verification.nameOf(list.key.collection, holder);
    const name = this.#verification.listNameOf(list.partition);
    return (snapshot) => {
      const isThere = this.#isAt(snapshot, { list, rank }, holder);
      const isStoredHole = isHoleIn(snapshot, list.partition, rank);
      if (!isThere || !isStoredHole) return undefined;
      const sentence = `${where} has rank ${rank} of ${name}, but that rank is a hole.`;
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

  #addMissing(partition: string, all: readonly SuspectedRank[]): void {
    const verification = this.#verification;
    const where = verification.listNameOf(partition);
    const ranks = all.map(({ rank }) => rank);
    const more = ranks.length > maxNamed ? ' and more' : '';
    const named = `${ranks.slice(0, maxNamed).join(', ')}${more}`;
    const sentence = `No member of ${where} has rank ${named}, and it is no hole.`;
    const [list] = all.map((one) => one.list);
    const areRecordsLost =
      list !== undefined && verification.observedCollection(list.key.collection).lost.length > 0;
    verification.freeRanks.offer(partition, ranks, areRecordsLost);
    verification.addFinding(
      'rank-missing',
      where,
      sentence,
      list && checkMissingRanks(this.#verification, list),
    );
  }

  partitions(): Iterable<string> {
    return this.#observed.partitions();
  }

  ownedBy(owner: { collection: string; number: number }): Iterable<ObservedList> {
    return this.#observed.ownedBy(owner);
  }

  /** Rebuilds the malformed list states of a record. */
  checkListStates(collection: string, number: number): Check<Repair | undefined> {
    const owner = { collection, number };
    return checkListStates(this.#verification, owner, () => this.ownedBy(owner));
  }

  #checkUnknown({ owner, stateHolder, list }: UnknownListState): Check<Finding | undefined> {
    const key = stateHolder ?? headKey(this.#verification.organization);
    const where = owner ? this.#verification.nameOf(owner.collection, owner.number) : keyName(key);
    return (snapshot) => {
      const head = this.#verification.headIn(snapshot);
      const states = statesIn(snapshot.get(key) ?? {});
      const isKept = states?.[list] !== undefined;
      const named = parseListName(list);
      if (!head || !isKept || (named && isOfNewer(this.#verification, head, { ...named, owner })))
        return undefined;
      const sentence = `${where} has the state of the list ${redacted(list)}, which this version of the code does not know.`;
      return { kind: 'list-unknown', where, sentence };
    };
  }
}
