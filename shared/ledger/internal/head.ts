import * as v from 'valibot';
import type { Item } from './attributes.ts';
import { events } from './collection.ts';
import { formatState, parseState, statePattern, type ListState } from './list-state.ts';

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The version of the storage format. Increase it if existing code could not read the data. */
export const storedForm = 3;

/** The states of lists, by name. Kept as text, since most writes parse only one or two. */
export const ListStates = v.record(v.string(), v.pipe(v.string(), v.regex(statePattern)));
export type ListStates = v.InferOutput<typeof ListStates>;

/**
 * The item that every write of an organization advances. Unknown attributes are kept, so that an older
 * function does not drop what a newer one stored.
 */
const Head = v.looseObject({
  form: v.literal(storedForm),
  /** The number of the last event. Every write appends an event, so every write changes it. */
  version: Count,
  /** ISO 3166 code, by which national phone numbers are read. Kept here, since every write reads the head. */
  country: v.pipe(v.string(), v.length(2)),
  /**
   * The state of each list without an owner, by its name: of a collection, or of records that share a name.
   */
  lists: ListStates,
  /** The revision of each record that many writes change, by its collection's name: see `Collection.hasHotRecord`. */
  revisions: v.exactOptional(v.record(v.string(), Count)),
  /** The key of `Write.hashed`, base64; absent until a write hashes something. Lost, no hash is found again. */
  hashKey: v.exactOptional(v.pipe(v.string(), v.base64())),
  /** The queue of writers; absent if writers have never collided. */
  queue: v.exactOptional(
    v.looseObject({
      /** The last number that was served. */
      served: Count,
      /** Above 0, others may be waiting; each queued writer that need not wait counts it down. */
      waiting: Count,
      /** The time per write while writers wait, in milliseconds: a shared estimate. */
      pace: v.pipe(v.number(), v.minValue(0)),
    }),
  ),
});
export type Head = v.InferOutput<typeof Head>;

/** The data has a storage format that this version of the code cannot read. */
export class OtherForm extends Error {
  constructor(form: unknown) {
    super(
      `The data is stored in form ${typeof form === 'number' ? form : 1}, and this version reads form ${storedForm} alone: ` +
        'run the version that stored it, or start on an empty table (on this machine: delete the data folder, which is .data ' +
        'unless --data names another, or the table in the DynamoDB that DYNAMODB_ENDPOINT names).',
    );
    this.name = 'OtherForm';
  }
}

/** There is no such organization: each has a head from its first write on. */
export class NoHead extends Error {
  constructor() {
    super('The organization has no head item');
  }
}

/** Parses a head. @throws NoHead; OtherForm */
export function parseHead(item: Item | undefined): Head {
  if (item === undefined) throw new NoHead();
  if (item['form'] !== storedForm) throw new OtherForm(item['form']);
  return v.parse(Head, item);
}

/** The head of an organization before its first write. */
export const unfoundedHead = (country: string): Head => ({
  form: storedForm,
  version: 0,
  country,
  lists: {},
});

/** The state of a list of the organization. That of events is the head's version: the last event's number. */
export function stateIn(head: Head, list: string): ListState {
  if (list === events.name) return { last: head.version, left: 0, newest: 0n };
  return parseState(head.lists[list]);
}

export function withState(head: Head, list: string, state: ListState): Head {
  return { ...head, lists: { ...head.lists, [list]: formatState(state) } };
}

/** The head with the revision that the busy record of a collection gets; undefined where it is removed. */
export function withRevision(head: Head, name: string, revision: number | undefined): Head {
  const others = Object.entries(head.revisions ?? {}).filter(([other]) => other !== name);
  const own = revision === undefined ? [] : [[name, revision] as const];
  return { ...head, revisions: Object.fromEntries([...others, ...own]) };
}
