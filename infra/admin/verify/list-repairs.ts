import * as keys from '../../../shared/ledger/internal/keys.ts';
import type { Key, ListIndex } from '../../../shared/ledger/internal/keys.ts';
import { bucketPositionOf, formatState, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import type { ListPosition } from '../../../shared/ledger/internal/lists.ts';
import type { Repair } from './finding.ts';
import type { Judgement } from './judgement.ts';
import { hasRank, rightOf, type ListMembers } from './list-members.ts';
import type { RepairPlan } from './organization-items.ts';
import {
  type Owner,
  type RightHoles,
  type StoredHoles,
  StoredList,
  listPositionIn,
  ranksIn,
  readHoles,
  readState,
  readableStates,
  stateOf,
  wrongItems,
} from './stored-list.ts';

/** Plans repairs of lists in indexes. `Lists` must have judged the lists before a repair is planned. */
export class ListRepairs {
  readonly #judgement: Judgement;
  readonly #members: ListMembers;

  constructor(judgement: Judgement, members: ListMembers) {
    this.#judgement = judgement;
    this.#members = members;
  }

  /**
   * Plans the states and hole items of all lists of an owner anew. `readable` has the list states that the
   * owner's item still has.
   */
  planStates(plan: RepairPlan, owner: Owner, readable: Record<string, string> = {}): void {
    const start = keys.listPartition(this.#judgement.organization, { collection: '', owner });
    for (const [partition, members] of this.#members) {
      const list = partition.startsWith(start) ? StoredList.at(this.#judgement, partition) : undefined;
      if (!list || list.hasOwnState || list.lookUpState(plan) === 'ended') continue;
      const stored = readHoles(this.#judgement.items, list);
      const state = readState(readable[keys.stateName(list.key)]) ?? 'lost';
      planHoles(plan, list, rightOf(members, state, stored), stored);
    }
  }

  /** Makes the malformed list states of a record or a former item anew. */
  rebuildStates(owner: Owner, key: Key, sentence: string): Repair {
    return {
      sentence,
      addTo: (plan) => {
        const item = plan.get(key) ?? {};
        const lists = readableStates(item);
        plan.put(key, { ...item, lists });
        this.planStates(plan, owner, lists);
      },
    };
  }

  /** Moves a record to another list of the index, if the list is there; `partition` is undefined for none. */
  moveToList(
    sentence: string,
    { collection, number }: Owner,
    index: ListIndex,
    partition: string | undefined,
  ): Repair {
    const key = this.#judgement.keyOf(collection, number);
    return {
      sentence,
      addTo: (plan) => {
        const rank = partition === undefined ? undefined : this.#join(plan, partition, number);
        if (partition !== undefined && rank === undefined) return;
        const before = listPositionIn(plan.get(key) ?? {}, index);
        const left =
          before && before.partition !== partition && StoredList.at(this.#judgement, before.partition);
        const isShared = before && hasRank(this.#members.at(before.partition), before.rank);
        if (left && left.key.index === index && left.key.collection === collection && !isShared)
          planRank(plan, left, before.rank);
        const position = partition !== undefined && rank !== undefined ? { partition, rank } : undefined;
        planPosition(plan, key, index, position);
      },
    };
  }

  /** Rank for a record in a list: the vacant rank that waits for the record, or else the next rank. */
  #join(plan: RepairPlan, partition: string, number: number): number | undefined {
    const judgement = this.#judgement;
    const list = StoredList.at(judgement, partition);
    const state = list?.stateIn(plan);
    if (!list || !state) return undefined;
    const vacant = this.#members.at(partition).vacant?.get(number);
    // If a record is lost, the vacant rank may be its rank.
    if (vacant !== undefined && judgement.numbersOf(list.key.collection).lost.length === 0) return vacant;
    planRank(plan, list);
    return state.last + 1;
  }
}

/** Makes the state and the hole items of a list right. */
export const rebuildHoles = (
  sentence: string,
  list: StoredList,
  right: RightHoles,
  stored: StoredHoles,
): Repair => ({
  sentence,
  addTo: (plan) => {
    planHoles(plan, list, right, stored);
  },
});

/**
 * Plans a list state in the item that has it: the head, the owner or a former item. Creates the item if it is
 * missing.
 */
export function planStateIn(plan: RepairPlan, key: Key, list: string, state: ListState): void {
  const item = plan.get(key) ?? {};
  plan.put(key, { ...item, lists: { ...readableStates(item), [list]: formatState(state) } });
}

/** Plans the state of a list, unless the list has it. */
function planState(plan: RepairPlan, list: StoredList, state: ListState): void {
  const before = list.stateIn(plan);
  if (before && formatState(before) === formatState(state)) return;
  const key = list.holderKeyIn(plan);
  if (list.hasOwnState) plan.put(key, { state: formatState(state) });
  else planStateIn(plan, key, keys.stateName(list.key), state);
}

/** Plans the right state and hole items of a list. */
function planHoles(
  plan: RepairPlan,
  list: StoredList,
  right: RightHoles,
  stored: Pick<StoredHoles, 'sortKeys'>,
): void {
  if (right.hasState) planState(plan, list, stateOf(right));
  for (const [key, item] of wrongItems(plan, list, right, stored))
    if (item) plan.put(key, item);
    else plan.remove(key);
}

/** Plans one more rank at the end of a list or, if `hole` is given, one more hole. Changes what is planned already. */
function planRank(plan: RepairPlan, list: StoredList, hole?: number): void {
  const state = list.stateIn(plan);
  if (!state || (hole ?? 0) > state.last) return;
  const last = hole === undefined ? state.last + 1 : state.last;
  const count = bucketPositionOf(last).bucket + 1;
  const buckets = Array.from({ length: count }, (_, bucket) => keys.holesKey(list.partition, bucket));
  const ranks = new Set(buckets.flatMap((key) => ranksIn(key.sk, plan.get(key) ?? {})));
  if (hole !== undefined) ranks.add(hole);
  const sortKeys = [...buckets.map(({ sk }) => sk), keys.countsKey('').sk];
  planHoles(plan, list, { last, holes: ranks, hasState: true }, { sortKeys });
}

/** Plans a record's position in an index. The states of the record's lists stay. */
function planPosition(plan: RepairPlan, key: Key, index: ListIndex, position?: ListPosition): void {
  const { pkName, skName } = keys.keyNamesOf(index);
  // Read from the plan: a record can own the list that it leaves.
  const { [pkName]: _, [skName]: __, ...rest } = plan.get(key) ?? {};
  plan.put(key, { ...rest, ...(position && { [pkName]: position.partition, [skName]: position.rank }) });
}
