import type { Collection } from '../../../shared/ledger/internal/collection.ts';
import { keyNamesOf, recordKey, type ListIndex } from '../../../shared/ledger/internal/keys.ts';
import { bucketSize, withNext } from '../../../shared/ledger/internal/list-state.ts';
import type { Draft } from './draft.ts';
import type { Mend } from './finding.ts';
import { indexListAt, notedIndexList, standingIn, type IndexList } from './index-list.ts';
import { isHoleIn } from './notes.ts';
import type { ListPosition } from '../../../shared/ledger/internal/lists.ts';
import { placeOf, type PlaceIn } from './places.ts';
import { rebuildNotes } from './rebuild-notes.ts';
import type { Scene } from './scene.ts';
import type { Judge } from './snapshots.ts';

/** Which record, and in which index its place is put right. */
export interface Placed {
  collection: Pick<Collection, 'name'>;
  number: number;
  index: ListIndex;
}

/** Drafts that a record leaves the list of an index that it is in, and joins another; undefined for none. */
export function moveTo(draft: Draft, scene: Scene, placed: Placed, partition: string | undefined): void {
  const { collection, number, index } = placed;
  const key = recordKey(scene.organization, collection.name, number);
  const item = draft.look(key);
  const rank = partition === undefined ? undefined : join(draft, scene, partition, number);
  if (!item || (partition !== undefined && rank === undefined)) return;
  const place = placeOf(item, index);
  if (place && place.partition !== partition) leave(draft, scene, placed, { ...place, index });
  const isMember = partition !== undefined && rank !== undefined;
  setPlace(draft, scene, placed, isMember ? { partition, rank } : undefined);
}

/** Drafts that a record is where this says in an index, and nothing of the list that it was in. */
export function setPlace(
  draft: Draft,
  scene: Scene,
  { collection, number, index }: Placed,
  place: ListPosition | undefined,
): void {
  const key = recordKey(scene.organization, collection.name, number);
  const { pkName, skName } = keyNamesOf(index);
  // Of the draft: a record can own the list that it leaves.
  const { [pkName]: _, [skName]: __, ...rest } = draft.look(key) ?? {};
  draft.put(key, { ...rest, ...(place && { [pkName]: place.partition, [skName]: place.rank }) });
}

/** Drafts that a member of a list gets another rank there. */
export function moveToEnd(
  draft: Draft,
  scene: Scene,
  { partition, key: { collection: name, index } }: IndexList,
  number: number,
): void {
  const rank = join(draft, scene, partition, number);
  if (index && rank !== undefined)
    setPlace(draft, scene, { collection: { name }, number, index }, { partition, rank });
}

/** Judges whether a record still has the rank that another one has too. */
export function judgeDoubled(
  scene: Scene,
  name: string,
  number: number,
  { index, partition, rank }: PlaceIn,
): Judge<Mend | undefined> {
  const list = indexListAt(scene, partition);
  return (look) => {
    const item = look(recordKey(scene.organization, name, number));
    const place = item && placeOf(item, index);
    if (!list || place?.partition !== partition || place.rank !== rank) return undefined;
    if (typeof standingIn(scene, list, look) !== 'object') return undefined;
    return {
      sentence: `gives ${scene.nameOf(name, number)} a rank of its own in ${scene.listNameOf(partition)}`,
      apply: (draft) => {
        moveToEnd(draft, scene, list, number);
      },
    };
  };
}

/** The rank that a record gets in a list: one that nobody has, if there is one for it, or else the next. */
function join(draft: Draft, scene: Scene, partition: string, number: number): number | undefined {
  const list = indexListAt(scene, partition);
  const noted = list && notedIndexList(scene, list);
  const state = noted?.stateIn(draft.look);
  if (!noted || !state) return undefined;
  const vacant = scene.vacancies.rankFor(partition, number);
  if (vacant !== undefined && vacant <= state.last && isHoleIn(draft.look, partition, vacant) === false)
    return vacant;
  const next = withNext(state);
  // The first rank of the second bucket is where counts by bucket begin.
  if (state.left === 0 || next.last !== bucketSize + 1) noted.keep(draft, next);
  else rebuildNotes(draft, noted, { last: next.last });
  return noted.stateIn(draft.look)?.last === next.last ? next.last : undefined;
}

/** Notes that a record has left a list, if it had a rank there that no member has. */
function leave(
  draft: Draft,
  scene: Scene,
  { collection }: Placed,
  { partition, rank, index }: PlaceIn,
): void {
  const list = indexListAt(scene, partition);
  if (list?.key.index !== index || list.key.collection !== collection.name) return;
  if (scene.vacancies.isHeld(partition, rank)) return;
  const standing = standingIn(scene, list, draft.look);
  // Of a list of which nothing is kept, nothing is noted either.
  if (typeof standing === 'object' && rank <= standing.last)
    rebuildNotes(draft, notedIndexList(scene, list), { left: [rank] });
}
