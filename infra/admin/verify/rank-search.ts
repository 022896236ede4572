import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { recordKey } from '../../../shared/ledger/internal/keys.ts';
import { positionsOf } from './index-positions.ts';
import { numberFlag, type ObservedCollection, type Verification } from './verification.ts';
import type { ObservedList } from './observed-lists.ts';

/** Further reads of the organization. */
export interface PartitionReader {
  read: (pk: string, observe: (sk: string, item: Item) => void) => Promise<void>;
  /** Reads the records that were added to the collection after it was read. */
  catchUp: (collection: string) => Promise<void>;
}

/** Rank without an observed member, or hole with one. */
export interface SuspectedRank {
  readonly list: ObservedList;
  readonly rank: number;
  readonly isHole: boolean;
  /** Number of a record that has the rank, observed since. */
  holder?: number;
  /** True if a record that may have the rank could not be read. */
  isUndecided?: true;
}

export const isMissing = ({ isHole, holder, isUndecided }: SuspectedRank) =>
  !isHole && holder === undefined && !isUndecided;

/** Number of records that are read before the search looks if it can end. */
const batchSize = 1000;

/** Searches for the records that have certain ranks: by the cheapest reads first, until none is missing. */
export class RankSearch {
  readonly #verification: Verification;
  readonly #reader: PartitionReader;
  /** Ranks that are searched for, by list partition and rank. */
  #suspects = new Map<string, Map<number, SuspectedRank>>();

  constructor(verification: Verification, reader: PartitionReader) {
    this.#verification = verification;
    this.#reader = reader;
  }

  /** Observes a record, which may have one of the ranks. */
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
    // The queries have shown every member at a hole: such a member stays there.
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

/** Numbers of records that may have an unobserved position. Events that were read stay where they are. */
function* possibleHolders({ name, flags, checkedTo }: ObservedCollection, last: number): Generator<number> {
  if (name !== events.name)
    for (const [number, flag] of flags) if ((flag & numberFlag.record) !== 0) yield number;
  for (let number = checkedTo + 1; number <= last; number++) if (flags.get(number) === 0) yield number;
}
