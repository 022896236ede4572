import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { parseHead, withRevision } from '../../../shared/ledger/internal/head.ts';
import { headKey, nameOfKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import {
  formatTouchedRecords,
  parseTouchedRecords,
  type TouchedRecord,
} from '../../../shared/ledger/internal/touched-records.ts';
import { itemRepair, type Repair } from './finding.ts';
import type { Judgement, Numbers, Outdated } from './judgement.ts';
import { SparseNumbers } from '../table/sparse-numbers.ts';

/** True if the item has a well-formed revision. */
export const hasRevision = (item: Item): item is Item & { revision: number } =>
  Number.isSafeInteger(item['revision']) && Number(item['revision']) >= 1;

/**
 * Judges revisions. All items of one write have the same revision: the head's version after the write, which is the
 * number of its last event. So the last event of a write has its own number as revision, and the earlier events have
 * that number too. The last event names, in `touched`, each record that the write stored or removed. So no record is
 * older than an event that names it.
 */
export class Revisions {
  readonly #judgement: Judgement;
  /** Events that name the records of their writes, as keys. */
  readonly #naming = new SparseNumbers();
  /** Records that events name beyond the last number of their collection. */
  readonly #beyond: { event: number; named: TouchedRecord }[] = [];
  readonly #outdated = new Map<string, string>();

  constructor(judgement: Judgement) {
    this.#judgement = judgement;
  }

  /** Observes what an event says of its write. */
  observeEvent(event: number, item: Item): void {
    const { touched, shown = '' } = item;
    if (recordsIn(shown) === undefined) this.#addUnreadable(event, 'shown', 'malformed');
    if (item['revision'] !== event) return;
    const all = recordsIn(touched);
    if (!all) {
      this.#addUnreadable(event, 'touched', touched === undefined ? 'missing' : 'malformed');
      return;
    }
    this.#naming.set(event, 1);
    for (const named of all) {
      const { namedBy, last } = this.#judgement.numbersOf(named.collection);
      // A number is never given out again, so a record that was removed stays removed.
      if (namedBy.get(named.number) >= 0) namedBy.set(named.number, named.isRemoved ? -event : event);
      if (named.number > last && event <= this.#judgement.head.version) this.#beyond.push({ event, named });
    }
  }

  /** Judges the revisions, and returns the records that have lost a change. */
  finish(): Outdated {
    this.#judgeOrder();
    this.#judgeCopies();
    this.#judgeConfiguration();
    for (const numbers of this.#judgement.numbers.values()) {
      if (numbers.name === events.name) continue;
      for (const [number, revision] of numbers.revisions) {
        if (revision < 1) continue;
        const key = this.#judgement.keyOf(numbers.name, number);
        if (judgeRevision(this.#judgement, key, this.#judgement.nameOf(numbers.name, number), revision))
          this.#judgeNaming(numbers, number, revision);
      }
    }
    for (const { event, named } of this.#beyond) this.#addBeyond(event, named);
    return this.#outdated;
  }

  /** Judges that the events of one write are consecutive, and that the last one has its own number as revision. */
  #judgeOrder(): void {
    const { version } = this.#judgement.head;
    const { revisions } = this.#judgement.numbersOf(events.name);
    for (let number = 1; number <= version; number++) {
      const [revision, next] = [revisions.get(number), revisions.get(number + 1)];
      if (revision < 1 || revision === number) continue;
      // A missing next event has its own finding. There must be no event beyond the head's version.
      const isAhead = next === 0 && revision > version;
      if (revision > number && (next === 0 || next === revision) && !isAhead) continue;
      const where = this.#judgement.nameOf(events.name, number);
      const sentence = `${where} has revision ${revision}, which is not that of the last event of its write.`;
      this.#judgement.add('event-order', where, sentence);
    }
  }

  /**
   * Judges that no write after the write that the head names changed the configuration. Otherwise a prepared text stays
   * although it is old.
   */
  #judgeConfiguration(): void {
    const { organization, collections, head, headName } = this.#judgement;
    const { configuration = 0, version } = head;
    const newest = [...collections.values()]
      .filter(({ isConfiguration }) => isConfiguration)
      .flatMap(({ name }) => [...this.#judgement.numbersOf(name).revisions])
      // A revision beyond the head has its own finding.
      .reduce((greatest, [, revision]) => (revision > version ? greatest : Math.max(greatest, revision)), 0);
    if (newest <= configuration) return;
    const sentence = `${headName} says that event ${configuration} changed the configuration last, and event ${newest} did.`;
    const set = `sets the head's configuration to event ${version}`;
    const repair = itemRepair(set, headKey(organization), (item) => ({ ...item, configuration: version }));
    this.#judgement.add('revision-in-head', headName, sentence, { repair });
  }

  /** Judges the head's copies of the revisions of records that many writes change, number 1 of their collections. */
  #judgeCopies(): void {
    const { organization, head, headName } = this.#judgement;
    for (const [name, copied] of Object.entries(head.revisions ?? {})) {
      const revision = this.#judgement.numbersOf(name).revisions.get(1);
      // A missing record, or a record without a revision, has its own finding.
      if (revision < 1 || revision === copied) continue;
      const sentence = `${headName} has revision ${copied} of ${this.#judgement.nameOf(name, 1)}, which has revision ${revision}.`;
      const set = `sets the head's copy to revision ${revision}`;
      const repair = itemRepair(set, headKey(organization), (item) =>
        withRevision(parseHead(item), name, revision),
      );
      this.#judgement.add('revision-in-head', headName, sentence, { repair });
    }
  }

  /** Judges that the event of the record's revision names the record, and no later event does. */
  #judgeNaming({ name, last, namedBy, holes }: Numbers, number: number, revision: number): void {
    const named = namedBy.get(number);
    // A number that is both a record and a hole has its own finding, and so has a number beyond the last.
    if (named === revision || number > last || holes.has(number)) return;
    const where = this.#judgement.nameOf(name, number);
    const event = Math.abs(named);
    if (event > revision && event <= this.#judgement.head.version) {
      const did = named < 0 ? 'removed' : 'stored';
      const sentence = `${this.#judgement.nameOf(events.name, event)} says that it ${did} ${where}, but the record has revision ${revision}.`;
      this.#judgement.add('touched-records-wrong', where, sentence);
      this.#outdated.set(nameOfKey(this.#judgement.keyOf(name, number)), where);
    } else if (this.#naming.get(revision) !== 0) {
      const sentence = `${where} has revision ${revision}, and ${this.#judgement.nameOf(events.name, revision)} does not say that it stored it.`;
      const repair = renewRevision(this.#judgement.keyOf(name, number));
      this.#judgement.add('touched-records-wrong', where, sentence, { repair });
    }
  }

  #addUnreadable(event: number, attribute: 'touched' | 'shown', problem: 'missing' | 'malformed'): void {
    const where = this.#judgement.nameOf(events.name, event);
    const key = this.#judgement.keyOf(events.name, event);
    // No event then names the records of the write. So their repair gives them the revision of an event that
    // names them.
    const repair = itemRepair('empties the attribute', key, (item) => ({ ...item, [attribute]: '' }));
    const sentence = `The attribute ${attribute} of ${where} is ${problem}.`;
    this.#judgement.add('touched-records-wrong', where, sentence, { repair });
  }

  #addBeyond(event: number, { collection, number }: TouchedRecord): void {
    const where = this.#judgement.nameOf(events.name, event);
    const sentence = `${where} names ${this.#judgement.nameOf(collection, number)} in touched, but that number is beyond the head's last one.`;
    const isOther = (one: TouchedRecord) => one.collection !== collection || one.number !== number;
    const remove = 'removes that record from its attribute touched';
    const repair = itemRepair(remove, this.#judgement.keyOf(events.name, event), (before = {}) => ({
      ...before,
      touched: formatTouchedRecords((recordsIn(before['touched']) ?? []).filter(isOther)),
    }));
    this.#judgement.add('touched-records-wrong', where, sentence, { repair });
  }
}

/** Judges that an item's revision is the number of the last event of a write; false if it is not. */
export function judgeRevision(judgement: Judgement, key: Key, where: string, revision: number): boolean {
  const { version } = judgement.head;
  const event = judgement.numbersOf(events.name).revisions.get(revision);
  const options = { keys: [key], repair: renewRevision(key) };
  // An event beyond the head has its own finding, and so has a missing event.
  if (revision > version && event === 0) {
    const sentence = `${where} was changed by event ${revision}, but the head is at version ${version}.`;
    judgement.add('revision-ahead', where, sentence, options);
    return false;
  }
  if (event < 1 || event === revision) return true;
  const sentence = `${where} has revision ${revision}, but event ${revision} is not the last of a write.`;
  judgement.add('revision-without-event', where, sentence, options);
  return false;
}

/** Stores the item unchanged: the write of the repair gives it a revision. */
export const renewRevision = (key: Key): Repair =>
  itemRepair('gives it the revision of this repair', key, (item) => item);

/** Records that an attribute of an event names; undefined if it is missing or malformed. */
const recordsIn = (attribute: unknown): TouchedRecord[] | undefined =>
  typeof attribute === 'string' ? parseTouchedRecords(attribute) : undefined;
