import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import * as keys from '../../../shared/ledger/internal/keys.ts';
import type { ListIndex } from '../../../shared/ledger/internal/keys.ts';
import { emptyList, lengthOf, type ListState } from '../../../shared/ledger/internal/list-state.ts';
import { itemRepair, keyName, redacted } from './finding.ts';
import type { Judgement } from './judgement.ts';
import { ListMembers, addRank, rightOf, type Members } from './list-members.ts';
import { ListRepairs, rebuildHoles } from './list-repairs.ts';
import {
  type IndexList,
  type Owner,
  type StateLookup,
  type StoredHoles,
  StoredList,
  differenceOf,
  isDeclared,
  isOfNewer,
  isPipeline,
  keysOf,
  positionsOf,
  readHoles,
  readState,
  statesIn,
} from './stored-list.ts';
import { hasRevision, judgeRevision } from './revisions.ts';

/**
 * Judges the lists in indexes. Each rank must be either a member's or a hole, and no two members may have the same
 * rank. The list state and the hole items must say so too. Judges the former items too: each keeps the list states of a
 * removed record while those lists have members.
 */
export class Lists {
  readonly #judgement: Judgement;
  readonly #members: ListMembers;
  readonly repairs: ListRepairs;
  /** Owners of lists with members, except lists of events. */
  readonly #owners = new Set<string>();
  /** Owners with unreadable list states. */
  readonly #unreadable = new Set<string>();

  constructor(judgement: Judgement) {
    this.#judgement = judgement;
    this.#members = new ListMembers(judgement.organization);
    this.repairs = new ListRepairs(judgement, this.#members);
  }

  /**
   * Observes the lists that contain a record, and the lists that the record owns. In `wrongIndexes` the record
   * stands in a wrong list.
   */
  observe(name: string, number: number, item: Item, wrongIndexes: readonly ListIndex[] = []): void {
    for (const { partition, index, rank } of positionsOf(item)) {
      const { key } = StoredList.at(this.#judgement, partition) ?? {};
      if (key?.collection !== name || key.index !== index) continue;
      const members = this.#members.at(partition);
      if (wrongIndexes.includes(index)) (members.misplaced ??= new Set()).add(rank);
      else if (!addRank(members, rank)) {
        (members.doubled ??= new Map()).set(number, rank);
        this.observeClaimant(partition, number);
      } else if (rank > members.top) [members.top, members.topNumber] = [rank, number];
      if (key.owner && name !== events.name && members.top > 0) this.#owners.add(ownerName(key.owner));
    }
    const owner = { collection: name, number };
    const states = statesIn(item);
    if (!states) this.#unreadable.add(ownerName(owner));
    this.#observeStates(states ?? {}, owner);
  }

  /** Observes that a record still needs a rank in a list where it belongs. */
  observeClaimant(partition: string, number: number): void {
    (this.#members.at(partition).claimants ??= new Set()).add(number);
  }

  finish(): void {
    const { items, head } = this.#judgement;
    this.#observeStates(head.lists);
    for (const pk of items.partitions()) this.#observeHoleItems(pk, keys.listOfHoles(pk));
    for (const pk of items.partitions()) {
      const former = keys.parseFormerKey({ pk, sk: keys.stateKey('').sk });
      const item = former && items.get({ pk, sk: keys.stateKey('').sk });
      if (item && this.#judgement.collections.has(former.collection)) this.#judgeFormer(former, item);
    }
    for (const [partition, members] of this.#members) {
      const list = StoredList.at(this.#judgement, partition);
      if (list) this.#judge(list, members);
    }
  }

  /** Observes the list states in the head, or in the item of an owner. */
  #observeStates(states: Record<string, string>, owner?: Owner): void {
    const judgement = this.#judgement;
    for (const [list, state] of Object.entries(states)) {
      const named = keys.parseStateName(list);
      const key = named && { ...named, owner };
      const isOfCollection = !owner && key && key.index === undefined;
      if (isOfCollection || (key && isOfNewer(judgement, key))) continue;
      if (key && isDeclared(judgement, key))
        this.#members.at(keys.listPartition(judgement.organization, key)).state = state;
      else {
        const where = owner ? judgement.nameOf(owner.collection, owner.number) : judgement.headName;
        const sentence = `${where} has the state of the list ${redacted(list)}, which this version of the code does not know.`;
        const former = owner ? [keys.formerKey(judgement.organization, owner.collection, owner.number)] : [];
        judgement.add('list-unknown', where, sentence, { keys: former });
      }
    }
  }

  /** Observes a partition of hole items. Items of no possible list are findings: they stay. */
  #observeHoleItems(pk: string, partition = ''): void {
    const { items, organization, collections, head } = this.#judgement;
    const list = keys.parseListPartition(organization, partition);
    if (list && isDeclared(this.#judgement, list)) this.#members.at(partition);
    else if (partition !== '')
      for (const item of items.partition(pk)) {
        const key = keys.keyOfItem(item);
        const ofCollection = list?.index === undefined ? list?.collection : undefined;
        const name = keys.parseFormerKey(key)?.collection ?? ofCollection;
        // A newer version of the code may have stored it.
        const isKnown =
          name === undefined
            ? list && isOfNewer(this.#judgement, list)
            : collections.has(name) || head.lists[keys.stateName({ collection: name })] !== undefined;
        if (!isKnown) this.#judgement.addUnknown(key);
      }
  }

  #judgeFormer({ collection, number }: Owner, item: Item): void {
    const judgement = this.#judgement;
    const owner = { collection, number };
    const key = keys.formerKey(judgement.organization, collection, number);
    const where = keyName(key);
    const name = judgement.nameOf(collection, number);
    if (number > judgement.numbersOf(collection).last) {
      judgement.addUnknown(key);
      return;
    }
    const states = statesIn(item);
    if (!states || !hasRevision(item)) {
      const names = [...(hasRevision(item) ? [] : ['revision']), ...(states ? [] : ['lists'])];
      const sentence = `makes the states of the lists of ${name} anew, from their members and who has left`;
      judgement.add('former-item-malformed', where, `${where} cannot be read: ${names.join(', ')}.`, {
        keys: [key],
        repair: this.repairs.rebuildStates(owner, key, sentence),
      });
      this.#unreadable.add(ownerName(owner));
      return;
    }
    const [isRecord, isHole] = [judgement.isRecord(collection, number), judgement.isHole(collection, number)];
    const haveMembers =
      this.#owners.has(ownerName(owner)) ||
      Object.values(states).some((state) => lengthOf(readState(state) ?? emptyList) > 0);
    // After an erasure, the empty item stays for a day.
    const isKept = item['expiresAtSecond'] !== undefined;
    // A number that is both a record and a hole, or neither, has its own finding.
    if (isRecord ? !judgement.numbersOf(collection).holes.has(number) : isHole && !haveMembers && !isKept) {
      const why = isRecord
        ? `has states of lists, but ${name} is there and has these states itself`
        : `has the states of lists of ${name}, but all members have left these lists`;
      const repair = itemRepair('takes it away', key, () => undefined);
      judgement.add('former-item-unneeded', where, `${where} ${why}.`, { keys: [key], repair });
    }
    if (!isHole) return;
    this.#observeStates(states, owner);
    judgeRevision(judgement, key, where, item.revision);
  }

  #judge(list: IndexList, members: Members): void {
    const { partition, key } = list;
    const pk = keys.holesPartition(partition);
    const state = this.#stateOf(list, members);
    if (state === 'wanted' || state === 'unreadable') return;
    // The hole items are read even if the state has no holes. If a write was stored in part, the next member to leave
    // would copy a stray hole item. Few lists need this.
    const mustRead = !key.owner || isPipeline(key.owner) || list.hasOwnState;
    const isDense = members.dense === members.top && !members.doubled;
    const isWhole =
      typeof state === 'object' ? state.left === 0 && state.last === members.dense : state === 'ended';
    const haveItems = this.#judgement.items.isComplete && !this.#judgement.items.partition(pk).next().done;
    if (isDense && isWhole && !mustRead && !haveItems) return;
    if (!this.#judgement.isRead(pk)) return;
    const stored = readHoles(this.#judgement.items, list);
    for (const unknown of stored.unknown) this.#judgement.addUnknown(unknown);
    if (state === 'unknown') this.#addUnknownList(list, members, pk);
    else this.#compare(list, members, state, stored);
  }

  /** State of a list; `wanted` if its former item was not read yet. */
  #stateOf(list: IndexList, members: Members): StateLookup | 'wanted' {
    const judgement = this.#judgement;
    const { owner } = list.key;
    if (!owner || list.hasOwnState) return list.lookUpState(judgement.items);
    if (this.#unreadable.has(ownerName(owner))) return 'unreadable';
    if (judgement.isRecord(owner.collection, owner.number)) return readState(members.state) ?? emptyList;
    const former = keys.formerKey(judgement.organization, owner.collection, owner.number);
    const isGiven = owner.number <= judgement.numbersOf(owner.collection).last;
    if (isGiven && !list.isOfEvents && !judgement.isRead(former.pk)) return 'wanted';
    return list.lookUpState(judgement.items);
  }

  #addUnknownList({ key, name }: IndexList, { top, topNumber }: Members, pk: string): void {
    const where = this.#judgement.nameOf(key.collection, topNumber);
    const [first] = this.#judgement.items.partition(pk);
    if (top > 0) this.#judgement.add('list-unknown', where, `${where} is in ${name}, which was never there.`);
    else if (first) this.#judgement.addUnknown(keys.keyOfItem(first));
  }

  /** Compares the stored state and hole items of a list with what its members say. */
  #compare(
    list: IndexList,
    members: Members,
    state: ListState | 'lost' | 'ended',
    stored: StoredHoles,
  ): void {
    const { name, key } = list;
    const { claimants = [], doubled = [], top, topNumber } = members;
    // Without state and members, only the hole items tell which ranks of the list were given out.
    if (state === 'lost' && top === 0 && members.claimants) return;
    const right = rightOf(members, state, stored);
    const waiting = [...claimants].sort((one, other) => one - other);
    members.vacant = new Map(right.vacant.map((rank, at) => [waiting[at] ?? 0, rank]));
    const known = typeof state === 'object' ? state : undefined;
    const far: Iterable<[number, number]> = top > right.last ? [[topNumber, top]] : [];
    for (const [number, rank] of [...doubled, ...far]) {
      const where = this.#judgement.nameOf(key.collection, number);
      const why =
        rank === top && top > right.last
          ? 'far beyond its last rank'
          : `and another ${key.collection} has the same rank`;
      const record = { collection: key.collection, number };
      const move = 'gives it a rank that no other member has';
      this.#judgement.add('rank-wrong', where, `${where} has rank ${rank} of ${name}, ${why}.`, {
        repair: known && this.repairs.moveToList(move, record, key.index, list.partition),
      });
    }
    const sentence = differenceOf(this.#judgement.items, list, known, right, stored);
    if (sentence === undefined) return;
    const rebuild = 'makes its state and its holes anew, from its members';
    this.#judgement.add('list-wrong', name, sentence, {
      keys: [...keysOf(list, stored), list.holderKeyIn(this.#judgement.items)],
      repair: right.isFar ? undefined : rebuildHoles(rebuild, list, right, stored),
    });
  }
}

const ownerName = ({ collection, number }: Owner): string => `${collection}#${number}`;
