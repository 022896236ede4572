import {
  GetItemCommand,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
  TransactGetItemsCommand,
  type AttributeValue,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { toItem, type Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Collection, RecordOf } from '../../../shared/ledger/internal/collection.ts';
import {
  keyNamesOf,
  listIndexes,
  recordsPartition,
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
import { parseRecord } from '../../../shared/ledger/internal/stored-record.ts';

export interface TableAccess {
  /** The plain client, not the document client. */
  client: DynamoDBClient;
  tableName: string;
  system: System;
  /** Once it is aborted, no call begins. */
  stop?: AbortSignal;
}

/** Item in a partition of an index, by its key in the table. */
export interface IndexedItem {
  index: ListIndex | SearchIndex;
  partition: string;
  key: Key;
}

type Attributes = Record<string, AttributeValue>;

const indexNames = [...listIndexes, ...searchIndexes].map((index) => keyNamesOf(index).pkName);

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
  readonly #stop: AbortSignal | undefined;

  constructor({ client, tableName, system, stop }: TableAccess) {
    this.#client = client;
    this.#tableName = tableName;
    this.system = system;
    this.#stop = stop;
    // As `openStore` does: the logger copies every output, which takes longer than all other work on the
    // output.
    client.middlewareStack.remove('loggerMiddleware');
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
    return output?.Responses?.map(({ Item: item }) => item && toItem(item));
  }

  /** Pages of a partition's items by ascending sort key; with `after`, only items with a greater sort key. */
  partition(pk: string, after?: string): AsyncGenerator<Item[]> {
    const isAfter = after !== undefined;
    return this.#query({
      ConsistentRead: true,
      KeyConditionExpression: isAfter ? 'pk = :pk AND sk > :after' : 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: pk }, ...(isAfter && { ':after': { S: after } }) },
    });
  }

  /**
   * Pages of a collection's records by ascending number. Each record has its state at the time of its page's
   * read.
   * @throws OtherFormat for data of another version of the code
   */
  async *records<C extends Collection>(
    organization: OrganizationCode,
    collection: C,
  ): AsyncGenerator<RecordOf<C>[]> {
    for await (const items of this.partition(recordsPartition(organization, collection.name)))
      yield items.map((item) => parseRecord(collection, item));
  }

  /** Pages of the keys of the items in a partition of an index. Eventually consistent, as every read of an index is. */
  indexPartition(index: ListIndex | SearchIndex, partition: string): AsyncGenerator<Item[]> {
    return this.#query({
      IndexName: index,
      ProjectionExpression: 'pk, sk',
      KeyConditionExpression: `${keyNamesOf(index).pkName} = :pk`,
      ExpressionAttributeValues: { ':pk': { S: partition } },
    });
  }

  /** Pages of the keys of all items, with their index keys, and with the organization that a grant names. */
  everyKey(): AsyncGenerator<Item[]> {
    const input = {
      TableName: this.#tableName,
      ConsistentRead: true,
      ProjectionExpression: ['pk', 'sk', 'organization', ...indexNames].join(', '),
    };
    return this.#pages((from) => this.#client.send(new ScanCommand({ ...input, ExclusiveStartKey: from })));
  }

  #query(input: Omit<QueryCommandInput, 'TableName'>): AsyncGenerator<Item[]> {
    const all = { ...input, TableName: this.#tableName };
    return this.#pages((from) => this.#client.send(new QueryCommand({ ...all, ExclusiveStartKey: from })));
  }

  /** Pages are not read ahead: the memory for several pages costs more than the saved time is worth. */
  async *#pages(
    read: (from: Attributes | undefined) => Promise<Pick<QueryCommandOutput, 'Items' | 'LastEvaluatedKey'>>,
  ): AsyncGenerator<Item[]> {
    let from: Attributes | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await this.#retried(() => read(from));
      yield Items.map(toItem);
      from = LastEvaluatedKey;
    } while (from);
  }

  #retried<R>(call: () => Promise<R>): Promise<R> {
    this.#stop?.throwIfAborted();
    return retried(this.system, call);
  }
}

/**
 * Repeats a call that was throttled, failed, or lost its reply, for a minute at most. The call may have been carried out
 * more than once.
 */
export async function retried<R>(system: System, call: () => Promise<R>): Promise<R> {
  const backoff = new Backoff(system, system.now() + patience);
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (classifyError(error) === 'fatal') throw error;
      await backoff.wait(error);
    }
  }
}

const attributesOf = ({ pk, sk }: Key): Attributes => ({ pk: { S: pk }, sk: { S: sk } });

/** Runs `work` on each element, at most `atOnce` at a time. Gives the results in the order of the elements. */
export async function inParallel<T, R>(
  atOnce: number,
  all: readonly T[],
  work: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  // One iterator for all workers: each takes the next element.
  const entries = all.entries();
  const worker = async () => {
    for (const [at, one] of entries) results[at] = await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker));
  return results;
}
