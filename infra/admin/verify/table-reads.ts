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
import { Backoff } from '../../../shared/core/waits.ts';
import {
  cancellationReasons,
  classifyError,
  transactionConflict,
} from '../../../shared/ledger/internal/dynamodb-errors.ts';

/** A table, and how it is reached. */
export interface TableAccess {
  /** The plain client, not the document client. */
  client: DynamoDBClient;
  tableName: string;
  system: System;
}

type Attributes = Record<string, AttributeValue>;

const indexNames = [...listIndexes, ...searchIndexes].map((index) => keyNamesOf(index).pkName);

/** How long one call is tried, in milliseconds. */
const patience = 60_000;

/**
 * Reads a table, and never writes to it. All reads are strongly consistent; a partition and the table come page by page.
 * @throws Failure `unavailable` when DynamoDB does not carry out a call for a minute.
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

  /** One item as it is now. */
  async get(key: Key): Promise<Item | undefined> {
    const input = { TableName: this.#tableName, Key: attributesOf(key), ConsistentRead: true };
    const { Item: item } = await this.#retried(() => this.#client.send(new GetItemCommand(input)));
    return item && toItem(item);
  }

  /** Items as they are at one moment, in the order of their keys; undefined while a transaction holds one of them. */
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

  /** The items of a partition, the smallest sort key first, or those after one; page by page. */
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

  /** The items of a partition of an index of lists or texts, page by page. Eventually consistent, as indexes are. */
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

  /** The keys of all items of the table, those of indexes too, and the organizations that grants name; page by page. */
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
        // On its way while this page is looked at; whoever wants no more pages does not learn how it ended.
        reading = readRetried(LastEvaluatedKey);
        reading.catch(() => undefined);
      }
      yield Items.map(toItem);
      if (!LastEvaluatedKey) return;
    }
  }

  /** A read has no effect, so one whose reply was lost is sent again like one that was refused. */
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
