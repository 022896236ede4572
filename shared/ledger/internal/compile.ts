import * as v from 'valibot';
import type { Item } from './attributes.ts';
import { dayOperation } from './booked.ts';
import { copyOf, type Collected } from './collected.ts';
import { events } from './collection.ts';
import { headDoesNotExist, headVersionUnchanged } from './conditions.ts';
import { namedIn, withNamed, withRevision, type Head } from './head.ts';
import { keepRequest, type KeptRequest } from './keyed-request.ts';
import { bookedKey, headKey, nameOfKey, stateKey, type Key } from './keys.ts';
import { moveMembers, movesOf, stateItemsOf } from './member-moves.ts';
import { recordOperation, type RecordChange } from './record-changes.ts';
import type { WriteOperation } from './table-client.ts';
import { formatTouchedRecords, shownRecords } from './touched-records.ts';
import { maxOperations } from './write.ts';

/** The transaction of one write. */
export interface Transaction {
  /** The operations. The first operation stores the head. */
  operations: WriteOperation[];
  /** The head that the transaction stores. */
  head: Head;
  /** The items of records that the transaction stores, by `nameOfKey`. */
  items: ReadonlyMap<string, Item>;
  /** Content of the item of the principal's request; undefined if the transaction does not store the item. */
  keptRequest: KeptRequest | undefined;
}

type Changes = Readonly<Collected>;

/** True if a write has nothing to store. */
export const isEmpty = ({ head, start, records, otherItems }: Changes): boolean =>
  head === start.head && records.changed.length === 0 && otherItems.size === 0;

/** The keys of items that `compile` needs because of the changes: states of lists, and days that records book. */
export function keysToRead(changes: Changes): Key[] {
  const { target, records, days } = changes;
  const booked = records.changed.flatMap(({ bookedDays }) => [...(bookedDays?.keys() ?? [])]);
  const unread = [...new Set(booked)].filter((day) => !days.has(day));
  return [
    ...stateItemsOf(moves(changes)).map((partition) => stateKey(partition)),
    ...unread.map((day) => bookedKey(target.organization, day)),
  ];
}

/** Moves of members between lists, from all changes. */
const moves = ({ target, records, head }: Changes) => movesOf(target, records, (name) => name in head.lists);

/**
 * The transaction that stores a write. The transaction checks everything that the write relies on: the head's
 * version, and the revision of each record that is replaced or removed. Each new record must be new, and each unique
 * value must be free, or still held by the record that releases the value.
 * @param read existing items of `keysToRead`, by `nameOfKey`
 * @throws Error if the write has no event, too many operations, or a record that was read to change and is
 * unchanged
 */
export function compile(
  collected: Changes,
  read: ReadonlyMap<string, Item> = new Map(),
  withQueueEstimate: (head: Head) => Head = (head) => head,
): Transaction {
  // Members move between the lists of the copy.
  const changes = copyOf(collected);
  const { target, start, records, lists } = changes;
  const { tableName: TableName, organization } = target;
  const { version } = start.head;
  const { version: revision } = changes.head;
  if (revision === version) throw new Error('A write without an event');
  const moved = moves(changes);
  for (const partition of stateItemsOf(moved))
    lists.addStateItem(partition, read.get(nameOfKey(stateKey(partition))));
  moveMembers(target, moved, lists);
  records.checkChanged();
  const { changed } = records;
  addTouched(changed, organization);
  const items = new Map<string, Item>();
  const recordOperations = changed.map((change) => {
    const operation = recordOperation(target, change, revision);
    if (operation.Put?.Item) items.set(nameOfKey(change.key), operation.Put.Item);
    return operation;
  });
  const head = headAfter(changes, changed, withQueueEstimate);
  const isAsRead = version === 0 ? headDoesNotExist : headVersionUnchanged(version);
  const advanceHead = { Put: { TableName, Item: { ...head, ...headKey(organization) }, ...isAsRead } };
  const { operations: listOperations, keysOfEnded } = lists.changesAt(revision);
  const days = daysAfter(changes, changed, read);
  const request = requestAfter(changes, changed);
  const refusable = [
    ...(request ? [request.operation] : []),
    ...records.uniques.operations(),
    ...changes.otherItems.values(),
    ...changes.dayCounts.values(),
  ];
  const plain = [advanceHead, ...recordOperations, ...listOperations, ...days];
  const room = maxOperations - plain.length - refusable.length;
  if (room < 0) throw new Error(`A write of more than ${maxOperations} items`);
  const deletions = keysOfEnded.slice(0, room).map((Key) => ({ Delete: { TableName, Key } }));
  const operations = [...[...plain, ...deletions].map((operation) => ({ operation })), ...refusable];
  return { operations, head, items, keptRequest: request?.kept };
}

/** Operations of the days that records book. */
function daysAfter(
  { target, head, days }: Changes,
  changed: readonly RecordChange[],
  read: ReadonlyMap<string, Item>,
) {
  const entries = changed.flatMap(({ number, bookedDays = [] }) =>
    [...bookedDays].map(([day, entry]) => ({ day, number, entry })),
  );
  return [...Map.groupBy(entries, ({ day }) => day)].map(([day, ofDay]) => {
    const item = days.has(day) ? days.get(day) : read.get(nameOfKey(bookedKey(target.organization, day)));
    return dayOperation(target, day, item, ofDay, head.version);
  });
}

/** Keeps the principal's request, unless the request is kept already and this write adds nothing to it. */
function requestAfter(changes: Changes, changed: readonly RecordChange[]) {
  const { request } = changes.principal;
  if (!request) return undefined;
  if (request.kept && changes.namedForReplay.length === 0 && changes.replayData === undefined)
    return undefined;
  const { version: revision } = changes.head;
  const appended = changed.filter(({ before, collection }) => !before && collection !== events);
  const isNamed = changes.namedForReplay.length > 0 || request.kept;
  const named = isNamed ? changes.namedForReplay : appended.map(nameOfChange);
  const records = named.map((one) => ({ ...one, revision }));
  const replayData = changes.replayData ?? request.kept?.replayData ?? '';
  return keepRequest(changes.target, request, { now: changes.start.now, revision, records, replayData });
}

const nameOfChange = ({ collection: { name }, number }: RecordChange) => ({ collection: name, number });

/** Adds the attributes `touched` and `shown` to the last event. */
function addTouched(changed: readonly RecordChange[], organization: Changes['target']['organization']): void {
  const last = changed.findLast(({ collection }) => collection === events);
  const records = changed.filter(({ collection }) => collection !== events);
  const touched = records.map(({ collection, number, after }) => ({
    collection: collection.name,
    number,
    isRemoved: after === 'removed',
  }));
  const places = records.flatMap(({ shownIn }) => shownIn ?? []);
  if (!last) return;
  last.otherAttributes = { ...last.otherAttributes, touched: formatTouchedRecords(touched) };
  if (places.length === 0) return;
  const shown = shownRecords(organization, places, touched);
  if (shown.length > 0) last.otherAttributes['shown'] = formatTouchedRecords(shown);
}

/** The head that the write stores. */
function headAfter(
  changes: Changes,
  changed: readonly RecordChange[],
  withQueueEstimate: (head: Head) => Head,
): Head {
  let head = withQueueEstimate(changes.head);
  if (changes.newHashKey !== undefined) head = { ...head, hashKey: changes.newHashKey };
  if (changed.some(({ collection }) => collection.isConfiguration))
    head = { ...head, configuration: head.version };
  for (const { collection, number, after } of changed) {
    const { name } = collection;
    const record = after === 'removed' ? undefined : after?.record;
    if (collection.hasHotRecord) head = withRevision(head, name, record && head.version);
    if (collection.isNamedInHead) {
      const isNamed = record !== undefined && collection.isNamedInHead(v.parse(collection.schema, record));
      const others = namedIn(head, name).filter((other) => other !== number);
      head = withNamed(head, name, isNamed ? [...others, number] : others);
    }
  }
  return head;
}
