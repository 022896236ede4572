import {
  listName,
  parseListName,
  parseStateName,
  stateName,
} from '../../../../shared/ledger/internal/keys.ts';
import type { Fields } from '../same.ts';
import type { Commit } from './history.ts';
import { padded } from './ids.ts';

/** Numbers of a list per hole item: see `data-model.md`. */
const bucketSize = 4096;
/** A list's state contains the holes among this number of newest ranks. */
const windowSize = 128;
/** Number of bits used of a packed attribute. */
const wordBits = 52;

/** Ranks of a list's members. The first is 1. */
export interface Numbers {
  /** Last rank given out. */
  last: number;
  /** Number of members that left. */
  left: number;
  /** True if the member of this rank left. */
  hasLeft: (number: number) => boolean;
}

/** Stored state of a list, in the head, in its owner or in a separate item. */
export function stateText({ last, left, hasLeft }: Numbers): string {
  if (left === 0) return inBase36(last);
  const bytes: number[] = [];
  for (let first = 0; first < windowSize; first += 8) {
    let byte = 0;
    for (let bit = 0; bit < 8; bit++) if (hasLeft(last - first - bit)) byte += 2 ** bit;
    bytes.unshift(byte);
  }
  const start = bytes.findIndex((byte) => byte > 0);
  const window = start < 0 ? '' : `~${Buffer.from(bytes.slice(start)).toString('base64url')}`;
  return `${inBase36(last)}-${inBase36(left)}${window}`;
}

const inBase36 = (count: number) => count.toString(36).toUpperCase();

/** True if the number of holes is also counted by bucket. */
export const hasCounts = (last: number) => last > bucketSize;

export const bucketOf = (number: number) => Math.floor((number - 1) / bucketSize);

/** Attributes of the hole item of a bucket. */
export function holesItem({ hasLeft }: Numbers, bucket: number): Fields {
  const offsets = Array.from({ length: bucketSize }, (_, offset) => offset);
  const left = offsets.filter((offset) => hasLeft(bucket * bucketSize + offset + 1));
  return packed(
    1,
    left.map((offset) => [offset, 1]),
  );
}

/** Attributes of the item that counts holes: in total, and by bucket since the service counts them. */
export const countsItem = (left: number, counted: ReadonlyMap<number, number>): Fields => ({
  left,
  ...packed(13, [...counted]),
});

/** Packs small numbers into attributes of 52 bits, by position. */
function packed(bits: number, numbers: readonly (readonly [place: number, number: number])[]): Fields {
  const perWord = wordBits / bits;
  const words: Record<string, number> = {};
  for (const [place, number] of numbers) {
    const name = Math.floor(place / perWord)
      .toString(36)
      .toUpperCase();
    words[name] = (words[name] ?? 0) + number * 2 ** ((place % perWord) * bits);
  }
  return words;
}

interface Member {
  /** Number of the record. */
  number: number;
  /** Versions at which it joined and left. */
  from: number;
  to: number;
}

interface ListChange {
  commit: Commit;
  /** Number of members at that version. */
  count: number;
}

/** State of a list from one version on. */
export interface ListState {
  version: number;
  count: number;
  /** Version of the list's next change; infinite if a read of the list cannot show it. */
  end: number;
}

/**
 * The members of a list in the order of their joining, at every version. The rank of a member is its
 * position, from 1.
 */
export class MemberList {
  readonly #members: Member[] = [];
  readonly #changes: ListChange[] = [];
  readonly #left = new Set<number>();
  /** Number of members that left each bucket since the service counts them. */
  counted: ReadonlyMap<number, number> = new Map();

  /** Number of members that ever joined. */
  get joined(): number {
    return this.numbers.last;
  }

  get count(): number {
    const { last, left } = this.numbers;
    return last - left;
  }

  get numbers(): Numbers {
    return { last: this.#members.length, left: this.#left.size, hasLeft: (rank) => this.#left.has(rank) };
  }

  /** Numbers of the list as of a version. */
  numbersAt(version: number): Numbers {
    const joined = this.#members.filter(({ from }) => from <= version);
    const left = new Set(joined.flatMap(({ to }, at) => (to <= version ? [at + 1] : [])));
    return { last: joined.length, left: left.size, hasLeft: (rank) => left.has(rank) };
  }

  /** Version at which the member of a rank joined; infinite if no member has the rank. */
  versionOf(rank: number): number {
    return this.#members[rank - 1]?.from ?? Infinity;
  }

  join(number: number, commit: Commit): void {
    this.#members.push({ number, from: commit.version, to: Infinity });
    this.#note(commit);
  }

  leave(rank: number, commit: Commit): void {
    const member = this.#members[rank - 1];
    if (member?.to !== Infinity)
      throw new Error(`The model lets rank ${rank} leave a list that does not contain it`);
    member.to = commit.version;
    this.#left.add(rank);
    this.#note(commit);
  }

  /**
   * States of the list, newest first, back to the last state that `isKnown` accepts. A read must not show an
   * older state.
   */
  statesSince(isKnown: (commit: Commit) => boolean): ListState[] {
    const states: ListState[] = [];
    for (let at = this.#changes.length - 1; at >= 0; at--) {
      const { commit, count } = this.#changes[at]!;
      states.push({ version: commit.version, count, end: states.at(-1)?.version ?? Infinity });
      if (isKnown(commit)) return states;
    }
    states.push({ version: 0, count: 0, end: states.at(-1)?.version ?? Infinity });
    return states;
  }

  /** Members on a page, newest first, as of a version. */
  pageAt(version: number, { page, limit }: { page: number; limit: number }): number[] {
    const numbers: number[] = [];
    let toSkip = (page - 1) * limit;
    for (let at = this.#members.length - 1; at >= 0 && numbers.length < limit; at--) {
      const { number, from, to } = this.#members[at]!;
      if (from > version || to <= version) continue;
      if (toSkip > 0) toSkip--;
      else numbers.push(number);
    }
    return numbers;
  }

  /**
   * Records that were members at version `from` and are members since version `to` at the latest. `hasStayed` is false if
   * the record has left meanwhile, and has come back.
   */
  heldSince(from: number, to: number): { number: number; hasStayed: boolean }[] {
    const first = this.#members.filter((one) => one.from <= from && one.to > from);
    const before = new Map(first.map((one) => [one.number, one]));
    return this.#members
      .filter((one) => one.from <= to && one.to === Infinity && before.has(one.number))
      .map((one) => ({ number: one.number, hasStayed: before.get(one.number) === one }));
  }

  #note(commit: Commit): void {
    const { count } = this;
    const last = this.#changes.at(-1);
    if (last?.commit === commit) last.count = count;
    else this.#changes.push({ commit, count });
  }
}

/** Name of the item that remains of a record removed while its lists still had members. */
export const formerName = (owner: string): string => `${owner.replace(' ', '#')}#LIST STATE`;

/** Name of a list's state, from the end of the list's partition. */
export const stateNameOf = (list: string): string => stateName(parseListName(list)!);

/** Effect of a change on the lists of a removed record. */
export interface FormerLists {
  /** States of its lists; undefined if all are empty. */
  states: Fields | undefined;
  /** Names of hole items to remove because their list is empty. */
  staleHoles: readonly string[];
}

/**
 * Computes the remaining item of a removed record's lists (`data-model.md`, "Lists"). `names` are the names
 * of the states that the record had; `numbersOf` returns the numbers of a list after the change.
 */
export function formerLists(
  owner: string,
  { names, numbersOf }: { names: readonly string[]; numbersOf: (list: string) => Numbers },
): FormerLists {
  const lists = names
    .map((name) => ({ name, key: parseStateName(name)! }))
    // A record's events are kept forever, so their list leaves nothing behind.
    .filter(({ key }) => key.collection !== 'EVENT')
    .map(({ name, key }) => ({ name, list: `${owner.replace(' ', '#')}#${listName(key)}` }));
  const isAnybodyLeft = lists.some(({ list }) => numbersOf(list).last > numbersOf(list).left);
  if (isAnybodyLeft) {
    const states = Object.fromEntries(lists.map(({ name, list }) => [name, stateText(numbersOf(list))]));
    return { states, staleHoles: [] };
  }
  const notes = lists.flatMap(({ list }) => {
    const { last } = numbersOf(list);
    const buckets = Array.from({ length: last === 0 ? 0 : bucketOf(last) + 1 }, (_, bucket) =>
      padded(bucket),
    );
    return [...buckets, ...(hasCounts(last) ? ['COUNTS'] : [])].map((note) => `${list}#LIST ${note}`);
  });
  return { states: undefined, staleHoles: notes };
}
