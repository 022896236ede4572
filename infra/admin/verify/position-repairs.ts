import type { Collection } from '../../../shared/ledger/internal/collection.ts';
import { keyNamesOf, recordKey, type ListIndex } from '../../../shared/ledger/internal/keys.ts';
import { bucketSize, withNext } from '../../../shared/ledger/internal/list-state.ts';
import type { Repair, RepairPlan } from './repair-plan.ts';
import { indexListAt, storedIndexList, lookUpState, type IndexList } from './index-list.ts';
import { isHoleIn } from './hole-items.ts';
import type { ListPosition } from '../../../shared/ledger/internal/lists.ts';
import { listPositionIn, type IndexPosition } from './index-positions.ts';
import { rebuildHoles } from './rebuild-holes.ts';
import type { Verification } from './verification.ts';
import type { Check } from './snapshots.ts';

/** Record, and the index in which its position is wrong. */
export interface RecordInIndex {
  collection: Pick<Collection, 'name'>;
  number: number;
  index: ListIndex;
}

/** Moves a record from its list in the index to another list; `partition` is undefined for none. */
export function moveToList(
  plan: RepairPlan,
  verification: Verification,
  target: RecordInIndex,
  partition: string | undefined,
): void {
  const { collection, number, index } = target;
  const key = recordKey(verification.organization, collection.name, number);
  const item = plan.get(key);
  const rank = partition === undefined ? undefined : joinList(plan, verification, partition, number);
  if (!item || (partition !== undefined && rank === undefined)) return;
  const position = listPositionIn(item, index);
  if (position && position.partition !== partition)
    leaveList(plan, verification, target, { ...position, index });
  const isMember = partition !== undefined && rank !== undefined;
  setPosition(plan, verification, target, isMember ? { partition, rank } : undefined);
}

/** Sets a record's position in the index, and leaves the state of its former list as it is. */
export function setPosition(
  plan: RepairPlan,
  verification: Verification,
  { collection, number, index }: RecordInIndex,
  position: ListPosition | undefined,
): void {
  const key = recordKey(verification.organization, collection.name, number);
  const { pkName, skName } = keyNamesOf(index);
  // Read from the plan: a record can own the list that it leaves.
  const { [pkName]: _, [skName]: __, ...rest } = plan.get(key) ?? {};
  plan.put(key, { ...rest, ...(position && { [pkName]: position.partition, [skName]: position.rank }) });
}

/** Gives a member of the list the next rank there. */
export function moveToEnd(
  plan: RepairPlan,
  verification: Verification,
  { partition, key: { collection: name, index } }: IndexList,
  number: number,
): void {
  const rank = joinList(plan, verification, partition, number);
  if (index && rank !== undefined)
    setPosition(plan, verification, { collection: { name }, number, index }, { partition, rank });
}

/** Checks that the record still has the rank that another member has too. */
export function checkSharedRank(
  verification: Verification,
  name: string,
  number: number,
  { index, partition, rank }: IndexPosition,
): Check<Repair | undefined> {
  const list = indexListAt(verification, partition);
  return (snapshot) => {
    const item = snapshot.get(recordKey(verification.organization, name, number));
    const position = item && listPositionIn(item, index);
    if (!list || position?.partition !== partition || position.rank !== rank) return undefined;
    if (typeof lookUpState(verification, list, snapshot) !== 'object') return undefined;
    return {
      sentence: `gives ${verification.nameOf(name, number)} a rank of its own in ${verification.listNameOf(partition)}`,
      addTo: (plan) => {
        moveToEnd(plan, verification, list, number);
      },
    };
  };
}

/** Rank for a record in a list: a free rank if there is one for it, or else the next. */
function joinList(
  plan: RepairPlan,
  verification: Verification,
  partition: string,
  number: number,
): number | undefined {
  const list = indexListAt(verification, partition);
  const stored = list && storedIndexList(verification, list);
  const state = stored?.stateIn(plan);
  if (!stored || !state) return undefined;
  const vacant = verification.freeRanks.rankFor(partition, number);
  if (vacant !== undefined && vacant <= state.last && isHoleIn(plan, partition, vacant) === false)
    return vacant;
  const next = withNext(state);
  // With the first rank of the second bucket a list begins to need counts by bucket.
  if (state.left === 0 || next.last !== bucketSize + 1) stored.planState(plan, next);
  else rebuildHoles(plan, stored, { last: next.last });
  return stored.stateIn(plan)?.last === next.last ? next.last : undefined;
}

/** Adds a hole at the rank that the record leaves, unless another member has that rank. */
function leaveList(
  plan: RepairPlan,
  verification: Verification,
  { collection }: RecordInIndex,
  { partition, rank, index }: IndexPosition,
): void {
  const list = indexListAt(verification, partition);
  if (list?.key.index !== index || list.key.collection !== collection.name) return;
  if (verification.freeRanks.isKept(partition, rank)) return;
  const found = lookUpState(verification, list, plan);
  // A list without a state has no holes to keep.
  if (typeof found === 'object' && rank <= found.last)
    rebuildHoles(plan, storedIndexList(verification, list), { holes: [rank] });
}
