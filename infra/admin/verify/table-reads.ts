import {
  GetItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  type AttributeValue,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { toItem, type Item } from '../../../shared/ledger/internal/attributes.ts';
import {
  keyNamesOf,
  listIndexes,
  searchIndexes,
  type Key,
  type ListIndex,
  type SearchIndex,
} from '../../../shared/ledger/internal/keys.ts';
import type { System } from '../../../shared/core/system.ts';
import { Backoff, retryWaits, waitAfter } from '../../../shared/core/waits.ts';
import {
  cancellationReasons,
  classifyError,
  transactionConflict,
} from '../../../shared/ledger/internal/dynamodb-errors.ts';

export interface TableAccess {
  /** The plain client, not the document client. */
  client: DynamoDBClient;
  tableName: string;
  system: System;
}

/** Item in a partition of an index, by its key in the table. */
export interface IndexedItem {
  index: ListIndex | SearchIndex;
  partition: string;
  key: Key;
}

type Attributes = Record<string, AttributeValue>;

const indexNames = [...listIndexes, ...searchIndexes].map((index) => keyNamesOf(index).pkName);

/** DynamoDB's limit for one serializable read (`TransactGetItems`). */
export const maxSnapshotItems = 100;

/** Milliseconds until a call that fails again and again is given up. */
const patience = 60_000;

/** Waits a random time before the next try of a snapshot. */
export const retryWait = (system: System, tries: number): Promise<void> =>
  system.sleep(waitAfter(retryWaits.verifiedSnapshot, tries, system));

/**
 * Reads a table, and never writes to it. Reads are strongly consistent but for `indexPartition`.
 * @throws Failure `unavailable` if DynamoDB does not carry out a call for a minute
 */
export class TableReads {
  readonly system: System;
  readonly #client: DynamoDBClient;
  readonly #tableName: string;

  constructor({ client, tableName, system }: TableAccess) {
    this.#client = client;
    this.#tableName = tableName;
    this.system = system;
  }

  async get(key: Key): Promise<Item | undefined> {
    const input = { TableName: this.#tableName, Key: attributesOf(key), ConsistentRead: true };
    const { Item: item } = await this.#retried(() => this.#client.send(new GetItemCommand(input)));
    return item && toItem(item);
  }

  /** Items of one instant, in the order of the keys; undefined while a transaction holds one of them. */
  async snapshot(keys: readonly Key[]): Promise<(Item | undefined)[] | undefined> {
    const TransactItems = keys.map((key) => ({
      Get: { TableName: this.#tableName, Key: attributesOf(key) },
    }));
    const output = await this.#retried(() =>
      this.#client.send(new TransactGetItemsCommand({ TransactItems })).catch((error: unknown) => {
        if (cancellationReasons(error).some(({ Code }) => Code === transactionConflict)) return undefined;
        throw error;
      }),
    );
    return (
      output &&
      keys.map((_, at) => {
        const item = output.Responses?.[at]?.Item;
        return item && toItem(item);
      })
    );
  }

  /** Pages of the items of a partition by ascending sort key; with `after`, those with a greater sort key. */
  async *partition(pk: string, after?: string): AsyncGenerator<Item[]> {
    const condition = after === undefined ? 'pk = :pk' : 'pk = :pk AND sk > :after';
    const values = { ':pk': { S: pk }, ...(after !== undefined && { ':after': { S: after } }) };
    const input = {
      TableName: this.#tableName,
      ConsistentRead: true,
      KeyConditionExpression: condition,
      ExpressionAttributeValues: values,
    };
    yield* this.#pages((ExclusiveStartKey) =>
      this.#client.send(new QueryCommand({ ...input, ExclusiveStartKey })),
    );
  }

  /** Pages of the items of a partition of an index. Eventually consistent, as every read of an index is. */
  async *indexPartition(index: ListIndex | SearchIndex, partition: string): AsyncGenerator<Item[]> {
    const input = {
      TableName: this.#tableName,
      IndexName: index,
      KeyConditionExpression: `${keyNamesOf(index).pkName} = :pk`,
      ExpressionAttributeValues: { ':pk': { S: partition } },
    };
    yield* this.#pages((ExclusiveStartKey) =>
      this.#client.send(new QueryCommand({ ...input, ExclusiveStartKey })),
    );
  }

  /**
   * Pages of the keys of all items, with their index keys, and with the organization and token that a grant
   * names.
   */
  async *everyKey(): AsyncGenerator<Item[]> {
    const input = {
      TableName: this.#tableName,
      ConsistentRead: true,
      ProjectionExpression: ['pk', 'sk', 'organization', 'tokenId', ...indexNames].join(', '),
    };
    yield* this.#pages((ExclusiveStartKey) =>
      this.#client.send(new ScanCommand({ ...input, ExclusiveStartKey })),
    );
  }

  async *#pages(
    read: (
      from: Attributes | undefined,
    ) => Promise<{ Items?: Attributes[] | undefined; LastEvaluatedKey?: Attributes | undefined }>,
  ): AsyncGenerator<Item[]> {
    const readRetried = (from: Attributes | undefined) => this.#retried(() => read(from));
    let reading = readRetried(undefined);
    for (;;) {
      const { Items = [], LastEvaluatedKey } = await reading;
      if (LastEvaluatedKey) {
        // Reads the next page while the caller works on this one. A caller that stops early ignores its
        // outcome.
        reading = readRetried(LastEvaluatedKey);
        reading.catch(() => undefined);
      }
      yield Items.map(toItem);
      if (!LastEvaluatedKey) return;
    }
  }

  /** Repeats a call that failed or whose reply was lost: a read has no effect. */
  async #retried<R>(call: () => Promise<R>): Promise<R> {
    const backoff = new Backoff(this.system, this.system.now() + patience);
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (classifyError(error) === 'fatal') throw error;
        await backoff.wait(error);
      }
    }
  }
}

const attributesOf = ({ pk, sk }: Key): Attributes => ({ pk: { S: pk }, sk: { S: sk } });
