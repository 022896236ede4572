import {
  listName,
  parseListName,
  parseStateName,
  sortable,
  stateName,
} from '../../../../shared/ledger/internal/keys.ts';
import type { Fields } from '../same.ts';
import {
  bucketPositionOf,
  emptyList,
  formatState,
  lengthOf,
  withLeft,
  withNext,
  type ListState as StoredState,
} from '../../../../shared/ledger/internal/list-state.ts';
import { holeBits, increments } from '../../../../shared/ledger/internal/packed-numbers.ts';
import type { Commit } from './history.ts';

/** Attributes of the item with the holes of a bucket, given the ranks of all members that left. */
export function holesItem(left: Iterable<number>, bucket: number): Fields {
  const places = [...left].map(bucketPositionOf).filter((place) => place.bucket === bucket);
  const offsets = places.map(({ offset }) => offset);
  return Object.fromEntries(increments(holeBits, offsets));
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
  /** Ranks of the members that left. */
  readonly left = new Set<number>();
  #state = emptyList;

  /** Number of members that ever joined. */
  get joined(): number {
    return this.#members.length;
  }

  get count(): number {
    return lengthOf(this.#state);
  }

  /** State as the ledger stores it. */
  get state(): StoredState {
    return this.#state;
  }

  /** The same as of a version. */
  stateAt(version: number): StoredState {
    const joined = this.#members.filter(({ from }) => from <= version);
    return joined.reduce(
      (state, { to }, at) => (to <= version ? withLeft(state, at + 1) : state),
      joined.reduce((state) => withNext(state), emptyList),
    );
  }

  /** Version at which the member of a rank joined; infinite if no member has the rank. */
  versionOf(rank: number): number {
    return this.#members[rank - 1]?.from ?? Infinity;
  }

  join(number: number, commit: Commit): void {
    this.#members.push({ number, from: commit.version, to: Infinity });
    this.#state = withNext(this.#state);
    this.#note(commit);
  }

  leave(rank: number, commit: Commit): void {
    const member = this.#members[rank - 1];
    if (member?.to !== Infinity)
      throw new Error(`The model lets rank ${rank} leave a list that does not contain it`);
    member.to = commit.version;
    this.left.add(rank);
    this.#state = withLeft(this.#state, rank);
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
 * of the states that the record had; `stateOf` returns the state of a list after the change.
 */
export function formerLists(
  owner: string,
  { names, stateOf }: { names: readonly string[]; stateOf: (list: string) => StoredState },
): FormerLists {
  const lists = names
    .map((name) => ({ name, key: parseStateName(name)! }))
    // A record's events are kept forever, so their list leaves nothing behind.
    .filter(({ key }) => key.collection !== 'EVENT')
    .map(({ name, key }) => ({ name, list: `${owner.replace(' ', '#')}#${listName(key)}` }));
  if (lists.some(({ list }) => lengthOf(stateOf(list)) > 0)) {
    const states = Object.fromEntries(lists.map(({ name, list }) => [name, formatState(stateOf(list))]));
    return { states, staleHoles: [] };
  }
  const staleHoles = lists.flatMap(({ list }) => {
    const { last } = stateOf(list);
    const buckets = last === 0 ? 0 : bucketPositionOf(last).bucket + 1;
    return Array.from({ length: buckets }, (_, bucket) => `${list}#LIST ${sortable(bucket)}`);
  });
  return { states: undefined, staleHoles };
}
