import { stateIn } from '../../../shared/ledger/internal/head.ts';
import {
  headKey,
  listName,
  parseListPartition,
  recordKey,
  stateKey,
  type ListKey,
} from '../../../shared/ledger/internal/keys.ts';
import { emptyList, formatState, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import { hasOwnState, isDeclared } from './declared-lists.ts';
import { keyName } from './finding.ts';
import { keepIn, readState, statesIn, type NotedList } from './notes.ts';
import type { Scene } from './scene.ts';
import type { Look } from './snapshots.ts';

/** A list in an index. */
export interface IndexList {
  readonly partition: string;
  readonly key: ListKey;
}

/**
 * The state of a list in a snapshot. That of a list whose owner was deleted went with it: then there must be members up to
 * the greatest rank.
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
  const owner = look(recordKey(scene.organization, collection, number));
  if (!head) return 'unreadable';
  if (!owner) return number > stateIn(head, collection).last ? 'unknown' : 'without owner';
  const states = statesIn(owner);
  return states ? (readState(states[listName(key)]) ?? emptyList) : 'unreadable';
}

/** The same list as one whose notes are proved. */
export function notedIndexList(scene: Scene, list: IndexList): NotedList {
  const { partition, key } = list;
  const { organization } = scene;
  const { owner } = key;
  const isOwn = hasOwnState(scene, key);
  const keeper = owner ? recordKey(organization, owner.collection, owner.number) : headKey(organization);
  const keeperName = owner ? scene.nameOf(owner.collection, owner.number) : keyName(keeper);
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
      else keepIn(draft, keeper, listName(key), state);
    },
  };
}
