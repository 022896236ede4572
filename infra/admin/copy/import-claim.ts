import { TransactWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { randomUUID } from 'node:crypto';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { Backoff } from '../../../shared/core/waits.ts';
import { operator } from '../../../shared/ledger/index.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import {
  headDoesNotExist,
  importDoesNotExist,
  importExists,
  importIsHeldBy,
} from '../../../shared/ledger/internal/conditions.ts';
import {
  cancellationReasons,
  classifyError,
  conditionFailed,
} from '../../../shared/ledger/internal/dynamodb-errors.ts';
import { headKey, importKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import { clientsOf, Lock, type TransactOperation } from '../../../shared/ledger/internal/table-client.ts';
import { AdminError } from '../admin-error.ts';
import type { TableAccess } from '../table/table-reads.ts';

/** Operations in a transaction besides the check of the claim: DynamoDB's limit is 100. */
const maxOperations = 99;

/** Bytes of items per transaction. DynamoDB's limit is 4 MB, and it counts slightly differently. */
const maxBytes = 3_000_000;

/** Maximum milliseconds for the retries of one call. */
const patience = 60_000;

/**
 * The right to write items of an organization that has no head yet. The marker item at `importKey` names the
 * holder and the digest of the copy. The marker exists from the first item until the head is written. A
 * command that begins, resumes or discards an import takes the claim over. Every transaction checks the
 * claim, so DynamoDB refuses a late write of a former holder, and no item is ever written beside a head.
 *
 * Items are written in order. One transaction runs at a time, because two that check the same claim would
 * conflict; the next one is filled meanwhile.
 * @throws AdminError if another command has taken over; Failure `unavailable` if DynamoDB fails a call for a
 * minute
 */
export class ImportClaim {
  readonly code: OrganizationCode;
  readonly #access: TableAccess;
  readonly #documents: DynamoDBDocumentClient;
  readonly #lock: Lock;
  readonly #by = randomUUID();
  #waiting: TransactOperation[] = [];
  #bytes = 0;
  #underWay = Promise.resolve();

  constructor(access: TableAccess, code: OrganizationCode) {
    this.code = code;
    this.#access = access;
    this.#documents = clientsOf(access.client).documents;
    this.#lock = new Lock(operator, code);
  }

  /** Begins an import of the copy with this digest. Returns false if the code is taken. */
  begin(digest: string): Promise<boolean> {
    const { tableName: TableName } = this.#access;
    const Item = { ...importKey(this.code), digest, by: this.#by };
    return this.#transact([{ Put: { TableName, Item, ...importDoesNotExist } }, this.#noHead()]);
  }

  /** Takes over an import that has begun. Returns false if there is none. */
  take(): Promise<boolean> {
    const Update = { ...this.#marker(), UpdateExpression: 'SET #by = :by', ...importExists };
    return this.#transact([{ Update }, this.#noHead()]);
  }

  async put(item: Item): Promise<void> {
    const { tableName: TableName } = this.#access;
    await this.#add({ Put: { TableName, Item: item } }, Buffer.byteLength(JSON.stringify(item)));
  }

  async remove(Key: Key): Promise<void> {
    const { tableName: TableName } = this.#access;
    await this.#add({ Delete: { TableName, Key } }, 0);
  }

  /** Waits until everything is written. */
  async flush(): Promise<void> {
    await this.#send();
    await this.#underWay;
  }

  /** Ends the import, with the organization's head unless the import is discarded. */
  async end(head?: Item): Promise<void> {
    const { tableName: TableName } = this.#access;
    const founding = head ? [{ Put: { TableName, Item: head, ...headDoesNotExist } }] : [];
    await this.#write([...founding, { Delete: this.#marker() }]);
  }

  async #add(operation: TransactOperation, bytes: number): Promise<void> {
    if (this.#waiting.length === maxOperations || this.#bytes + bytes > maxBytes) await this.#send();
    this.#waiting.push(operation);
    this.#bytes += bytes;
  }

  async #send(): Promise<void> {
    await this.#underWay;
    if (this.#waiting.length === 0) return;
    this.#underWay = this.#write([...this.#waiting, { ConditionCheck: this.#marker() }]);
    // The next `#send` or `flush` awaits it and gets the error.
    this.#underWay.catch(() => undefined);
    this.#waiting = [];
    this.#bytes = 0;
  }

  async #write(operations: TransactOperation[]): Promise<void> {
    if (await this.#transact(operations)) return;
    throw new AdminError(
      `Another command has taken over the import of the code ${this.code}, or removes it: this one ends.`,
    );
  }

  /** The marker while this command holds the claim. */
  #marker() {
    const { tableName: TableName } = this.#access;
    return { TableName, Key: importKey(this.code), ...importIsHeldBy(this.#by) };
  }

  #noHead(): TransactOperation {
    const { tableName: TableName } = this.#access;
    return { ConditionCheck: { TableName, Key: headKey(this.code), ...headDoesNotExist } };
  }

  /** Carries out a transaction exactly once. Returns false if a condition does not hold. */
  async #transact(TransactItems: TransactOperation[]): Promise<boolean> {
    const { system } = this.#access;
    const command = this.#lock.pass(
      new TransactWriteCommand({ TransactItems, ClientRequestToken: randomUUID() }),
    );
    const backoff = new Backoff(system, system.now() + patience);
    for (;;) {
      try {
        await this.#documents.send(command);
        return true;
      } catch (error) {
        if (cancellationReasons(error).some(({ Code }) => Code === conditionFailed)) return false;
        if (classifyError(error) === 'fatal') throw error;
        await backoff.wait(error);
      }
    }
  }
}
