import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { keyNamesOf, listIndexes, type ListIndex } from '../../../shared/ledger/internal/keys.ts';
import { positionIn, type ListPosition } from '../../../shared/ledger/internal/lists.ts';

export interface IndexPosition extends ListPosition {
  index: ListIndex;
}

/** Positions of an item in the lists of all indexes. */
export const positionsOf = (item: Item): IndexPosition[] =>
  listIndexes.flatMap((index) => {
    const position = listPositionIn(item, index);
    return position ? [{ ...position, index }] : [];
  });

/** Position of an item in the list of an index; undefined if the item has none, or a malformed one. */
export function listPositionIn(item: Item, index: ListIndex): ListPosition | undefined {
  const position = positionIn(item, index);
  return position && Number.isSafeInteger(position.rank) && position.rank >= 1 ? position : undefined;
}

export function isAt(item: Item | undefined, { index, partition, rank }: IndexPosition): boolean {
  const position = item && listPositionIn(item, index);
  return position?.partition === partition && position.rank === rank;
}

/** True if the item has neither key attribute of the index. */
export function isUnindexed(item: Item, index: ListIndex): boolean {
  const { pkName, skName } = keyNamesOf(index);
  return item[pkName] === undefined && item[skName] === undefined;
}
