import type { Fields } from '../same.ts';
import { changedDays, formatEntries } from '../../../../shared/ledger/internal/booked.ts';
import { nameOfKey, placeInDueIndex, sortable } from '../../../../shared/ledger/internal/keys.ts';
import {
  bucketPositionOf,
  formatState,
  withLeft,
  withNext,
  type ListState,
} from '../../../../shared/ledger/internal/list-state.ts';
import { foldedSearchables, searchAttributes } from '../../../../shared/ledger/internal/searchables.ts';
import { claimedIn, type HeldValue } from '../../../../shared/ledger/internal/unique-values.ts';
import { listIndexes, type Commit, type ListIndex, type ListPosition, type Stored } from './history.ts';
import type { Kept, RequestItem } from './keyed.ts';
import type { OrganizationModel } from './organization-model.ts';
import { Refused } from './refusal.ts';
import { formerLists, formerName, holesItem } from './lists.ts';
import { numberAtEnd } from './rules.ts';

/** One item of a change, in the form to be stored; `stored` is undefined for a removal. */
interface Planned {
  stored: Stored | undefined;
  /** Set if the item is a record. A record gets the number of the change's last event as revision. */
  record?: PlannedRecord;
}

interface PlannedRecord {
  collection: string;
  number: number;
  /** Lists that it must be in; undefined if its lists stay the same. */
  joined: readonly Joined[] | undefined;
  /** Index of the list where it becomes the newest member, even if it was in the list already. */
  anew: ListIndex | undefined;
}

/** Index and list that a record joins. */
export type Joined = readonly [index: ListIndex, list: string];

/** Changes of one list. */
interface ListChange {
  /** Numbers of the joining records, in order. */
  joins: number[];
  /** Ranks of the leaving members. */
  leaves: number[];
}

/** Attributes that the ledger adds to the fields of a record. */
const ofLedger = /^(revision|claimed|lists|touched|shown|gsi\d[ps]k)$/;

/** Items that follow from no record: grants, numbers, counts of a day, and notes of who was erased. */
const ofNoRecord = /^((TOKEN|NUMBER)#|ORG#\w+#(DAY|ERASED) )/;

/** Remaining item of a removed record. */
const formerItem = /#\d{12}#LIST STATE$/;

const fieldsIn = (item: Fields): Fields =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !ofLedger.test(name)));

/** Lists of an item, by index. */
const joinedIn = (item: Fields): Joined[] =>
  listIndexes.flatMap((index) => {
    const list = item[`${index}pk`];
    return typeof list === 'string' ? [[index, list] as const] : [];
  });

/** Inputs of a change that the model cannot compute. */
interface ChangeContext {
  now: string;
  userId: string;
  sentBy: Fields;
  written: ReadonlyMap<string, Fields | undefined>;
}

/** Expected contents of one transaction. The model is unchanged before `applyToLists`. */
export class Change {
  readonly organization: OrganizationModel;
  /** Time of the change, in the API's format. */
  readonly now: string;
  readonly userId: string;
  /** Token and request that its events name; empty without a request of the API. */
  readonly sentBy: Fields;
  /**
   * Items that its transaction writes, by name; undefined for a removed item. The service may choose how much
   * goes into one transaction. The model takes only that from here.
   */
  readonly written: ReadonlyMap<string, Fields | undefined>;
  readonly items = new Map<string, Planned>();
  readonly #lists = new Map<string, ListChange>();
  readonly #kept: string[] = [];
  #note: string | undefined;
  #events = 0;

  constructor(organization: OrganizationModel, { now, userId, sentBy, written }: ChangeContext) {
    this.organization = organization;
    this.written = written;
    this.now = now;
    this.userId = userId;
    this.sentBy = sentBy;
  }

  /** Version that it makes. */
  get version(): number {
    return this.organization.version + this.#events;
  }

  /** Fields of a record, including the changes made so far. */
  get(collection: string, number: number): Fields | undefined {
    const planned = this.items.get(this.organization.nameOf(collection, number));
    return planned ? planned.stored?.fields : this.organization.record(collection, number);
  }

  /** Number of the collection's next record. */
  next(collection: string): number {
    return this.#lastOf(this.#listOf(collection)) + 1;
  }

  /** Adds a record to its lists, or an event to these lists of events. */
  #append(collection: string, fields: Fields, ofEvent: readonly Joined[] = []): void {
    const number = this.next(collection);
    const joined = this.#listsOf(collection, fields) ?? ofEvent;
    this.#join(this.#listOf(collection), number);
    this.#plan({ collection, number, joined, anew: undefined }, undefined, fields);
  }

  /** Replaces a record. The record becomes the newest member of the list of the index `anew`. */
  #replace(collection: string, number: number, fields: Fields, anew: ListIndex | undefined): void {
    const joined = this.#listsOf(collection, fields) ?? [];
    this.#plan({ collection, number, joined, anew }, this.get(collection, number), fields);
  }

  #remove(collection: string, number: number): void {
    this.#plan({ collection, number, joined: [], anew: undefined }, this.get(collection, number), undefined);
    this.#leave(this.#listOf(collection), number);
  }

  #appendEvent(about: Fields, joined: readonly Joined[]): void {
    this.#events++;
    const { userId, sentBy, now, version } = this;
    this.#append('EVENT', { ...about, id: version, userId, ...sentBy, createdAt: now }, joined);
  }

  /**
   * Takes over the records, the events and the items of no organization from its transaction. The ledger's other items
   * follow from them. `movesUp`: a record may become the newest of a list where it was. Returns the names of the
   * records.
   */
  observe({ movesUp = false } = {}): [collection: string, number: number][] {
    const records = [...this.written.keys()].sort().flatMap((name): [string, number][] => {
      const [, collection = '', digits] = /^ORG#\w+#([A-Z]+) (\d{12})$/.exec(name) ?? [];
      const isRecord = collection === 'EVENT' || this.organization.rules.of(collection) !== undefined;
      return isRecord ? [[collection, Number(digits)]] : [];
    });
    for (const [collection, number] of this.#inOrder(records)) {
      const name = this.organization.nameOf(collection, number);
      const item = this.written.get(name);
      const fields = item && fieldsIn(item);
      if (!fields) this.#remove(collection, number);
      else if (collection === 'EVENT') this.#appendEvent(fields, joinedIn(item));
      else if (this.organization.record(collection, number))
        this.#replace(collection, number, fields, movesUp ? this.#movedUpIn(name, item) : undefined);
      else this.#append(collection, fields);
    }
    for (const [name, fields] of this.written) {
      if (ofNoRecord.test(name)) this.#put(name, fields);
      if (formerItem.test(name) && this.#isThere(name))
        this.#put(name, { ...this.#last(name), revision: this.version });
      if (name.startsWith(`ORG#${this.organization.code}#REQUEST `)) this.#observeKept(fields ?? {});
    }
    return records.filter(([collection]) => collection !== 'EVENT');
  }

  #last(name: string): Fields | undefined {
    return this.organization.history(name).last?.fields;
  }

  /** Index of the list where a record has another rank than before. */
  #movedUpIn(name: string, item: Fields): ListIndex | undefined {
    const before = this.organization.history(name).last?.listPositions;
    return listIndexes.find((index) => {
      const from = before?.get(index);
      return from && from.list === item[`${index}pk`] && from.rank !== item[`${index}sk`];
    });
  }

  /** Sorts records so that new members of a list come in the order of their ranks. */
  #inOrder(records: readonly (readonly [string, number])[]): [string, number][] {
    const rest = records.map(([collection, number]) => {
      const name = this.organization.nameOf(collection, number);
      const before = this.organization.history(name).last?.listPositions;
      const ranks = new Map<unknown, number>();
      for (const index of listIndexes) {
        const [list, rank] = [this.written.get(name)?.[`${index}pk`], this.written.get(name)?.[`${index}sk`]];
        const from = before?.get(index);
        if (list !== undefined && (from?.list !== list || from.rank !== rank)) ranks.set(list, Number(rank));
      }
      return { collection, number, ranks };
    });
    const sorted: [string, number][] = [];
    while (rest.length > 0) {
      const isFirst = ({ ranks }: (typeof rest)[number]) =>
        [...ranks].every(([list, rank]) =>
          rest.every((other) => (other.ranks.get(list) ?? Infinity) >= rank),
        );
      const at = Math.max(0, rest.findIndex(isFirst));
      const [{ collection, number } = { collection: '', number: 0 }] = rest.splice(at, 1);
      sorted.push([collection, number]);
    }
    return sorted;
  }

  /** Names in the item of the request's key the existing records that the transaction names. */
  #observeKept({ records, note }: Fields): void {
    for (const text of String(records).split(' ')) {
      const [, item, collection = '', number, version] = /^(?:(\d+):)?(\w+)#(\d+)@(\d+)$/.exec(text) ?? [];
      const isThere = this.#isThere(this.organization.nameOf(collection, Number(number)));
      if (isThere && Number(version) === this.version)
        this.#kept.push(`${item === undefined ? '' : `${item}:`}${collection}#${number}`);
    }
    if (note !== '') this.#note = String(note);
  }

  /** Positions in a batch of the items that it stores. */
  get keptItems(): string[] {
    return this.#kept.flatMap((name) => /^\d+(?=:)/.exec(name)?.[0] ?? []);
  }

  /** Stores or removes an item that is no record. */
  #put(name: string, fields: Fields | undefined): void {
    this.items.set(name, { stored: fields && { fields } });
  }

  /**
   * Stores the item of the request's key, which names records that the change stores. Returns what is kept from
   * then on.
   */
  storeRequest({ name, fingerprint }: RequestItem, before: Kept | undefined): Omit<Kept, 'made'> {
    if (before && this.#kept.length === 0 && this.#note === undefined) return before;
    const note = this.#note ?? before?.note ?? '';
    const records = [...(before?.records ?? []), ...this.#kept.map((one) => `${one}@${this.version}`)];
    const expiresAtSecond = before?.expiresAtSecond ?? Math.floor(Date.parse(this.now) / 1000) + 86_400;
    const kept = { records: [...records].sort().join(' '), note, revision: this.version };
    this.#put(name, { fingerprint, ...kept, expiresAtSecond });
    return { records, note, expiresAtSecond };
  }

  /** Completes the change: moves its records among lists, and adds the stored states of the changed lists. */
  complete(): void {
    for (const planned of [...this.items.values()]) {
      if (planned.record) this.#move(planned, planned.record);
    }
    this.#bookDays();
    for (const [list, { joins, leaves }] of this.#lists) {
      const { is, item } = this.organization.keeperOf(list);
      if (is === 'owner' && joins.length > 0 && !list.includes('#EVENT#') && !this.#isThere(item))
        throw new Refused(`nobody joins the list ${list} of a record that is gone`);
      this.#storeState(list);
      if (leaves.length > 0) this.#noteHoles(list, leaves);
    }
    for (const [owner, names] of this.#formerOwners()) this.#storeFormer(owner, names);
    this.#storeTouched();
  }

  /** Lists that the head must store, unchanged ones included. */
  get headLists(): Fields {
    const lists: Fields = {};
    for (const [list, { joined }] of this.organization.ofHead)
      if (joined > 0 || this.#lists.has(list))
        lists[this.organization.keeperOf(list).name] = formatState(this.#stateOf(list));
    return lists;
  }

  /** Revisions that the head must store for this change. */
  get notedRevisions(): Fields {
    const hot = [...this.items.values()].flatMap(({ record }) =>
      record && this.organization.rules.of(record.collection)?.hasHotRecord ? [record.collection] : [],
    );
    return Object.fromEntries(hot.map((collection) => [collection, this.version]));
  }

  /** Version of the last write that changed the configuration, after this change; 0 before any did. */
  get configuration(): number {
    const isChanged = [...this.items.values()].some(
      ({ record }) => record && this.organization.rules.of(record.collection)?.isConfiguration,
    );
    return isChanged ? this.version : this.organization.configuration;
  }

  /** Applies the change to the model's lists. */
  applyToLists(commit: Commit): void {
    for (const [name, { joins, leaves }] of this.#lists) {
      const list = this.organization.list(name);
      for (const number of joins) list.join(number, commit);
      for (const rank of leaves) list.leave(rank, commit);
    }
  }

  #listOf(collection: string): string {
    return `ORG#${this.organization.code}#${collection}`;
  }

  /** Lists that follow from a record's fields; undefined for an event. */
  #listsOf(collection: string, fields: Fields): Joined[] | undefined {
    const { organization } = this;
    return organization.rules
      .listsOf(collection, fields)
      ?.map(([index, name]) => [index, organization.partitionOf(index, collection, name)]);
  }

  #listChange(list: string): ListChange {
    const change = this.#lists.get(list) ?? { joins: [], leaves: [] };
    this.#lists.set(list, change);
    return change;
  }

  #lastOf(list: string): number {
    return this.organization.list(list).joined + (this.#lists.get(list)?.joins.length ?? 0);
  }

  #join(list: string, number: number): number {
    this.#listChange(list).joins.push(number);
    return this.#lastOf(list);
  }

  #leave(list: string, rank: number): void {
    this.#listChange(list).leaves.push(rank);
  }

  /** State of a list after this change. */
  #stateOf(list: string): ListState {
    const { joins = [], leaves = [] } = this.#lists.get(list) ?? {};
    const joined = joins.reduce((state) => withNext(state), this.organization.list(list).state);
    return leaves.reduce((state, rank) => withLeft(state, rank), joined);
  }

  #plan(record: PlannedRecord, before: Fields | undefined, fields: Fields | undefined): void {
    const { collection, number } = record;
    const { organization } = this;
    const claimed = this.#moveUniques(collection, before, fields);
    const defined = organization.rules.of(collection);
    const due = fields && defined?.due?.(fields);
    const indexed = fields &&
      defined && {
        ...searchAttributes(
          organization.code,
          { collection: defined, number },
          foldedSearchables(defined, fields),
        ),
        ...(due && placeInDueIndex(organization.code, due)),
      };
    const stored = fields && { fields, claimed, indexed };
    this.items.set(organization.nameOf(collection, number), { stored, record });
  }

  /** Moves a record from its former lists to its new ones. */
  #move(planned: Planned, { collection, number, joined, anew }: PlannedRecord): void {
    const { last } = this.organization.history(this.organization.nameOf(collection, number));
    const wanted = joined && new Map(joined);
    const places = new Map<ListIndex, ListPosition>();
    for (const index of listIndexes) {
      const from = last?.listPositions?.get(index);
      const to = wanted ? wanted.get(index) : from?.list;
      if (from && from.list === to && index !== anew) {
        places.set(index, from);
        continue;
      }
      if (from) this.#leave(from.list, from.rank);
      if (to !== undefined) places.set(index, { list: to, rank: this.#join(to, number) });
    }
    if (planned.stored)
      planned.stored = { ...planned.stored, listPositions: places, lists: last?.lists ?? {} };
  }

  /** Adds the state of a list to the item that stores it. The head is compared separately. */
  #storeState(list: string): void {
    const { is, item, name } = this.organization.keeperOf(list);
    const state = formatState(this.#stateOf(list));
    if (is === 'own') this.#put(item, { state });
    if (is !== 'owner') return;
    const planned = this.items.get(item);
    const stored = planned ? planned.stored : this.organization.history(item).last;
    // A removed owner's remaining item is added in `complete`.
    if (!stored) return;
    const [, collection = '', number] = /#(\w+) (\d+)$/.exec(item) ?? [];
    const record = planned?.record ?? {
      collection,
      number: Number(number),
      joined: undefined,
      anew: undefined,
    };
    this.items.set(item, { stored: { ...stored, lists: { ...stored.lists, [name]: state } }, record });
  }

  /**
   * Owners with lists that change: records that this change removes, and records removed earlier. Each with
   * the names of its lists.
   */
  #formerOwners(): Map<string, readonly string[]> {
    const owners = new Map<string, readonly string[]>();
    const note = (owner: string, lists: unknown) => {
      if (lists) owners.set(owner, Object.keys(lists));
    };
    for (const [name, { stored, record }] of this.items) {
      if (record && !stored) note(name, this.organization.history(name).last?.lists ?? {});
    }
    for (const list of this.#lists.keys()) {
      const { is, item } = this.organization.keeperOf(list);
      if (is !== 'owner' || this.#isThere(item) || owners.has(item)) continue;
      note(item, this.organization.history(formerName(item)).last?.fields['lists']);
    }
    return owners;
  }

  /** Keeps the list states of a removed record while any of its lists has members, and nothing of a lead for a day more. */
  #storeFormer(owner: string, names: readonly string[]): void {
    const stateOf = (list: string) => this.#stateOf(list);
    const { states, staleHoles } = formerLists(owner, { names, stateOf });
    const name = formerName(owner);
    const isErased = /#LEAD \d+$/.test(owner) && this.#isThere(name);
    const expiresAtSecond = Math.floor(Date.parse(this.now) / 1000) + 86_400;
    const ended = isErased ? { lists: {}, revision: this.version, expiresAtSecond } : undefined;
    this.#put(name, states ? { lists: states, revision: this.version } : ended);
    for (const note of staleHoles) this.#put(note, undefined);
  }

  /**
   * Adds to the last event the names of all stored and removed records, and of other records that show them.
   */
  #storeTouched(): void {
    const shown = new Set<string>();
    const touched = [...this.items].flatMap(([name, { stored, record }]) => {
      if (!record || record.collection === 'EVENT') return [];
      const last = stored ?? this.organization.history(name).last;
      if (!last) return [];
      const shower = this.organization.rules.of(record.collection)?.shownIn?.(last.fields);
      if (shower) shown.add(`${shower.collection.name}#${numberAtEnd(shower.id)}`);
      return [`${stored ? '' : '-'}${record.collection}#${record.number}`];
    });
    const others = [...shown].filter((name) => !touched.includes(name) && !touched.includes(`-${name}`));
    const last = this.items.get(this.organization.nameOf('EVENT', this.version));
    const names = others.length > 0 ? others.sort().join(' ') : undefined;
    if (last?.stored) last.stored = { ...last.stored, touched: touched.sort().join(' '), shown: names };
  }

  /** Changes the items of the days on which records book other time than before. */
  #bookDays(): void {
    const { organization } = this;
    for (const [name, { stored, record }] of [...this.items]) {
      if (!record) continue;
      const defined = organization.rules.of(record.collection);
      const [had, has] = [organization.history(name).last?.fields, stored?.fields].map(
        (fields) => fields && defined?.booked?.(fields),
      );
      for (const [date, entry] of changedDays(record.number, had, has)) {
        const item = `ORG#${organization.code}#BOOKED ${date}`;
        const planned = this.items.get(item);
        const before = (planned ? planned.stored : organization.history(item).last)?.fields['booked'];
        const booked = withEntry(before as string | undefined, record.number, entry);
        this.#put(item, booked === '' ? undefined : { booked, revision: this.version });
      }
    }
  }

  /** True if a record exists after the change. */
  #isThere(name: string): boolean {
    const planned = this.items.get(name);
    return (planned ? planned.stored : this.organization.history(name).last) !== undefined;
  }

  /** Adds the hole items of the buckets with these ranks. */
  #noteHoles(list: string, leaves: readonly number[]): void {
    const left = [...this.organization.list(list).left, ...leaves];
    for (const bucket of new Set(leaves.map((rank) => bucketPositionOf(rank).bucket)))
      this.#put(`${list}#LIST ${sortable(bucket)}`, holesItem(left, bucket));
  }

  /**
   * Moves the unique values of a record to its new fields. Returns the attribute that the record's item gets
   * for them. @throws Refused if another record has one of the values
   */
  #moveUniques(
    collection: string,
    before: Fields | undefined,
    after: Fields | undefined,
  ): Fields | undefined {
    const [had, has] = [this.#valuesOf(collection, before), this.#valuesOf(collection, after)];
    const id = (before ?? after)?.['id'];
    for (const name of has.keys()) {
      const planned = this.items.get(name);
      const holder = (planned ? planned.stored : this.organization.history(name).last)?.fields['id'];
      if (holder !== undefined && holder !== id) throw new Refused(`${name} is taken by ${holder as string}`);
    }
    // A value that differs only in case keeps its item.
    for (const name of had.keys()) if (!has.has(name)) this.#put(name, undefined);
    for (const name of has.keys()) if (!had.has(name)) this.#put(name, { id });
    return claimedIn([...has.values()]).claimed;
  }

  /** Unique values of a record, by the names of the items that hold them. */
  #valuesOf(collection: string, fields: Fields | undefined): Map<string, HeldValue> {
    const values = fields ? this.organization.uniquesOf(collection, fields) : [];
    return new Map(values.map((value) => [nameOfKey(value.key), value]));
  }
}

/** Replaces the entry of an appointment in the text of a day, or removes it. */
function withEntry(text = '', number: number, entry: string | undefined): string {
  const known = text.split(' ').filter((one) => one !== '');
  const entries = new Map(known.map((one) => [parseInt(one), one]));
  if (entry === undefined) entries.delete(number);
  else entries.set(number, entry);
  return formatEntries(entries);
}
