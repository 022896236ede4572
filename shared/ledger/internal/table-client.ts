import {
  BatchGetItemCommand,
  QueryCommand,
  type AttributeValue,
  type ConsumedCapacity as ReportedCapacity,
  type DynamoDBClient,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import {
  GetCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
  type DynamoDBDocumentClient,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { toItem, type Item } from './attributes.ts';
import type { Key } from './keys.ts';
import type { ConsumedCapacity } from './consumed-capacity.ts';
import type { System } from '../../core/system.ts';
import { Backoff, cancellationReasons, classifyError, transactionConflict } from './retry.ts';
import type { TurnCounter } from './contention-backoff.ts';
import { unavailable } from '../../core/failure.ts';

const Counter = v.object({ taken: v.optional(v.number(), 0), givenUp: v.optional(v.number(), 0) });

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * How long a call that was begun before the deadline may go on after it, in milliseconds: a write cut off at the
 * deadline would leave open whether it was carried out. `serve` keeps back more than twice as long to answer in.
 */
const timeToFinish = 700;

interface Reply {
  ConsumedCapacity?: ReportedCapacity | ReportedCapacity[] | undefined;
}

/** The same connections twice: `documents` takes and gives plain values, and `plain` is quicker for a list. */
export interface Clients {
  plain: DynamoDBClient;
  documents: DynamoDBDocumentClient;
}

/**
 * The DynamoDB table for one request: every call is metered, and ends soon after the deadline; reads are tried again
 * where that can help. Reads of items are strongly consistent.
 */
export class TableClient {
  readonly #clients: Clients;
  readonly name: string;
  readonly #system: System;
  readonly #limits: { deadline: number; capacity: ConsumedCapacity };

  constructor(
    clients: Clients,
    name: string,
    system: System,
    limits: { deadline: number; capacity: ConsumedCapacity },
  ) {
    this.#clients = clients;
    this.name = name;
    this.#system = system;
    this.#limits = limits;
  }

  /** One item as it is now. @throws Failure `unavailable` when DynamoDB gives no answer before the deadline. */
  async get(key: Key): Promise<Item | undefined> {
    const input = {
      TableName: this.name,
      Key: key,
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL',
    } as const;
    const { Item: item } = await this.#retried((options) =>
      this.#clients.documents.send(new GetCommand(input), options),
    );
    return item;
  }

  /**
   * Items as they are at one moment, in the order of their keys; undefined where a transaction has one of them just now.
   * Costs twice a plain read.
   */
  async snapshot(keys: Key[]): Promise<(Item | undefined)[] | undefined> {
    const TransactItems = keys.map((Key) => ({ Get: { TableName: this.name, Key } }));
    const input = { TransactItems, ReturnConsumedCapacity: 'TOTAL' } as const;
    const output = await this.#retried((options) =>
      this.#clients.documents.send(new TransactGetCommand(input), options).catch((error: unknown) => {
        if (cancellationReasons(error).some(({ Code }) => Code === transactionConflict)) return undefined;
        throw error;
      }),
    );
    return output && keys.map((_, at) => output.Responses?.[at]?.Item);
  }

  /** Those of at most 100 items that are there, in no order. */
  async getMany(keys: Key[]): Promise<Item[]> {
    const items: Item[] = [];
    const backoff = new Backoff(this.#system, this.#limits.deadline);
    let wanted: Record<string, AttributeValue>[] = keys.map(({ pk, sk }) => ({
      pk: { S: pk },
      sk: { S: sk },
    }));
    for (;;) {
      const RequestItems = { [this.name]: { Keys: wanted, ConsistentRead: true } };
      const command = new BatchGetItemCommand({ RequestItems, ReturnConsumedCapacity: 'TOTAL' });
      const { Responses, UnprocessedKeys } = await this.#retried((options) =>
        this.#clients.plain.send(command, options),
      );
      items.push(...(Responses?.[this.name] ?? []).map(toItem));
      wanted = UnprocessedKeys?.[this.name]?.Keys ?? [];
      if (wanted.length === 0) return items;
      // Throttled, or over 16 MB: what is left is asked for again.
      await backoff.wait(undefined);
    }
  }

  /** Every item of a partition, the smallest sort key first. */
  partition(pk: string): Promise<Item[]> {
    return this.#query({
      TableName: this.name,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: pk } },
    });
  }

  /**
   * At most `limit` items of one partition, the greatest sort keys first: those from `from` down, or down to `to`. In
   * the table itself the read is strongly consistent; an index is eventually consistent.
   */
  async newestFirst(
    partition: { index?: string; pkName: string; pk: string; skName: string },
    { from, to }: { from: string | number; to?: string | number },
    limit: number,
  ): Promise<Item[]> {
    const { index, pkName, pk, skName } = partition;
    const input: QueryCommandInput = {
      TableName: this.name,
      ...(index === undefined ? { ConsistentRead: true } : { IndexName: index }),
      KeyConditionExpression: `#pk = :pk AND ${to === undefined ? '#sk <= :from' : '#sk BETWEEN :to AND :from'}`,
      ExpressionAttributeNames: { '#pk': pkName, '#sk': skName },
      ExpressionAttributeValues: {
        ':pk': { S: pk },
        ':from': sortValue(from),
        ...(to !== undefined && { ':to': sortValue(to) }),
      },
      ScanIndexForward: false,
    };
    return this.#query(input, limit);
  }

  /** What a query finds, `limit` items at most. A reply ends early at 1 MB: large items take more than one. */
  async #query(input: QueryCommandInput, limit = Infinity): Promise<Item[]> {
    const items: Item[] = [];
    let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
    do {
      const Limit = limit === Infinity ? undefined : limit - items.length;
      const command = new QueryCommand({
        ...input,
        Limit,
        ExclusiveStartKey,
        ReturnConsumedCapacity: 'TOTAL',
      });
      const { Items, LastEvaluatedKey } = await this.#retried((options) =>
        this.#clients.plain.send(command, options),
      );
      items.push(...(Items ?? []).map(toItem));
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey && items.length < limit);
    return items;
  }

  /** Writes all or nothing, once: not tried again here, since only the ledger knows what a failure means. */
  async transact(TransactItems: TransactItem[], ClientRequestToken: string): Promise<void> {
    const input = { TransactItems, ClientRequestToken, ReturnConsumedCapacity: 'TOTAL' } as const;
    await this.#metered((options) => this.#clients.documents.send(new TransactWriteCommand(input), options));
  }

  /**
   * The counter of waiting writers at this key: the one item that is written outside of transactions. Where a reply to
   * `take` is lost, more is added.
   */
  counterAt(key: Key): TurnCounter {
    const update = async (UpdateExpression: string, value: number) => {
      const input = {
        TableName: this.name,
        Key: key,
        UpdateExpression,
        ExpressionAttributeValues: { ':value': value },
        ReturnValues: 'ALL_NEW',
        ReturnConsumedCapacity: 'TOTAL',
      } as const;
      const { Attributes } = await this.#retried((options) =>
        this.#clients.documents.send(new UpdateCommand(input), options),
      );
      return v.parse(Counter, Attributes);
    };
    return {
      take: async (by) => (await update('ADD taken :value', by)).taken,
      giveUp: async (number) => {
        await update('SET givenUp = :value', number);
      },
      givenUp: async () => v.parse(Counter, (await this.get(key)) ?? {}).givenUp,
    };
  }

  async #retried<R extends Reply | undefined>(
    call: (options: { abortSignal: AbortSignal }) => Promise<R>,
  ): Promise<R> {
    const backoff = new Backoff(this.#system, this.#limits.deadline);
    for (;;) {
      try {
        return await this.#metered(call);
      } catch (error) {
        if (classifyError(error) === 'fatal') throw error;
        await backoff.wait(error);
      }
    }
  }

  async #metered<R extends Reply | undefined>(
    call: (options: { abortSignal: AbortSignal }) => Promise<R>,
  ): Promise<R> {
    const { capacity, deadline } = this.#limits;
    const timeLeft = deadline - this.#system.now();
    if (timeLeft <= 0) throw unavailable();
    capacity.calls++;
    const ending = new AbortController();
    // `AbortSignal.timeout` would go on after the reply, and leave its remains to the garbage collector.
    const timer = setTimeout(() => {
      ending.abort();
    }, timeLeft + timeToFinish);
    const reply = await call({ abortSignal: ending.signal }).finally(() => {
      clearTimeout(timer);
    });
    for (const consumed of [reply?.ConsumedCapacity ?? []].flat()) {
      const { CapacityUnits = 0, ReadCapacityUnits, WriteCapacityUnits } = consumed;
      capacity.writeUnits += WriteCapacityUnits ?? 0;
      capacity.readUnits += ReadCapacityUnits ?? (WriteCapacityUnits === undefined ? CapacityUnits : 0);
    }
    return reply;
  }
}

/** Sort keys are text in the table itself, and numbers in the indexes. */
const sortValue = (key: string | number): AttributeValue =>
  typeof key === 'string' ? { S: key } : { N: String(key) };
