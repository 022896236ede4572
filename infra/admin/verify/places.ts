import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { keyNamesOf, listIndexes, type ListIndex } from '../../../shared/ledger/internal/keys.ts';
import { positionIn, type ListPosition } from '../../../shared/ledger/internal/lists.ts';

/** A place, and the index that it is in. */
export interface PlaceIn extends ListPosition {
  index: ListIndex;
}

/** Where an item stands in the lists of all indexes. */
export const placesOf = (item: Item): PlaceIn[] =>
  listIndexes.flatMap((index) => {
    const place = placeOf(item, index);
    return place ? [{ ...place, index }] : [];
  });

/** Where an item stands in the list of an index; undefined for what is no place. */
export function placeOf(item: Item, index: ListIndex): ListPosition | undefined {
  const place = positionIn(item, index);
  return place && Number.isSafeInteger(place.rank) && place.rank >= 1 ? place : undefined;
}

/** Whether an item stands at this place. */
export function isAt(item: Item | undefined, { index, partition, rank }: PlaceIn): boolean {
  const place = item && placeOf(item, index);
  return place?.partition === partition && place.rank === rank;
}

/** Whether an item says nothing of an index. */
export function isEmpty(item: Item, index: ListIndex): boolean {
  const { pkName, skName } = keyNamesOf(index);
  return item[pkName] === undefined && item[skName] === undefined;
}
