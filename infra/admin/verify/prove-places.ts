import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events, type Collection } from '../../../shared/ledger/internal/collection.ts';
import {
  dueIndex,
  duePartition,
  isOwnItem,
  keyNamesOf,
  listIndexes,
  parseListPartition,
  recordKey,
  shardOf,
  type ListIndex,
} from '../../../shared/ledger/internal/keys.ts';
import { listOf } from '../../../shared/ledger/internal/lists.ts';
import { isPipeline } from './declared-lists.ts';
import type { Draft } from './draft.ts';
import type { Mend } from './finding.ts';
import { indexListAt, standingIn } from './index-list.ts';
import { moveTo, setPlace, type Placed } from './mend-places.ts';
import { isEmpty, placeOf } from './places.ts';
import { findTexts, putTexts, textPlacesOf } from './prove-texts.ts';
import type { Observed, Scene } from './scene.ts';
import type { Judge } from './snapshots.ts';

type Declared = Pick<Observed, 'collection' | 'record'>;

/** What tells of a record that is nowhere in an index where it belongs. */
type Tell = () => void;

/**
 * Proves that a record stands in the lists that its collection says, each in its index, in no other, by its texts in those for
 * search, and where the worker looks that it waits for. One item shows it all, so it is damage at once.
 * @returns the indexes in which it stands in a list that it does not belong to
 */
export function provePlaces(scene: Scene, observed: Observed): ListIndex[] {
  const { collection, number, item } = observed;
  const isEvent = collection.name === events.name;
  const prove = isEvent ? provePlaceOfEvent : provePlace;
  const lacking: Tell[] = [];
  const wrong = listIndexes.filter((index) => !prove(scene, observed, index, lacking));
  const texts = textPlacesOf(scene, observed, item);
  const tellOfTexts = () => {
    findTexts(scene, { collection, number });
  };
  if (texts === 'wrong') tellOfTexts();
  if (texts === 'none') lacking.push(tellOfTexts);
  if (lacking.length > 0)
    scene.unplaced.note(collection, number, () => {
      for (const tell of lacking) tell();
    });
  proveDue(scene, observed);
  return wrong;
}

/** Drafts that a record is wherever it belongs and is nowhere. */
export function placeWhereMissing(
  draft: Draft,
  scene: Scene,
  { collection, number }: Pick<Observed, 'collection' | 'number'>,
): void {
  const item = draft.look(recordKey(scene.organization, collection.name, number));
  const parsed = v.safeParse(collection.schema, item);
  if (!item || !parsed.success) return;
  const declared = { collection, number, record: parsed.output };
  for (const index of listIndexes) {
    const expected = expectedIn(scene, declared, index);
    if (typeof expected === 'object' && expected.partition !== undefined && isEmpty(item, index))
      moveTo(draft, scene, { collection, number, index }, expected.partition);
  }
  if (textPlacesOf(scene, declared, item) === 'none') putTexts(draft, scene, declared);
}

/** False where the place is wrong. */
function provePlace(scene: Scene, observed: Observed, index: ListIndex, lacking: Tell[]): boolean {
  const { collection, number, item } = observed;
  const where = scene.nameOf(collection.name, number);
  const expected = expectedIn(scene, observed, index);
  if (expected === 'undeclared') {
    if (!isEmpty(item, index)) findUnknown(scene, where, { collection, number, index });
    return true;
  }
  if (expected === 'impossible') {
    scene.find('place-wrong', where, `${where} belongs to a list that there cannot be (${index}).`);
    return false;
  }
  const place = placeOf(item, index);
  if (isRight(item, index, expected)) return true;
  const belongs = expected.partition === undefined ? 'no list' : scene.listNameOf(expected.partition);
  const stands = place
    ? `in ${scene.listNameOf(place.partition)}`
    : isEmpty(item, index)
      ? 'in none'
      : 'where there is no list';
  if (expected.partition !== undefined) scene.vacancies.seek(expected.partition, number);
  const judge = judgePlace(scene, { collection, number, index });
  const tell = () => {
    scene.find('place-wrong', where, `${where} belongs to ${belongs} and is ${stands} (${index}).`, judge);
  };
  if (isEmpty(item, index)) lacking.push(tell);
  else tell();
  return false;
}

/** The list of an index that a record belongs to, as its collection says. */
function expectedIn(
  scene: Scene,
  { collection, record }: Declared,
  index: ListIndex,
): { partition: string | undefined } | 'undeclared' | 'impossible' {
  const [kind, declared] = Object.entries(collection.lists ?? {})[listIndexes.indexOf(index)] ?? [];
  if (kind === undefined || !declared) return 'undeclared';
  const membership = declared.of(record);
  try {
    return {
      partition: membership && listOf(scene.organization, collection, kind, membership).partition,
    };
  } catch {
    return 'impossible';
  }
}

const isRight = (item: Item, index: ListIndex, { partition }: { partition: string | undefined }) =>
  partition === undefined ? isEmpty(item, index) : placeOf(item, index)?.partition === partition;

/** Judges whether a record is still in the wrong list, and whether the right one is there. */
function judgePlace(scene: Scene, placed: Placed & { collection: Collection }): Judge<Mend | undefined> {
  const { collection, number, index } = placed;
  return (look) => {
    const item = look(recordKey(scene.organization, collection.name, number));
    const parsed = v.safeParse(collection.schema, item);
    if (!item || !parsed.success) return undefined;
    const expected = expectedIn(scene, { collection, record: parsed.output }, index);
    if (typeof expected !== 'object' || isRight(item, index, expected)) return undefined;
    const { partition } = expected;
    const list = partition === undefined ? undefined : indexListAt(scene, partition);
    const isThere = list && typeof standingIn(scene, list, look) === 'object';
    if (list && !isThere && !isPipeline(list.key.owner)) return undefined;
    const to = partition === undefined ? 'takes it from there' : `moves it to ${scene.listNameOf(partition)}`;
    return {
      sentence: to,
      apply: (draft) => {
        moveTo(draft, scene, placed, partition);
      },
    };
  };
}

/** Of whom an event tells, its record does not say: it may be in the list of any record that has one in this index. */
function provePlaceOfEvent(scene: Scene, { collection, number, item }: Observed, index: ListIndex): boolean {
  if (isEmpty(item, index)) return true;
  const place = placeOf(item, index);
  const list = place && parseListPartition(scene.organization, place.partition);
  const { eventListIndex } = (list?.owner && scene.collectionNamed(list.owner.collection)) ?? {};
  const isRightIndex = eventListIndex !== undefined && listIndexes[eventListIndex] === index;
  if (isRightIndex && list?.collection === events.name && list.name === undefined) return true;
  findUnknown(scene, scene.nameOf(collection.name, number), { collection, number, index });
  return false;
}

function findUnknown(scene: Scene, where: string, placed: Placed): void {
  const { collection, number, index } = placed;
  const sentence = `${where} says of ${index} what is no place in a list that this version of the code knows.`;
  scene.find('list-unknown', where, sentence, (look) => {
    const item = look(recordKey(scene.organization, collection.name, number));
    if (!item || isEmpty(item, index)) return undefined;
    const place = placeOf(item, index);
    const key = place && parseListPartition(scene.organization, place.partition);
    // A newer version of the code may have such lists.
    if (key?.collection === collection.name && key.index === index) return undefined;
    return {
      sentence: `takes it from there: no version of the code would put it there`,
      apply: (draft) => {
        setPlace(draft, scene, placed, undefined);
      },
    };
  });
}

function proveDue(scene: Scene, { collection, number, item, record }: Observed): void {
  const due = wrongDue(scene, { collection, record }, item);
  if (!due) return;
  const where = scene.nameOf(collection.name, number);
  const sentence = due.worker
    ? `${where} waits for the worker ${due.worker}, and is not where that looks.`
    : `${where} waits for no worker, and is where one looks.`;
  const key = recordKey(scene.organization, collection.name, number);
  scene.find('due-wrong', where, sentence, (look) => {
    const stored = look(key);
    const parsed = v.safeParse(collection.schema, stored);
    const right = stored && parsed.success && wrongDue(scene, { collection, record: parsed.output }, stored);
    if (!right) return undefined;
    // A newer version of the code may have records of this collection wait, but where its organization's do.
    const { pkName } = keyNamesOf(dueIndex);
    const isOwn = isOwnItem(scene.organization, { ...key, [pkName]: stored[pkName] });
    if (isOwn && !collection.due) return undefined;
    return {
      sentence: right.worker ? `puts it where the worker ${right.worker} looks` : 'takes it from there',
      apply: (draft) => {
        const { pkName, skName } = keyNamesOf(dueIndex);
        const { [pkName]: _, [skName]: __, ...rest } = draft.look(key) ?? {};
        draft.put(key, { ...rest, ...right.attributes });
      },
    };
  });
}

/** Where a worker must look for a record, if that is not where the record is. */
function wrongDue(
  scene: Scene,
  { collection, record }: Declared,
  item: Item,
): { worker: string | undefined; attributes: Item } | undefined {
  const { pkName, skName } = keyNamesOf(dueIndex);
  const due = collection.due?.(record);
  const partition = due && duePartition(due.worker, shardOf(scene.organization));
  if (item[pkName] === partition && item[skName] === due?.at) return undefined;
  return { worker: due?.worker, attributes: due ? { [pkName]: partition, [skName]: due.at } : {} };
}
