import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import {
  formerKey,
  headKey,
  holesKey,
  holesPartition,
  listName,
  listPartition,
  parseFormerKey,
  parseListName,
  parseListPartition,
  recordsPartition,
  stateKey,
  type Key,
  type ListIndex,
  type ListKey,
} from '../../../shared/ledger/internal/keys.ts';
import {
  bucketPositionOf,
  bucketSize,
  emptyList,
  lengthOf,
  type ListState,
} from '../../../shared/ledger/internal/list-state.ts';
import { keyName, redacted, type Repair } from './finding.ts';
import type { Judgement } from './judgement.ts';
import {
  judgeHoleItems,
  ranksIn,
  readableStates,
  readHoleItems,
  readState,
  rebuildHoles,
  statesIn,
  type HoleItems,
} from './list-holes.ts';
import type { RepairPlan } from './organization-items.ts';
import {
  hasOwnState,
  indexListAt,
  isDeclared,
  isOfNewer,
  isPipeline,
  lookUpState,
  Mover,
  positionsOf,
  storedIndexList,
  type IndexList,
  type RankChoice,
} from './positions.ts';
import { judgeRevision } from './revisions.ts';

/** Maximum number of missing ranks that are listed of one list; a sentence names at most `maxNamed` of them. */
const maxMissing = bucketSize;
const maxNamed = 5;
/** Maximum number of items of a list that has ended that one repair removes. */
const maxRemoved = 50;

/** Members of one list. Kept small, since there are as many lists as owners. */
interface Members {
  /** All ranks from 1 to this one have a member. */
  dense: number;
  /** Ranks of members beyond `dense + 1`. */
  later?: Set<number>;
  /** Greatest rank, and the number of its member. */
  top: number;
  topNumber: number;
  /** State in the owner's item. */
  state?: string;
  /** Ranks of records that belong to another list. Such records are no members here. */
  misplaced?: Set<number>;
  /** Records that belong to the list and need a rank there. */
  claimants?: Set<number>;
  /** Ranks that neither a member nor a hole has. */
  vacant?: number[];
}

export type Owner = NonNullable<ListKey['owner']>;

/** Rank that is both a member's and a hole. */
interface TakenHole {
  list: IndexList;
  rank: number;
}

/**
 * Judges the lists in indexes: each rank is either a member's or a hole, no two members have the same rank, and the hole
 * items fit the list state. Judges the former items too: each keeps the list states of a removed record while those lists
 * have members.
 */
export class Lists implements RankChoice {
  readonly #judgement: Judgement;
  /** Keys are list partitions without `#prefix`. */
  readonly #lists = new Map<string, Members>();
  readonly #prefix: string;
  readonly mover: Mover;
  readonly #takenHoles: TakenHole[] = [];
  /** Records in lists where they do not belong, as partition and number. */
  readonly #misplaced = new Set<string>();
  /** Owners whose list states cannot be read. */
  readonly #unreadable = new Set<string>();

  constructor(judgement: Judgement) {
    this.#judgement = judgement;
    this.#prefix = listPartition(judgement.organization, { collection: '' });
    this.mover = new Mover(judgement, this);
  }

  /** Observes the lists that a record is in, and those that it owns. In `wrongIndexes` it stands in a wrong list. */
  observe(name: string, number: number, item: Item, wrongIndexes: readonly ListIndex[] = []): void {
    for (const { partition, index, rank } of positionsOf(item)) {
      const list = indexListAt(this.#judgement, partition);
      if (list?.key.collection !== name || list.key.index !== index) continue;
      if (wrongIndexes.includes(index)) {
        (this.#membersAt(partition).misplaced ??= new Set()).add(rank);
        this.#misplaced.add(`${partition} ${number}`);
      } else this.#observeMember(list, number, rank);
    }
    const owner = { collection: name, number };
    const states = statesIn(item);
    if (!states) this.#unreadable.add(ownerName(owner));
    this.#observeStates(owner, this.#judgement.keyOf(name, number), states ?? {});
  }

  /** Observes that a record has no rank in a list where it belongs. */
  observeClaimant(partition: string, number: number): void {
    (this.#membersAt(partition).claimants ??= new Set()).add(number);
  }

  vacantRank(partition: string, number: number): number | undefined {
    const { vacant = [], claimants = [] } = this.#membersAt(partition);
    const name = parseListPartition(this.#judgement.organization, partition)?.collection ?? '';
    // The rank may be that of a lost record.
    if (vacant.length === 0 || this.#judgement.numbersOf(name).lost.length > 0) return undefined;
    return vacant[[...claimants].sort((one, other) => one - other).indexOf(number)];
  }

  isShared(partition: string, rank: number): boolean {
    const members = this.#membersAt(partition);
    return (members.misplaced?.has(rank) ?? false) && hasRank(members, rank);
  }

  finish(): void {
    this.#observeHead();
    for (const pk of this.#judgement.items.partitions())
      if (pk.endsWith(holesEnd)) this.#observeHoleItems(pk);
    for (const { owner, lists } of this.#removedOwners().values()) this.#judgeFormer(owner, lists);
    for (const [name, members] of this.#lists) {
      const list = indexListAt(this.#judgement, this.#prefix + name);
      if (list) this.#judge(list, members);
    }
    this.#nameTakenHoles();
  }

  /** Lists of an owner that were observed. */
  *ownedBy(owner: Owner): Generator<IndexList & { top: number }> {
    const start = listPartition(this.#judgement.organization, { collection: '', owner });
    for (const [name, { top }] of this.#lists) {
      const partition = this.#prefix + name;
      const list = partition.startsWith(start) ? indexListAt(this.#judgement, partition) : undefined;
      if (list) yield { ...list, top };
    }
  }

  /** Rebuilds the malformed list states of a record. */
  rebuildStates(owner: Owner, key: Key, sentence: string): Repair {
    return {
      sentence,
      addTo: (plan) => {
        const item = plan.get(key);
        const readable = readableStates(item ?? {});
        plan.put(key, { ...item, lists: readable });
        for (const list of this.ownedBy(owner)) {
          const isStateLost = readable[listName(list.key)] === undefined && list.top > 0;
          rebuildHoles(
            plan,
            storedIndexList(this.#judgement, list),
            isStateLost ? { last: list.top, isStateLost } : {},
          );
        }
      },
    };
  }

  #observeMember(list: IndexList, number: number, rank: number): void {
    const { partition, key } = list;
    const members = this.#membersAt(partition);
    if (addRank(members, rank)) {
      if (rank > members.top) [members.top, members.topNumber] = [rank, number];
      return;
    }
    const judgement = this.#judgement;
    const where = judgement.nameOf(key.collection, number);
    const name = judgement.listNameOf(partition);
    this.observeClaimant(partition, number);
    const isListThere = typeof lookUpState(judgement, list, judgement.items) === 'object';
    const repair = {
      sentence: `gives ${where} a rank of its own in ${name}`,
      addTo: (plan: RepairPlan) => {
        this.mover.moveToEnd(plan, list, number);
      },
    };
    const sentence = `${where} has rank ${rank} of ${name}, and so has another ${key.collection}.`;
    judgement.add('rank-doubled', where, sentence, { repair: isListThere ? repair : undefined });
  }

  #observeStates(owner: Owner, holder: Key, states: Record<string, string>): void {
    for (const [list, state] of Object.entries(states)) {
      const named = parseListName(list);
      const key = named && { ...named, owner };
      if (key && isDeclared(this.#judgement, key))
        this.#membersAt(listPartition(this.#judgement.organization, key)).state = state;
      else if (!key || !isOfNewer(this.#judgement, key))
        this.#addUnknownState(this.#judgement.nameOf(owner.collection, owner.number), list, holder);
    }
  }

  #observeHead(): void {
    const { head, organization, headName } = this.#judgement;
    for (const list of Object.keys(head.lists)) {
      const key = parseListName(list);
      if (key && key.index === undefined) continue;
      if (key && isDeclared(this.#judgement, key)) this.#membersAt(listPartition(organization, key));
      else if (!key || !isOfNewer(this.#judgement, key))
        this.#addUnknownState(headName, list, headKey(organization));
    }
  }

  #addUnknownState(where: string, list: string, key: Key): void {
    const sentence = `${where} has the state of the list ${redacted(list)}, which this version of the code does not know.`;
    this.#judgement.add('list-unknown', where, sentence, { keys: [key] });
  }

  /** Observes a partition of hole items. Items of no possible list are findings: they stay. */
  #observeHoleItems(pk: string): void {
    const { items, organization, collections, head } = this.#judgement;
    const partition = pk.slice(0, -holesEnd.length);
    const list = parseListPartition(organization, partition);
    if (list && isDeclared(this.#judgement, list)) {
      this.#membersAt(partition);
      return;
    }
    for (const item of items.partition(pk)) {
      const key = { pk, sk: String(item['sk']) };
      const former = parseFormerKey(key);
      const name = former?.collection ?? list?.collection ?? '';
      // A newer version of the code may have stored it.
      const isOfCollection = former !== undefined || list?.index === undefined;
      const isNewer = list !== undefined && isOfNewer(this.#judgement, list);
      const isKnown = isOfCollection ? collections.has(name) || head.lists[name] !== undefined : isNewer;
      if (!isKnown) this.#judgement.addUnknown(key);
    }
  }

  /** Removed owners that have lists with members, or a former item, by name. */
  #removedOwners(): Map<string, { owner: Owner; lists: Map<string, Members> }> {
    const judgement = this.#judgement;
    const removed = new Map<string, { owner: Owner; lists: Map<string, Members> }>();
    const listsOf = (owner: Owner) => {
      const found = removed.get(ownerName(owner)) ?? { owner, lists: new Map<string, Members>() };
      removed.set(ownerName(owner), found);
      return found.lists;
    };
    for (const [name, members] of this.#lists) {
      const partition = this.#prefix + name;
      const key = members.top > 0 ? parseListPartition(judgement.organization, partition) : undefined;
      const owner = key?.collection === events.name ? undefined : key?.owner;
      if (!key || !owner || hasOwnState(judgement, key)) continue;
      if (!judgement.isRecord(owner.collection, owner.number)) listsOf(owner).set(partition, members);
    }
    for (const pk of judgement.items.partitions()) {
      const former = parseFormerKey({ pk, sk: stateKey('').sk });
      if (
        former &&
        judgement.collections.has(former.collection) &&
        judgement.items.get({ pk, sk: stateKey('').sk })
      )
        listsOf({ collection: former.collection, number: former.number });
    }
    return removed;
  }

  #judgeFormer(owner: Owner, lists: ReadonlyMap<string, Members>): void {
    const judgement = this.#judgement;
    const { collection, number } = owner;
    const key = formerKey(judgement.organization, collection, number);
    if (!judgement.isRead(key.pk)) return;
    const item = judgement.items.get(key);
    const where = keyName(key);
    const name = judgement.nameOf(collection, number);
    if (!item) {
      const [partition] = lists.keys();
      if (!judgement.isHole(collection, number) || partition === undefined) return;
      const sentence = `${where} is missing, which has the states of lists of ${name}: ${judgement.listNameOf(partition)} has members.`;
      const repair = this.rebuildStates(owner, key, this.#rebuilt(name));
      judgement.add('former-item-missing', where, sentence, { keys: [key], repair });
      return;
    }
    const isRemoved = judgement.isHole(collection, number);
    if (number > judgement.numbersOf(collection).last) {
      judgement.addUnknown(key);
      return;
    }
    const states = statesIn(item);
    const { revision } = item;
    const hasRevision = typeof revision === 'number';
    if (!states || !hasRevision) {
      const names = [...(hasRevision ? [] : ['revision']), ...(states ? [] : ['lists'])];
      const repair = this.rebuildStates(owner, key, this.#rebuilt(name));
      judgement.add('former-item-malformed', where, `${where} cannot be read: ${names.join(', ')}.`, {
        keys: [key],
        repair,
      });
      this.#unreadable.add(ownerName(owner));
      return;
    }
    const isRecord = judgement.isRecord(collection, number);
    const haveMembers =
      lists.size > 0 || Object.values(states).some((state) => lengthOf(readState(state) ?? full) > 0);
    // A number that is both a record and a hole, or neither, has a finding of its own.
    if (isRecord ? !judgement.numbersOf(collection).holes.has(number) : isRemoved && !haveMembers) {
      const why = isRecord
        ? `has states of lists that ${name} has itself, since it is there`
        : `has the states of lists of ${name}, all of whose members have left`;
      const sentence = 'takes it away';
      const addTo = (plan: RepairPlan) => {
        plan.remove(key);
        for (const list of isRecord ? [] : this.ownedBy(owner)) {
          const pk = holesPartition(list.partition);
          for (const { sk } of judgement.items.partition(pk)) plan.remove({ pk, sk: String(sk) });
        }
      };
      judgement.add('former-item-unneeded', where, `${where} ${why}.`, {
        keys: [key],
        repair: { sentence, addTo },
      });
    }
    if (!isRemoved) return;
    this.#observeStates(owner, key, states);
    judgeRevision(judgement, key, where, revision);
  }

  #rebuilt(name: string): string {
    return `makes the states of the lists of ${name} anew, from their members and who has left`;
  }

  #judge(list: IndexList, members: Members): void {
    const judgement = this.#judgement;
    const { partition, key } = list;
    const { owner } = key;
    const isOwn = hasOwnState(judgement, key);
    // Read even if the state has no holes: if a write was stored in part, the next member to leave would copy a stray
    // hole item. Such lists are few.
    const mustRead = !owner || isPipeline(owner) || isOwn;
    const pk = holesPartition(partition);
    const seen = this.#stateOf(list, members);
    const isDense = members.dense === members.top;
    if (!mustRead && typeof seen === 'object' && seen.left === 0 && isDense && seen.last === members.dense) {
      if (!judgement.items.isComplete || [...judgement.items.partition(pk)].length === 0) return;
    }
    // No event leaves a list.
    if (seen === 'without owner' && key.collection === events.name && isDense) return;
    if (seen === 'wanted' || !judgement.isRead(pk)) return;
    const stored = storedIndexList(judgement, list);
    const holes = readHoleItems(judgement, stored, isOwn ? members.top : undefined);
    const state = isOwn ? ownState(holes) : seen;
    this.#judgeEnd(list, members, state, holes);
    if (typeof state === 'object') judgeHoleItems(judgement, stored, state, holes);
    if (state === 'unknown' || (state === 'without owner' && key.collection !== events.name)) return;
    if (state === 'unreadable' || holes.isMalformed) return;
    this.#judgeRanks(list, members, typeof state === 'object' ? state : undefined, holes);
  }

  /** State of a list that has no state item; `wanted` if its former item was not read yet. */
  #stateOf(
    { key }: IndexList,
    { state }: Members,
  ): ListState | 'without owner' | 'unknown' | 'unreadable' | 'wanted' {
    const judgement = this.#judgement;
    const { owner } = key;
    if (!owner) return stateIn(judgement.head, listName(key));
    if (this.#unreadable.has(ownerName(owner))) return 'unreadable';
    const isEvents = key.collection === events.name;
    if (!judgement.isRecord(owner.collection, owner.number)) {
      if (owner.number > judgement.numbersOf(owner.collection).last) return 'unknown';
      const former = formerKey(judgement.organization, owner.collection, owner.number);
      if (isEvents) return 'without owner';
      if (!judgement.isRead(former.pk)) return 'wanted';
      if (!judgement.items.get(former)) return 'without owner';
    }
    return readState(state) ?? emptyList;
  }

  /** Judges whether the list is possible, and has no member beyond its last rank. */
  #judgeEnd(
    list: IndexList,
    { top, topNumber, claimants }: Members,
    state: ListState | 'without owner' | 'unknown' | 'unreadable',
    holes: HoleItems,
  ): void {
    const judgement = this.#judgement;
    const { key, partition } = list;
    const where = judgement.nameOf(key.collection, topNumber);
    const name = judgement.listNameOf(partition);
    const pk = holesPartition(partition);
    const [first] = judgement.items.partition(pk);
    if (state === 'unknown') {
      if (top > 0) judgement.add('list-unknown', where, `${where} is in ${name}, which was never there.`);
      else if (first) judgement.addUnknown({ pk, sk: String(first['sk']) });
    } else if (state === 'without owner') {
      const isEmpty = top === 0 && claimants === undefined;
      if (isEmpty && first && holes.buckets.size > 0) this.#addEnded(list, { pk, sk: String(first['sk']) });
    } else if (state !== 'unreadable' && top > state.last) {
      const sentence = `${where} has rank ${top} of ${name}, whose last rank is ${state.last}.`;
      const keys = [storedIndexList(judgement, list).stateHolderKey];
      judgement.add('rank-beyond', where, sentence, { keys, repair: this.#raiseLastRank(list, state) });
    }
  }

  #addEnded({ partition }: IndexList, key: Key): void {
    const judgement = this.#judgement;
    const where = keyName(key);
    judgement.add(
      'holes-unneeded',
      where,
      `${where} has holes of ${judgement.listNameOf(partition)}, which has ended: it has no owner and no members.`,
      {
        keys: [key],
        repair: {
          sentence: 'removes its hole items',
          addTo: (plan) => {
            for (const { sk } of [...judgement.items.partition(key.pk)].slice(0, maxRemoved))
              plan.remove({ pk: key.pk, sk: String(sk) });
          },
        },
      },
    );
  }

  /** Raises the list's last rank to that of a member. A member with a rank far beyond all others gets the next rank. */
  #raiseLastRank(list: IndexList, { last }: ListState): Repair {
    const judgement = this.#judgement;
    const { partition, key } = list;
    const { dense, later, top, topNumber } = this.#membersAt(partition);
    const name = judgement.listNameOf(partition);
    const bottom = Math.max(last, dense);
    const ranks = [...(later ?? [])].filter((rank) => rank > bottom).sort((one, other) => other - one);
    const nearest = ranks.find((rank, at) => rank <= (ranks[at + 1] ?? bottom) + bucketSize) ?? bottom;
    const sentence =
      nearest < top
        ? `makes ${judgement.nameOf(key.collection, topNumber)} the newest of ${name}`
        : `raises the last rank of ${name} to ${top}`;
    return {
      sentence,
      addTo: (plan) => {
        // Raised first, so that no other member has the next rank.
        rebuildHoles(plan, storedIndexList(judgement, list), { last: nearest });
        if (nearest < top) this.mover.moveToEnd(plan, list, topNumber);
      },
    };
  }

  /** Judges that each rank is either a member's or a hole. */
  #judgeRanks(list: IndexList, members: Members, state: ListState | undefined, holes: HoleItems): void {
    const judgement = this.#judgement;
    const { partition } = list;
    const isHole = new Set(ranksIn(holes));
    const last = Math.max(state?.last ?? 0, members.top);
    const missing: number[] = [];
    for (let rank = members.dense + 1; rank <= last && missing.length < maxMissing; rank++)
      if (!hasRank(members, rank) && !isHole.has(rank) && !members.misplaced?.has(rank)) missing.push(rank);
    members.vacant = missing;
    for (const rank of isHole)
      if (hasRank(members, rank) && this.#takenHoles.length < maxMissing)
        this.#takenHoles.push({ list, rank });
    if (missing.length === 0) return;
    const name = judgement.listNameOf(partition);
    const more = missing.length > maxNamed ? ' and more' : '';
    const sentence = `No member of ${name} has rank ${missing.slice(0, maxNamed).join(', ')}${more}, and it is no hole.`;
    const stored = storedIndexList(judgement, list);
    // Too far beyond every member for a last rank: the state is wrong.
    const repair =
      last > members.top + bucketSize
        ? undefined
        : {
            sentence: members.claimants
              ? 'gives it to a record that belongs there and has none, or makes it a hole'
              : 'makes it a hole',
            addTo: (plan: RepairPlan) => {
              rebuildHoles(plan, stored, { holes: missing });
            },
          };
    judgement.add('rank-missing', name, sentence, { keys: [stored.stateHolderKey], repair });
  }

  /** Adds a finding for each rank that is both a member's and a hole. Looks for the members' numbers. */
  #nameTakenHoles(): void {
    const judgement = this.#judgement;
    for (const [name, taken] of Map.groupBy(this.#takenHoles, ({ list }) => list.key.collection)) {
      const at = new Map(taken.map((one) => [`${one.list.partition} ${one.rank}`, one]));
      for (const item of judgement.items.partition(recordsPartition(judgement.organization, name))) {
        for (const { partition, rank, index } of positionsOf(item)) {
          const found = at.get(`${partition} ${rank}`);
          if (found?.list.key.index === index) this.#addTakenHole(found, Number(item['sk']));
        }
      }
    }
  }

  #addTakenHole({ list, rank }: TakenHole, number: number): void {
    const judgement = this.#judgement;
    const { partition, key } = list;
    if (this.#misplaced.has(`${partition} ${number}`)) return;
    const where = judgement.nameOf(key.collection, number);
    const name = judgement.listNameOf(partition);
    const stored = storedIndexList(judgement, list);
    judgement.add('rank-and-hole', where, `${where} has rank ${rank} of ${name}, but that rank is a hole.`, {
      keys: [holesKey(partition, bucketPositionOf(rank).bucket), stored.stateHolderKey],
      repair: {
        sentence: `removes the hole of ${where} from ${name}`,
        addTo: (plan) => {
          rebuildHoles(plan, stored, { members: [rank] });
        },
      },
    });
  }

  #membersAt(partition: string): Members {
    const name = partition.slice(this.#prefix.length);
    let members = this.#lists.get(name);
    if (members === undefined) this.#lists.set(name, (members = { dense: 0, top: 0, topNumber: 0 }));
    return members;
  }
}

/** Suffix of the partitions of hole items. */
const holesEnd = holesPartition('');

/** State of a list that certainly has members. */
const full: ListState = { last: 1, left: 0, newest: 0n };

const ownerName = ({ collection, number }: Owner): string => `${collection}#${number}`;

const ownState = ({ state }: HoleItems): ListState | 'unreadable' =>
  state ? (readState(state['state']) ?? 'unreadable') : emptyList;

/** False if the rank has a member already. */
function addRank(members: Members, rank: number): boolean {
  if (hasRank(members, rank)) return false;
  if (rank > members.dense + 1) (members.later ??= new Set()).add(rank);
  else members.dense++;
  while (members.later?.delete(members.dense + 1)) members.dense++;
  return true;
}

const hasRank = ({ dense, later }: Members, rank: number): boolean =>
  rank <= dense || (later?.has(rank) ?? false);
