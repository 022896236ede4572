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
import { emptyList, formatState, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import { positionIn, type ListPosition } from '../../../shared/ledger/internal/lists.ts';
import { pipelineNumber, pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import { headIn, type Judgement } from './judgement.ts';
import { planStateIn, readState, statesIn, type StoredList } from './list-holes.ts';
import type { Items, RepairPlan } from './organization-items.ts';

/**
 * State of a list, or why there is none. `lost`: its item is missing or malformed, and a repair can make it. `ended`: its
 * owner was removed; no item keeps states of lists of events then. `unknown`: its owner was never there. `unreadable`: its
 * owner is lost, or malformed.
 */
export type StateLookup = ListState | 'lost' | 'ended' | 'unknown' | 'unreadable';

type CollectionsByName = Pick<Judgement, 'collectionNamed'>;

/** Record, and the index in which its position is wrong. */
export interface RecordInIndex {
  name: string;
  number: number;
  index: ListIndex;
}

/** List in an index that this version of the code can have. */
export class IndexList implements StoredList {
  readonly #judgement: Judgement;
  readonly partition: string;
  readonly key: ListKey & { index: ListIndex };

  private constructor(judgement: Judgement, partition: string, key: ListKey & { index: ListIndex }) {
    this.#judgement = judgement;
    this.partition = partition;
    this.key = key;
  }

  /** Undefined if this version of the code has no such list. */
  static at(judgement: Judgement, partition: string): IndexList | undefined {
    const key = parseListPartition(judgement.organization, partition);
    return key?.index && isDeclared(judgement, key)
      ? new IndexList(judgement, partition, { ...key, index: key.index })
      : undefined;
  }

  get name(): string {
    return this.#judgement.listNameOf(this.partition);
  }

  get isOfEvents(): boolean {
    return this.key.collection === events.name;
  }

  get hasOwnState(): boolean {
    return hasOwnState(this.#judgement, this.key);
  }

  /** Key of the list's own state item, the head, the owner, or the former item of a removed owner. */
  holderKeyIn(items: Items): Key {
    const { organization } = this.#judgement;
    const { owner } = this.key;
    if (this.hasOwnState) return stateKey(this.partition);
    if (!owner) return headKey(organization);
    const key = this.#judgement.keyOf(owner.collection, owner.number);
    const isGiven = owner.number <= stateIn(headIn(items, organization), owner.collection).last;
    return items.get(key) || !isGiven || this.isOfEvents
      ? key
      : formerKey(organization, owner.collection, owner.number);
  }

  lookUpState(items: Items): StateLookup {
    const judgement = this.#judgement;
    const { owner } = this.key;
    const holder = items.get(this.holderKeyIn(items));
    if (this.hasOwnState) return holder ? (readState(holder['state']) ?? 'lost') : emptyList;
    const head = headIn(items, judgement.organization);
    if (!owner) return stateIn(head, listName(this.key));
    const states = holder && statesIn(holder);
    if (holder) return states ? (readState(states[listName(this.key)]) ?? emptyList) : 'unreadable';
    if (owner.number > stateIn(head, owner.collection).last) return 'unknown';
    if (this.isOfEvents) return 'ended';
    return judgement.isHole(owner.collection, owner.number) ? 'lost' : 'unreadable';
  }

  stateIn(items: Items): ListState | undefined {
    const found = this.lookUpState(items);
    return typeof found === 'object' ? found : undefined;
  }

  planState(plan: RepairPlan, state: ListState): void {
    const key = this.holderKeyIn(plan);
    if (this.hasOwnState) plan.put(key, { state: formatState(state) });
    else planStateIn(plan, key, listName(this.key), state);
  }
}

/** True if this version of the code can have such a list. The records tell if the list exists. */
export function isDeclared(collections: CollectionsByName, key: ListKey): boolean {
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
const kindOf = (collections: CollectionsByName, { collection, index }: ListKey): ListKind | undefined =>
  index && Object.values(collections.collectionNamed(collection)?.lists ?? {})[listIndexes.indexOf(index)];

/** True if the list's state is an item of its own. */
export const hasOwnState = (collections: CollectionsByName, key: ListKey): boolean =>
  kindOf(collections, key)?.hasManyNames ?? false;

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
