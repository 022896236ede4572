import { listName, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { bucketSize, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import type { Repair, RepairStep } from './repair-plan.ts';
import { storedIndexList, lookUpState } from './index-list.ts';
import { moveToEnd } from './position-repairs.ts';
import { isHoleIn, readableStates, statesIn } from './hole-items.ts';
import { rebuildHoles } from './rebuild-holes.ts';
import type { Verification } from './verification.ts';
import type { ObservedList } from './observed-lists.ts';
import type { Check } from './snapshots.ts';

/**
 * Raises the list's last rank to the rank that a member has. A rank far beyond all others is wrong: its
 * member gets the next rank instead.
 */
export function raiseLastRank(verification: Verification, list: ObservedList, { last }: ListState): Repair {
  const { partition, topRank, topNumber, key } = list;
  const name = verification.listNameOf(partition);
  const nearest = nearestTop(list, last);
  const raise: RepairStep = (plan) => {
    rebuildHoles(plan, storedIndexList(verification, list), { last: nearest });
  };
  if (nearest < topRank)
    return {
      sentence: `makes ${verification.nameOf(key.collection, topNumber)} the newest of ${name}`,
      addTo: (plan) => {
        // Raised first, so that no other member has the next rank.
        raise(plan);
        moveToEnd(plan, verification, list, topNumber);
      },
    };
  return { sentence: `raises the last rank of ${name} to ${topRank}`, addTo: raise };
}

/**
 * Greatest rank that is within a bucket's size of the rank before it. If every rank is far, the last rank
 * that was given out.
 */
function nearestTop({ dense, later }: ObservedList, last: number): number {
  const bottom = Math.max(last, dense);
  const ranks = [...(later ?? [])].filter((rank) => rank > bottom).sort((one, other) => other - one);
  return ranks.find((rank, at) => rank <= (ranks[at + 1] ?? bottom) + bucketSize) ?? bottom;
}

/** Removes the hole at the rank of a member. */
export const removeHoleOf = (
  verification: Verification,
  list: ObservedList,
  { rank, where }: { rank: number; where: string },
): Repair => ({
  sentence: `removes the hole of ${where} from ${verification.listNameOf(list.partition)}`,
  addTo: (plan) => {
    rebuildHoles(plan, storedIndexList(verification, list), { members: [rank] });
  },
});

/** Plans holes for the ranks that no member has: a rank is never given out twice. */
export function checkMissingRanks(verification: Verification, list: ObservedList): Check<Repair | undefined> {
  const { partition, topRank } = list;
  return (snapshot) => {
    const found = lookUpState(verification, list, snapshot);
    const last = typeof found === 'object' ? found.last : topRank;
    // Too far beyond every member for a last rank: the state is wrong.
    if (last > topRank + bucketSize) return undefined;
    const isGiven =
      verification.freeRanks.unclaimed(partition).length < verification.freeRanks.all(partition).length;
    return {
      sentence: isGiven
        ? 'gives it to a record that belongs there and has none, or makes it a hole'
        : 'makes it a hole',
      addTo: (plan) => {
        const isFree = (rank: number) => rank <= last && isHoleIn(plan, partition, rank) === false;
        // Nobody joins a list whose owner is gone, so no record gets a free rank.
        const ranks = typeof found === 'object' ? 'unclaimed' : 'all';
        const holes = verification.freeRanks[ranks](partition).filter(isFree);
        if (holes.length > 0) rebuildHoles(plan, storedIndexList(verification, list), { holes });
      },
    };
  };
}

/** Rebuilds the malformed list states of a record. */
export function checkListStates(
  verification: Verification,
  { collection, number }: { collection: string; number: number },
  listsOwned: () => Iterable<ObservedList>,
): Check<Repair | undefined> {
  const key = recordKey(verification.organization, collection, number);
  return (snapshot) => {
    const item = snapshot.get(key);
    if (!item || statesIn(item)) return undefined;
    return {
      sentence: 'rebuilds the states of its lists from their members and holes',
      addTo: (plan) => {
        const readable = readableStates(item);
        plan.put(key, { ...item, lists: Object.fromEntries(readable) });
        for (const list of listsOwned()) {
          const isStateLost = !readable.some(([name]) => name === listName(list.key));
          const corrections = isStateLost ? { last: list.topRank, isStateLost } : {};
          rebuildHoles(plan, storedIndexList(verification, list), corrections);
        }
      },
    };
  };
}
