import type { VirtualTime } from './virtual-time.ts';
import type { WriteOperation } from './write-operations.ts';

/** How long DynamoDB remembers the token of a transaction that it has carried out. */
const kept = 10 * 60_000;

interface RememberedToken {
  operations: readonly WriteOperation[];
  /** When it is forgotten; infinite while the transaction is being carried out. */
  until: number;
}

/** The client request tokens of the transactions of the last ten minutes. */
export class RequestTokens {
  readonly #time: VirtualTime;
  /** Those that are done in the order in which they end. */
  readonly #remembered = new Map<string, RememberedToken>();

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** Notes that a transaction begins, if it is new. */
  begin(
    token: string,
    operations: readonly WriteOperation[],
  ): 'new' | 'in progress' | 'done' | 'other parameters' {
    this.#forgetOld();
    const remembered = this.#remembered.get(token);
    if (!remembered) {
      this.#remembered.set(token, { operations, until: Infinity });
      return 'new';
    }
    // Seldom, so the text is not made for every transaction.
    if (JSON.stringify(remembered.operations) !== JSON.stringify(operations)) return 'other parameters';
    return remembered.until === Infinity ? 'in progress' : 'done';
  }

  /** Notes that a transaction was carried out, or that it was cancelled, and may be sent again. */
  end(token: string, stored: boolean): void {
    const remembered = this.#remembered.get(token);
    this.#remembered.delete(token);
    if (remembered && stored) this.#remembered.set(token, { ...remembered, until: this.#time.now + kept });
  }

  #forgetOld(): void {
    for (const [token, { until }] of this.#remembered) {
      if (until === Infinity) continue;
      if (until > this.#time.now) return;
      this.#remembered.delete(token);
    }
  }
}
