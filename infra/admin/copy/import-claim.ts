import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { randomUUID } from 'node:crypto';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { Backoff } from '../../../shared/core/waits.ts';
import { headKey, importKey } from '../../../shared/ledger/internal/keys.ts';
import {
  cancellationReasons,
  classifyError,
  conditionFailed,
} from '../../../shared/ledger/internal/dynamodb-errors.ts';
import { refuseForeign, type TransactOperation } from '../../../shared/ledger/internal/table-client.ts';
import { AdminError } from '../admin-error.ts';
import type { TableAccess } from '../verify/table-reads.ts';

/** Operations in a transaction besides the check of the claim: DynamoDB's limit is 100. */
export const maxOperations = 99;

/** Milliseconds for which one call is retried. */
const patience = 60_000;

/**
 * The right to write items of an organization that has no head yet. The marker item at `importKey` names the
 * holder and the digest of the copy. It exists from the first item until the head is written. A command that
 * begins, resumes or discards an import takes the claim over. Every transaction checks the claim, so DynamoDB
 * refuses a late write of a former holder, and no item is ever written beside a head.
 */
export class ImportClaim {
  readonly #access: TableAccess;
  readonly #documents: DynamoDBDocumentClient;
  readonly #code: OrganizationCode;
  readonly #by = randomUUID();

  constructor(access: TableAccess, code: OrganizationCode) {
    this.#access = access;
    this.#documents = DynamoDBDocumentClient.from(access.client, {
      marshallOptions: { removeUndefinedValues: true },
    });
    this.#code = code;
  }

  /** Begins an import of the copy with this digest. Returns false if the code is taken. */
  begin(digest: string): Promise<boolean> {
    const { tableName: TableName } = this.#access;
    const Item = { ...importKey(this.#code), digest, by: this.#by };
    const ConditionExpression = 'attribute_not_exists(pk)';
    return this.#transact([{ Put: { TableName, Item, ConditionExpression } }, this.#noHead()]);
  }

  /** Takes over an import that has begun. Returns false if there is none. */
  take(): Promise<boolean> {
    // Every marker has a holder.
    const Update = { ...this.#marker('attribute_exists(#by)'), UpdateExpression: 'SET #by = :by' };
    return this.#transact([{ Update }, this.#noHead()]);
  }

  /**
   * Carries out a transaction of at most `maxOperations`. @throws AdminError if another command has taken
   * over
   */
  async write(operations: readonly TransactOperation[]): Promise<void> {
    await this.#mustHold([...operations, { ConditionCheck: this.#marker('#by = :by') }]);
  }

  /**
   * Carries out a transaction that also ends the import. @throws AdminError if another command has taken over
   */
  async end(operations: readonly TransactOperation[]): Promise<void> {
    await this.#mustHold([...operations, { Delete: this.#marker('#by = :by') }]);
  }

  async #mustHold(operations: TransactOperation[]): Promise<void> {
    if (await this.#transact(operations)) return;
    throw new AdminError(
      `Another command has taken over the import of the code ${this.#code}, or removes it: this one ends.`,
    );
  }

  #marker(ConditionExpression: string) {
    return {
      TableName: this.#access.tableName,
      Key: importKey(this.#code),
      ConditionExpression,
      ExpressionAttributeNames: { '#by': 'by' },
      ExpressionAttributeValues: { ':by': this.#by },
    };
  }

  #noHead(): TransactOperation {
    const { tableName: TableName } = this.#access;
    const ConditionExpression = 'attribute_not_exists(pk)';
    return { ConditionCheck: { TableName, Key: headKey(this.#code), ConditionExpression } };
  }

  /** Carries out a transaction exactly once. Returns false if a condition does not hold. */
  async #transact(TransactItems: TransactOperation[]): Promise<boolean> {
    refuseForeign(this.#code, TransactItems);
    const { system } = this.#access;
    const ClientRequestToken = randomUUID();
    const backoff = new Backoff(system, system.now() + patience);
    for (;;) {
      try {
        await this.#documents.send(new TransactWriteCommand({ TransactItems, ClientRequestToken }));
        return true;
      } catch (error) {
        if (cancellationReasons(error).some(({ Code }) => Code === conditionFailed)) return false;
        if (classifyError(error) === 'fatal') throw error;
        await backoff.wait(error);
      }
    }
  }
}
