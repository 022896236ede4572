import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events, type Collection } from '../../../shared/ledger/internal/collection.ts';
import {
  dueIndex,
  duePartition,
  isOwnItem,
  keyNamesOf,
  listIndexes,
  parseListPartition,
  recordKey,
  shardOf,
  type ListIndex,
} from '../../../shared/ledger/internal/keys.ts';
import { listOf } from '../../../shared/ledger/internal/lists.ts';
import { isPipeline } from './declared-lists.ts';
import type { Repair, RepairPlan } from './repair-plan.ts';
import { indexListAt, lookUpState } from './index-list.ts';
import { moveToList, setPosition, type RecordInIndex } from './position-repairs.ts';
import { isUnindexed, listPositionIn } from './index-positions.ts';
import { addTextFinding, indexTexts, searchIndexStatus } from './searchable-texts.ts';
import type { ObservedRecord, Verification } from './verification.ts';
import type { Check } from './snapshots.ts';

type Declared = Pick<ObservedRecord, 'collection' | 'record'>;

type AddFinding = () => void;

/**
 * Verifies the index attributes of a record: its lists are those that its collection declares, its search
 * indexes fit its texts, and its due attributes name the worker that it waits for. One item proves each
 * fault.
 * @returns the indexes in which the record stands in a wrong list
 */
export function verifyPositions(verification: Verification, observed: ObservedRecord): ListIndex[] {
  const { collection, number, item } = observed;
  const isEvent = collection.name === events.name;
  const prove = isEvent ? verifyEventPosition : verifyPosition;
  const missing: AddFinding[] = [];
  const wrong = listIndexes.filter((index) => !prove(verification, observed, index, missing));
  const texts = searchIndexStatus(verification, observed, item);
  const addTexts = () => {
    addTextFinding(verification, { collection, number });
  };
  if (texts === 'wrong') addTexts();
  if (texts === 'none') missing.push(addTexts);
  if (missing.length > 0)
    verification.unindexed.add(collection, number, () => {
      for (const add of missing) add();
    });
  verifyDue(verification, observed);
  return wrong;
}

/** Adds the record to each list and search index where it belongs and has no attributes. */
export function addMissingPositions(
  plan: RepairPlan,
  verification: Verification,
  { collection, number }: Pick<ObservedRecord, 'collection' | 'number'>,
): void {
  const item = plan.get(recordKey(verification.organization, collection.name, number));
  const parsed = v.safeParse(collection.schema, item);
  if (!item || !parsed.success) return;
  const declared = { collection, number, record: parsed.output };
  for (const index of listIndexes) {
    const expected = expectedList(verification, declared, index);
    if (typeof expected === 'object' && expected.partition !== undefined && isUnindexed(item, index))
      moveToList(plan, verification, { collection, number, index }, expected.partition);
  }
  if (searchIndexStatus(verification, declared, item) === 'none') indexTexts(plan, verification, declared);
}

/** False if the position is wrong. */
function verifyPosition(
  verification: Verification,
  observed: ObservedRecord,
  index: ListIndex,
  missing: AddFinding[],
): boolean {
  const { collection, number, item } = observed;
  const where = verification.nameOf(collection.name, number);
  const expected = expectedList(verification, observed, index);
  if (expected === 'undeclared') {
    if (!isUnindexed(item, index)) addUnknownPosition(verification, where, { collection, number, index });
    return true;
  }
  if (expected === 'impossible') {
    verification.addFinding(
      'position-wrong',
      where,
      `${where} belongs to a list that there cannot be (${index}).`,
    );
    return false;
  }
  const position = listPositionIn(item, index);
  if (isExpected(item, index, expected)) return true;
  const belongs = expected.partition === undefined ? 'no list' : verification.listNameOf(expected.partition);
  const stands = position
    ? `in ${verification.listNameOf(position.partition)}`
    : isUnindexed(item, index)
      ? 'in none'
      : 'where there is no list';
  if (expected.partition !== undefined) verification.freeRanks.request(expected.partition, number);
  const check = checkPosition(verification, { collection, number, index });
  const add = () => {
    verification.addFinding(
      'position-wrong',
      where,
      `${where} belongs to ${belongs} and is ${stands} (${index}).`,
      check,
    );
  };
  if (isUnindexed(item, index)) missing.push(add);
  else add();
  return false;
}

/** Partition of the index in which the collection declares the record. */
function expectedList(
  verification: Verification,
  { collection, record }: Declared,
  index: ListIndex,
): { partition: string | undefined } | 'undeclared' | 'impossible' {
  const [kind, declared] = Object.entries(collection.lists ?? {})[listIndexes.indexOf(index)] ?? [];
  if (kind === undefined || !declared) return 'undeclared';
  const membership = declared.of(record);
  try {
    return {
      partition: membership && listOf(verification.organization, collection, kind, membership).partition,
    };
  } catch {
    return 'impossible';
  }
}

const isExpected = (item: Item, index: ListIndex, { partition }: { partition: string | undefined }) =>
  partition === undefined ? isUnindexed(item, index) : listPositionIn(item, index)?.partition === partition;

/** Checks that the record is still in the wrong list, and that the right list exists. */
function checkPosition(
  verification: Verification,
  target: RecordInIndex & { collection: Collection },
): Check<Repair | undefined> {
  const { collection, number, index } = target;
  return (snapshot) => {
    const item = snapshot.get(recordKey(verification.organization, collection.name, number));
    const parsed = v.safeParse(collection.schema, item);
    if (!item || !parsed.success) return undefined;
    const expected = expectedList(verification, { collection, record: parsed.output }, index);
    if (typeof expected !== 'object' || isExpected(item, index, expected)) return undefined;
    const { partition } = expected;
    const list = partition === undefined ? undefined : indexListAt(verification, partition);
    const isListThere = list && typeof lookUpState(verification, list, snapshot) === 'object';
    if (list && !isListThere && !isPipeline(list.key.owner)) return undefined;
    const to =
      partition === undefined ? 'takes it from there' : `moves it to ${verification.listNameOf(partition)}`;
    return {
      sentence: to,
      addTo: (plan) => {
        moveToList(plan, verification, target, partition);
      },
    };
  };
}

/**
 * Verifies an event's position. The event does not say whom it is about, so any record with events in this
 * index may own the list.
 */
function verifyEventPosition(
  verification: Verification,
  { collection, number, item }: ObservedRecord,
  index: ListIndex,
): boolean {
  if (isUnindexed(item, index)) return true;
  const position = listPositionIn(item, index);
  const list = position && parseListPartition(verification.organization, position.partition);
  const { eventListIndex } = (list?.owner && verification.collectionNamed(list.owner.collection)) ?? {};
  const isRightIndex = eventListIndex !== undefined && listIndexes[eventListIndex] === index;
  if (isRightIndex && list?.collection === events.name && list.name === undefined) return true;
  addUnknownPosition(verification, verification.nameOf(collection.name, number), {
    collection,
    number,
    index,
  });
  return false;
}

function addUnknownPosition(verification: Verification, where: string, target: RecordInIndex): void {
  const { collection, number, index } = target;
  const sentence = `${where} has a position in ${index} of a list that this version of the code does not know.`;
  verification.addFinding('list-unknown', where, sentence, (snapshot) => {
    const item = snapshot.get(recordKey(verification.organization, collection.name, number));
    if (!item || isUnindexed(item, index)) return undefined;
    const position = listPositionIn(item, index);
    const key = position && parseListPartition(verification.organization, position.partition);
    // A newer version of the code may have such lists.
    if (key?.collection === collection.name && key.index === index) return undefined;
    return {
      sentence: `removes it from there: no version of the code would put it there`,
      addTo: (plan) => {
        setPosition(plan, verification, target, undefined);
      },
    };
  });
}

function verifyDue(verification: Verification, { collection, number, item, record }: ObservedRecord): void {
  const due = wrongDue(verification, { collection, record }, item);
  if (!due) return;
  const where = verification.nameOf(collection.name, number);
  const sentence = due.worker
    ? `${where} is due for the worker ${due.worker}, but not at its place in the due index.`
    : `${where} is in the due index, but due for no worker.`;
  const key = recordKey(verification.organization, collection.name, number);
  verification.addFinding('due-wrong', where, sentence, (snapshot) => {
    const stored = snapshot.get(key);
    const parsed = v.safeParse(collection.schema, stored);
    const right =
      stored && parsed.success && wrongDue(verification, { collection, record: parsed.output }, stored);
    if (!right) return undefined;
    // Records of this collection may wait for a worker in a newer version of the code, but only in their own
    // organization's partition.
    const { pkName } = keyNamesOf(dueIndex);
    const isOwn = isOwnItem(verification.organization, { ...key, [pkName]: stored[pkName] });
    if (isOwn && !collection.due) return undefined;
    return {
      sentence: right.worker
        ? `puts it into the due index for the worker ${right.worker}`
        : 'removes it from the due index',
      addTo: (plan) => {
        const { pkName, skName } = keyNamesOf(dueIndex);
        const { [pkName]: _, [skName]: __, ...rest } = plan.get(key) ?? {};
        plan.put(key, { ...rest, ...right.attributes });
      },
    };
  });
}

/** Due attributes that the record must have; undefined if it has them. */
function wrongDue(
  verification: Verification,
  { collection, record }: Declared,
  item: Item,
): { worker: string | undefined; attributes: Item } | undefined {
  const { pkName, skName } = keyNamesOf(dueIndex);
  const due = collection.due?.(record);
  const partition = due && duePartition(due.worker, shardOf(verification.organization));
  if (item[pkName] === partition && item[skName] === due?.at) return undefined;
  return { worker: due?.worker, attributes: due ? { [pkName]: partition, [skName]: due.at } : {} };
}
