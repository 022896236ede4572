import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { recordKey } from '../../../shared/ledger/internal/keys.ts';
import { placesOf } from './places.ts';
import { marks, type CollectionState, type Scene } from './scene.ts';
import type { NamedList } from './seen-lists.ts';

/** How more of the organization is read. */
export interface Reading {
  /** Reads a partition, item by item. */
  read: (pk: string, observe: (sk: string, item: Item) => void) => Promise<void>;
  /** Reads the records that were added to a collection since it was read. */
  catchUp: (collection: string) => Promise<void>;
}

/** A rank that no member was seen to have, or one that is a hole and that a member was seen to have all the same. */
export interface DoubtfulRank {
  readonly list: NamedList;
  readonly rank: number;
  readonly isHole: boolean;
  /** The number of a record that was seen to have it since. */
  holder?: number;
  /** A record could not be read that may have it. */
  isUndecided?: true;
}

export const isMissing = ({ isHole, holder, isUndecided }: DoubtfulRank) =>
  !isHole && holder === undefined && !isUndecided;

/** How many records are looked at before it is asked whether that will do. */
const perLook = 1000;

/** Looks for the records that have certain ranks: where it costs least first, and on while any is missing. */
export class RankSearch {
  readonly #scene: Scene;
  readonly #reading: Reading;
  /** The ranks that are looked for, by the partitions of their lists. */
  #doubtful = new Map<string, Map<number, DoubtfulRank>>();

  constructor(scene: Scene, reading: Reading) {
    this.#scene = scene;
    this.#reading = reading;
  }

  /** Takes note of a record, which may have a rank that is looked for. */
  observe(number: number, item: Item): void {
    if (this.#doubtful.size === 0) return;
    for (const { index, partition, rank } of placesOf(item)) {
      const doubtful = this.#doubtful.get(partition)?.get(rank);
      if (doubtful?.list.key.index === index) doubtful.holder = number;
    }
  }

  async lookFor(ranks: readonly DoubtfulRank[]): Promise<void> {
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

  async #queryAll(name: string): Promise<void> {
    const { pk } = recordKey(this.#scene.organization, name, 1);
    await this.#reading.read(pk, (sk, item) => {
      this.observe(Number(sk), item);
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
      for (const [at, number] of portion.entries()) this.observe(number, items[at] ?? {});
      if (scene.unsettled > before) for (const rank of ofCollection) rank.isUndecided = true;
    }
  }
}

/** The numbers of a collection that may have a place which was not seen yet. An event stays where it is. */
function* holdersIn({ name, marks: all, settledTo }: CollectionState, last: number): Generator<number> {
  if (name !== events.name) for (const [number, is] of all) if ((is & marks.record) !== 0) yield number;
  for (let number = settledTo + 1; number <= last; number++) if (all.get(number) === 0) yield number;
}
