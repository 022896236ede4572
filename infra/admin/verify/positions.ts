import { events, type ListKind } from '../../../shared/ledger/internal/collection.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import {
  formerKey,
  headKey,
  keyNamesOf,
  listIndexes,
  listName,
  parseListPartition,
  stateKey,
  type Key,
  type ListIndex,
  type ListKey,
} from '../../../shared/ledger/internal/keys.ts';
import {
  bucketSize,
  emptyList,
  formatState,
  withNext,
  type ListState,
} from '../../../shared/ledger/internal/list-state.ts';
import { positionIn, type ListPosition } from '../../../shared/ledger/internal/lists.ts';
import { pipelineNumber, pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import { keyName } from './finding.ts';
import { headIn, type Judgement } from './judgement.ts';
import { isHoleIn, planStateIn, readState, rebuildHoles, statesIn, type StoredList } from './list-holes.ts';
import type { Items, RepairPlan } from './organization-items.ts';

/** List in an index that this version of the code can have. */
export interface IndexList {
  readonly partition: string;
  readonly key: ListKey & { index: ListIndex };
}

/**
 * State of a list. Once the list's owner is removed, the owner's former item has the state while the list has members.
 * `without owner`: the owner is removed, and there is no former item. Then the list has ended, or it is a list of
 * events, whose states no former item keeps.
 */
export type StateLookup = ListState | 'without owner' | 'unknown' | 'unreadable';

/** Record, and the index in which its position is wrong. */
export interface RecordInIndex {
  name: string;
  number: number;
  index: ListIndex;
}

/** Undefined if this version of the code has no such list. */
export function indexListAt(judgement: Judgement, partition: string): IndexList | undefined {
  const key = parseListPartition(judgement.organization, partition);
  return key?.index && isDeclared(judgement, key)
    ? { partition, key: { ...key, index: key.index } }
    : undefined;
}

/** True if this version of the code can have such a list. The records tell if the list exists. */
export function isDeclared(collections: Pick<Judgement, 'collectionNamed'>, key: ListKey): boolean {
  const { collection, index, owner, name } = key;
  const owners = owner && collections.collectionNamed(owner.collection);
  if (index === undefined || (owner && !owners)) return false;
  if (collection !== events.name) return kindOf(collections, key) !== undefined;
  return owners?.eventListIndex === listIndexes.indexOf(index) && name === undefined;
}

/** True if the list belongs to a collection, or to records of one, that the head has and this version does not know. */
export const isOfNewer = ({ collections, head }: Judgement, { collection, owner }: ListKey): boolean =>
  [collection, ...(owner ? [owner.collection] : [])].some(
    (name) => !collections.has(name) && head.lists[name] !== undefined,
  );

/** Declaration of the list's kind in its collection. */
const kindOf = (
  collections: Pick<Judgement, 'collectionNamed'>,
  { collection, index }: ListKey,
): ListKind | undefined =>
  index && Object.values(collections.collectionNamed(collection)?.lists ?? {})[listIndexes.indexOf(index)];

/** True if the list's state is an item of its own. */
export const hasOwnState = (collections: Pick<Judgement, 'collectionNamed'>, key: ListKey): boolean =>
  kindOf(collections, key)?.hasManyNames ?? false;

/** True for the pipeline. Repair makes a missing pipeline anew. */
export const isPipeline = (owner: ListKey['owner']): boolean =>
  owner?.collection === pipelines.name && owner.number === pipelineNumber;

/** State of a list, by the items. */
export function lookUpState(judgement: Judgement, { key, partition }: IndexList, items: Items): StateLookup {
  if (hasOwnState(judgement, key)) {
    const item = items.get(stateKey(partition));
    return item ? (readState(item['state']) ?? 'unreadable') : emptyList;
  }
  const head = headIn(items, judgement.organization);
  if (!key.owner) return stateIn(head, listName(key));
  const { collection, number } = key.owner;
  const holder = items.get(stateHolderKey(judgement, key, items));
  if (!holder) return number > stateIn(head, collection).last ? 'unknown' : 'without owner';
  const states = statesIn(holder);
  return states ? (readState(states[listName(key)]) ?? emptyList) : 'unreadable';
}

/** Key of the item that has the list's state: the head, the owner, or the former item of a removed owner. */
function stateHolderKey(judgement: Judgement, { collection, owner }: ListKey, items: Items): Key {
  const { organization } = judgement;
  if (!owner) return headKey(organization);
  const key = judgement.keyOf(owner.collection, owner.number);
  const isGiven = owner.number <= stateIn(headIn(items, organization), owner.collection).last;
  return items.get(key) || !isGiven || collection === events.name
    ? key
    : formerKey(organization, owner.collection, owner.number);
}

export function storedIndexList(judgement: Judgement, list: IndexList): StoredList {
  const { partition, key } = list;
  const { owner } = key;
  const isOwn = hasOwnState(judgement, key);
  const holderKey = isOwn ? stateKey(partition) : stateHolderKey(judgement, key, judgement.items);
  return {
    partition,
    name: judgement.listNameOf(partition),
    isCollection: false,
    canRecount: true,
    stateHolder:
      owner && !isOwn && judgement.isRecord(owner.collection, owner.number)
        ? judgement.nameOf(owner.collection, owner.number)
        : keyName(holderKey),
    stateHolderKey: holderKey,
    stateIn: (items) => {
      const found = lookUpState(judgement, list, items);
      return typeof found === 'object' ? found : undefined;
    },
    planState: (plan, state) => {
      if (isOwn) plan.put(holderKey, { state: formatState(state) });
      else planStateIn(plan, stateHolderKey(judgement, key, plan), listName(key), state);
    },
  };
}

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

/** Ranks that repairs of positions use. */
export interface RankChoice {
  /** Rank that neither a member nor a hole has, for a record that lost its rank; undefined if there is none for it. */
  vacantRank: (partition: string, number: number) => number | undefined;
  /** True if a member keeps the rank when the misplaced record is moved to its own list. */
  isShared: (partition: string, rank: number) => boolean;
}

/** Moves records between lists, in repair plans. */
export class Mover {
  readonly #judgement: Judgement;
  readonly #ranks: RankChoice;

  constructor(judgement: Judgement, ranks: RankChoice) {
    this.#judgement = judgement;
    this.#ranks = ranks;
  }

  /** Moves a record from its list in the index to another list; `partition` is undefined for none. */
  moveToList(plan: RepairPlan, target: RecordInIndex, partition: string | undefined): void {
    const item = plan.get(this.#judgement.keyOf(target.name, target.number));
    const rank = partition === undefined ? undefined : this.#join(plan, partition, target.number);
    if (!item || (partition !== undefined && rank === undefined)) return;
    const position = listPositionIn(item, target.index);
    if (position && position.partition !== partition) this.#leave(plan, target, position);
    const isMember = partition !== undefined && rank !== undefined;
    this.setPosition(plan, target, isMember ? { partition, rank } : undefined);
  }

  /** Gives a member of the list the next rank there, or a vacant one. */
  moveToEnd(
    plan: RepairPlan,
    { partition, key: { collection: name, index } }: IndexList,
    number: number,
  ): void {
    const rank = this.#join(plan, partition, number);
    if (rank !== undefined) this.setPosition(plan, { name, number, index }, { partition, rank });
  }

  /** Sets a record's position in the index, and leaves the state of its former list as it is. */
  setPosition(
    plan: RepairPlan,
    { name, number, index }: RecordInIndex,
    position: ListPosition | undefined,
  ): void {
    const key = this.#judgement.keyOf(name, number);
    const { pkName, skName } = keyNamesOf(index);
    // Read from the plan: a record can own the list that it leaves.
    const { [pkName]: _, [skName]: __, ...rest } = plan.get(key) ?? {};
    plan.put(key, { ...rest, ...(position && { [pkName]: position.partition, [skName]: position.rank }) });
  }

  /** Rank for a record in a list: a vacant rank if there is one for it, or else the next. */
  #join(plan: RepairPlan, partition: string, number: number): number | undefined {
    const list = indexListAt(this.#judgement, partition);
    const stored = list && storedIndexList(this.#judgement, list);
    const state = stored?.stateIn(plan);
    if (!stored || !state) return undefined;
    const vacant = this.#ranks.vacantRank(partition, number);
    if (vacant !== undefined && vacant <= state.last && !isHoleIn(plan, partition, vacant)) return vacant;
    const next = withNext(state);
    // With the first rank of the second bucket a list begins to need counts by bucket.
    if (state.left === 0 || next.last !== bucketSize + 1) stored.planState(plan, next);
    else rebuildHoles(plan, stored, { last: next.last });
    return stored.stateIn(plan)?.last === next.last ? next.last : undefined;
  }

  /** Adds a hole at the rank that the record leaves, unless another member has that rank. */
  #leave(plan: RepairPlan, { name, index }: RecordInIndex, { partition, rank }: ListPosition): void {
    const list = indexListAt(this.#judgement, partition);
    if (list?.key.index !== index || list.key.collection !== name) return;
    if (this.#ranks.isShared(partition, rank)) return;
    const found = lookUpState(this.#judgement, list, plan);
    // A list without a state has no holes to keep.
    if (typeof found === 'object' && rank <= found.last)
      rebuildHoles(plan, storedIndexList(this.#judgement, list), { holes: [rank] });
  }
}
