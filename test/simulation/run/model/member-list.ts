import type { Commit } from './history.ts';

interface Member {
  number: number;
  /** The versions at which it joined and left. */
  from: number;
  to: number;
}

interface ListChange {
  commit: Commit;
  /** How many members there were then. */
  count: number;
}

/** A list as it was at one version. */
export interface ListState {
  version: number;
  count: number;
}

/** A list in the order in which its members joined, as it was at every version. */
export class MemberList {
  readonly #members: Member[] = [];
  readonly #changes: ListChange[] = [];

  /** How many have ever joined. */
  get joined(): number {
    return this.#members.length;
  }

  get count(): number {
    return this.#changes.at(-1)?.count ?? 0;
  }

  join(number: number, commit: Commit): void {
    this.#members.push({ number, from: commit.version, to: Infinity });
    this.#note(commit, 1);
  }

  leave(number: number, commit: Commit): void {
    const member = this.#members.find((one) => one.number === number && one.to === Infinity);
    if (!member) throw new Error(`The model lets ${number} leave a list that it is not in`);
    member.to = commit.version;
    this.#note(commit, -1);
  }

  /** The states from the last one that `isKnown` accepts, which a read must show at least, up to now; newest first. */
  statesSince(isKnown: (commit: Commit) => boolean): ListState[] {
    const states: ListState[] = [];
    for (let at = this.#changes.length - 1; at >= 0; at--) {
      const { commit, count } = this.#changes[at]!;
      states.push({ version: commit.version, count });
      if (isKnown(commit)) return states;
    }
    states.push({ version: 0, count: 0 });
    return states;
  }

  /** The members on a page, newest first, of the list as it was at a version. */
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

  #note(commit: Commit, change: number): void {
    const count = this.count + change;
    const last = this.#changes.at(-1);
    if (last?.commit === commit) last.count = count;
    else this.#changes.push({ commit, count });
  }
}
