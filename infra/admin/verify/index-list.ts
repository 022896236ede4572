import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import {
  formerKey,
  headKey,
  listName,
  parseListPartition,
  recordKey,
  stateKey,
  type Key,
  type ListKey,
} from '../../../shared/ledger/internal/keys.ts';
import { emptyList, formatState, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import { hasOwnState, isDeclared } from './declared-lists.ts';
import { keyName } from './finding.ts';
import { keepIn, readState, statesIn, type NotedList } from './notes.ts';
import { marks, type Scene } from './scene.ts';
import type { Look } from './snapshots.ts';

/** A list in an index. */
export interface IndexList {
  readonly partition: string;
  readonly key: ListKey;
}

/**
 * The state of a list in a snapshot. While a list has members, its owner's former item has it once the owner is removed. It is
 * `without owner` where there is no such item: the list has ended, it is one of events, which no such item keeps, or a version of
 * the code removed the owner that kept nothing.
 */
export type Standing = ListState | 'without owner' | 'unknown' | 'unreadable';

/** The list of a partition, where the code has such lists. */
export function indexListAt(scene: Scene, partition: string): IndexList | undefined {
  const key = parseListPartition(scene.organization, partition);
  return key && isDeclared(scene, key) ? { partition, key } : undefined;
}

export function standingIn(scene: Scene, { key, partition }: IndexList, look: Look): Standing {
  const head = scene.headIn(look);
  if (hasOwnState(scene, key)) {
    const item = look(stateKey(partition));
    return item ? (readState(item['state']) ?? 'unreadable') : emptyList;
  }
  if (!key.owner) return head ? stateIn(head, listName(key)) : 'unreadable';
  const { collection, number } = key.owner;
  const keeper = look(keeperOf(scene, key, look));
  if (!head) return 'unreadable';
  if (!keeper) return number > stateIn(head, collection).last ? 'unknown' : 'without owner';
  const states = statesIn(keeper);
  return states ? (readState(states[listName(key)]) ?? emptyList) : 'unreadable';
}

/**
 * What keeps the state of a list that has no item for it: the head, the record that owns it, or once that is removed its former
 * item.
 */
function keeperOf(scene: Scene, { collection, owner }: ListKey, look: Look): Key {
  const { organization } = scene;
  if (!owner) return headKey(organization);
  const key = recordKey(organization, owner.collection, owner.number);
  const item = look(key);
  const head = scene.headIn(look);
  // Before the head is read, the owner is not either, and need not be gone.
  const canBeGone = head !== undefined && owner.number <= stateIn(head, owner.collection).last;
  return item || !canBeGone || collection === events.name
    ? key
    : formerKey(organization, owner.collection, owner.number);
}

/** What a sentence calls the keeper of the lists of an owner. */
function keeperNameOf(scene: Scene, { collection, number }: NonNullable<ListKey['owner']>): string {
  const isGone = scene.stateOf(collection).marks.get(number) === marks.hole;
  return isGone
    ? keyName(formerKey(scene.organization, collection, number))
    : scene.nameOf(collection, number);
}

/** The same list as one whose notes are proved. */
export function notedIndexList(scene: Scene, list: IndexList): NotedList {
  const { partition, key } = list;
  const { organization } = scene;
  const { owner } = key;
  const isOwn = hasOwnState(scene, key);
  const keeperName = owner ? keeperNameOf(scene, owner) : keyName(headKey(organization));
  return {
    partition,
    name: scene.listNameOf(partition),
    isCollection: false,
    keeper: isOwn ? keyName(stateKey(partition)) : keeperName,
    stateIn: (look) => {
      const standing = standingIn(scene, list, look);
      return typeof standing === 'object' ? standing : undefined;
    },
    keep: (draft, state) => {
      if (isOwn) draft.put(stateKey(partition), { state: formatState(state) });
      else keepIn(draft, keeperOf(scene, key, draft.look), listName(key), state);
    },
  };
}
