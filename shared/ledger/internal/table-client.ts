import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  QueryCommand,
  type AttributeValue,
  type ConsumedCapacity as ReportedCapacity,
  type DynamoDBClient,
  type QueryCommandInput,
  type QueryCommandOutput,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { toItem, type Item } from './attributes.ts';
import { permissionsOf, type Permission, type Reach } from './access.ts';
import {
  dueIndex,
  isOwnItem,
  keyNamesOf,
  keyOfItem,
  kindOfPartition,
  listIndexes,
  patternIn,
  searchIndexes,
  type Key,
} from './keys.ts';
import { numbersTakenAtMost, type Condition } from './conditions.ts';
import type { ConsumedCapacity } from './consumed-capacity.ts';
import type { System } from '../../core/system.ts';
import { partsOf } from '../../core/parts-of.ts';
import { Backoff, timeLimits } from '../../core/waits.ts';
import { cancellationReasons, classifyError, transactionConflict } from './dynamodb-errors.ts';
import type { QueueCounter } from './writer-queue.ts';
import { unavailable, type Failure } from '../../core/failure.ts';
import type { OrganizationCode } from '../../core/ids.ts';

const KeyOfItem = v.object({ pk: v.string(), sk: v.string() });
const Counter = v.object({ taken: v.optional(v.number(), 0), givenUp: v.optional(v.number(), 0) });

/** One operation of a transaction, as DynamoDB takes it. */
export type TransactOperation = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Key of the item that an operation of a write stores, changes or deletes. */
export const keyOfOperation = ({ Put, Update, Delete }: TransactOperation): Key =>
  keyOfItem(Put?.Item ?? Update?.Key ?? Delete?.Key ?? {});

/** One operation of a write. */
export interface WriteOperation {
  operation: TransactOperation;
  /**
   * The client's error if the operation's condition fails, given the `id` attribute of the stored item.
   * Undefined if the client did nothing wrong.
   */
  refusal?: (id: unknown) => Failure | undefined;
}

/** The table and the organization of the items that a write stores. */
export interface WriteTarget {
  tableName: string;
  organization: OrganizationCode;
}

type Unit = 'readUnits' | 'writeUnits';

interface Reply {
  ConsumedCapacity?: ReportedCapacity | ReportedCapacity[] | undefined;
}

type Attributes = Readonly<Partial<Record<string, unknown>>>;

/** A key that a call reaches. No permission allows an undefined action or place, or a key that is no string. */
interface ReachedKey {
  action?: Permission['action'] | undefined;
  on?: Permission['on'] | undefined;
  within?: Permission['within'];
  pk?: unknown;
  /** Part of a transaction that writes: the item, or its key alone. Undefined for any other call. */
  written?: Attributes;
}

/**
 * Second lock on the data of organizations. The first lock is the role of the function: DynamoDB checks the role, and
 * the role allows keys of any organization. This second lock allows keys of one organization, and is checked before a
 * call is signed. Both locks follow from `permissionsOf`. This lock refuses every kind of call that it does not know.
 */
export class Lock {
  readonly #organization: OrganizationCode | undefined;
  readonly #permissions: readonly Permission[];

  /** @param organization organization of the keys that may be reached; undefined for calls without an organization */
  constructor(reach: Reach, organization?: OrganizationCode) {
    this.#organization = organization;
    this.#permissions = permissionsOf(reach).map((permission) => ({
      ...permission,
      keys: permission.keys.flatMap((pattern) => patternIn(organization, pattern) ?? []),
    }));
  }

  /**
   * Returns the command if every key that it reaches is allowed.
   * @throws Error that names only the kind of the refused key, because keys can be private
   */
  pass<Command extends object>(command: Command): Command {
    const organization = this.#organization;
    const refused = keysOf(command).find(
      ({ action, on, within, pk, written }) =>
        typeof pk !== 'string' ||
        !this.#permissions.some(
          (allowed) =>
            allowed.action === action &&
            allowed.on === on &&
            allowed.within === within &&
            allowed.keys.some((pattern) =>
              pattern.endsWith('*') ? pk.startsWith(pattern.slice(0, -1)) : pk === pattern,
            ),
        ) ||
        (written !== undefined && (organization === undefined || !isOwnItem(organization, written))),
    );
    if (!refused) return command;
    throw new Error(
      `A ${command.constructor.name} in ${organization ?? 'no organization'} was not sent: ` +
        `it may not reach ${kindOfPartition(refused.pk)}`,
    );
  }
}

/** Lists the keys that a command reaches. A kind of command that the ledger does not send reaches an unknown key. */
function keysOf(command: object): ReachedKey[] {
  const on = 'table';
  if (command instanceof GetCommand) return [{ action: 'GetItem', on, pk: command.input.Key?.['pk'] }];
  if (command instanceof UpdateCommand) return [{ action: 'UpdateItem', on, pk: command.input.Key?.['pk'] }];
  if (command instanceof DeleteCommand) return [{ action: 'DeleteItem', on, pk: command.input.Key?.['pk'] }];
  if (command instanceof QueryCommand) return [queriedKey(command.input)];
  if (command instanceof TransactGetCommand)
    return (command.input.TransactItems ?? []).map(({ Get }): ReachedKey => ({
      action: 'GetItem',
      on,
      within: 'TransactGetItems',
      pk: Get?.Key?.['pk'],
    }));
  if (command instanceof BatchGetItemCommand)
    return Object.values(command.input.RequestItems ?? {}).flatMap(({ Keys = [] }) =>
      Keys.map(({ pk }) => ({ action: 'BatchGetItem', on, pk: pk?.S })),
    );
  if (command instanceof TransactWriteCommand)
    return (command.input.TransactItems ?? []).map(({ Put, Update, Delete, ConditionCheck }) => {
      const written: Attributes = Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {};
      const action = Put
        ? 'PutItem'
        : Update
          ? 'UpdateItem'
          : Delete
            ? 'DeleteItem'
            : ConditionCheck && 'ConditionCheckItem';
      return { action, on, within: 'TransactWriteItems', pk: written['pk'], written };
    });
  return [{}];
}

/**
 * The partition key of a query. Undefined unless the query's condition begins in the same way as the conditions of
 * `TableClient`.
 */
function queriedKey({
  IndexName: index,
  KeyConditionExpression: condition = '',
  ExpressionAttributeNames: names = {},
  ExpressionAttributeValues: values = {},
}: QueryCommandInput): ReachedKey {
  const pkName = index === undefined ? 'pk' : keyNamesOf(index).pkName;
  const isKnown = /^#pk = :pk(?: AND |$)/.test(condition) && names['#pk'] === pkName;
  return { action: 'Query', on: placeOf(index), pk: isKnown ? values[':pk']?.S : undefined };
}

function placeOf(index: string | undefined): Permission['on'] | undefined {
  if (index === undefined) return 'table';
  if (index === dueIndex) return 'due index';
  if (listIndexes.some((name) => name === index)) return 'list indexes';
  return searchIndexes.some((name) => name === index) ? 'search indexes' : undefined;
}

/**
 * Number of items of any size that fit into a serializable read: the largest item has 400 KB, and the read takes 4 MB.
 */
export const maxSettled = 10;

/** Position where a query of a search index continues. */

/** Two clients over the same connections. `documents` converts plain values; `plain` is faster for lists. */
export interface Clients {
  plain: DynamoDBClient;
  documents: DynamoDBDocumentClient;
}

/** Both clients over the connections of the plain one. */
export const clientsOf = (plain: DynamoDBClient): Clients => ({
  plain,
  documents: DynamoDBDocumentClient.from(plain, { marshallOptions: { removeUndefinedValues: true } }),
});

/**
 * Sends the calls of one request. Counts the capacity of each call, ends calls soon after the deadline, and retries
 * reads. Reads throw Failure `unavailable` at the deadline. Every call passes the lock first: if the lock refuses a
 * call, an Error is thrown and nothing is sent.
 */
export class TableClient {
  /** True if no read shows an item that is older than a head that was read. */
  readonly isSerializable: boolean = false;
  readonly #clients: Clients;
  readonly name: string;
  readonly #system: System;
  readonly #limits: { deadline: number; capacity: ConsumedCapacity };
  readonly #lock: Lock;

  constructor(
    clients: Clients,
    name: string,
    system: System,
    limits: { deadline: number; capacity: ConsumedCapacity },
    lock: Lock,
  ) {
    this.#clients = clients;
    this.name = name;
    this.#system = system;
    this.#limits = limits;
    this.#lock = lock;
  }

  /** One item, by a strongly consistent read. An eventually consistent read costs half. */
  async get(key: Key, { consistentRead = true } = {}): Promise<Item | undefined> {
    const input = {
      TableName: this.name,
      Key: key,
      ConsistentRead: consistentRead,
      ReturnConsumedCapacity: 'TOTAL',
    } as const;
    const command = this.#lock.pass(new GetCommand(input));
    const { Item: item } = await this.#retried((options) => this.#clients.documents.send(command, options));
    return item;
  }

  /**
   * Items by one serializable read (`TransactGetItems`), in the order of their keys; undefined while a
   * transaction holds one of them. Costs twice a plain read.
   */
  async snapshot(keys: Key[]): Promise<(Item | undefined)[] | undefined> {
    const TransactItems = keys.map((Key) => ({ Get: { TableName: this.name, Key } }));
    const input = { TransactItems, ReturnConsumedCapacity: 'TOTAL' } as const;
    const command = this.#lock.pass(new TransactGetCommand(input));
    const output = await this.#retried((options) =>
      this.#clients.documents.send(command, options).catch((error: unknown) => {
        if (cancellationReasons(error).some(({ Code }) => Code === transactionConflict)) return undefined;
        throw error;
      }),
    );
    return output && keys.map((_, at) => output.Responses?.[at]?.Item);
  }

  /** Items by one serializable read, like `snapshot`, once no transaction holds any of them. */
  async settledSnapshot(keys: Key[]): Promise<(Item | undefined)[]> {
    const backoff = new Backoff(this.#system, this.#limits.deadline);
    for (;;) {
      const items = await this.snapshot(keys);
      if (items) return items;
      await backoff.wait(undefined);
    }
  }

  /** The existing items among these keys, once no transaction holds any of them. Without keys, no call. */
  async settledMany(keys: readonly Key[]): Promise<Item[]> {
    const parts = partsOf(keys, maxSettled).map((some) => this.settledSnapshot(some));
    return (await Promise.all(parts)).flat().filter((item) => item !== undefined);
  }

  /** The existing items among these keys (at most 100), in no order. Strongly consistent. */
  async getMany(keys: Key[]): Promise<Item[]> {
    const items: Item[] = [];
    const backoff = new Backoff(this.#system, this.#limits.deadline);
    let wanted: Record<string, AttributeValue>[] = keys.map(({ pk, sk }) => ({
      pk: { S: pk },
      sk: { S: sk },
    }));
    for (;;) {
      const RequestItems = { [this.name]: { Keys: wanted, ConsistentRead: true } };
      const command = this.#lock.pass(
        new BatchGetItemCommand({ RequestItems, ReturnConsumedCapacity: 'TOTAL' }),
      );
      const { Responses, UnprocessedKeys } = await this.#retried((options) =>
        this.#clients.plain.send(command, options),
      );
      items.push(...(Responses?.[this.name] ?? []).map(toItem));
      wanted = UnprocessedKeys?.[this.name]?.Keys ?? [];
      if (wanted.length === 0) return items;
      // DynamoDB throttled the unprocessed keys, or the reply had 16 MB without them.
      await backoff.wait(undefined);
    }
  }

  /** All items of a partition, by sort key ascending. Strongly consistent. */
  partition(pk: string): Promise<Item[]> {
    const input = {
      TableName: this.name,
      ConsistentRead: true,
      KeyConditionExpression: '#pk = :pk',
      ExpressionAttributeNames: { '#pk': 'pk' },
      ExpressionAttributeValues: { ':pk': { S: pk } },
    };
    return this.#query(input, { pkOfItems: pk });
  }

  /**
   * Queries at most `limit` items of one partition, by sort key descending: from `from`, inclusive, down to
   * `to` if given. Strongly consistent in the table, eventually consistent in an index. Skips items that are
   * not in the partition `pkOfItems` of the table: any item can claim a place in an index.
   */
  async newestFirst(
    partition: { index?: string; pkName: string; pk: string; skName: string },
    { from, to }: { from: string | number; to?: string | number },
    { limit, pkOfItems }: { limit: number; pkOfItems: string },
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
    return this.#query(input, { limit, pkOfItems });
  }

  /**
   * Queries at most `limit` items of one partition, by sort key ascending: from `from` to `to`, both inclusive. Otherwise as
   * `newestFirst`.
   */
  between(
    { index, pkName, pk, skName }: { index?: string; pkName: string; pk: string; skName: string },
    { from, to }: { from: string | number; to: string | number },
    { limit, pkOfItems }: { limit?: number; pkOfItems: string },
  ): Promise<Item[]> {
    const input: QueryCommandInput = {
      TableName: this.name,
      ...(index === undefined ? { ConsistentRead: true } : { IndexName: index }),
      KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
      ExpressionAttributeNames: { '#pk': pkName, '#sk': skName },
      ExpressionAttributeValues: { ':pk': { S: pk }, ':from': sortValue(from), ':to': sortValue(to) },
    };
    return this.#query(input, { ...(limit !== undefined && { limit }), pkOfItems });
  }

  /** Keys in a partition of an index, by sort key ascending up to `to`, in pages. Eventually consistent. */
  async *keysUpTo(
    { index, pkName, pk, skName }: { index: string; pkName: string; pk: string; skName: string },
    to: string,
  ): AsyncGenerator<Key[]> {
    let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
    do {
      const { Items = [], LastEvaluatedKey } = await this.#sendQuery({
        TableName: this.name,
        IndexName: index,
        KeyConditionExpression: '#pk = :pk AND #sk <= :to',
        ExpressionAttributeNames: { '#pk': pkName, '#sk': skName },
        ExpressionAttributeValues: { ':pk': { S: pk }, ':to': { S: to } },
        ExclusiveStartKey,
      });
      yield Items.map(toItem).map((item) => v.parse(KeyOfItem, item));
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey);
  }

  /**
   * Queries at most `limit` items of one partition. A reply ends at 1 MB, so large items take several calls.
   */
  async #query(
    input: QueryCommandInput,
    { limit = Infinity, pkOfItems }: { limit?: number; pkOfItems: string },
  ): Promise<Item[]> {
    const items: Item[] = [];
    let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
    do {
      const Limit = limit === Infinity ? undefined : limit - items.length;
      const { Items, LastEvaluatedKey } = await this.#sendQuery({ ...input, Limit, ExclusiveStartKey });
      for (const item of (Items ?? []).map(toItem)) if (item['pk'] === pkOfItems) items.push(item);
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey && items.length < limit);
    return items;
  }

  #sendQuery(input: QueryCommandInput): Promise<QueryCommandOutput> {
    const command = this.#lock.pass(new QueryCommand({ ...input, ReturnConsumedCapacity: 'TOTAL' }));
    return this.#retried((options) => this.#clients.plain.send(command, options));
  }

  /** Sends a transaction once. Only `commit` can interpret a failure, so there is no retry here. */
  async transact(TransactItems: TransactOperation[], ClientRequestToken: string): Promise<void> {
    const input = { TransactItems, ClientRequestToken, ReturnConsumedCapacity: 'TOTAL' } as const;
    const command = this.#lock.pass(new TransactWriteCommand(input));
    const { capacity } = this.#limits;
    await this.#metered((options) => {
      capacity.transactions++;
      return this.#clients.documents.send(command, options);
    });
    capacity.writes++;
  }

  /**
   * Sets attributes of one item outside a transaction, and appends to its lists; creates the item if there is none.
   * Sent again if a reply is lost. If the condition does not hold, returns the stored item.
   */
  async update(
    key: Key,
    { set, append = {} }: { set: Attributes; append?: Readonly<Record<string, readonly unknown[]>> },
    condition?: Condition,
  ): Promise<{ isStored: true } | { isStored: false; found: Item | undefined }> {
    const values: Record<string, unknown> = { ...condition?.ExpressionAttributeValues };
    const names: Record<string, string> = { ...condition?.ExpressionAttributeNames };
    const named = (name: string, value: unknown): [string, string] => {
      names[`#${name}`] = name;
      values[`:${name}`] = value;
      return [`#${name}`, `:${name}`];
    };
    const sets = Object.entries(set).map((one) => named(...one).join(' = '));
    const appends = Object.entries(append).map(([attribute, items]) => {
      const [name, value] = named(attribute, items);
      values[':none'] = [];
      return `${name} = list_append(if_not_exists(${name}, :none), ${value})`;
    });
    const input = {
      TableName: this.name,
      Key: key,
      UpdateExpression: `SET ${[...sets, ...appends].join(', ')}`,
      ...(condition && {
        ConditionExpression: condition.ConditionExpression,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
      }),
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
      ReturnConsumedCapacity: 'TOTAL',
    } as const;
    const command = this.#lock.pass(new UpdateCommand(input));
    const reply = await this.#unlessRefused((options) => this.#clients.documents.send(command, options));
    if (!(reply instanceof ConditionalCheckFailedException)) return { isStored: true };
    return { isStored: false, found: reply.Item && toItem(reply.Item) };
  }

  /** Deletes one item outside a transaction, unless the condition does not hold. */
  async delete(key: Key, condition: Partial<Condition> = {}): Promise<void> {
    const input = { TableName: this.name, Key: key, ...condition, ReturnConsumedCapacity: 'TOTAL' } as const;
    const command = this.#lock.pass(new DeleteCommand(input));
    await this.#unlessRefused((options) => this.#clients.documents.send(command, options));
  }

  /** Sends a write of one item. Returns the refusal if its condition did not hold. */
  #unlessRefused<R extends Reply>(
    call: (options: { abortSignal: AbortSignal }) => Promise<R>,
  ): Promise<R | ConditionalCheckFailedException> {
    return this.#retried(call, 'writeUnits').catch((error: unknown) => {
      if (error instanceof ConditionalCheckFailedException) return error;
      throw error;
    });
  }

  /** The counter of queue numbers at this key. A lost reply to `take` skips numbers. */
  queueCounterAt(key: Key): QueueCounter {
    const update = async (
      UpdateExpression: string,
      value: number,
      { ExpressionAttributeValues, ...condition }: Partial<Condition> = {},
    ) => {
      const input = {
        TableName: this.name,
        Key: key,
        UpdateExpression,
        ...condition,
        ExpressionAttributeValues: { ':value': value, ...ExpressionAttributeValues },
        ReturnValues: 'ALL_NEW',
        ReturnConsumedCapacity: 'TOTAL',
      } as const;
      const command = this.#lock.pass(new UpdateCommand(input));
      return this.#unlessRefused((options) => this.#clients.documents.send(command, options));
    };
    return {
      take: async (by, max) => {
        const reply = await update('ADD taken :value', by, numbersTakenAtMost(max));
        return reply instanceof ConditionalCheckFailedException
          ? { isTaken: false, last: v.parse(Counter, toItem(reply.Item ?? {})).taken }
          : { isTaken: true, last: v.parse(Counter, reply.Attributes).taken };
      },
      giveUp: async (number) => {
        await update('SET givenUp = :value', number);
      },
      read: async () => v.parse(Counter, (await this.get(key)) ?? {}),
    };
  }

  async #retried<R extends Reply | undefined>(
    call: (options: { abortSignal: AbortSignal }) => Promise<R>,
    unit?: Unit,
  ): Promise<R> {
    const backoff = new Backoff(this.#system, this.#limits.deadline);
    for (;;) {
      try {
        return await this.#metered(call, unit);
      } catch (error) {
        if (classifyError(error) === 'fatal') throw error;
        await backoff.wait(error);
      }
    }
  }

  /** Sends a call once. `unit`: kind of capacity that the call consumes, if the reply does not tell the kind. */
  async #metered<R extends Reply | undefined>(
    call: (options: { abortSignal: AbortSignal }) => Promise<R>,
    unit: Unit = 'readUnits',
  ): Promise<R> {
    const { capacity, deadline } = this.#limits;
    const timeLeft = deadline - this.#system.now();
    if (timeLeft <= 0) throw unavailable();
    capacity.calls++;
    const ending = new AbortController();
    // The timer of `AbortSignal.timeout` cannot be cleared, and would outlive the reply.
    const timer = setTimeout(() => {
      ending.abort();
    }, timeLeft + timeLimits.lastCall);
    const reply = await call({ abortSignal: ending.signal }).finally(() => {
      clearTimeout(timer);
    });
    for (const consumed of [reply?.ConsumedCapacity ?? []].flat()) {
      const { CapacityUnits = 0, ReadCapacityUnits, WriteCapacityUnits } = consumed;
      capacity.writeUnits += WriteCapacityUnits ?? 0;
      capacity.readUnits += ReadCapacityUnits ?? 0;
      if (ReadCapacityUnits === undefined && WriteCapacityUnits === undefined)
        capacity[unit] += CapacityUnits;
    }
    return reply;
  }
}

/** Sort keys are strings in the table, and numbers in list indexes. */
const sortValue = (key: string | number): AttributeValue =>
  typeof key === 'string' ? { S: key } : { N: String(key) };
