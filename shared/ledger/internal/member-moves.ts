import { listIndexes, parseListPartition, redactedPartition, stateName, type ListIndex } from './keys.ts';
import type { ListChanges } from './list-changes.ts';
import { listWithKey, positionIn, type List, type ListPosition } from './lists.ts';
import {
  knownIndexes,
  listsAfter,
  listsBefore,
  type RecordChange,
  type RecordChanges,
} from './record-changes.ts';
import type { WriteTarget } from './table-client.ts';

/** A record that joins or leaves the list of an index. */
export interface Move {
  change: RecordChange;
  index: ListIndex;
  from: ListPosition | undefined;
  to: List | undefined;
}

/**
 * The moves of the changed records between lists. `isInHead`: true if the head has the state of the list with this
 * name.
 */
export function movesOf(
  target: WriteTarget,
  { changed }: RecordChanges,
  isInHead: (name: string) => boolean,
): Move[] {
  return changed.flatMap((change) => {
    const lists = listsAfter(target, change);
    const indexes =
      change.after === 'removed' ? indexesLeft(target, change, isInHead) : knownIndexes(change.collection);
    return indexes.flatMap((index) => {
      const from = change.before && positionIn(change.before.item, index);
      const to = lists.get(index);
      const stays = from?.partition === to?.partition && !(from && change.newestIn?.has(index));
      return stays ? [] : [{ change, index, from, to }];
    });
  });
}

/** The partitions of the lists with a state item that members leave and join. */
export function stateItemsOf(moves: readonly Move[]): string[] {
  const partitions = moves.flatMap(({ change: { collection }, index, from, to }) => {
    const kind = Object.values(collection.lists ?? {})[listIndexes.indexOf(index)];
    return kind?.hasManyNames ? [from?.partition ?? [], to?.partition ?? []].flat() : [];
  });
  return [...new Set(partitions)];
}

/** Lets members leave and join their lists. */
export function moveMembers(target: WriteTarget, moves: readonly Move[], lists: ListChanges): void {
  for (const { change, index, from, to } of moves) {
    if (!from && to && staysOut(target, change, index, to)) continue;
    if (from) {
      lists.leave(listAt(target, from.partition), from.rank);
      change.positions.delete(index);
    }
    if (to) change.positions.set(index, { partition: to.partition, rank: lists.join(to) });
  }
}

/** The list with a stored partition. @throws Error if it is no list of the organization */
function listAt({ organization }: WriteTarget, partition: string): List {
  const key = parseListPartition(organization, partition);
  if (!key) throw new Error(`${redactedPartition(partition)} is no list of the organization`);
  return listWithKey(organization, key);
}

/**
 * The indexes of the lists that a removed record leaves. While two versions of the code run, these include indexes that
 * only the newer version uses, if the head has the list's state.
 */
function indexesLeft(
  { organization }: WriteTarget,
  { collection, before }: RecordChange,
  isInHead: (name: string) => boolean,
): ListIndex[] {
  const known = knownIndexes(collection);
  return listIndexes.filter((index) => {
    if (known.includes(index)) return true;
    const position = before && positionIn(before.item, index);
    const key = position && parseListPartition(organization, position.partition);
    return key !== undefined && key.owner === undefined && isInHead(stateName(key));
  });
}

/**
 * True if a record belonged in this owned list before this write, but was stored before its collection had
 * such lists. The write may not have read the owner, so the record stays out of the list until a repair adds
 * it.
 */
const staysOut = (target: WriteTarget, change: RecordChange, index: ListIndex, to: List): boolean =>
  change.before !== undefined &&
  to.owner !== undefined &&
  !to.hasManyNames &&
  listsBefore(target, change).get(index)?.partition === to.partition;
