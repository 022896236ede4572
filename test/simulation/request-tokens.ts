import type { VirtualTime } from './virtual-time.ts';
import type { WriteOperation } from './write-operations.ts';

/** Milliseconds for which DynamoDB remembers the token of a transaction that it carried out. */
const kept = 10 * 60_000;

interface RememberedToken {
  operations: readonly WriteOperation[];
  /** Time at which the token is forgotten; infinite while the transaction is under way. */
  until: number;
}

/** Client request tokens of the last ten minutes' transactions. */
export class RequestTokens {
  readonly #time: VirtualTime;
  /** Finished tokens are in the order in which they ended. */
  readonly #remembered = new Map<string, RememberedToken>();

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** Registers the start of a transaction, if its token is new. */
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
    // Rare, so the JSON text is not made for every transaction.
    if (JSON.stringify(remembered.operations) !== JSON.stringify(operations)) return 'other parameters';
    return remembered.until === Infinity ? 'in progress' : 'done';
  }

  /** Registers the end of a transaction. A token whose transaction was cancelled may be sent again. */
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
