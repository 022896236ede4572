import { createHmac } from 'node:crypto';
import { History, type Commit, type ListIndex, type Stored, type Value } from './history.ts';
import { numberOf, recordId, type IdPrefix, type OrganizationCode } from '../../../../shared/core/ids.ts';
import { sortable, uniqueKey, nameOfKey } from '../../../../shared/ledger/internal/keys.ts';
import { formatState } from '../../../../shared/ledger/internal/list-state.ts';
import { nextValues, type HeldValue } from '../../../../shared/ledger/internal/unique-values.ts';
import { MemberList, stateNameOf } from './lists.ts';
import { collections as ofService } from '../../../../infra/admin/table/collections.ts';
import type { Collection } from '../../../../shared/ledger/index.ts';
import { Rules, type ListName } from './rules.ts';
import type { Fields } from '../same.ts';

/** A written value that plain reads do not show yet. */
export interface Unshown {
  key: { pk: string; sk: string };
  /** Item in the database once the write is applied; undefined for a removal. */
  item: object | undefined;
  value: Value;
  history: History;
}

/** One organization, as its committed transactions made it: plain maps and arrays, with their recent past. */
export class OrganizationModel {
  readonly code: OrganizationCode;
  readonly country: string;
  readonly rules: Rules;
  /** Number of its last event. */
  version = 0;
  /** Newest version with all its items visible. */
  completeVersion = 0;
  /** Key of its hashes, from the head; empty before there is one. */
  hashKey = '';
  /** Name of the numbering of its events. */
  epoch = '';
  /** Version of the last write that changed its configuration; 0 before any did. */
  configuration = 0;
  /** Texts that were ever prepared from its configuration. */
  readonly prepared = new Set<string>();
  readonly belongings: Belongings = new Belongings(this);
  /** True if its table is slow: see `Conditions.isSlow`. */
  isSlow = false;
  /** Number of the lead that was deleted last; 0 before any was. */
  lastDeleted = 0;
  /** Number of the lead that was erased last; 0 before any was. */
  lastErased = 0;
  /** Ids of the leads with data on its way to a receiver of webhooks. */
  readonly beingSent = new Set<string>();
  /** Id of a lead with a receiver's answer that may be stored once more; empty for none. */
  answeredLate = '';
  /** Numbers, in E.164, that a client has opted out. */
  readonly optedOutByClients = new Set<string>();
  /** Lists with their state in the head, by their partitions. */
  readonly ofHead = new Map<string, MemberList>();
  readonly #items = new Map<string, History>();
  readonly #lists = new Map<string, MemberList>();
  readonly #unshown: { commit: Commit; items: Unshown[] }[] = [];

  constructor(code: OrganizationCode, country: string, collections: readonly Collection[] = ofService) {
    this.code = code;
    this.country = country;
    this.rules = new Rules(collections);
  }

  /** Hash of a text with its key (`data-model.md`). */
  hashed(text: string): string {
    return createHmac('sha256', Buffer.from(this.hashKey, 'base64')).update(text).digest('base64url');
  }

  /** Name of an item: its two keys. */
  nameOf(collection: string, number: number): string {
    return `ORG#${this.code}#${collection} ${sortable(number)}`;
  }

  /** Name of the item that holds a unique value of the whole organization, given in its compared form. */
  uniqueName(kind: string, folded: string): string {
    return nameOfKey(uniqueKey(this.code, { kind, folded }));
  }

  /** Unique values of a record, with the keys of the items that hold them. */
  uniquesOf(collection: string, record: Fields): HeldValue[] {
    const defined = this.rules.of(collection);
    return defined ? nextValues(this.code, defined, record, []) : [];
  }

  /** Public id of a record of a collection with a prefix. */
  idOf(collection: string, number: number): string {
    return recordId(this.prefixOf(collection)!, this.code, number);
  }

  /** Prefix of the public ids of a collection, or of users; undefined if the ids are numbers. */
  prefixOf(collection: string): IdPrefix | undefined {
    return collection === 'USER' ? 'user' : this.rules.of(collection)?.prefix;
  }

  /** Public id of a record. */
  publicIdOf(collection: string, number: number): string | number {
    if (collection === 'ORGANIZATION') return `org_${this.code}`;
    return this.prefixOf(collection) === undefined ? number : this.idOf(collection, number);
  }

  /** Number of a record from its public id; 0 for an impossible id. */
  numberOf(collection: string, id: unknown): number {
    if (collection === 'ORGANIZATION') return id === `org_${this.code}` ? 1 : 0;
    if (typeof id === 'number') return id;
    const prefix = this.prefixOf(collection);
    return (prefix && numberOf(prefix, this.code, String(id))) ?? 0;
  }

  get ownerId(): string {
    return this.userId(1);
  }

  userId(member: number): string {
    return this.idOf('USER', member);
  }

  history(name: string): History {
    let history = this.#items.get(name);
    if (!history) {
      history = new History();
      this.#items.set(name, history);
    }
    return history;
  }

  /** Record at the newest version. */
  record(collection: string, number: number): Fields | undefined {
    return this.#items.get(this.nameOf(collection, number))?.last?.fields;
  }

  /** List by the name of its partition: a collection's own list, or a list in an index. */
  list(name: string): MemberList {
    let list = this.#lists.get(name);
    if (!list) {
      list = new MemberList();
      this.#lists.set(name, list);
      if (this.keeperOf(name).is === 'head') this.ofHead.set(name, list);
    }
    return list;
  }

  /**
   * Item that stores the state of a list, and the state's name there. The head's version is the length of the
   * list of all events.
   */
  keeperOf(list: string): { is: 'head' | 'version' | 'own' | 'owner'; item: string; name: string } {
    const organization = `ORG#${this.code}`;
    const path = list.slice(organization.length + 1);
    const [, owner, number, name] = /^(\w+)#(\d{12})#(.+)$/s.exec(path) ?? [];
    if (this.rules.hasOwnState(list)) return { is: 'own', item: `${list}#LIST STATE`, name: path };
    if (name !== undefined)
      return { is: 'owner', item: `${organization}#${owner} ${number}`, name: stateNameOf(name) };
    return {
      is: path === 'EVENT' ? 'version' : 'head',
      item: `${organization} HEAD`,
      name: stateNameOf(path),
    };
  }

  collection(name: string): MemberList {
    return this.list(`ORG#${this.code}#${name}`);
  }

  /** Partition of a list in an index: records of a collection with the same owner, the same name, or both. */
  partitionOf(index: ListIndex, collection: string, { owner, name }: ListName): string {
    return [
      `ORG#${this.code}`,
      ...(owner ? [owner[0], sortable(owner[1])] : []),
      collection,
      index.slice(-1),
      ...(name === undefined ? [] : [name]),
    ].join('#');
  }

  /** Last number that a collection gave out. */
  lastOf(collection: string): number {
    return this.collection(collection).joined;
  }

  /** All numbers that a collection gave out. */
  numbersOf(collection: string): number[] {
    return Array.from({ length: this.lastOf(collection) }, (_, at) => at + 1);
  }

  /** Existing items, by name. */
  *stored(): Generator<[string, Stored]> {
    for (const [name, { last }] of this.#items) if (last) yield [name, last];
  }

  /** Items that existed at a version, except the head: by name, with the revision of each record. */
  *storedAt(version: number): Generator<[name: string, stored: Stored, revision: number]> {
    for (const [name, history] of this.#items) {
      const { stored, commit } = history.at(version) ?? {};
      if (stored && commit && !name.endsWith(' HEAD')) yield [name, stored, commit.version];
    }
  }

  /** List states in the head at a version. */
  headListsAt(version: number): Fields {
    const lists: Fields = {};
    for (const [partition, list] of this.ofHead) {
      const state = list.stateAt(version);
      if (state.last > 0) lists[this.keeperOf(partition).name] = formatState(state);
    }
    return lists;
  }

  /** Keeps the items of a transaction until plain reads show them. */
  awaitShown(commit: Commit, items: Unshown[]): void {
    this.#unshown.push({ commit, items });
  }

  /**
   * Records which items plain reads show by now. Called before every request, so that no request considers a
   * value newer than it is.
   */
  noteShown(now: number, itemAt: (key: { pk: string; sk: string }) => object | undefined): void {
    if (this.#unshown.length === 0) return;
    for (const { commit, items } of this.#unshown) {
      let left = 0;
      for (const one of items) {
        // A later transaction can be decided only after this one is applied.
        if (one.history.isLast(one.value) && itemAt(one.key) !== one.item) items[left++] = one;
        else one.value.shownAt = now;
      }
      items.length = left;
      if (left === 0) {
        commit.completeAt = now;
        this.completeVersion = Math.max(this.completeVersion, commit.version);
      }
    }
    let kept = 0;
    for (const one of this.#unshown) if (one.items.length > 0) this.#unshown[kept++] = one;
    this.#unshown.length = kept;
  }
}

/** Word of `someUniqueWord`, which occurs in one place only. */
const uniqueWordPattern = /~[0-9a-z]+~/g;

/** One item of a change, and its record if it is one. */
interface Kept {
  stored: Stored | undefined;
  record?: { collection: string; number: number };
}

/** Items of one lead, past and present. */
interface Belonging {
  /**
   * Names of its records' items: the lead, its inquiries with their sources, its threads and their messages, and its
   * appointments with their attendances.
   */
  readonly items: Set<string>;
  /** Unique words that were stored with it. */
  readonly uniqueWords: Set<string>;
}

/** Items of each lead of an organization, by everything ever stored, removed items included. */
export class Belongings {
  readonly #organization: OrganizationModel;
  readonly #byLead = new Map<number, Belonging>();
  readonly #leadOfItem = new Map<string, number>();
  readonly #leadsOfWord = new Map<string, Set<number>>();
  readonly #removedSms = new Set<unknown>();

  constructor(organization: OrganizationModel) {
    this.#organization = organization;
  }

  of(lead: number): Belonging {
    const belonging = this.#byLead.get(lead) ?? { items: new Set(), uniqueWords: new Set() };
    this.#byLead.set(lead, belonging);
    return belonging;
  }

  /** Unique words that were stored with no other lead, without their marks: a searched value has no marks. */
  wordsOfNoOtherLead(lead: number): string[] {
    const words = [...this.of(lead).uniqueWords].filter((word) => this.#leadsOfWord.get(word)?.size === 1);
    return words.map((word) => word.replaceAll('~', ''));
  }

  /** True if an SMS, by the provider's id, was stored and removed again. */
  wasSmsRemoved(providerId: string): boolean {
    return this.#removedSms.has(providerId);
  }

  /** Records the items of a change. Called before the change is applied. */
  note(items: ReadonlyMap<string, Kept>): void {
    for (const [name, { stored, record }] of items) {
      if (!record) continue;
      const { collection, number } = record;
      if (stored) this.#noteOwner(collection, number, stored.fields);
      else if (collection === 'LEAD') this.#organization.lastDeleted = number;
      else if (collection === 'MESSAGE')
        this.#removedSms.add(this.#organization.history(name).last?.fields['providerId']);
    }
    // A source's record names no lead: its inquiry does, in the same change.
    for (const [name, { stored }] of items) {
      const lead = this.#leadOfItem.get(name);
      if (lead !== undefined && stored) this.#noteUniqueWords(lead, stored.fields);
    }
  }

  #noteOwner(collection: string, number: number, fields: Fields): void {
    const organization = this.#organization;
    const own = (lead: number, name: string) => {
      this.#leadOfItem.set(name, lead);
      this.of(lead).items.add(name);
    };
    const name = organization.nameOf(collection, number);
    if (collection === 'LEAD') own(number, name);
    if (collection === 'INQUIRY' || collection === 'THREAD') {
      const lead = organization.numberOf('LEAD', fields['leadId']);
      own(lead, name);
      const source = String(fields['source']);
      if (collection === 'INQUIRY' && source !== 'SMS')
        own(lead, organization.nameOf(source, organization.numberOf(source, fields['sourceId'])));
    }
    if (collection === 'APPOINTMENT' && fields['leadId'] !== null)
      own(organization.numberOf('LEAD', fields['leadId']), name);
    const whole =
      collection === 'MESSAGE'
        ? organization.nameOf('THREAD', Number(fields['threadId']))
        : collection === 'ATTENDANCE'
          ? organization.nameOf('APPOINTMENT', organization.numberOf('APPOINTMENT', fields['appointmentId']))
          : '';
    const lead = this.#leadOfItem.get(whole);
    if (lead !== undefined) own(lead, name);
  }

  #noteUniqueWords(lead: number, fields: Fields): void {
    for (const [mark] of JSON.stringify(fields).matchAll(uniqueWordPattern)) {
      this.of(lead).uniqueWords.add(mark);
      const leads = this.#leadsOfWord.get(mark) ?? new Set();
      this.#leadsOfWord.set(mark, leads.add(lead));
    }
  }
}
