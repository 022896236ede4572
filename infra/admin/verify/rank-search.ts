import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { recordKey } from '../../../shared/ledger/internal/keys.ts';
import { positionsOf } from './index-positions.ts';
import { numberFlag, type ObservedCollection, type Verification } from './verification.ts';
import type { ObservedList } from './observed-lists.ts';

/** How more of the organization is read. */
export interface PartitionReader {
  /** Reads a partition, item by item. */
  read: (pk: string, observe: (sk: string, item: Item) => void) => Promise<void>;
  /** Reads the records that were added to a collection since it was read. */
  catchUp: (collection: string) => Promise<void>;
}

/** A rank that no member was seen to have, or one that is a hole and that a member was seen to have all the same. */
export interface SuspectedRank {
  readonly list: ObservedList;
  readonly rank: number;
  readonly isHole: boolean;
  /** The number of a record that was seen to have it since. */
  holder?: number;
  /** A record could not be read that may have it. */
  isUndecided?: true;
}

export const isMissing = ({ isHole, holder, isUndecided }: SuspectedRank) =>
  !isHole && holder === undefined && !isUndecided;

/** How many records are looked at before it is asked whether that will do. */
const batchSize = 1000;

/** Looks for the records that have certain ranks: where it costs least first, and on while any is missing. */
export class RankSearch {
  readonly #verification: Verification;
  readonly #reader: PartitionReader;
  /** The ranks that are looked for, by the partitions of their lists. */
  #suspects = new Map<string, Map<number, SuspectedRank>>();

  constructor(verification: Verification, reader: PartitionReader) {
    this.#verification = verification;
    this.#reader = reader;
  }

  /** Takes note of a record, which may have a rank that is looked for. */
  observe(number: number, item: Item): void {
    if (this.#suspects.size === 0) return;
    for (const { index, partition, rank } of positionsOf(item)) {
      const suspects = this.#suspects.get(partition)?.get(rank);
      if (suspects?.list.key.index === index) suspects.holder = number;
    }
  }

  async findHolders(ranks: readonly SuspectedRank[]): Promise<void> {
    for (const one of ranks) {
      const ofList = this.#suspects.get(one.list.partition) ?? new Map<number, SuspectedRank>();
      this.#suspects.set(one.list.partition, ofList.set(one.rank, one));
    }
    const collectionsOf = (some: readonly SuspectedRank[]) =>
      new Set(some.map(({ list }) => list.key.collection));
    for (const name of collectionsOf(ranks)) await this.#reader.catchUp(name);
    for (const name of collectionsOf(ranks.filter(({ holder }) => holder === undefined)))
      await this.#queryAll(name);
    // A member at a hole stays there, so a query has shown it.
    for (const name of collectionsOf(ranks.filter(isMissing))) await this.#readEach(name, ranks);
    this.#suspects.clear();
  }

  async #queryAll(name: string): Promise<void> {
    const { pk } = recordKey(this.#verification.organization, name, 1);
    await this.#reader.read(pk, (sk, item) => {
      this.observe(Number(sk), item);
    });
  }

  async #readEach(name: string, ranks: readonly SuspectedRank[]): Promise<void> {
    const verification = this.#verification;
    const ofCollection = ranks.filter(({ list }) => list.key.collection === name);
    const numbers = possibleHolders(
      verification.observedCollection(name),
      stateIn(verification.head, name).last,
    );
    const before = verification.unsettled;
    while (ofCollection.some(isMissing)) {
      const batch = numbers.take(batchSize).toArray();
      if (batch.length === 0) return;
      const keys = batch.map((number) => recordKey(verification.organization, name, number));
      const items = await verification.runChecks(keys.map((key) => (snapshot) => snapshot.get(key)));
      for (const [at, number] of batch.entries()) this.observe(number, items[at] ?? {});
      if (verification.unsettled > before) for (const rank of ofCollection) rank.isUndecided = true;
    }
  }
}

/** The numbers of a collection that may have a place which was not seen yet. An event stays where it is. */
function* possibleHolders(
  { name, flags: all, checkedTo }: ObservedCollection,
  last: number,
): Generator<number> {
  if (name !== events.name) for (const [number, is] of all) if ((is & numberFlag.record) !== 0) yield number;
  for (let number = checkedTo + 1; number <= last; number++) if (all.get(number) === 0) yield number;
}
