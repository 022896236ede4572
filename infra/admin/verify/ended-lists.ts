import {
  countsKey,
  formerKey,
  listPartition,
  holesPartition,
  recordKey,
} from '../../../shared/ledger/internal/keys.ts';
import { keyName, type Finding } from './finding.ts';
import { isBucket, isHoleIn, type Notes } from './notes.ts';
import { marks, type Scene } from './scene.ts';
import type { NamedList } from './seen-lists.ts';
import type { Judge } from './snapshots.ts';

/** How many items are taken away in one transaction. */
const perWrite = 50;

/**
 * Judges whether something is noted of a list that has ended: its owner was removed, and nothing is kept of it, since all
 * members have left. Nobody can join it, so no member that was not seen has come since.
 */
export function judgeEnded(scene: Scene, list: NamedList, notes: Notes): Judge<Finding | undefined>[] {
  const { partition, topRank } = list;
  const { owner } = list.key;
  if (!owner || topRank > 0 || scene.stateOf(owner.collection).marks.get(owner.number) !== marks.hole)
    return [];
  const { organization } = scene;
  const { collection, number } = owner;
  const keys = [...notes.keys()]
    .filter((sk) => isBucket(sk) || sk === countsKey(partition).sk)
    .map((sk) => ({ pk: holesPartition(partition), sk }))
    .slice(0, perWrite);
  const judge: Judge<Finding | undefined> = (look) => {
    const isRemoved = isHoleIn(look, listPartition(organization, { collection }), number);
    const isThere = look(recordKey(organization, collection, number)) !== undefined;
    const isKept = look(formerKey(organization, collection, number)) !== undefined;
    const [first, ...others] = keys.filter((key) => look(key) !== undefined);
    if (!isRemoved || isThere || isKept || !first) return undefined;
    const where = keyName(first);
    return {
      kind: 'notes-left',
      where,
      sentence: `${where} notes who left ${scene.listNameOf(partition)}, which has ended: it has no owner and no members.`,
      mend: {
        sentence: 'takes away what is noted of it',
        apply: (draft) => {
          for (const key of [first, ...others]) draft.remove(key);
        },
      },
    };
  };
  return keys.length === 0 ? [] : [judge];
}
