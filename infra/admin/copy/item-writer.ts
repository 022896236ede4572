import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Key } from '../../../shared/ledger/internal/keys.ts';
import type { TransactOperation } from '../../../shared/ledger/internal/table-client.ts';
import { maxOperations, type ImportClaim } from './import-claim.ts';

/** Bytes of items per transaction. DynamoDB's limit is 4 MB, and it counts slightly differently. */
const maxBytes = 3_000_000;

/**
 * Writes and removes items of an organization that has no head yet, in order. One transaction runs at a time,
 * since two that check the same claim would conflict; the next one is filled meanwhile.
 * @throws AdminError if another command has the claim; Failure `unavailable` if DynamoDB fails a call for a
 * minute
 */
export class ItemWriter {
  readonly #claim: ImportClaim;
  readonly #TableName: string;
  #waiting: TransactOperation[] = [];
  #bytes = 0;
  #underWay = Promise.resolve();

  constructor(claim: ImportClaim, tableName: string) {
    this.#claim = claim;
    this.#TableName = tableName;
  }

  async put(Item: Item): Promise<void> {
    await this.#add({ Put: { TableName: this.#TableName, Item } }, Buffer.byteLength(JSON.stringify(Item)));
  }

  async remove(Key: Key): Promise<void> {
    await this.#add({ Delete: { TableName: this.#TableName, Key } }, 0);
  }

  /** Waits until everything is written. */
  async end(): Promise<void> {
    await this.#send();
    await this.#underWay;
  }

  async #add(operation: TransactOperation, bytes: number): Promise<void> {
    if (this.#waiting.length === maxOperations || this.#bytes + bytes > maxBytes) await this.#send();
    this.#waiting.push(operation);
    this.#bytes += bytes;
  }

  async #send(): Promise<void> {
    await this.#underWay;
    if (this.#waiting.length === 0) return;
    this.#underWay = this.#claim.write(this.#waiting);
    // The next `#send` or `end` awaits it and gets the error.
    this.#underWay.catch(() => undefined);
    this.#waiting = [];
    this.#bytes = 0;
  }
}
