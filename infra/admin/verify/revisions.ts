import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { withRevision } from '../../../shared/ledger/internal/head.ts';
import { headKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import {
  formatTouchedRecords,
  parseTouchedRecords,
  type TouchedRecord,
} from '../../../shared/ledger/internal/touched-records.ts';
import type { Repair } from './finding.ts';
import { headIn, type Judgement, type Numbers } from './judgement.ts';
import type { RepairPlan } from './organization-items.ts';
import { SparseNumbers } from './sparse-numbers.ts';

type Ref = Pick<TouchedRecord, 'collection' | 'number'>;

/** True if the item has a well-formed revision. */
export const hasRevision = (item: Item): item is Item & { revision: number } => {
  const { revision } = item;
  return typeof revision === 'number' && Number.isSafeInteger(revision) && revision >= 1;
};

/**
 * Judges revisions. All items of one write have the same revision: the head's version after the write, which is the
 * number of its last event. So of the events of a write the last has its own number as revision, and the earlier ones
 * have that number too. The last event names, in `touched`, each record that the write stored or removed, so no record is
 * older than an event that names it. An event without `touched` proves nothing.
 */
export class Revisions {
  readonly #judgement: Judgement;
  /** Events that name the records of their writes, as keys. */
  readonly #naming = new SparseNumbers();
  /** Records that events name beyond the last number of their collection, with the event. */
  readonly #beyond: { ref: Ref; event: number }[] = [];

  constructor(judgement: Judgement) {
    this.#judgement = judgement;
  }

  /** Observes what an event says of its write. */
  observeEvent(number: number, item: Item): void {
    if (item['touched'] === undefined || item['revision'] !== number) return;
    const judgement = this.#judgement;
    const touched = touchedIn(item);
    if (!touched) {
      const where = judgement.nameOf(events.name, number);
      const repair = this.#rename(number, 'removes the attribute', () => undefined);
      judgement.add('touched-records-wrong', where, `The attribute touched of ${where} is malformed.`, {
        repair,
      });
      return;
    }
    this.#naming.set(number, 1);
    for (const { collection, number: named, isRemoved } of touched) {
      const { namedBy, last } = judgement.numbersOf(collection);
      // A number is never given out again, so a record that was removed stays removed.
      if (namedBy.get(named) >= 0) namedBy.set(named, isRemoved ? -number : number);
      if (named > last && number <= judgement.head.version)
        this.#beyond.push({ ref: { collection, number: named }, event: number });
    }
  }

  finish(): void {
    const judgement = this.#judgement;
    this.#judgeOrder();
    for (const [name, copied] of Object.entries(judgement.head.revisions ?? {}))
      this.#judgeCopy(name, copied);
    for (const numbers of judgement.numbers.values()) {
      if (numbers.name === events.name) continue;
      for (const [number, revision] of numbers.revisions) {
        if (revision < 1) continue;
        const repair = renewRevision(judgement.keyOf(numbers.name, number));
        const where = judgement.nameOf(numbers.name, number);
        if (judgeRevision(judgement, judgement.keyOf(numbers.name, number), where, revision, repair))
          this.#judgeNaming(numbers, number, revision, repair);
      }
    }
    for (const one of this.#beyond) this.#addBeyond(one);
  }

  /** Judges that the events of one write are consecutive, and that the last one has its own number as revision. */
  #judgeOrder(): void {
    const judgement = this.#judgement;
    const { version } = judgement.head;
    const { revisions } = judgement.numbersOf(events.name);
    for (let number = 1; number <= version; number++) {
      const [revision, next] = [revisions.get(number), revisions.get(number + 1)];
      if (revision < 1 || revision === number) continue;
      // A missing next event has a finding of its own. Beyond the head's version there must be no event.
      const isAhead = next === 0 && revision > version;
      if (revision > number && (next === 0 || next === revision) && !isAhead) continue;
      const where = judgement.nameOf(events.name, number);
      const sentence = `${where} has revision ${revision}, which is not that of the last event of its write.`;
      judgement.add('event-order', where, sentence);
    }
  }

  /** Judges the head's copy of the revision of a record that many writes change, number 1 of its collection. */
  #judgeCopy(name: string, copied: number): void {
    const judgement = this.#judgement;
    const { organization, headName } = judgement;
    const revision = judgement.numbersOf(name).revisions.get(1);
    // A missing record, or one without a revision, has a finding of its own.
    if (revision < 1 || revision === copied) return;
    const sentence = `${headName} has revision ${copied} of ${judgement.nameOf(name, 1)}, which has revision ${revision}.`;
    const addTo = (plan: RepairPlan) => {
      plan.put(headKey(organization), withRevision(headIn(plan, organization), name, revision));
    };
    judgement.add('revision-in-head', headName, sentence, {
      repair: { sentence: `sets the head's copy to revision ${revision}`, addTo },
    });
  }

  /** Judges that the event of the record's revision names the record, and no later event does. */
  #judgeNaming(
    { name, last, namedBy, holes }: Numbers,
    number: number,
    revision: number,
    repair: Repair,
  ): void {
    const judgement = this.#judgement;
    const named = namedBy.get(number);
    // A number that is both a record and a hole, and one beyond the last, have findings of their own.
    if (named === revision || number > last || holes.has(number)) return;
    const where = judgement.nameOf(name, number);
    const event = Math.abs(named);
    if (event > revision && event <= judgement.head.version) {
      const did = named < 0 ? 'removed' : 'stored';
      const sentence = `${judgement.nameOf(events.name, event)} says that it ${did} ${where}, but the record has revision ${revision}.`;
      judgement.add('touched-records-wrong', where, sentence);
    } else if (this.#naming.get(revision) !== 0) {
      const sentence = `${where} has revision ${revision}, and ${judgement.nameOf(events.name, revision)} does not say that it stored it.`;
      judgement.add('touched-records-wrong', where, sentence, { repair });
    }
  }

  #addBeyond({ ref, event }: { ref: Ref; event: number }): void {
    const judgement = this.#judgement;
    const where = judgement.nameOf(events.name, event);
    const named = judgement.nameOf(ref.collection, ref.number);
    const sentence = `${where} names ${named} in touched, but that number is beyond the head's last one.`;
    const repair = this.#rename(event, 'removes that record from its attribute touched', (touched) =>
      touched.filter(({ collection, number }) => collection !== ref.collection || number !== ref.number),
    );
    judgement.add('touched-records-wrong', where, sentence, { repair });
  }

  /** Changes the event's attribute `touched`; undefined removes it. */
  #rename(
    event: number,
    sentence: string,
    change: (touched: readonly TouchedRecord[]) => TouchedRecord[] | undefined,
  ): Repair {
    const key = this.#judgement.keyOf(events.name, event);
    return {
      sentence,
      addTo: (plan) => {
        const { touched: _, ...item } = plan.get(key) ?? {};
        const after = change(touchedIn(plan.get(key) ?? {}) ?? []);
        if ('id' in item) plan.put(key, { ...item, ...(after && { touched: formatTouchedRecords(after) }) });
      },
    };
  }
}

/** Judges that an item's revision is the number of the last event of a write; false if it is not. */
export function judgeRevision(
  judgement: Judgement,
  key: Key,
  where: string,
  revision: number,
  repair = renewRevision(key),
): boolean {
  const { version } = judgement.head;
  const event = judgement.numbersOf(events.name).revisions.get(revision);
  // An event beyond the head has a finding of its own.
  if (revision > version && event === 0) {
    const sentence = `${where} was changed by event ${revision}, but the head is at version ${version}.`;
    judgement.add('revision-ahead', where, sentence, { keys: [key], repair });
    return false;
  }
  // A missing event has a finding of its own.
  if (event < 1 || event === revision) return true;
  const sentence = `${where} has revision ${revision}, but event ${revision} is not the last of a write.`;
  judgement.add('revision-without-event', where, sentence, { keys: [key], repair });
  return false;
}

/** Stores the item as it is: the write of the repair gives it a revision. */
export const renewRevision = (key: Key): Repair => ({
  sentence: 'gives it the revision of this repair',
  addTo: (plan) => {
    const item = plan.get(key);
    if (item) plan.put(key, item);
  },
});

/** Records that the event names; undefined if `touched` is missing or malformed. */
function touchedIn({ touched }: Item): TouchedRecord[] | undefined {
  return typeof touched === 'string' ? parseTouchedRecords(touched) : undefined;
}
