import { Violation } from '../violation.ts';

/** A commit of a request, with the body that the model expects in a response from then on. */
export interface Made {
  version: number;
  at: number;
  response: unknown;
}

/** Effect of a request with an `Idempotency-Key`, for as long as the service keeps it. */
export interface Kept {
  /** Commits: one, or some of a batch or an SMS. */
  readonly made: readonly Made[];
  /** Records that its item names: `LEAD#5@7`, or `3:LEAD#5@7` for an item of a batch. */
  readonly records: readonly string[];
  /** Outcome that no record tells; empty if there is none. */
  readonly note: string;
  readonly expiresAtSecond: number;
}

/** Item of a request with a key. The model takes its name and fingerprint from the first commit. */
export interface RequestItem {
  name: string;
  fingerprint: unknown;
}

/** All requests that a client sends with one `Idempotency-Key`. */
export class Keyed {
  readonly key: string;
  item: RequestItem | undefined;
  #kept: Kept | undefined;

  constructor(key: string) {
    this.key = key;
  }

  /** Effect that is kept at this time, by the asker's clock. */
  keptAt(now: number): Kept | undefined {
    return this.#kept && this.#kept.expiresAtSecond > Math.floor(now / 1000) ? this.#kept : undefined;
  }

  /** Effect that is kept while a request runs. */
  keptFor({ startedAt, skew }: { startedAt: number; skew: number }): Kept | undefined {
    return this.keptAt(startedAt + skew);
  }

  note(item: RequestItem, kept: Kept): void {
    this.item = item;
    this.#kept = kept;
  }
}

/** Violation of a second effect. */
export const secondEffect = (first: unknown, observed: unknown): Violation =>
  new Violation('Requests with one key must have one effect within 24 hours', first, observed);
