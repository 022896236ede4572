import type { Fields } from '../same.ts';

/** A committed transaction. Times are virtual, in epoch milliseconds. */
export interface Commit {
  /** Version of the organization that it made. */
  readonly version: number;
  readonly decidedAt: number;
  /** Time at which all of its items were visible; infinite before. */
  completeAt: number;
}

export const listIndexes = ['gsi1', 'gsi2', 'gsi3', 'gsi4', 'gsi5'] as const;
export type ListIndex = (typeof listIndexes)[number];

/** Rank of a record in a list. The list is named as its partition in the index. */
export interface ListPosition {
  readonly list: string;
  readonly rank: number;
}

/** A stored item. */
export interface Stored {
  /** Fields that the domain gave it. */
  readonly fields: Fields;
  /** List positions, by index. */
  readonly listPositions?: ReadonlyMap<ListIndex, ListPosition>;
  /** Compared forms of its unique values. */
  readonly claimed?: Fields | undefined;
  /** States of the lists that it owns. */
  readonly lists?: Fields;
  /** Attributes that put it into the search indexes and the index of what is due. */
  readonly indexed?: Fields | undefined;
  /** Names of the records that a write stored or removed, sorted. Only the last event of a write has them. */
  readonly touched?: string;
  /**
   * Names of the records that show a touched record and are not touched themselves, sorted; undefined for
   * none.
   */
  readonly shown?: string | undefined;
}

/** All attributes of an item except its keys and its revision. */
export function attributesOf({
  fields,
  listPositions: places = new Map(),
  claimed,
  lists = {},
  indexed,
  touched,
  shown,
}: Stored): Fields {
  const inIndexes: Fields = { ...indexed };
  for (const [index, { list, rank }] of places) {
    inIndexes[`${index}pk`] = list;
    inIndexes[`${index}sk`] = rank;
  }
  return {
    ...fields,
    ...inIndexes,
    ...(claimed && { claimed }),
    ...(touched !== undefined && { touched }),
    ...(shown !== undefined && { shown }),
    ...(Object.keys(lists).length > 0 && { lists }),
  };
}

/** Sorts the records that an event or a request's item names, because their order is not guaranteed. */
export function inOrder(item: Fields): Fields {
  const sorted = { ...item };
  for (const name of ['touched', 'shown', 'records']) {
    const names = item[name];
    if (typeof names === 'string') sorted[name] = names.split(' ').sort().join(' ');
  }
  return sorted;
}

/** One value of an item; `stored` is undefined while the item did not exist. */
export interface Value {
  readonly commit: Commit;
  readonly stored: Stored | undefined;
  /** Time at which plain reads began to show it; infinite before. */
  shownAt: number;
}

/** A value, and the versions of the organization at which it was current; `to` is exclusive. */
export interface Span {
  stored: Stored | undefined;
  from: number;
  to: number;
}

/** All values of one item, oldest first. */
export class History {
  readonly #values: Value[] = [];

  get last(): Stored | undefined {
    return this.#values.at(-1)?.stored;
  }

  isLast(value: Value): boolean {
    return this.#values.at(-1) === value;
  }

  add(commit: Commit, stored: Stored | undefined): Value {
    const value = { commit, stored, shownAt: Infinity };
    this.#values.push(value);
    return value;
  }

  /**
   * Value at a version, with its commit; undefined before the first.
   */
  at(version: number): Value | undefined {
    return this.#values.findLast(({ commit }) => commit.version <= version);
  }

  /** Values from a version on, newest first, each with its versions. */
  spansFrom(version: number): Span[] {
    return this.spansSince(-Infinity).filter(({ to }) => to > version);
  }

  /** Values that a read which began at `since` can have shown by now. */
  valuesSince(since: number): (Stored | undefined)[] {
    return this.spansSince(since).map(({ stored }) => stored);
  }

  /** Values that a read which began at `since` can have shown by now, each with its versions. */
  spansSince(since: number): Span[] {
    const observed: Span[] = [];
    let to = Infinity;
    for (let at = this.#values.length - 1; at >= 0; at--) {
      const { commit, stored, shownAt } = this.#values[at]!;
      observed.push({ stored, from: commit.version, to });
      if (shownAt <= since) return observed;
      to = commit.version;
    }
    observed.push({ stored: undefined, from: 0, to });
    return observed;
  }
}
