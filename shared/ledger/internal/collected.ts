import type { Item } from './attributes.ts';
import type { RecordRef } from './collection.ts';
import { stateIn, withState, type Head } from './head.ts';
import type { KeptRecord } from './keyed-request.ts';
import type { ListKey } from './keys.ts';
import { ListChanges } from './list-changes.ts';
import type { ListState } from './list-state.ts';
import type { Principal } from './principal.ts';
import type { Question, ReadSetReader } from './read-set.ts';
import { RecordChanges } from './record-changes.ts';
import type { WriteOperation, WriteTarget } from './table-client.ts';

/** The start of a write, and the reads that are possible while the write is built. */
export interface WriteStart {
  tableName: string;
  head: Head;
  now: string;
  /** Version after the last write of the same ledger, which has reached all of its items. */
  ownVersion: number;
  /** The records of the read set that the write will change; `item` is undefined if there is none. */
  toChange: readonly { ref: RecordRef; item: Item | undefined; mayStayUnchanged: boolean }[];
  reads: Pick<ReadSetReader, 'item' | 'former' | 'snapshot' | 'settleRemovals'>;
  randomBytes: (size: number) => Uint8Array;
}

/** The changes that a verb has collected in one write. `Write` fills them in, and `compile` reads them. */
export interface Collected {
  readonly principal: Principal;
  readonly target: WriteTarget;
  readonly start: WriteStart;
  /** The head with the changes so far. */
  head: Head;
  readonly questions: Question[];
  /** A new key for hashes, which this write stores in the head. */
  newHashKey: string | undefined;
  readonly records: RecordChanges;
  readonly lists: ListChanges;
  /** Operations on items that are no records, by `nameOfKey`: DynamoDB takes one operation per item. */
  readonly otherItems: Map<string, WriteOperation>;
  /** Operations by the count's kind and name. */
  readonly dayCounts: Map<string, WriteOperation>;
  /** The records that `Write.keep` names. */
  readonly namedForReplay: Omit<KeptRecord, 'revision'>[];
  replayData: string | undefined;
  /** Items of booked days that were read, by day; undefined if the day has no item. */
  readonly days: Map<string, Item | undefined>;
}

/** The changes of a write that has only begun. */
export function nothingCollected(principal: Principal, start: WriteStart): Collected {
  const target = { tableName: start.tableName, organization: principal.organization };
  const records = new RecordChanges(target);
  for (const { ref, item, mayStayUnchanged } of start.toChange)
    records.addRead(ref, item, { mayStayUnchanged });
  const collected: Collected = {
    principal,
    target,
    start,
    records,
    head: start.head,
    questions: [],
    newHashKey: undefined,
    lists: new ListChanges(
      target,
      records,
      statesIn(() => collected),
    ),
    otherItems: new Map(),
    dayCounts: new Map(),
    namedForReplay: [],
    replayData: undefined,
    days: new Map(),
  };
  return collected;
}

/** A copy. Changes of its records, its lists and its head have no effect on the original. */
export function copyOf(original: Collected): Collected {
  const records = original.records.copy();
  const copy: Collected = {
    ...original,
    records,
    lists: original.lists.copy(
      records,
      statesIn(() => copy),
    ),
  };
  return copy;
}

/** The states of lists in the head of a write. */
const statesIn = (collected: () => Collected) => ({
  stateOf: (list: ListKey) => stateIn(collected().head, list),
  setState: (list: ListKey, state: ListState) => {
    collected().head = withState(collected().head, list, state);
  },
});
