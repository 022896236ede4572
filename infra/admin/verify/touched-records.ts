import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { listPartition, recordKey } from '../../../shared/ledger/internal/keys.ts';
import {
  formatTouchedRecords,
  parseTouchedRecords,
  type TouchedRecord,
} from '../../../shared/ledger/internal/touched-records.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Finding, Mend } from './finding.ts';
import { isHoleIn } from './notes.ts';
import { hasRevision, stamped } from './revisions.ts';
import type { Observed, Scene } from './scene.ts';
import type { Judge, Look } from './snapshots.ts';
import { SparseNumbers } from './sparse-numbers.ts';

type Ref = Pick<TouchedRecord, 'collection' | 'number'>;

/**
 * Proves what the events say of the records that their writes stored and removed: the last event of a write names each record
 * that has its number as revision, and no record is older than an event that names it. The events of an older version of the code
 * name none, and prove nothing.
 */
export class TouchedRecords {
  readonly #scene: Scene;
  /** By collection, for each number the last event that names it; less than zero where that one says that it removed it. */
  readonly #lastOf = new Map<string, SparseNumbers>();
  /** The events that say what they touched. */
  readonly #saying = new SparseNumbers();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Takes note of a record, if it is an event. */
  observe({ collection, number, item }: Pick<Observed, 'collection' | 'number' | 'item'>): void {
    // Of the events of one write, the last one has its own number as revision, and says it for all of them.
    if (collection.name !== events.name || item['touched'] === undefined || item['revision'] !== number)
      return;
    const touched = touchedIn(item);
    if (!touched) {
      this.#findMalformed(number);
      return;
    }
    this.#saying.set(number, 1);
    for (const { collection: name, number: of, isRemoved } of touched) {
      const lastOf = this.#lastOf.get(name) ?? new SparseNumbers();
      this.#lastOf.set(name, lastOf);
      if (number > Math.abs(lastOf.get(of))) lastOf.set(of, isRemoved ? -number : number);
    }
  }

  /** The event that says last of all that it removed a record; undefined where none does. */
  removalOf({ collection, number }: Ref): number | undefined {
    const last = this.#lastOf.get(collection)?.get(number) ?? 0;
    return last < 0 ? -last : undefined;
  }

  async settle(): Promise<void> {
    for (const name of new Set([...this.#scene.states.keys(), ...this.#lastOf.keys()])) {
      if (name === events.name) continue;
      await this.#scene.inPortions(this.#doubtful(name), `what events say of ${name}`, (portion) =>
        this.#scene.settleFindings(
          portion.map(({ number, isBeyond }) => {
            const last = Math.abs(this.#lastOf.get(name)?.get(number) ?? 0);
            const ref = { collection: name, number };
            return isBeyond ? this.#judgeBeyond(ref, last) : this.#judge(ref, last);
          }),
        ),
      );
    }
  }

  /** The records of which events do not say what their revisions do, and those that an event names and that there never were. */
  *#doubtful(name: string): Generator<{ number: number; isBeyond: boolean }> {
    const revisions = this.#scene.states.get(name)?.revisions ?? [];
    const { last } = stateIn(this.#scene.head, name);
    const lastOf = this.#lastOf.get(name);
    for (const [number, revision] of revisions) {
      const named = lastOf?.get(number) ?? 0;
      if (number > last || named === revision) continue;
      if (Math.abs(named) > revision || this.#saying.get(revision) !== 0) yield { number, isBeyond: false };
    }
    for (const [number] of lastOf ?? []) if (number > last) yield { number, isBeyond: true };
  }

  /** `last` is the last event that names the record; 0 if none does. */
  #judge(ref: Ref, last: number): Judge<Finding | undefined> {
    const scene = this.#scene;
    const { organization } = scene;
    const { collection: name, number } = ref;
    const where = scene.nameOf(name, number);
    return (look) => {
      const head = scene.headIn(look);
      const item = look(recordKey(organization, name, number));
      if (!head || !item || !hasRevision(item)) return undefined;
      const { revision } = item;
      const own = saidBy(scene, revision, look);
      const later = last > revision && last <= head.version ? saidBy(scene, last, look) : undefined;
      // A number that is a record and deleted, or never given out, and a revision of no event are findings of their own.
      const isHole = isHoleIn(look, listPartition(organization, { collection: name }), number);
      if (isHole !== false || number > stateIn(head, name).last || own === 'no last event') return undefined;
      const naming = later !== 'no last event' ? later?.find((one) => isOf(one, ref)) : undefined;
      if (naming) {
        const did = naming.isRemoved ? 'removed' : 'stored';
        const sentence = `${scene.nameOf(events.name, last)} says that it ${did} ${where}, which is as event ${revision} left it.`;
        return { kind: 'touched-wrong', where, sentence };
      }
      if (!own || own.some((one) => isOf(one, ref) && !one.isRemoved)) return undefined;
      const sentence = `${where} has revision ${revision}, and ${scene.nameOf(events.name, revision)} does not say that it stored it.`;
      const mend = stamped(scene, name, number, item);
      return { kind: 'touched-wrong', where, sentence, ...(mend && { mend }) };
    };
  }

  #judgeBeyond(ref: Ref, event: number): Judge<Finding | undefined> {
    const scene = this.#scene;
    const where = scene.nameOf(events.name, event);
    return (look) => {
      const head = scene.headIn(look);
      const item = look(recordKey(scene.organization, events.name, event));
      const touched = item && touchedIn(item);
      if (!head || !touched?.some((one) => isOf(one, ref))) return undefined;
      if (ref.number <= stateIn(head, ref.collection).last || event > head.version) return undefined;
      const what = scene.nameOf(ref.collection, ref.number);
      const rest = touched.filter((one) => !isOf(one, ref));
      return {
        kind: 'touched-wrong',
        where,
        sentence: `${where} says that it stored or removed ${what}, and the head has not given out that number.`,
        mend: restated(scene, event, 'takes that from what it says', formatTouchedRecords(rest)),
      };
    };
  }

  #findMalformed(number: number): void {
    const scene = this.#scene;
    const where = scene.nameOf(events.name, number);
    scene.find(
      'touched-wrong',
      where,
      `${where} says what it touched in a way that cannot be read.`,
      (look) => {
        const item = look(recordKey(scene.organization, events.name, number));
        if (item?.['touched'] === undefined || touchedIn(item)) return undefined;
        return restated(scene, number, 'lets it say nothing, as an event of before', undefined);
      },
    );
  }
}

/** What an event says that its write touched; undefined where it says nothing, or what cannot be read. */
function touchedIn({ touched }: Item): TouchedRecord[] | undefined {
  return typeof touched === 'string' ? parseTouchedRecords(touched) : undefined;
}

/** The same of an event that must be the last of its write. */
function saidBy(scene: Scene, event: number, look: Look): TouchedRecord[] | undefined | 'no last event' {
  const item = look(recordKey(scene.organization, events.name, event));
  return item?.['revision'] === event ? touchedIn(item) : 'no last event';
}

const isOf = (one: TouchedRecord, { collection, number }: Ref): boolean =>
  one.collection === collection && one.number === number;

/** Lets an event say something else of what it touched. */
const restated = (scene: Scene, event: number, sentence: string, touched: string | undefined): Mend => ({
  sentence,
  apply: (draft) => {
    const key = recordKey(scene.organization, events.name, event);
    const { touched: _, ...item } = draft.look(key) ?? {};
    if ('id' in item) draft.put(key, { ...item, ...(touched !== undefined && { touched }) });
  },
});
