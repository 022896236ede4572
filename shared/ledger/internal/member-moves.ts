import type { OrganizationCode } from '../../core/ids.ts';
import { knownIndexes, afterOf, listsAfter, type RecordChange } from './record-change.ts';
import { listIndexes, listName, parseListPartition, type ListIndex } from './keys.ts';
import type { ListChanges } from './list-changes.ts';
import type { ListOwners } from './list-owners.ts';
import { positionIn, type List, type ListPosition } from './lists.ts';
import { parseRecord } from './stored-record.ts';
import type { RecordChanges } from './record-changes.ts';

/** A record's place in the list of one index, before a write and after it. */
interface Move {
  change: RecordChange;
  index: ListIndex;
  from: ListPosition | undefined;
  to: List | undefined;
  /** True if it neither joins nor leaves. */
  isNone: boolean;
}

/** What the moves of members need of the write that they are a part of. */
interface MemberMovesDependencies {
  readonly records: RecordChanges;
  readonly lists: ListChanges;
  readonly owners: ListOwners;
  /** Whether the organization's head has the state of a list, by its name. */
  isInHead: (name: string) => boolean;
}

/** How the changed records of one write move between lists. Asked for when the write is built: add nothing afterwards. */
export class MemberMoves {
  readonly #organization: OrganizationCode;
  readonly #write: MemberMovesDependencies;
  #known: readonly Move[] | undefined;
  #areDone = false;

  constructor(organization: OrganizationCode, write: MemberMovesDependencies) {
    this.#organization = organization;
    this.#write = write;
  }

  /** The partitions of changed lists whose state is an item. */
  get listsToRead(): string[] {
    const partitions = this.#moves.flatMap(({ change: { collection }, index, from, to, isNone }) => {
      const kind = Object.values(collection.lists ?? {})[listIndexes.indexOf(index)];
      return kind?.hasManyNames && !isNone ? [from?.partition ?? [], to?.partition ?? []].flat() : [];
    });
    return [...new Set(partitions)];
  }

  /** Gives those that join a list their ranks, and notes those that leave one; once, however often it is called. */
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

  /** The changed records' positions in lists, before and after, in the order of the write. */
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
   * The indexes whose lists a removed record leaves: also those that only a newer version of the code knows, where the
   * head has the list's state.
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
   * Whether a record stays out of a list of an owner: it was stored by a version of the code that knew no such list, and
   * this write does not move it, so need not have read the owner. A repair puts it there.
   */
  #staysOut(change: RecordChange, index: ListIndex, { partition, hasManyNames }: List): boolean {
    const { collection, before } = change;
    if (!before || hasManyNames || !this.#write.owners.parsed(partition).owner) return false;
    const after = afterOf(collection, parseRecord(collection, before.item));
    return listsAfter(this.#organization, { ...change, after }).get(index)?.partition === partition;
  }
}
