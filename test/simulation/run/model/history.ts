import type { Fields } from '../same.ts';

/** A committed transaction, as far as the past needs it. Times are virtual, in epoch milliseconds. */
export interface Commit {
  /** The version of the organization that it made. */
  readonly version: number;
  readonly decidedAt: number;
  /** When all of its items were there; infinite before. */
  completeAt: number;
}

/** The indexes of lists. */
export const listIndexes = ['gsi1', 'gsi2', 'gsi3', 'gsi4', 'gsi5'] as const;
export type ListIndex = (typeof listIndexes)[number];

/** A record's place in a list, which an index has by the name of its partition. */
export interface ListPosition {
  readonly list: string;
  readonly rank: number;
}

/** The indexes in which records are found by the beginning of a text. */
export const searchIndexes = ['gsi6', 'gsi7', 'gsi8'] as const;

/** A record's place in an index of texts. */
export interface SearchPosition {
  readonly index: (typeof searchIndexes)[number];
  readonly partition: string;
  readonly key: string;
}

/** What is stored of an item. */
export interface Stored {
  /** What the domain knows of it. */
  readonly fields: Fields;
  /** Its places in lists, by index. */
  readonly listPositions?: ReadonlyMap<ListIndex, ListPosition>;
  /** What its unique values are compared as. */
  readonly claimed?: Fields | undefined;
  /** What it tells of the lists that it owns. */
  readonly lists?: Fields;
  /** Where it is found by its texts. */
  readonly searchPositions?: readonly SearchPosition[] | undefined;
  /** Of the last event of a write: the records that the write stored or removed, in the order of their names. */
  readonly touched?: string;
  /** Where and when it is due. */
  readonly due?: { partition: string; at: string } | undefined;
}

/** All that an item has but its keys and its revision. */
export function attributesOf({
  fields,
  listPositions: places = new Map(),
  claimed,
  lists = {},
  searchPositions: texts = [],
  touched,
  due,
}: Stored): Fields {
  const inIndexes: Fields = due ? { gsi9pk: due.partition, gsi9sk: due.at } : {};
  for (const [index, { list, rank }] of places) {
    inIndexes[`${index}pk`] = list;
    inIndexes[`${index}sk`] = rank;
  }
  for (const { index, partition, key } of texts) {
    inIndexes[`${index}pk`] = partition;
    inIndexes[`${index}sk`] = key;
  }
  return {
    ...fields,
    ...inIndexes,
    ...(claimed && { claimed }),
    ...(touched !== undefined && { touched }),
    ...(Object.keys(lists).length > 0 && { lists }),
  };
}

/** An item's attributes, with what an event tells of other records in the order of their names: no order is promised. */
export function inOrder(item: Fields): Fields {
  const { touched } = item;
  return typeof touched === 'string' ? { ...item, touched: touched.split(' ').sort().join(' ') } : item;
}

/** One value that an item had; `stored` is undefined where it was not there. */
export interface Value {
  readonly commit: Commit;
  readonly stored: Stored | undefined;
  /** When plain reads began to show it; infinite before. */
  shownAt: number;
}

/** A value, from one version of the organization on and before another. */
export interface Span {
  stored: Stored | undefined;
  from: number;
  to: number;
}

/** The values that one item had, oldest first, back to the oldest that a running request can have seen. */
export class History {
  readonly #values: Value[] = [];
  #isWhole = true;

  get last(): Stored | undefined {
    return this.#values.at(-1)?.stored;
  }

  isLast(value: Value): boolean {
    return this.#values.at(-1) === value;
  }

  /** Nothing asks for what was shown no longer at `horizon`. */
  add(commit: Commit, stored: Stored | undefined, horizon: number): Value {
    const value = { commit, stored, shownAt: Infinity };
    this.#values.push(value);
    while (this.#values.length > 1 && this.#values[1]!.shownAt <= horizon) {
      this.#values.shift();
      this.#isWhole = false;
    }
    return value;
  }

  /** What it was at a version, with the commit that made it so; undefined before the first. Needs a run that keeps all values. */
  at(version: number): Value | undefined {
    return this.#values.findLast(({ commit }) => commit.version <= version);
  }

  /** The values that a read that began at `since` can have seen by now. */
  valuesSince(since: number): (Stored | undefined)[] {
    return this.spansSince(since).map(({ stored }) => stored);
  }

  /** The same, each with the versions of the organization in which it was the value. */
  spansSince(since: number): Span[] {
    const observed: Span[] = [];
    let to = Infinity;
    for (let at = this.#values.length - 1; at >= 0; at--) {
      const { commit, stored, shownAt } = this.#values[at]!;
      observed.push({ stored, from: commit.version, to });
      if (shownAt <= since) return observed;
      to = commit.version;
    }
    if (this.#isWhole) observed.push({ stored: undefined, from: 0, to });
    return observed;
  }
}
