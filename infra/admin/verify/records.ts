import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import {
  dueIndex,
  duePartition,
  isOwnItem,
  keyNamesOf,
  listIndexes,
  parseListPartition,
  searchIndexes,
  shardOf,
  type Key,
  type ListIndex,
} from '../../../shared/ledger/internal/keys.ts';
import { listOf } from '../../../shared/ledger/internal/lists.ts';
import {
  foldedSearchables,
  searchAttributes,
  searchIndexesOf,
} from '../../../shared/ledger/internal/searchables.ts';
import { hasReadableClaims } from '../../../shared/ledger/internal/unique-values.ts';
import { hasRightId } from './collections.ts';
import { keyName, malformedFields, type Repair } from './finding.ts';
import type { Judgement, Numbers, ReadRecord, Rule } from './judgement.ts';
import { statesIn, StoredList } from './list-holes.ts';
import type { Lists } from './lists.ts';
import { isPipeline, isUnindexed, listPositionIn, planPosition } from './positions.ts';
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
    const judgement = this.#judgement;
    const { name } = numbers;
    const collection = judgement.collections.get(name);
    numbers.revisions.set(number, hasRevision(item) ? item.revision : -1);
    const parsed = collection && v.safeParse(collection.schema, item);
    const areClaimsReadable = hasReadableClaims(item);
    if (!hasRevision(item) || !statesIn(item) || !areClaimsReadable || parsed?.issues)
      this.#addMalformed(name, number, item, parsed?.issues);
    if (!collection) return;
    if (!parsed?.success || !areClaimsReadable) {
      numbers.unreadable.push(number);
      judgeOwn(judgement, judgement.keyOf(name, number), item);
      this.#lists.observe(name, number, item);
      return;
    }
    const read = { collection, number, item, record: parsed.output };
    this.#lists.observe(name, number, item, this.#judgePositions(read));
    if (!hasRightId(collection, judgement.organization, number, item)) {
      const where = judgement.nameOf(name, number);
      judgement.add('record-id', where, `${where} carries another id than its key.`);
    }
    for (const rule of this.#rules) rule.observe(read);
  }

  #addMalformed(
    name: string,
    number: number,
    item: Item,
    issues: [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]] | undefined,
  ): void {
    const judgement = this.#judgement;
    const key = judgement.keyOf(name, number);
    const where = judgement.nameOf(name, number);
    const malformed = [
      ...(hasRevision(item) ? [] : ['revision']),
      ...(statesIn(item) ? [] : ['lists']),
      ...(hasReadableClaims(item) ? [] : ['claimed']),
      ...(issues ? [malformedFields(issues)] : []),
    ];
    const rebuild = 'rebuilds the states of its lists from their members and holes';
    const repair: Repair | undefined = {
      // An event keeps its own revision.
      revision: name === events.name ? undefined : renewRevision(key),
      lists: this.#lists.rebuildStates({ collection: name, number }, key, rebuild),
    }[malformed.join()];
    judgement.add('record-malformed', where, `${where} cannot be read: ${malformed.join(', ')}.`, { repair });
  }

  /** Judges the index attributes of a record. Gives the indexes in which it stands in a wrong list. */
  #judgePositions(read: ReadRecord): ListIndex[] {
    const isEvent = read.collection.name === events.name;
    const wrong = listIndexes.filter((index) =>
      isEvent ? !this.#isEventPositionRight(read, index) : !this.#isPositionRight(read, index),
    );
    judgeSearchKeys(this.#judgement, read);
    judgeDue(this.#judgement, read);
    return wrong;
  }

  #isPositionRight(read: ReadRecord, index: ListIndex): boolean {
    const judgement = this.#judgement;
    const { collection, number, item } = read;
    const expected = expectedList(judgement, read, index);
    if (expected === 'undeclared') {
      if (!isUnindexed(item, index)) this.#addUnknownPosition(read, index);
      return true;
    }
    if (expected === 'impossible') {
      const where = judgement.nameOf(collection.name, number);
      const sentence = `${where} belongs to a list that there cannot be (${index}).`;
      judgement.add('position-wrong', where, sentence);
      return false;
    }
    const { partition } = expected;
    const position = listPositionIn(item, index);
    if (partition === undefined ? isUnindexed(item, index) : position?.partition === partition) return true;
    if (partition !== undefined) this.#lists.observeClaimant(partition, number);
    const where = judgement.nameOf(collection.name, number);
    const belongs = partition === undefined ? 'no list' : judgement.listNameOf(partition);
    const stands = position
      ? `in ${judgement.listNameOf(position.partition)}`
      : isUnindexed(item, index)
        ? 'in none'
        : 'where there is no list';
    const sentence = `${where} belongs to ${belongs} and is ${stands} (${index}).`;
    judgement.add('position-wrong', where, sentence, { repair: this.#move(read, index, partition) });
    return false;
  }

  /** Moves the record to the list, if the list is there. */
  #move({ collection: { name }, number }: ReadRecord, index: ListIndex, partition: string | undefined) {
    const judgement = this.#judgement;
    const list = partition === undefined ? undefined : StoredList.at(judgement, partition);
    const isThere = list?.stateIn(judgement.items) !== undefined;
    if (list && !isThere && !isPipeline(list.key.owner)) return undefined;
    const sentence =
      partition === undefined ? 'takes it from there' : `moves it to ${judgement.listNameOf(partition)}`;
    const addTo: Repair['addTo'] = (plan) => {
      this.#lists.moveToList(plan, { name, number, index }, partition);
    };
    return { sentence, addTo };
  }

  /** True if a record may own the event's list. The event does not say whom it is about. */
  #isEventPositionRight(read: ReadRecord, index: ListIndex): boolean {
    const position = listPositionIn(read.item, index);
    if (
      position
        ? StoredList.at(this.#judgement, position.partition)?.key.index === index
        : isUnindexed(read.item, index)
    ) {
      const list = position && parseListPartition(this.#judgement.organization, position.partition);
      if (!list || list.collection === events.name) return true;
    }
    this.#addUnknownPosition(read, index);
    return false;
  }

  #addUnknownPosition({ collection: { name }, number, item }: ReadRecord, index: ListIndex): void {
    const judgement = this.#judgement;
    const where = judgement.nameOf(name, number);
    const position = listPositionIn(item, index);
    const list = position && parseListPartition(judgement.organization, position.partition);
    // A newer version of the code may have such lists.
    const isPossible = list?.collection === name && list.index === index;
    const addTo: Repair['addTo'] = (plan) => {
      planPosition(plan, judgement.keyOf(name, number), index, undefined);
    };
    judgement.add(
      'list-unknown',
      where,
      `${where} has a position in ${index} of a list that this version of the code does not know.`,
      {
        repair: isPossible
          ? undefined
          : { sentence: 'removes it from there: no version of the code would put it there', addTo },
      },
    );
  }
}

/** Judges that an item that is no readable record stands in no index of another organization. */
export function judgeOwn(judgement: Judgement, key: Key, item: Item): void {
  if (isOwnItem(judgement.organization, item)) return;
  const where = keyName(key);
  judgement.add('list-unknown', where, `${where} says that it is in an index of another organization.`, {
    keys: [key],
  });
}

/** Partition of the index in which the collection declares the record. */
function expectedList(
  { organization }: Judgement,
  { collection, record }: ReadRecord,
  index: ListIndex,
): { partition: string | undefined } | 'undeclared' | 'impossible' {
  const [kind, declared] = Object.entries(collection.lists ?? {})[listIndexes.indexOf(index)] ?? [];
  if (kind === undefined || !declared) return 'undeclared';
  const membership = declared.of(record);
  try {
    return { partition: membership && listOf(organization, collection, kind, membership).partition };
  } catch {
    return 'impossible';
  }
}

const searchNames: readonly string[] = searchIndexes.flatMap((index) => Object.values(keyNamesOf(index)));

/** Judges that the record's search index attributes fit its searchable fields. */
function judgeSearchKeys(judgement: Judgement, { collection, number, item, record }: ReadRecord): void {
  const expected = searchAttributes(
    judgement.organization,
    { collection, number },
    foldedSearchables(collection, record),
  );
  if (searchNames.every((name) => item[name] === expected[name])) return;
  const key = judgement.keyOf(collection.name, number);
  const where = judgement.nameOf(collection.name, number);
  const isSearched = searchIndexesOf(collection).length > 0;
  const repair: Repair = {
    sentence: isSearched ? 'puts it there by its texts' : 'takes it from there',
    addTo: (plan) => {
      plan.put(key, { ...without(plan.get(key), searchNames), ...expected });
    },
  };
  judgement.add(
    'search-key-wrong',
    where,
    `The search index attributes of ${where} do not match its searchable fields.`,
    { repair: mayChange(judgement, isSearched, only(item, searchNames)) ? repair : undefined },
  );
}

const dueNames: readonly string[] = Object.values(keyNamesOf(dueIndex));

/** Judges that the record's due attributes name the worker that it waits for. */
function judgeDue(judgement: Judgement, { collection, number, item, record }: ReadRecord): void {
  const { pkName, skName } = keyNamesOf(dueIndex);
  const due = collection.due?.(record);
  const partition = due && duePartition(due.worker, shardOf(judgement.organization));
  if (item[pkName] === partition && item[skName] === due?.at) return;
  const key = judgement.keyOf(collection.name, number);
  const where = judgement.nameOf(collection.name, number);
  const repair: Repair = {
    sentence: due
      ? `puts it into the due index for the worker ${due.worker}`
      : 'removes it from the due index',
    addTo: (plan) => {
      const attributes = due && { [pkName]: partition, [skName]: due.at };
      plan.put(key, { ...without(plan.get(key), dueNames), ...attributes });
    },
  };
  const sentence = due
    ? `${where} is due for the worker ${due.worker}, but not at its place in the due index.`
    : `${where} is in the due index, but due for no worker.`;
  const isDeclared = collection.due !== undefined;
  judgement.add('due-wrong', where, sentence, {
    repair: mayChange(judgement, isDeclared, only(item, [pkName])) ? repair : undefined,
  });
}

/**
 * True if a repair may change these index attributes. A newer version of the code may index records that this one does
 * not, but never in another organization's partition.
 */
const mayChange = ({ organization }: Judgement, isDeclared: boolean, attributes: Item): boolean =>
  isDeclared || !isOwnItem(organization, { pk: `ORG#${organization}`, ...attributes });

const only = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));

const without = (item: Item | undefined, names: readonly string[]): Item =>
  Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => !names.includes(name)));
