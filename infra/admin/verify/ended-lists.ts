import {
  countsKey,
  formerKey,
  listPartition,
  holesPartition,
  recordKey,
} from '../../../shared/ledger/internal/keys.ts';
import { keyName, type Finding } from './finding.ts';
import { isBucket, isHoleIn, type HoleItems } from './hole-items.ts';
import { numberFlag, type Verification } from './verification.ts';
import type { ObservedList } from './observed-lists.ts';
import type { Check } from './snapshots.ts';

/** Maximum number of items that one transaction removes. */
const perWrite = 50;

/**
 * Checks for hole items of a list that has ended: its owner was removed and has no former item, since all
 * members have left. Nobody can join such a list, so no unseen member has come since.
 */
export function checkEnded(
  verification: Verification,
  list: ObservedList,
  holeItems: HoleItems,
): Check<Finding | undefined>[] {
  const { partition, topRank } = list;
  const { owner } = list.key;
  if (
    !owner ||
    topRank > 0 ||
    verification.observedCollection(owner.collection).flags.get(owner.number) !== numberFlag.hole
  )
    return [];
  const { organization } = verification;
  const { collection, number } = owner;
  const keys = [...holeItems.keys()]
    .filter((sk) => isBucket(sk) || sk === countsKey(partition).sk)
    .map((sk) => ({ pk: holesPartition(partition), sk }))
    .slice(0, perWrite);
  const check: Check<Finding | undefined> = (snapshot) => {
    const isRemoved = isHoleIn(snapshot, listPartition(organization, { collection }), number);
    const isThere = snapshot.get(recordKey(organization, collection, number)) !== undefined;
    const isKept = snapshot.get(formerKey(organization, collection, number)) !== undefined;
    const [first, ...others] = keys.filter((key) => snapshot.get(key) !== undefined);
    if (!isRemoved || isThere || isKept || !first) return undefined;
    const where = keyName(first);
    return {
      kind: 'holes-unneeded',
      where,
      sentence: `${where} has holes of ${verification.listNameOf(partition)}, which has ended: it has no owner and no members.`,
      repair: {
        sentence: 'removes its hole items',
        addTo: (plan) => {
          for (const key of [first, ...others]) plan.remove(key);
        },
      },
    };
  };
  return keys.length === 0 ? [] : [check];
}
