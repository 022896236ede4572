import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { listPartition, recordKey } from '../../../shared/ledger/internal/keys.ts';
import {
  formatTouchedRecords,
  parseTouchedRecords,
  type TouchedRecord,
} from '../../../shared/ledger/internal/touched-records.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Finding } from './finding.ts';
import type { Repair } from './repair-plan.ts';
import { isHoleIn } from './hole-items.ts';
import { hasRevision, renewRevision } from './revisions.ts';
import type { ObservedRecord, Verification } from './verification.ts';
import type { Check, Snapshot } from './snapshots.ts';
import { SparseNumbers } from './sparse-numbers.ts';

type Ref = Pick<TouchedRecord, 'collection' | 'number'>;

/**
 * Verifies `touched`: the records that an event lists as stored or removed by its write. The last event of a
 * write names each record whose revision is the event's number. No record is older than an event that names
 * it. An event without `touched` proves nothing.
 */
export class TouchedRecordsCheck {
  readonly #verification: Verification;
  /**
   * Last event that names each number, by collection; negative if that event says that it removed the record.
   */
  readonly #lastEvents = new Map<string, SparseNumbers>();
  /** Events that say which records they touched, as keys. */
  readonly #statingEvents = new SparseNumbers();

  constructor(verification: Verification) {
    this.#verification = verification;
  }

  /** Observes a record, if it is an event. */
  observe({ collection, number, item }: Pick<ObservedRecord, 'collection' | 'number' | 'item'>): void {
    // Of the events of one write only the last has its own number as revision, and names the records for all
    // of them.
    if (collection.name !== events.name || item['touched'] === undefined || item['revision'] !== number)
      return;
    const touched = touchedIn(item);
    if (!touched) {
      this.#findMalformed(number);
      return;
    }
    this.#statingEvents.set(number, 1);
    for (const { collection: name, number: of, isRemoved } of touched) {
      const lastOf = this.#lastEvents.get(name) ?? new SparseNumbers();
      this.#lastEvents.set(name, lastOf);
      if (number > Math.abs(lastOf.get(of))) lastOf.set(of, isRemoved ? -number : number);
    }
  }

  /** Last event that names the record, if that event says that it removed the record. */
  removalOf({ collection, number }: Ref): number | undefined {
    const last = this.#lastEvents.get(collection)?.get(number) ?? 0;
    return last < 0 ? -last : undefined;
  }

  async verify(): Promise<void> {
    for (const name of new Set([
      ...this.#verification.observedCollections.keys(),
      ...this.#lastEvents.keys(),
    ])) {
      if (name === events.name) continue;
      await this.#verification.inBatches(this.#suspects(name), `what events say of ${name}`, (batch) =>
        this.#verification.confirmFindings(
          batch.map(({ number, isBeyond }) => {
            const last = Math.abs(this.#lastEvents.get(name)?.get(number) ?? 0);
            const ref = { collection: name, number };
            return isBeyond ? this.#checkBeyond(ref, last) : this.#check(ref, last);
          }),
        ),
      );
    }
  }

  /**
   * Numbers of records whose revision and events disagree, and numbers that events name and the head never
   * gave out.
   */
  *#suspects(name: string): Generator<{ number: number; isBeyond: boolean }> {
    const revisions = this.#verification.observedCollections.get(name)?.revisions ?? [];
    const { last } = stateIn(this.#verification.head, name);
    const lastOf = this.#lastEvents.get(name);
    for (const [number, revision] of revisions) {
      const named = lastOf?.get(number) ?? 0;
      if (number > last || named === revision) continue;
      if (Math.abs(named) > revision || this.#statingEvents.get(revision) !== 0)
        yield { number, isBeyond: false };
    }
    for (const [number] of lastOf ?? []) if (number > last) yield { number, isBeyond: true };
  }

  /** `last` is the last event that names the record, or 0. */
  #check(ref: Ref, last: number): Check<Finding | undefined> {
    const verification = this.#verification;
    const { organization } = verification;
    const { collection: name, number } = ref;
    const where = verification.nameOf(name, number);
    return (snapshot) => {
      const head = verification.headIn(snapshot);
      const item = snapshot.get(recordKey(organization, name, number));
      if (!head || !item || !hasRevision(item)) return undefined;
      const { revision } = item;
      const own = touchedByLastEvent(verification, revision, snapshot);
      const later =
        last > revision && last <= head.version
          ? touchedByLastEvent(verification, last, snapshot)
          : undefined;
      // A number that is both a record and a hole, a number beyond the last, and a revision that is no
      // event's have findings of their own.
      const isHole = isHoleIn(snapshot, listPartition(organization, { collection: name }), number);
      if (isHole !== false || number > stateIn(head, name).last || own === 'no last event') return undefined;
      const naming = later !== 'no last event' ? later?.find((one) => isSameRecord(one, ref)) : undefined;
      if (naming) {
        const did = naming.isRemoved ? 'removed' : 'stored';
        const sentence = `${verification.nameOf(events.name, last)} says that it ${did} ${where}, but the record has revision ${revision}.`;
        return { kind: 'touched-records-wrong', where, sentence };
      }
      if (!own || own.some((one) => isSameRecord(one, ref) && !one.isRemoved)) return undefined;
      const sentence = `${where} has revision ${revision}, and ${verification.nameOf(events.name, revision)} does not say that it stored it.`;
      const repair = renewRevision(verification, name, number, item);
      return { kind: 'touched-records-wrong', where, sentence, ...(repair && { repair }) };
    };
  }

  #checkBeyond(ref: Ref, event: number): Check<Finding | undefined> {
    const verification = this.#verification;
    const where = verification.nameOf(events.name, event);
    return (snapshot) => {
      const head = verification.headIn(snapshot);
      const item = snapshot.get(recordKey(verification.organization, events.name, event));
      const touched = item && touchedIn(item);
      if (!head || !touched?.some((one) => isSameRecord(one, ref))) return undefined;
      if (ref.number <= stateIn(head, ref.collection).last || event > head.version) return undefined;
      const what = verification.nameOf(ref.collection, ref.number);
      const rest = touched.filter((one) => !isSameRecord(one, ref));
      return {
        kind: 'touched-records-wrong',
        where,
        sentence: `${where} names ${what} in touched, but that number is beyond the head's last one.`,
        repair: restate(
          verification,
          event,
          'removes that record from its attribute touched',
          formatTouchedRecords(rest),
        ),
      };
    };
  }

  #findMalformed(number: number): void {
    const verification = this.#verification;
    const where = verification.nameOf(events.name, number);
    verification.addFinding(
      'touched-records-wrong',
      where,
      `The attribute touched of ${where} is malformed.`,
      (snapshot) => {
        const item = snapshot.get(recordKey(verification.organization, events.name, number));
        if (item?.['touched'] === undefined || touchedIn(item)) return undefined;
        return restate(verification, number, 'removes the attribute', undefined);
      },
    );
  }
}

/** Records that the event names; undefined if `touched` is missing or malformed. */
function touchedIn({ touched }: Item): TouchedRecord[] | undefined {
  return typeof touched === 'string' ? parseTouchedRecords(touched) : undefined;
}

/** Records that the event names, if it is the last of its write. */
function touchedByLastEvent(
  verification: Verification,
  event: number,
  snapshot: Snapshot,
): TouchedRecord[] | undefined | 'no last event' {
  const item = snapshot.get(recordKey(verification.organization, events.name, event));
  return item?.['revision'] === event ? touchedIn(item) : 'no last event';
}

const isSameRecord = (one: TouchedRecord, { collection, number }: Ref): boolean =>
  one.collection === collection && one.number === number;

/** Replaces the event's attribute `touched`, or removes it. */
const restate = (
  verification: Verification,
  event: number,
  sentence: string,
  touched: string | undefined,
): Repair => ({
  sentence,
  addTo: (plan) => {
    const key = recordKey(verification.organization, events.name, event);
    const { touched: _, ...item } = plan.get(key) ?? {};
    if ('id' in item) plan.put(key, { ...item, ...(touched !== undefined && { touched }) });
  },
});
