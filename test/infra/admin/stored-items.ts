import {
  DynamoDBDocumentClient,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { headKey, recordKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';

export type Attributes = Record<string, unknown>;

/** The sort key of the notes of a list's first bucket. */
export const firstBucket = '000000000000';

/** Reads and writes the items of a table past the ledger. */
export interface TableItems {
  /** Undefined at run time where there is none: tests know what is there. */
  get: (key: Key) => Promise<Attributes>;
  put: (item: Attributes) => Promise<unknown>;
  remove: (key: Key) => Promise<unknown>;
  /** Adds an item; false where there is one. */
  add: (item: Attributes) => Promise<boolean>;
  partition: (pk: string) => Promise<Attributes[]>;
  /** All of a small table. */
  all: () => Promise<Attributes[]>;
}

/** The items of a table that a client reaches. */
export function tableItems(client: DynamoDBClient, tableName: () => string): TableItems {
  const documents = DynamoDBDocumentClient.from(client);
  return {
    get: async (Key) => {
      const input = { TableName: tableName(), Key, ConsistentRead: true };
      return (await documents.send(new GetCommand(input))).Item!;
    },
    put: (Item) => documents.send(new PutCommand({ TableName: tableName(), Item })),
    remove: (Key) => documents.send(new DeleteCommand({ TableName: tableName(), Key })),
    add: async (Item) => {
      const input = { TableName: tableName(), Item, ConditionExpression: 'attribute_not_exists(pk)' };
      return documents.send(new PutCommand(input)).then(
        () => true,
        () => false,
      );
    },
    partition: async (pk) => {
      const ExpressionAttributeValues = { ':pk': pk };
      const KeyConditionExpression = 'pk = :pk';
      const input = { TableName: tableName(), KeyConditionExpression, ExpressionAttributeValues };
      return (await documents.send(new QueryCommand(input))).Items ?? [];
    },
    all: async () => {
      const input = { TableName: tableName(), ConsistentRead: true };
      return (await documents.send(new ScanCommand(input))).Items ?? [];
    },
  };
}

/** Reads and writes the items of an organization past the ledger; `where` tells which organization, when it is asked. */
export function storedItems(
  client: DynamoDBClient,
  where: () => { tableName: string; code: OrganizationCode },
) {
  const items = tableItems(client, () => where().tableName);
  return itemsOf(
    () => items,
    () => where().code,
  );
}

/** The same of any table. */
export function itemsOf(table: () => TableItems, code: () => OrganizationCode) {
  const get: TableItems['get'] = (key) => table().get(key);
  const put: TableItems['put'] = (item) => table().put(item);
  const remove: TableItems['remove'] = (key) => table().remove(key);
  const add: TableItems['add'] = (item) => table().add(item);
  const inOrganization = (suffix: string, sk: string): Key => ({ pk: `ORG#${code()}#${suffix}`, sk });
  const edit = async (key: Key, change: (item: Attributes) => Attributes) => {
    await put(change(await get(key)));
  };
  const at = (collection: string, number: number): Key => recordKey(code(), collection, number);
  return {
    get,
    put,
    remove,
    add,
    /** Replaces an item. */
    edit,
    /** Gives a list another state, in the head or in the record that keeps it; none: takes it away. */
    restate: (keeper: Key, list: string, state: string | undefined) =>
      edit(keeper, ({ lists, ...rest }) => {
        const { [list]: _, ...others } = lists as Attributes;
        return { ...rest, lists: { ...others, ...(state !== undefined && { [list]: state }) } };
      }),
    at,
    inOrganization,
    head: (): Key => headKey(code()),
    idAt: (prefix: string, number: number) => `${prefix}_${code()}${String(number).padStart(8, '0')}`,
    notesOf: (list: string, sk: string) => inOrganization(`${list}#LIST`, sk),
    unique: (kind: string, value: string) => inOrganization('UNIQUE', `${kind}#${value}`),
    /** The numbers of the events of this kind. */
    eventsOf: async (event: string): Promise<number[]> => {
      const all = await table().partition(at('EVENT', 1).pk);
      return all.filter((item) => item['event'] === event).map(({ id }) => id as number);
    },
    partitionOf: (list: string) => `ORG#${code()}#${list}`,
    /** How findings name the notes of a list. */
    notes: (list: string, sk = firstBucket) => `ORG#${code()}#${list}#LIST ${sk}`,
    headName: () => `ORG#${code()} HEAD`,
  };
}
export type StoredItems = ReturnType<typeof itemsOf>;
