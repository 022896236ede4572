import { History, type Commit, type Stored, type Value } from './history.ts';
import { idOf, padded, prefixes } from './ids.ts';
import { MemberList } from './member-list.ts';
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
  /** The number of its last event. */
  version = 0;
  /** The newest version that is known to be complete. */
  completeVersion = 0;
  /** The lists of the whole organization, whose lengths its head tells, by the name that it has for each. */
  readonly counted = new Map<string, MemberList>();
  readonly #items = new Map<string, History>();
  readonly #lists = new Map<string, MemberList>();
  readonly #unshown: { commit: Commit; items: Unshown[] }[] = [];

  constructor(code: string, country: string) {
    this.code = code;
    this.country = country;
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
      const isOwned = /#\d{12}#/.test(name);
      const ownName = name.slice(`ORG#${this.code}#`.length);
      if (!isOwned && ownName !== 'EVENT') this.counted.set(ownName, list);
    }
    return list;
  }

  collection(name: string): MemberList {
    return this.list(`ORG#${this.code}#${name}`);
  }

  /** The last number that a collection has given out. */
  lastOf(collection: string): number {
    return this.collection(collection).joined;
  }

  /** Every item that is there, by its name. */
  *stored(): Generator<[string, Stored]> {
    for (const [name, { last }] of this.#items) if (last) yield [name, last];
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
