import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events, type ListKind } from '../../../shared/ledger/internal/collection.ts';
import { pipelineNumber, pipelines } from '../../../shared/domain/leads/pipeline-record.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import * as keys from '../../../shared/ledger/internal/keys.ts';
import type { Key, ListIndex, ListKey } from '../../../shared/ledger/internal/keys.ts';
import {
  bucketPositionOf,
  bucketSize,
  emptyList,
  formatState,
  hasCounts,
  parseState,
  statePattern,
  windowSize,
  type ListState,
} from '../../../shared/ledger/internal/list-state.ts';
import { positionIn, type ListPosition } from '../../../shared/ledger/internal/lists.ts';
import { countBits, holeBits, increments, unpack } from '../../../shared/ledger/internal/packed-numbers.ts';
import { headIn, type Judgement } from './judgement.ts';
import type { Items, OrganizationItems } from './organization-items.ts';

/** Holes of one list, as its items say. */
export interface StoredHoles {
  /** Readable holes in the buckets. */
  readonly ranks: ReadonlySet<number>;
  /** Sort keys of the hole items: buckets and counts. */
  readonly sortKeys: readonly string[];
  /** Keys of the items beside them that the ledger would not write. */
  readonly unknown: readonly Key[];
}

/** Last rank and holes that a list must have. A list without a state has buckets alone. */
export interface RightHoles {
  readonly last: number;
  readonly holes: ReadonlySet<number>;
  readonly hasState: boolean;
}

/** Undefined if the string is malformed. */
export function readState(text: unknown): ListState | undefined {
  return isState(text) ? parseState(text) : undefined;
}

const isState = (text: unknown): text is string => typeof text === 'string' && statePattern.test(text);

/** Made once: every item is checked, and to make a schema takes longer than the check. */
const Texts = v.record(v.string(), v.string());
const Values = v.record(v.string(), v.unknown());
const noStates = {};

/** List states in an item (the head, a record or a former item), by list name; undefined if one is malformed. */
export function statesIn({ lists }: Item): Record<string, string> | undefined {
  if (lists === undefined) return noStates;
  return v.is(Texts, lists) && Object.values(lists).every(isState) ? lists : undefined;
}

/** Well-formed list states in an item, by list name. */
export const readableStates = ({ lists }: Item): Record<string, string> =>
  lists !== undefined && v.is(Values, lists)
    ? Object.fromEntries(
        Object.entries(lists).flatMap(([list, state]) => (isState(state) ? [[list, state]] : [])),
      )
    : noStates;

/**
 * State of a list, or why there is none. `lost`: its item is missing or malformed, and a repair can make it. `ended`: its
 * owner was removed; no item keeps states of lists of events then. `unknown`: its owner was never there. `unreadable`: its
 * owner is lost, or malformed.
 */
export type StateLookup = ListState | 'lost' | 'ended' | 'unknown' | 'unreadable';

/** Record that owns lists. */
export type Owner = NonNullable<ListKey['owner']>;

export type IndexList = StoredList<ListKey & { index: ListIndex }>;
type CollectionsByName = Judgement['collections'];

/** List with a stored state and hole items: a collection, or a list in an index. */
export class StoredList<K extends ListKey = ListKey> {
  readonly #judgement: Judgement;
  readonly partition: string;
  readonly key: K;

  constructor(judgement: Judgement, partition: string, key: K) {
    this.#judgement = judgement;
    this.partition = partition;
    this.key = key;
  }

  /** List in an index; undefined if this version of the code has no such list. */
  static at(judgement: Judgement, partition: string): IndexList | undefined {
    const key = keys.parseListPartition(judgement.organization, partition);
    return key?.index && isDeclared(judgement, key)
      ? new StoredList(judgement, partition, { ...key, index: key.index })
      : undefined;
  }

  /** Name in sentences. */
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
    if (this.hasOwnState) return keys.stateKey(this.partition);
    if (!owner) return keys.headKey(organization);
    const key = this.#judgement.keyOf(owner.collection, owner.number);
    const isGiven =
      owner.number <= stateIn(headIn(items, organization), { collection: owner.collection }).last;
    return items.get(key) || !isGiven || this.isOfEvents
      ? key
      : keys.formerKey(organization, owner.collection, owner.number);
  }

  lookUpState(items: Items): StateLookup {
    const { owner } = this.key;
    const holder = items.get(this.holderKeyIn(items));
    if (this.hasOwnState) return holder ? (readState(holder['state']) ?? 'lost') : emptyList;
    const head = headIn(items, this.#judgement.organization);
    if (!owner) return stateIn(head, this.key);
    const states = holder && statesIn(holder);
    if (holder) return states ? (readState(states[keys.stateName(this.key)]) ?? emptyList) : 'unreadable';
    if (owner.number > stateIn(head, { collection: owner.collection }).last) return 'unknown';
    if (this.isOfEvents) return 'ended';
    return this.#judgement.isHole(owner.collection, owner.number) ? 'lost' : 'unreadable';
  }

  stateIn(items: Items): ListState | undefined {
    const found = this.lookUpState(items);
    return typeof found === 'object' ? found : undefined;
  }
}

/** True if this version of the code can have such a list. The records tell if the list exists. */
export function isDeclared({ collections }: { collections: CollectionsByName }, key: ListKey): boolean {
  const { collection, index, owner, name } = key;
  const owners = owner && collections.get(owner.collection);
  if (index === undefined || (owner && !owners)) return false;
  if (collection !== events.name) return kindOf(collections, key) !== undefined;
  return owners?.eventListIndex === keys.listIndexes.indexOf(index) && name === undefined;
}

/** True if the list belongs to a collection, or to records of one, that the head has and this version does not know. */
export const isOfNewer = ({ collections, head }: Judgement, { collection, owner }: ListKey): boolean =>
  [collection, ...(owner ? [owner.collection] : [])].some(
    (name) => !collections.has(name) && head.lists[keys.stateName({ collection: name })] !== undefined,
  );

/** Declaration of the list's kind in its collection. */
const kindOf = (collections: CollectionsByName, { collection, index }: ListKey): ListKind | undefined =>
  index && Object.values(collections.get(collection)?.lists ?? {})[keys.listIndexes.indexOf(index)];

/** True if the list's state is a separate item. */
export const hasOwnState = ({ collections }: { collections: CollectionsByName }, key: ListKey): boolean =>
  kindOf(collections, key)?.hasManyNames ?? false;

export function readHoles(items: OrganizationItems, { partition, hasOwnState }: StoredList): StoredHoles {
  const ranks = new Set<number>();
  const sortKeys: string[] = [];
  const unknown: Key[] = [];
  for (const item of items.partition(keys.holesPartition(partition))) {
    const key = keys.keyOfItem(item);
    const isBucket = /^\d{12}$/.test(key.sk);
    if (isBucket || key.sk === keys.countsKey('').sk) sortKeys.push(key.sk);
    else if (!hasOwnState || key.sk !== keys.stateKey('').sk) unknown.push(key);
    for (const rank of isBucket ? ranksIn(key.sk, item) : []) ranks.add(rank);
  }
  return { ranks, sortKeys, unknown };
}

/** Keys of a list's hole items. */
export const keysOf = ({ partition }: StoredList, { sortKeys }: StoredHoles): Key[] =>
  sortKeys.map((sk) => ({ pk: keys.holesPartition(partition), sk }));

/** Sentence about a list with a wrong state or wrong hole items; undefined if they are right. */
export function differenceOf(
  items: Items,
  list: StoredList,
  state: ListState | undefined,
  right: RightHoles,
  stored: StoredHoles,
): string | undefined {
  const wrong = wrongItems(items, list, right, stored).map(([{ sk }]) => sk);
  const [is, must] = [state, right.hasState ? stateOf(right) : undefined].map((one) =>
    one ? `${one.last} ranks with ${one.left} holes (${formatState(one)})` : 'nothing',
  );
  if (wrong.length === 0 && is === must) return undefined;
  const others = wrong.length === 0 ? '' : ` Hole items that do not match: ${wrong.join(', ')}.`;
  return `The state of ${list.name} says ${is}, and its members say ${must}.${others}`;
}

export function stateOf({ last, holes }: RightHoles): ListState {
  let newest = 0n;
  for (const rank of holes) if (last - rank < windowSize) newest |= 1n << BigInt(last - rank);
  return { last, left: holes.size, newest };
}

/** Wrong hole items: each key, with the right item, if there must be one. */
export function wrongItems(
  items: Items,
  { partition }: StoredList,
  right: RightHoles,
  stored: Pick<StoredHoles, 'sortKeys'>,
): [Key, Item | undefined][] {
  const pk = keys.holesPartition(partition);
  const expected = itemsOf(right);
  return [...new Set([...stored.sortKeys, ...expected.keys()])]
    .filter((sk) => !isDeepStrictEqual(contentOf(sk, items.get({ pk, sk })), contentOf(sk, expected.get(sk))))
    .map((sk) => [{ pk, sk }, expected.get(sk)]);
}

/** Hole items that a list must have, by sort key: buckets, and counts by bucket if it has more than one bucket. */
function itemsOf(right: RightHoles): Map<string, Item> {
  const positions = [...right.holes].map(bucketPositionOf);
  const items = new Map<string, Item>();
  for (const [bucket, some] of Map.groupBy(positions, ({ bucket: one }) => one))
    items.set(
      keys.sortable(bucket),
      Object.fromEntries(
        increments(
          holeBits,
          some.map(({ offset }) => offset),
        ),
      ),
    );
  const counts = increments(
    countBits,
    positions.map(({ bucket }) => bucket),
  );
  if (right.hasState && hasCounts(stateOf(right)) && positions.length > 0)
    items.set(keys.countsKey('').sk, { ...Object.fromEntries(counts), left: positions.length });
  return items;
}

/** Content of a hole item, to compare two. The count of the first bucket says nothing: it follows from the others. */
function contentOf(sk: string, item: Item | undefined): unknown {
  if (sk !== keys.countsKey('').sk) return offsetsIn(item ?? {});
  try {
    const counts = unpack(countBits, item ?? {});
    counts.delete(0);
    return item && { left: item['left'], counts };
  } catch {
    return 'malformed';
  }
}

/** Ranks of the readable holes in a bucket. */
export const ranksIn = (sk: string, item: Item): number[] =>
  Object.entries(item).flatMap((one) =>
    [...(offsetsIn(Object.fromEntries([one])) ?? [])].map((offset) => Number(sk) * bucketSize + offset + 1),
  );

/** Offsets of the holes in a bucket; undefined if the item is malformed. */
function offsetsIn(item: Item): ReadonlySet<number> | undefined {
  try {
    const offsets = new Set(unpack(holeBits, item).keys());
    return Math.max(0, ...offsets) < bucketSize ? offsets : undefined;
  } catch {
    return undefined;
  }
}

/** True for the pipeline. Repair makes a missing pipeline anew. */
export const isPipeline = (owner: ListKey['owner']): boolean =>
  owner?.collection === pipelines.name && owner.number === pipelineNumber;

/** Positions of an item in the lists of all indexes. */
export const positionsOf = (item: Item): (ListPosition & { index: ListIndex })[] =>
  keys.listIndexes.flatMap((index) => {
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
  const { pkName, skName } = keys.keyNamesOf(index);
  return item[pkName] === undefined && item[skName] === undefined;
}
