import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events, type Collection, type Membership } from '../../../shared/ledger/internal/collection.ts';
import * as keys from '../../../shared/ledger/internal/keys.ts';
import type { Key, ListIndex } from '../../../shared/ledger/internal/keys.ts';
import { listOf } from '../../../shared/ledger/internal/lists.ts';
import {
  foldedSearchables,
  searchAttributes,
  searchIndexesOf,
} from '../../../shared/ledger/internal/searchables.ts';
import { hasReadableClaims } from '../../../shared/ledger/internal/unique-values.ts';
import { hasRightId } from '../table/collections.ts';
import { itemRepair, keyName, malformedFields, type Repair } from './finding.ts';
import type { Judgement, Numbers, ReadRecord, Rule } from './judgement.ts';
import { StoredList, isDeclared, isPipeline, isUnindexed, listPositionIn, statesIn } from './stored-list.ts';
import type { Lists } from './lists.ts';
import { hasRevision, renewRevision } from './revisions.ts';

/** Judges each record by itself, and shows it to the rules. */
export class Records {
  readonly #judgement: Judgement;
  readonly #lists: Lists;
  readonly #rules: readonly Rule[];

  constructor(judgement: Judgement, lists: Lists, rules: readonly Rule[]) {
    this.#judgement = judgement;
    this.#lists = lists;
    this.#rules = rules;
  }

  observe(numbers: Numbers, number: number, item: Item): void {
    const { name } = numbers;
    const collection = this.#judgement.collections.get(name);
    numbers.revisions.set(number, hasRevision(item) ? item.revision : -1);
    const parsed = collection && v.safeParse(collection.schema, item);
    const malformed = [
      ...(hasRevision(item) ? [] : ['revision']),
      ...(statesIn(item) ? [] : ['lists']),
      ...(hasReadableClaims(item) ? [] : ['claimed']),
      ...(parsed?.issues ? [malformedFields(parsed.issues)] : []),
    ];
    if (malformed.length > 0) this.#addMalformed(name, number, malformed);
    if (!collection) return;
    if (!parsed?.success || !hasReadableClaims(item)) {
      numbers.unreadable.push(number);
      judgeOwn(this.#judgement, this.#judgement.keyOf(name, number), item);
      this.#lists.observe(name, number, item);
      return;
    }
    const read = { collection, number, item, record: parsed.output };
    const wrong = keys.listIndexes.filter((index) => !this.#isPositionRight(read, index));
    this.#lists.observe(name, number, item, wrong);
    judgeIndexes(this.#judgement, read);
    if (!hasRightId(collection, this.#judgement.organization, number, item)) {
      const where = this.#judgement.nameOf(name, number);
      this.#judgement.add('record-id', where, `${where} carries another id than its key.`);
    }
    for (const rule of this.#rules) rule.observe(read);
  }

  #addMalformed(name: string, number: number, malformed: readonly string[]): void {
    const judgement = this.#judgement;
    const key = judgement.keyOf(name, number);
    const where = judgement.nameOf(name, number);
    const rebuild = 'rebuilds the states of its lists from their members and holes';
    const repair: Repair | undefined = {
      // An event keeps its own revision.
      revision: name === events.name ? undefined : renewRevision(key),
      lists: this.#lists.repairs.rebuildStates({ collection: name, number }, key, rebuild),
    }[malformed.join()];
    judgement.add('record-malformed', where, `${where} cannot be read: ${malformed.join(', ')}.`, { repair });
  }

  /** False if the record stands in a wrong list of the index, or in no list although it belongs in one. */
  #isPositionRight(read: ReadRecord, index: ListIndex): boolean {
    const judgement = this.#judgement;
    const { collection, number, item, record } = read;
    const position = listPositionIn(item, index);
    const [kind, declared] = Object.entries(collection.lists ?? {})[keys.listIndexes.indexOf(index)] ?? [];
    if (kind === undefined || !declared) {
      if (!isUnindexed(item, index)) this.#judgeUndeclared(read, index, position?.partition);
      return true;
    }
    const partition = partitionOf(judgement, collection, kind, declared.of(record));
    if (partition === undefined ? isUnindexed(item, index) : position?.partition === partition) return true;
    const list = partition === undefined ? undefined : StoredList.at(judgement, partition);
    if (list) this.#lists.observeClaimant(list.partition, number);
    const isThere = list && (list.stateIn(judgement.items) !== undefined || isPipeline(list.key.owner));
    const where = judgement.nameOf(collection.name, number);
    const belongs = partition === undefined ? 'no list' : judgement.listNameOf(partition);
    const stands = position ? judgement.listNameOf(position.partition) : 'none';
    const move = partition === undefined ? 'takes it from there' : `moves it to ${belongs}`;
    const named = { collection: collection.name, number };
    const repair = this.#lists.repairs.moveToList(move, named, index, partition);
    judgement.add('position-wrong', where, `${where} belongs to ${belongs} and is in ${stands} (${index}).`, {
      repair: partition === undefined || isThere ? repair : undefined,
    });
    return false;
  }

  /** Judges a position in an index where the collection declares no list. Events are in lists that records own. */
  #judgeUndeclared({ collection: { name }, number }: ReadRecord, index: ListIndex, partition = ''): void {
    const list = keys.parseListPartition(this.#judgement.organization, partition);
    // A newer version of the code may have such lists.
    const isPossible = list?.collection === name && list.index === index;
    if (isPossible && isDeclared(this.#judgement, list)) return;
    const where = this.#judgement.nameOf(name, number);
    const sentence = `${where} has a position in ${index} of a list that this version of the code does not know.`;
    const remove = 'removes it from there: no version of the code would put it there';
    const key = this.#judgement.keyOf(name, number);
    const repair = itemRepair(remove, key, (before) =>
      without(before, Object.values(keys.keyNamesOf(index))),
    );
    this.#judgement.add('list-unknown', where, sentence, { repair: isPossible ? undefined : repair });
  }
}

/** Judges that an item that is no readable record stands in no index of another organization. */
export function judgeOwn(judgement: Judgement, key: Key, item: Item): void {
  if (keys.isOwnItem(judgement.organization, item)) return;
  const where = keyName(key);
  judgement.add('list-unknown', where, `${where} says that it is in an index of another organization.`, {
    keys: [key],
  });
}

/** Partition of the list that a record says it belongs to; undefined for none, empty if there can be no such list. */
function partitionOf(
  { organization }: Judgement,
  collection: Collection,
  kind: string,
  membership: Membership | undefined,
): string | undefined {
  try {
    return membership && listOf(organization, collection, kind, membership).partition;
  } catch {
    return '';
  }
}

const searchNames: readonly string[] = keys.searchIndexes.flatMap((index) =>
  Object.values(keys.keyNamesOf(index)),
);
const { pkName: duePkName, skName: dueSkName } = keys.keyNamesOf(keys.dueIndex);

/** Judges that the record is in the search indexes by its texts, and in the due index for the worker that it waits for. */
function judgeIndexes(judgement: Judgement, { collection, number, item, record }: ReadRecord): void {
  const { organization } = judgement;
  const texts = foldedSearchables(collection, record);
  const due = collection.due?.(record);
  const ofDue: Item = due
    ? { [duePkName]: keys.duePartition(due.worker, keys.shardOf(organization)), [dueSkName]: due.at }
    : {};
  const search = {
    name: 'the search indexes',
    names: searchNames,
    expected: searchAttributes(organization, { collection, number }, texts),
    isUsed: searchIndexesOf(collection).length > 0,
  };
  const waiting = {
    name: 'the due index',
    names: [duePkName, dueSkName],
    expected: ofDue,
    isUsed: collection.due !== undefined,
  };
  for (const { name, names, expected, isUsed } of [search, waiting]) {
    if (names.every((one) => item[one] === expected[one])) continue;
    const where = judgement.nameOf(collection.name, number);
    const key = judgement.keyOf(collection.name, number);
    const attributes = Object.fromEntries(names.map((one) => [one, item[one]]));
    // A newer version of the code may use an index that this one does not, but never another organization's partition.
    const mayStay =
      !isUsed && keys.isOwnItem(organization, { pk: keys.headKey(organization).pk, ...attributes });
    const repair = itemRepair('sets them by its values', key, (before) => ({
      ...without(before, names),
      ...expected,
    }));
    judgement.add('index-wrong', where, `The attributes of ${where} in ${name} do not match its values.`, {
      repair: mayStay ? undefined : repair,
    });
  }
}

const without = (item: Item | undefined, names: readonly string[]): Item =>
  Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => !names.includes(name)));
