import * as v from 'valibot';
import { Epoch } from '../../core/ids.ts';
import type { Item } from './attributes.ts';
import { events } from './collection.ts';
import { parseStateName, stateName, type ListKey } from './keys.ts';
import { formatState, parseState, statePattern, type ListState } from './list-state.ts';

/** List that no record owns. */
type OwnList = Omit<ListKey, 'owner'>;

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * Version of the storage format. Increase it if the deployed code could not read the new data, or the new code could
 * not read the old data.
 */
export const storageFormat = 4;

/** States of lists, by `stateName`. The states are strings, because most writes parse only one or two of them. */
export const ListStates = v.record(v.string(), v.pipe(v.string(), v.regex(statePattern)));
export type ListStates = v.InferOutput<typeof ListStates>;

/**
 * The item that every write of an organization advances. Unknown attributes are stored unchanged, so that older code
 * loses nothing that newer code stored.
 */
const Head = v.looseObject({
  form: v.literal(storageFormat),
  /** Number of the last event. Every write appends an event, so every write changes it. */
  version: Count,
  /**
   * Random name of the numbering of events. Founded, imported and restored data gets a new name, so that nobody
   * confuses two events with the same number.
   */
  epoch: Epoch,
  /** Country (ISO 3166) that national phone numbers belong to. Stored here because every write reads the head. */
  country: v.pipe(v.string(), v.length(2)),
  /** States of the lists that no record owns, by `stateName`: collections, and records that share a name. */
  lists: ListStates,
  /** Revision of each hot record, by collection name: see `Collection.hasHotRecord`. */
  revisions: v.exactOptional(v.record(v.string(), Count)),
  /**
   * Version of the last write that changed the configuration: see `Collection.isConfiguration`. Absent if no write has.
   */
  configuration: v.exactOptional(Count),
  /** Numbers of the records that the head names, ascending, by collection name: see `Collection.isNamedInHead`. */
  named: v.exactOptional(v.record(v.string(), v.pipe(v.string(), v.regex(/^[1-9]\d*(?: [1-9]\d*)*$/)))),
  /**
   * Key of `Write.hashed`, base64. Absent until a write hashes something. If it is lost, no stored hash can
   * be found again.
   */
  hashKey: v.exactOptional(v.pipe(v.string(), v.base64())),
  /** Queue of writers. Absent if writers have never collided. */
  queue: v.exactOptional(
    v.looseObject({
      /** The last number served. */
      served: Count,
      /**
       * Number above 0 if other writers may be waiting. Each queued writer that did not have to wait counts it down.
       */
      waiting: Count,
      /** Milliseconds per write while writers wait: an estimate that all share. */
      pace: v.pipe(v.number(), v.minValue(0)),
    }),
  ),
});
export type Head = v.InferOutput<typeof Head>;

/** Thrown for data in a storage format that this version of the code cannot read. */
export class OtherFormat extends Error {
  constructor(form: unknown) {
    super(
      `The data is stored in format ${typeof form === 'number' ? form : 1}, and this version reads format ${storageFormat} alone: ` +
        'run the version that stored it, or start on an empty table (on this machine: delete the data folder, which is .data ' +
        'unless --data names another, or the table in the DynamoDB that DYNAMODB_ENDPOINT names).',
    );
    this.name = 'OtherFormat';
  }
}

/** Thrown if the organization does not exist: every organization has a head from its first write on. */
export class NoHead extends Error {
  constructor() {
    super('The organization has no head item');
  }
}

/** Parses a head. @throws NoHead; OtherFormat */
export function parseHead(item: Item | undefined): Head {
  if (item === undefined) throw new NoHead();
  if (item['form'] !== storageFormat) throw new OtherFormat(item['form']);
  return v.parse(Head, item);
}

/** The head of an organization before its first write. */
export const unfoundedHead = (country: string, epoch: string): Head => ({
  form: storageFormat,
  version: 0,
  epoch,
  country,
  lists: {},
});

/**
 * The state of a list that no record owns. For the list of events, the state follows from the version, because no event
 * leaves the list.
 */
export function stateIn(head: Pick<Head, 'lists' | 'version'>, list: OwnList): ListState {
  if (list.collection === events.name) return { last: head.version, left: 0, newest: 0n };
  return parseState(head.lists[stateName(list)]);
}

/** Names of the collections with a state in the head. */
export const collectionsIn = ({ lists }: Pick<Head, 'lists'>): string[] =>
  Object.keys(lists).flatMap((name) => {
    const list = parseStateName(name);
    return list && list.index === undefined ? list.collection : [];
  });

export function withState(head: Head, list: OwnList, state: ListState): Head {
  return { ...head, lists: { ...head.lists, [stateName(list)]: formatState(state) } };
}

/**
 * Name of the state of the configuration. A restored organization has another name, because its head has another epoch.
 */
export const configurationOf = ({ epoch, configuration = 0 }: Head): string => `${epoch} ${configuration}`;

/** The head with the revision of a collection's hot record; undefined if the record is removed. */
export function withRevision(head: Head, name: string, revision: number | undefined): Head {
  const others = Object.entries(head.revisions ?? {}).filter(([other]) => other !== name);
  const own = revision === undefined ? [] : [[name, revision] as const];
  return { ...head, revisions: Object.fromEntries([...others, ...own]) };
}

/** The numbers of a collection's records that the head names, ascending. */
export const namedIn = (head: Head, collection: string): number[] =>
  (head.named?.[collection] ?? '').split(' ').filter(Boolean).map(Number);

/**
 * The head that names these numbers of a collection, and no others. If no record is named, the head has no attribute
 * `named`.
 */
export function withNamed(head: Head, collection: string, numbers: readonly number[]): Head {
  const { named = {}, ...rest } = head;
  const others = Object.entries(named).filter(([other]) => other !== collection);
  const text = [...new Set(numbers)].sort((a, b) => a - b).join(' ');
  const all = [...others, ...(text === '' ? [] : [[collection, text] as const])];
  return { ...rest, ...(all.length > 0 && { named: Object.fromEntries(all) }) };
}
