import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import {
  keyNamesOf,
  listIndexes,
  type Key,
  type ListIndex,
  type ListKey,
} from '../../../shared/ledger/internal/keys.ts';
import { positionIn, type ListPosition } from '../../../shared/ledger/internal/lists.ts';
import { pipelineNumber, pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import type { RepairPlan } from './organization-items.ts';

/** Record, and the index in which its position is wrong. */
export interface RecordInIndex {
  name: string;
  number: number;
  index: ListIndex;
}

/** True for the pipeline. Repair makes a missing pipeline anew. */
export const isPipeline = (owner: ListKey['owner']): boolean =>
  owner?.collection === pipelines.name && owner.number === pipelineNumber;

/** Positions of an item in the lists of all indexes. */
export const positionsOf = (item: Item): (ListPosition & { index: ListIndex })[] =>
  listIndexes.flatMap((index) => {
    const position = listPositionIn(item, index);
    return position ? [{ ...position, index }] : [];
  });

/** Position of an item in the list of an index; undefined if the item has none, or a malformed one. */
export function listPositionIn(item: Item, index: ListIndex): ListPosition | undefined {
  const position = positionIn(item, index);
  return position && Number.isSafeInteger(position.rank) && position.rank >= 1 ? position : undefined;
}

/** True if the item has neither key attribute of the index. */
export function isUnindexed(item: Item, index: ListIndex): boolean {
  const { pkName, skName } = keyNamesOf(index);
  return item[pkName] === undefined && item[skName] === undefined;
}

/** Plans a record's position in an index, and leaves the states of its lists as they are. */
export function planPosition(
  plan: RepairPlan,
  key: Key,
  index: ListIndex,
  position: ListPosition | undefined,
): void {
  const { pkName, skName } = keyNamesOf(index);
  // Read from the plan: a record can own the list that it leaves.
  const { [pkName]: _, [skName]: __, ...rest } = plan.get(key) ?? {};
  plan.put(key, { ...rest, ...(position && { [pkName]: position.partition, [skName]: position.rank }) });
}
