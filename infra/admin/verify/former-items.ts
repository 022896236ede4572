import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import {
  formerKey,
  listName,
  listPartition,
  recordKey,
  type Key,
} from '../../../shared/ledger/internal/keys.ts';
import { lengthOf } from '../../../shared/ledger/internal/list-state.ts';
import { parseTouchedRecords } from '../../../shared/ledger/internal/touched-records.ts';
import { keyName, unknownItem, type Finding, type Mend } from './finding.ts';
import { notedIndexList } from './index-list.ts';
import { isHoleIn, readableStates, readState, statesIn } from './notes.ts';
import { isAt } from './places.ts';
import { rebuildNotes } from './rebuild-notes.ts';
import { hasRevision, judgeRevisionAt } from './revisions.ts';
import { marks, type Scene } from './scene.ts';
import { nameOfOwner, type Owner, type OwnerGone, type SeenLists } from './seen-lists.ts';
import type { Judge, Look } from './snapshots.ts';
import type { TouchedRecords } from './touched-records.ts';

/** DynamoDB's limit on one serializable read. */
const perRead = 100;

/**
 * Proves the former items: what is kept of a removed record while lists that it owned have members, the states of those lists.
 * Whether a state is right is proved with its list.
 *
 * Looked at are those of the owners that are gone and whose lists have members, which were read, and those that a scan showed.
 * So a record that was removed with its lists empty, as most are, costs no read.
 *
 * A version of the code that knew no such items removed records and kept nothing, and its events do not say what they touched.
 * So an item is missing only where an event says that its write removed the record.
 */
export class FormerItems {
  readonly #scene: Scene;
  readonly #seen: SeenLists;
  readonly #touched: Pick<TouchedRecords, 'removalOf'>;
  /** The owners whose items a scan of the table showed. */
  readonly #noted = new Map<string, Owner>();

  constructor(scene: Scene, seen: SeenLists, touched: Pick<TouchedRecords, 'removalOf'>) {
    this.#scene = scene;
    this.#seen = seen;
    this.#touched = touched;
  }

  /** Takes note that a scan of the table showed the item of a record. */
  observeNoted(owner: Owner): void {
    this.#noted.set(nameOfOwner(owner), owner);
  }

  /** Reads the items, takes note of the states that they keep, and proves what else they say. */
  async settle(): Promise<void> {
    const scene = this.#scene;
    const gone = this.#seen.ownersGone();
    for (const [name, owner] of this.#noted) if (!gone.has(name)) gone.set(name, { owner, lists: [] });
    await scene.inPortions(gone.values(), 'what is kept of removed records', async (portion) => {
      const items = await this.#read(portion);
      const judges = portion.flatMap((one, at) => this.#suspect(one, items[at]));
      await scene.settleFindings(judges);
    });
  }

  /** The items of some owners, undefined for those that there are not. */
  async #read(portion: readonly OwnerGone[]): Promise<(Item | undefined)[]> {
    const keys = portion.map(({ owner }) => this.#keyOf(owner));
    const parts = Array.from({ length: Math.ceil(keys.length / perRead) }, (_, at) =>
      keys.slice(at * perRead, (at + 1) * perRead),
    );
    const read = await this.#scene.settle(parts.map((part) => (look) => part.map((key) => look(key))));
    return parts.flatMap((part, at) => read[at] ?? part.map(() => undefined));
  }

  /** What may be wrong with an item, by what was read. */
  #suspect({ owner, lists }: OwnerGone, item: Item | undefined): Judge<Finding | undefined>[] {
    if (!item)
      return this.#touched.removalOf(owner) === undefined ? [] : [this.#judgeMissing({ owner, lists })];
    const states = statesIn(item);
    if (!states || !hasRevision(item)) return [this.#judgeMalformed({ owner, lists })];
    const is = this.#scene.stateOf(owner.collection).marks.get(owner.number);
    if (is === marks.hole) this.#seen.observeFormer(owner, states);
    const isLeft = is !== marks.hole || (lists.length === 0 && areEmpty(states));
    return [
      ...(isLeft ? [this.#judgeLeft(owner)] : []),
      ...(is !== marks.hole || this.#isLastEvent(item.revision) ? [] : [this.#judgeRevision(owner)]),
    ];
  }

  #isLastEvent(revision: number): boolean {
    return this.#scene.stateOf(events.name).revisions.get(revision) === revision;
  }

  #judgeMissing({ owner, lists }: OwnerGone): Judge<Finding | undefined> {
    const scene = this.#scene;
    const key = this.#keyOf(owner);
    const removal = this.#touched.removalOf(owner) ?? 0;
    return (look) => {
      if (!this.#isRemoved(owner, look) || look(key)) return undefined;
      const event = look(recordKey(scene.organization, events.name, removal));
      const list = lists.find(({ partition, key: { collection, index }, topNumber, topRank: rank }) => {
        const member = look(recordKey(scene.organization, collection, topNumber));
        return index && isAt(member, { index, partition, rank });
      });
      if (!list || !saysRemoved(event, owner)) return undefined;
      const name = scene.listNameOf(list.partition);
      const sentence = `${keyName(key)} is missing, which has the states of lists of ${this.#nameOf(owner)}: ${name} has members.`;
      return {
        kind: 'former-missing',
        where: keyName(key),
        sentence,
        mend: this.#madeAnew(owner, lists, []),
      };
    };
  }

  #judgeMalformed({ owner, lists }: OwnerGone): Judge<Finding | undefined> {
    const key = this.#keyOf(owner);
    return (look) => {
      const item = look(key);
      if (!item || (statesIn(item) && hasRevision(item))) return undefined;
      const names = [...(hasRevision(item) ? [] : ['revision']), ...(statesIn(item) ? [] : ['lists'])];
      const sentence = `${keyName(key)} cannot be read: ${names.join(', ')}.`;
      const mend = this.#madeAnew(owner, lists, readableStates(item));
      return { kind: 'former-malformed', where: keyName(key), sentence, mend };
    };
  }

  /** Judges whether an item is there that nothing needs. */
  #judgeLeft(owner: Owner): Judge<Finding | undefined> {
    const scene = this.#scene;
    const key = this.#keyOf(owner);
    const { collection, number } = owner;
    return (look) => {
      const head = scene.headIn(look);
      const item = look(key);
      const record = look(recordKey(scene.organization, collection, number));
      if (!head || !item) return undefined;
      if (number > stateIn(head, collection).last) return unknownItem(key);
      const states = statesIn(item);
      // A number that is a record and deleted, or neither, is a finding of its own.
      if (!states || (record !== undefined) === this.#isHole(owner, look)) return undefined;
      if (!record && !areEmpty(states)) return undefined;
      const why = record
        ? `has states of lists that ${this.#nameOf(owner)} has itself, since it is there`
        : `has the states of lists of ${this.#nameOf(owner)}, all of whose members have left`;
      const mend: Mend = {
        sentence: 'takes it away',
        apply: (draft) => {
          draft.remove(key);
        },
      };
      return { kind: 'former-left', where: keyName(key), sentence: `${keyName(key)} ${why}.`, mend };
    };
  }

  #judgeRevision(owner: Owner): Judge<Finding | undefined> {
    const key = this.#keyOf(owner);
    return judgeRevisionAt(this.#scene, key, keyName(key), (item) => ({
      sentence: 'gives it the revision of this repair',
      apply: (draft) => {
        draft.put(key, item);
      },
    }));
  }

  /** Makes the states anew that an item does not have. */
  #madeAnew(
    owner: Owner,
    lists: OwnerGone['lists'],
    readable: readonly (readonly [list: string, state: string])[],
  ): Mend {
    const key = this.#keyOf(owner);
    return {
      sentence: `makes the states of the lists of ${this.#nameOf(owner)} anew, from their members and who has left`,
      apply: (draft) => {
        draft.put(key, { ...draft.look(key), lists: Object.fromEntries(readable) });
        for (const list of lists)
          if (!readable.some(([name]) => name === listName(list.key)))
            rebuildNotes(draft, notedIndexList(this.#scene, list), { last: list.topRank, isStateLost: true });
      },
    };
  }

  /** Whether a snapshot shows that a record was removed. */
  #isRemoved(owner: Owner, look: Look): boolean {
    const { organization } = this.#scene;
    const head = this.#scene.headIn(look);
    const record = look(recordKey(organization, owner.collection, owner.number));
    return head !== undefined && record === undefined && this.#isHole(owner, look);
  }

  #isHole({ collection, number }: Owner, look: Look): boolean {
    const partition = listPartition(this.#scene.organization, { collection });
    return isHoleIn(look, partition, number) ?? false;
  }

  #keyOf({ collection, number }: Owner): Key {
    return formerKey(this.#scene.organization, collection, number);
  }

  #nameOf({ collection, number }: Owner): string {
    return this.#scene.nameOf(collection, number);
  }
}

/** Whether no list has a member, by its state. */
const areEmpty = (states: Record<string, string>): boolean =>
  Object.values(states).every(
    (state) => lengthOf(readState(state) ?? { last: 1, left: 0, newest: 0n }) === 0,
  );

/** Whether an event says that its write removed a record. */
const saysRemoved = (event: Item | undefined, { collection, number }: Owner): boolean =>
  typeof event?.['touched'] === 'string' &&
  (parseTouchedRecords(event['touched']) ?? []).some(
    (one) => one.isRemoved && one.collection === collection && one.number === number,
  );
