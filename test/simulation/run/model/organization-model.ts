import { Belongings } from './belongings.ts';
import {
  History,
  type Commit,
  type ListIndex,
  type Stored,
  type SearchPosition,
  type Value,
} from './history.ts';
import { idOf, numberIn, padded, prefixes } from './ids.ts';
import { MemberList } from './member-list.ts';
import { serviceRules, type Rules } from './rules.ts';
import { stateText } from './stored-lists.ts';
import type { Fields } from '../same.ts';

/** A value that is written and that plain reads do not show yet. */
export interface Unshown {
  key: { pk: string; sk: string };
  /** The item as the database has it once it is applied; undefined where it is to go. */
  item: object | undefined;
  value: Value;
  history: History;
}

/** One organization, as its committed transactions made it: plain maps and arrays, and what they were of late. */
export class OrganizationModel {
  readonly code: string;
  readonly country: string;
  readonly rules: Rules;
  /** The number of its last event. */
  version = 0;
  /** The newest version that is known to be complete. */
  completeVersion = 0;
  /** The key of its hashes, as the head has it; empty before there is one. */
  hashKey = '';
  /** What belongs to each of its leads. */
  readonly belongings: Belongings = new Belongings(this);
  /** The lead that was deleted last; 0 before there was one. */
  lastDeleted = 0;
  /** The lists that its head tells of, by the name that it has for each. */
  readonly ofHead = new Map<string, MemberList>();
  readonly #items = new Map<string, History>();
  readonly #lists = new Map<string, MemberList>();
  readonly #unshown: { commit: Commit; items: Unshown[] }[] = [];

  constructor(code: string, country: string, rules: Rules = serviceRules) {
    this.code = code;
    this.country = country;
    this.rules = rules;
  }

  /** The name of an item: its two keys. */
  nameOf(collection: string, number: number): string {
    return `ORG#${this.code}#${collection} ${padded(number)}`;
  }

  /** The name of the item that holds a unique value, given as it is compared. */
  uniqueName(kind: string, folded: string, within?: number): string {
    const parts = [kind, ...(within === undefined ? [] : [padded(within)]), folded];
    return `ORG#${this.code}#UNIQUE ${parts.join('#')}`;
  }

  idOf(collection: string, number: number): string {
    return idOf(prefixes[collection] ?? '', this.code, number);
  }

  /** The number of a record, from its id as the API shows it; 0 for what can be none. */
  numberOf(collection: string, id: unknown): number {
    return typeof id === 'number' ? id : numberIn(id, prefixes[collection] ?? '', this.code);
  }

  get ownerId(): string {
    return this.userId(1);
  }

  userId(member: number): string {
    return idOf('user', this.code, member);
  }

  history(name: string): History {
    let history = this.#items.get(name);
    if (!history) {
      history = new History();
      this.#items.set(name, history);
    }
    return history;
  }

  /** A record as the newest version has it. */
  record(collection: string, number: number): Fields | undefined {
    return this.#items.get(this.nameOf(collection, number))?.last?.fields;
  }

  /** A list by the name of its partition: a collection's own, or an index's. */
  list(name: string): MemberList {
    let list = this.#lists.get(name);
    if (!list) {
      list = new MemberList();
      this.#lists.set(name, list);
      const keeper = this.keeperOf(name);
      if (keeper.is === 'head') this.ofHead.set(keeper.name, list);
    }
    return list;
  }

  /** Which item tells of a list, and by which name it does. Of the list of all events the head's version does. */
  keeperOf(list: string): { is: 'head' | 'version' | 'own' | 'owner'; item: string; name: string } {
    const organization = `ORG#${this.code}`;
    const path = list.slice(organization.length + 1);
    const [, owner, number, name] = /^(\w+)#(\d{12})#(.+)$/s.exec(path) ?? [];
    if (this.rules.hasOwnState(list)) return { is: 'own', item: `${list}#LIST STATE`, name: path };
    if (name !== undefined) return { is: 'owner', item: `${organization}#${owner} ${number}`, name };
    return { is: path === 'EVENT' ? 'version' : 'head', item: `${organization} HEAD`, name: path };
  }

  collection(name: string): MemberList {
    return this.list(`ORG#${this.code}#${name}`);
  }

  /** The partition, in an index, of the list of a collection's records that one record owns, or that share a name, or both. */
  partitionOf(
    index: ListIndex | SearchPosition['index'],
    collection: string,
    { owner, name }: { owner?: readonly [collection: string, number: number]; name?: string | undefined },
  ): string {
    return [
      `ORG#${this.code}`,
      ...(owner ? [owner[0], padded(owner[1])] : []),
      collection,
      index.slice(-1),
      ...(name === undefined ? [] : [name]),
    ].join('#');
  }

  /** The last number that a collection has given out. */
  lastOf(collection: string): number {
    return this.collection(collection).joined;
  }

  /** Every item that is there, by its name. */
  *stored(): Generator<[string, Stored]> {
    for (const [name, { last }] of this.#items) if (last) yield [name, last];
  }

  /**
   * Every item that was there at a version, but the head: by its name, with its revision where it is a record. Needs a run that
   * keeps all values (`EpisodeOptions.beside`).
   */
  *storedAt(version: number): Generator<[name: string, stored: Stored, revision: number]> {
    for (const [name, history] of this.#items) {
      const { stored, commit } = history.at(version) ?? {};
      if (stored && commit && !name.endsWith(' HEAD')) yield [name, stored, commit.version];
    }
  }

  /** What the head told of its lists at a version. */
  headListsAt(version: number): Fields {
    const lists: Fields = {};
    for (const [name, list] of this.ofHead) {
      const numbers = list.numbersAt(version);
      if (numbers.last > 0) lists[name] = stateText(numbers);
    }
    return lists;
  }

  /** Notes what a transaction has written, until plain reads show it. */
  awaitShown(commit: Commit, items: Unshown[]): void {
    this.#unshown.push({ commit, items });
  }

  /** Notes what plain reads show by now. Called before every request, so no request takes a value for newer than it is. */
  noteShown(now: number, itemAt: (key: { pk: string; sk: string }) => object | undefined): void {
    if (this.#unshown.length === 0) return;
    for (const { commit, items } of this.#unshown) {
      let left = 0;
      for (const one of items) {
        // A later transaction can be decided only once this one is applied.
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
