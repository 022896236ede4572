import type { OrganizationCode } from '../../core/ids.ts';
import { knownIndexes, afterOf, listsAfter, type RecordChange } from './record-change.ts';
import { listIndexes, listName, parseListPartition, type ListIndex } from './keys.ts';
import type { ListChanges } from './list-changes.ts';
import type { ListOwners } from './list-owners.ts';
import { positionIn, type List, type ListPosition } from './lists.ts';
import { parseRecord } from './stored-record.ts';
import type { RecordChanges } from './record-changes.ts';

/** A record's position in one index before a write, and its list there after the write. */
interface Move {
  change: RecordChange;
  index: ListIndex;
  from: ListPosition | undefined;
  to: List | undefined;
  /** True if the record neither joins nor leaves a list. */
  isNone: boolean;
}

/** The parts of a write that `MemberMoves` uses. */
interface MemberMovesDependencies {
  readonly records: RecordChanges;
  readonly lists: ListChanges;
  readonly owners: ListOwners;
  /** True if the head has the state of the list with this name. */
  isInHead: (name: string) => boolean;
}

/** Moves the changed records of one write between lists. Use it once all changes are collected. */
export class MemberMoves {
  readonly #organization: OrganizationCode;
  readonly #write: MemberMovesDependencies;
  #known: readonly Move[] | undefined;
  #areDone = false;

  constructor(organization: OrganizationCode, write: MemberMovesDependencies) {
    this.#organization = organization;
    this.#write = write;
  }

  /** The partitions of changed lists that have a state item. */
  get listsToRead(): string[] {
    const partitions = this.#moves.flatMap(({ change: { collection }, index, from, to, isNone }) => {
      const kind = Object.values(collection.lists ?? {})[listIndexes.indexOf(index)];
      return kind?.hasManyNames && !isNone ? [from?.partition ?? [], to?.partition ?? []].flat() : [];
    });
    return [...new Set(partitions)];
  }

  /** Lets members leave and join their lists. Further calls do nothing. */
  carryOut(): void {
    if (this.#areDone) return;
    this.#areDone = true;
    const { lists, owners } = this.#write;
    for (const { change, index, from, to, isNone } of this.#moves) {
      if (isNone) continue;
      if (!from && to && this.#staysOut(change, index, to)) continue;
      if (from) {
        lists.leave(from.partition, from.rank);
        change.positions.delete(index);
      }
      if (to && !to.hasManyNames && owners.isGone(to.partition))
        throw new Error(`A record joins a list of ${change.collection.name} whose owner is not there`);
      if (to) change.positions.set(index, { partition: to.partition, rank: lists.join(to.partition) });
    }
  }

  get #moves(): readonly Move[] {
    this.#known ??= this.#write.records.changed.flatMap((change) => {
      const lists = listsAfter(this.#organization, change);
      const indexes =
        change.after === 'removed' ? this.#indexesLeft(change) : knownIndexes(change.collection);
      return indexes.map((index) => {
        const from = change.before && positionIn(change.before.item, index);
        const to = lists.get(index);
        const isNone = from?.partition === to?.partition && !(from && change.newestIn?.has(index));
        return { change, index, from, to, isNone };
      });
    });
    return this.#known;
  }

  /**
   * The indexes whose lists a removed record leaves. While two versions of the code run, that includes
   * indexes that only the newer one uses, if the head has the list's state.
   */
  #indexesLeft({ collection, before }: RecordChange): ListIndex[] {
    const known = knownIndexes(collection);
    return listIndexes.filter((index) => {
      if (known.includes(index)) return true;
      const position = before && positionIn(before.item, index);
      const key = position && parseListPartition(this.#organization, position.partition);
      return key !== undefined && key.owner === undefined && this.#write.isInHead(listName(key));
    });
  }

  /**
   * True if a record belonged in this owned list before this write, but was stored before its collection had
   * such lists. The write may not have read the owner, so the record stays out of the list until a repair
   * adds it.
   */
  #staysOut(change: RecordChange, index: ListIndex, { partition, hasManyNames }: List): boolean {
    const { collection, before } = change;
    if (!before || hasManyNames || !this.#write.owners.parsed(partition).owner) return false;
    const after = afterOf(collection, parseRecord(collection, before.item));
    return listsAfter(this.#organization, { ...change, after }).get(index)?.partition === partition;
  }
}
