import { events } from '../../../shared/ledger/internal/collection.ts';
import {
  dueIndex,
  duePartition,
  keyNamesOf,
  listIndexes,
  parseListPartition,
  shardOf,
  type ListIndex,
} from '../../../shared/ledger/internal/keys.ts';
import { listOf, placeIn, type Place } from '../../../shared/ledger/internal/lists.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Observed, Scene } from './scene.ts';

/** Where an item stands in the lists of all indexes. */
export const placesOf = (item: Item): (Place & { index: ListIndex })[] =>
  listIndexes.flatMap((index) => {
    const place = placeOf(item, index);
    return place ? [{ ...place, index }] : [];
  });

/** Where an item stands in the list of an index; undefined for what is no place. */
function placeOf(item: Item, index: ListIndex): Place | undefined {
  const place = placeIn(item, index);
  return place && Number.isSafeInteger(place.rank) && place.rank >= 1 ? place : undefined;
}

/**
 * Proves that a record stands in the lists that its collection says, each in its index, in no other, and where the worker
 * looks that it waits for. One item shows it all, so it is damage at once.
 */
export function provePlaces(scene: Scene, observed: Observed): void {
  for (const index of listIndexes) {
    if (observed.collection.name === events.name) provePlaceOfEvent(scene, observed, index);
    else provePlace(scene, observed, index);
  }
  proveDue(scene, observed);
}

function provePlace(scene: Scene, { collection, number, item, record }: Observed, index: ListIndex): void {
  const where = scene.nameOf(collection.name, number);
  const [kind, declared] = Object.entries(collection.lists ?? {})[listIndexes.indexOf(index)] ?? [];
  if (kind === undefined || !declared) {
    if (!isEmpty(item, index)) findUnknown(scene, where, index);
    return;
  }
  const membership = declared.of(record);
  let expected: string | undefined;
  try {
    expected = membership && listOf(scene.organization, collection, kind, membership).partition;
  } catch {
    scene.find('place-wrong', where, `${where} belongs to a list that there cannot be (${index}).`);
    return;
  }
  const place = placeOf(item, index);
  if (expected === undefined ? isEmpty(item, index) : place?.partition === expected) return;
  const belongs = expected === undefined ? 'no list' : scene.listNameOf(expected);
  const stands = place
    ? `in ${scene.listNameOf(place.partition)}`
    : isEmpty(item, index)
      ? 'in none'
      : 'where there is no list';
  scene.find('place-wrong', where, `${where} belongs to ${belongs} and is ${stands} (${index}).`);
}

/** Of whom an event tells, its record does not say: it may be in the list of any record that has one in this index. */
function provePlaceOfEvent(scene: Scene, { collection, number, item }: Observed, index: ListIndex): void {
  if (isEmpty(item, index)) return;
  const place = placeOf(item, index);
  const list = place && parseListPartition(scene.organization, place.partition);
  const { eventsAt } = (list?.owner && scene.collectionNamed(list.owner.collection)) ?? {};
  const isRight = eventsAt !== undefined && listIndexes[eventsAt] === index;
  if (isRight && list?.collection === events.name && list.name === undefined) return;
  findUnknown(scene, scene.nameOf(collection.name, number), index);
}

function findUnknown(scene: Scene, where: string, index: ListIndex): void {
  const sentence = `${where} says of ${index} what is no place in a list that this version of the code knows.`;
  scene.find('list-unknown', where, sentence);
}

function isEmpty(item: Item, index: ListIndex): boolean {
  const { pkName, skName } = keyNamesOf(index);
  return item[pkName] === undefined && item[skName] === undefined;
}

function proveDue(scene: Scene, { collection, number, item, record }: Observed): void {
  const { pkName, skName } = keyNamesOf(dueIndex);
  const due = collection.due?.(record);
  const partition = due && duePartition(due.worker, shardOf(scene.organization));
  if (item[pkName] === partition && item[skName] === due?.at) return;
  const where = scene.nameOf(collection.name, number);
  const sentence = due
    ? `${where} waits for the worker ${due.worker}, and is not where that looks.`
    : `${where} waits for no worker, and is where one looks.`;
  scene.find('due-wrong', where, sentence);
}
