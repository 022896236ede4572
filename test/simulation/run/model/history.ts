import type { Fields } from '../same.ts';

/** A committed transaction, as far as the past needs it. Times are virtual, in epoch milliseconds. */
export interface Commit {
  /** The version of the organization that it made. */
  readonly version: number;
  readonly decidedAt: number;
  /** When all of its items were there; infinite before. */
  completeAt: number;
}

/** What is stored of a record: what the domain knows of it, its places in lists, and what its unique values are compared as. */
export interface Stored {
  readonly fields: Fields;
  readonly views: Fields;
  readonly claimed?: Fields | undefined;
}

/** All that an item has but its keys and its revision. */
export const attributesOf = ({ fields, views, claimed }: Stored): Fields => ({
  ...fields,
  ...views,
  ...(claimed && { claimed }),
});

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

  /** The values that a read that began at `since` can have seen by now. */
  valuesSince(since: number): (Stored | undefined)[] {
    return this.spansSince(since).map(({ stored }) => stored);
  }

  /** The same, each with the versions of the organization in which it was the value. */
  spansSince(since: number): Span[] {
    const seen: Span[] = [];
    let to = Infinity;
    for (let at = this.#values.length - 1; at >= 0; at--) {
      const { commit, stored, shownAt } = this.#values[at]!;
      seen.push({ stored, from: commit.version, to });
      if (shownAt <= since) return seen;
      to = commit.version;
    }
    if (this.#isWhole) seen.push({ stored: undefined, from: 0, to });
    return seen;
  }
}
