import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { keyNamesOf, listIndexes, type ListIndex } from '../../../shared/ledger/internal/keys.ts';
import { positionIn, type ListPosition } from '../../../shared/ledger/internal/lists.ts';

/** A position, and the index that it is in. */
export interface IndexPosition extends ListPosition {
  index: ListIndex;
}

/** Where an item stands in the lists of all indexes. */
export const positionsOf = (item: Item): IndexPosition[] =>
  listIndexes.flatMap((index) => {
    const position = listPositionIn(item, index);
    return position ? [{ ...position, index }] : [];
  });

/** Where an item stands in the list of an index; undefined for what is no position. */
export function listPositionIn(item: Item, index: ListIndex): ListPosition | undefined {
  const position = positionIn(item, index);
  return position && Number.isSafeInteger(position.rank) && position.rank >= 1 ? position : undefined;
}

/** Whether an item stands at this position. */
export function isAt(item: Item | undefined, { index, partition, rank }: IndexPosition): boolean {
  const position = item && listPositionIn(item, index);
  return position?.partition === partition && position.rank === rank;
}

/** Whether an item says nothing of an index. */
export function isUnindexed(item: Item, index: ListIndex): boolean {
  const { pkName, skName } = keyNamesOf(index);
  return item[pkName] === undefined && item[skName] === undefined;
}
