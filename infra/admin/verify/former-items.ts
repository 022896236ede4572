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
import { keyName, unknownItem, type Finding } from './finding.ts';
import type { Repair } from './repair-plan.ts';
import { storedIndexList } from './index-list.ts';
import { isHoleIn, readableStates, readState, statesIn } from './hole-items.ts';
import { isAt } from './index-positions.ts';
import { rebuildHoles } from './rebuild-holes.ts';
import { hasRevision, checkRevisionAt } from './revisions.ts';
import { numberFlag, type Verification } from './verification.ts';
import { ownerName, type Owner, type RemovedOwner, type ObservedLists } from './observed-lists.ts';
import type { Check, Snapshot } from './snapshots.ts';
import { maxSnapshotItems } from './table-reads.ts';
import type { TouchedRecordsCheck } from './touched-records-check.ts';

/**
 * Verifies the former items. Each keeps the list states of a removed record while those lists have members.
 * `ListsCheck` verifies the states themselves.
 *
 * Reads the former items of removed owners whose lists have members, and those that a scan showed. Most
 * records are removed with empty lists, and cost no read.
 *
 * A former item is missing only if an event says that its write removed the record: without such an event
 * nothing proves that there ever was one.
 */
export class FormerItems {
  readonly #verification: Verification;
  readonly #observed: ObservedLists;
  readonly #touchedRecords: Pick<TouchedRecordsCheck, 'removalOf'>;
  /** Owners whose former items a scan of the table showed. */
  readonly #scannedOwners = new Map<string, Owner>();

  constructor(
    verification: Verification,
    observedLists: ObservedLists,
    touchedRecords: Pick<TouchedRecordsCheck, 'removalOf'>,
  ) {
    this.#verification = verification;
    this.#observed = observedLists;
    this.#touchedRecords = touchedRecords;
  }

  observeScanned(owner: Owner): void {
    this.#scannedOwners.set(ownerName(owner), owner);
  }

  /** Reads the former items, observes their states, and verifies the rest of them. */
  async verify(): Promise<void> {
    const verification = this.#verification;
    const removed = this.#observed.removedOwners();
    for (const [name, owner] of this.#scannedOwners)
      if (!removed.has(name)) removed.set(name, { owner, lists: [] });
    await verification.inBatches(removed.values(), 'what is kept of removed records', async (batch) => {
      const items = await this.#read(batch);
      const checks = batch.flatMap((one, at) => this.#suspect(one, items[at]));
      await verification.confirmFindings(checks);
    });
  }

  /** Former items in the order of the owners; undefined if there is none. */
  async #read(batch: readonly RemovedOwner[]): Promise<(Item | undefined)[]> {
    const keys = batch.map(({ owner }) => this.#keyOf(owner));
    const parts = Array.from({ length: Math.ceil(keys.length / maxSnapshotItems) }, (_, at) =>
      keys.slice(at * maxSnapshotItems, (at + 1) * maxSnapshotItems),
    );
    const read = await this.#verification.runChecks(
      parts.map((part) => (snapshot) => part.map((key) => snapshot.get(key))),
    );
    return parts.flatMap((part, at) => read[at] ?? part.map(() => undefined));
  }

  /** Checks for an item that seems wrong. */
  #suspect({ owner, lists }: RemovedOwner, item: Item | undefined): Check<Finding | undefined>[] {
    if (!item)
      return this.#touchedRecords.removalOf(owner) === undefined
        ? []
        : [this.#checkMissing({ owner, lists })];
    const states = statesIn(item);
    if (!states || !hasRevision(item)) return [this.#checkMalformed({ owner, lists })];
    const flags = this.#verification.observedCollection(owner.collection).flags.get(owner.number);
    if (flags === numberFlag.hole) this.#observed.observeFormer(owner, states);
    const isLeft = flags !== numberFlag.hole || (lists.length === 0 && haveNoMembers(states));
    return [
      ...(isLeft ? [this.#checkLeft(owner)] : []),
      ...(flags !== numberFlag.hole || this.#isLastEvent(item.revision) ? [] : [this.#checkRevision(owner)]),
    ];
  }

  #isLastEvent(revision: number): boolean {
    return this.#verification.observedCollection(events.name).revisions.get(revision) === revision;
  }

  #checkMissing({ owner, lists }: RemovedOwner): Check<Finding | undefined> {
    const verification = this.#verification;
    const key = this.#keyOf(owner);
    const removal = this.#touchedRecords.removalOf(owner) ?? 0;
    return (snapshot) => {
      if (!this.#isRemoved(owner, snapshot) || snapshot.get(key)) return undefined;
      const event = snapshot.get(recordKey(verification.organization, events.name, removal));
      const list = lists.find(({ partition, key: { collection, index }, topNumber, topRank: rank }) => {
        const member = snapshot.get(recordKey(verification.organization, collection, topNumber));
        return index && isAt(member, { index, partition, rank });
      });
      if (!list || !saysRemoved(event, owner)) return undefined;
      const name = verification.listNameOf(list.partition);
      const sentence = `${keyName(key)} is missing, which has the states of lists of ${this.#nameOf(owner)}: ${name} has members.`;
      return {
        kind: 'former-item-missing',
        where: keyName(key),
        sentence,
        repair: this.#rebuildStates(owner, lists, []),
      };
    };
  }

  #checkMalformed({ owner, lists }: RemovedOwner): Check<Finding | undefined> {
    const key = this.#keyOf(owner);
    return (snapshot) => {
      const item = snapshot.get(key);
      if (!item || (statesIn(item) && hasRevision(item))) return undefined;
      const names = [...(hasRevision(item) ? [] : ['revision']), ...(statesIn(item) ? [] : ['lists'])];
      const sentence = `${keyName(key)} cannot be read: ${names.join(', ')}.`;
      const repair = this.#rebuildStates(owner, lists, readableStates(item));
      return { kind: 'former-item-malformed', where: keyName(key), sentence, repair };
    };
  }

  /** Checks for an item that nothing needs. */
  #checkLeft(owner: Owner): Check<Finding | undefined> {
    const verification = this.#verification;
    const key = this.#keyOf(owner);
    const { collection, number } = owner;
    return (snapshot) => {
      const head = verification.headIn(snapshot);
      const item = snapshot.get(key);
      const record = snapshot.get(recordKey(verification.organization, collection, number));
      if (!head || !item) return undefined;
      if (number > stateIn(head, collection).last) return unknownItem(key);
      const states = statesIn(item);
      // A number that is both a record and a hole, or neither, has a finding of its own.
      if (!states || (record !== undefined) === this.#isHole(owner, snapshot)) return undefined;
      if (!record && !haveNoMembers(states)) return undefined;
      const why = record
        ? `has states of lists that ${this.#nameOf(owner)} has itself, since it is there`
        : `has the states of lists of ${this.#nameOf(owner)}, all of whose members have left`;
      const repair: Repair = {
        sentence: 'takes it away',
        addTo: (plan) => {
          plan.remove(key);
        },
      };
      return {
        kind: 'former-item-unneeded',
        where: keyName(key),
        sentence: `${keyName(key)} ${why}.`,
        repair,
      };
    };
  }

  #checkRevision(owner: Owner): Check<Finding | undefined> {
    const key = this.#keyOf(owner);
    return checkRevisionAt(this.#verification, key, keyName(key), (item) => ({
      sentence: 'gives it the revision of this repair',
      addTo: (plan) => {
        plan.put(key, item);
      },
    }));
  }

  /** Rebuilds the states that the item lacks. */
  #rebuildStates(
    owner: Owner,
    lists: RemovedOwner['lists'],
    readable: readonly (readonly [list: string, state: string])[],
  ): Repair {
    const key = this.#keyOf(owner);
    return {
      sentence: `makes the states of the lists of ${this.#nameOf(owner)} anew, from their members and who has left`,
      addTo: (plan) => {
        plan.put(key, { ...plan.get(key), lists: Object.fromEntries(readable) });
        for (const list of lists)
          if (!readable.some(([name]) => name === listName(list.key)))
            rebuildHoles(plan, storedIndexList(this.#verification, list), {
              last: list.topRank,
              isStateLost: true,
            });
      },
    };
  }

  /** True if the snapshot shows that the record was removed. */
  #isRemoved(owner: Owner, snapshot: Snapshot): boolean {
    const { organization } = this.#verification;
    const head = this.#verification.headIn(snapshot);
    const record = snapshot.get(recordKey(organization, owner.collection, owner.number));
    return head !== undefined && record === undefined && this.#isHole(owner, snapshot);
  }

  #isHole({ collection, number }: Owner, snapshot: Snapshot): boolean {
    const partition = listPartition(this.#verification.organization, { collection });
    return isHoleIn(snapshot, partition, number) ?? false;
  }

  #keyOf({ collection, number }: Owner): Key {
    return formerKey(this.#verification.organization, collection, number);
  }

  #nameOf({ collection, number }: Owner): string {
    return this.#verification.nameOf(collection, number);
  }
}

/** True if no list has a member, by its state. */
const haveNoMembers = (states: Record<string, string>): boolean =>
  Object.values(states).every(
    (state) => lengthOf(readState(state) ?? { last: 1, left: 0, newest: 0n }) === 0,
  );

/** True if the event says that its write removed the record. */
const saysRemoved = (event: Item | undefined, { collection, number }: Owner): boolean =>
  typeof event?.['touched'] === 'string' &&
  (parseTouchedRecords(event['touched']) ?? []).some(
    (one) => one.isRemoved && one.collection === collection && one.number === number,
  );
