import type { Commit } from './history.ts';
import type { Numbers } from './stored-lists.ts';

interface Member {
  /** Number of the record; undefined for a member that left before the run. */
  number: number | undefined;
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
 * A list in the order in which its members joined, at every version. The rank of a member is its position,
 * from 1.
 */
export class MemberList {
  readonly #members: Member[] = [];
  readonly #changes: ListChange[] = [];
  readonly #left = new Set<number>();
  /** Number of members that left each bucket since the service counts them. */
  counted: ReadonlyMap<number, number> = new Map();

  /** Number of members that ever joined. */
  get joined(): number {
    return this.#members.length;
  }

  get count(): number {
    return this.#members.length - this.#left.size;
  }

  get numbers(): Numbers {
    return { last: this.joined, left: this.#left.size, hasLeft: (rank) => this.#left.has(rank) };
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
   * Sets the state before the run: this many members had joined, and only these records, by rank, had stayed.
   */
  beginAfter(joined: number, stayed: ReadonlyMap<number, number>, commit: Commit): void {
    for (let rank = 1; rank <= joined; rank++) {
      const number = stayed.get(rank);
      this.#members.push({ number, from: 0, to: number === undefined ? 0 : Infinity });
      if (number === undefined) this.#left.add(rank);
    }
    this.#note(commit);
  }

  /**
   * States of the list, newest first, back to the last one that `isKnown` accepts. A read must not show an
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
      if (number === undefined || from > version || to <= version) continue;
      if (toSkip > 0) toSkip--;
      else numbers.push(number);
    }
    return numbers;
  }

  #note(commit: Commit): void {
    const { count } = this;
    const last = this.#changes.at(-1);
    if (last?.commit === commit) last.count = count;
    else this.#changes.push({ commit, count });
  }
}
