import {
  DynamoDBDocumentClient,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  headKey,
  parseListName,
  recordKey,
  stateName,
  type Key,
} from '../../../shared/ledger/internal/keys.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';

export type Attributes = Record<string, unknown>;

/** Sort key of a list's first bucket of holes. */
export const firstBucket = '000000000000';

/** Reads and writes the items of a table past the ledger. */
export interface TableItems {
  /** Undefined at run time if there is no such item; typed otherwise because tests know which items exist. */
  get: (key: Key) => Promise<Attributes>;
  put: (item: Attributes) => Promise<unknown>;
  remove: (key: Key) => Promise<unknown>;
  /** False if there is such an item already. */
  add: (item: Attributes) => Promise<boolean>;
  partition: (pk: string) => Promise<Attributes[]>;
  /** Every item of a small table. */
  all: () => Promise<Attributes[]>;
}

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

/** Reads and writes items of an organization past the ledger. `where` is called for each item. */
export function storedItems(
  client: DynamoDBClient,
  where: () => { tableName: string; code: OrganizationCode },
) {
  const items = tableItems(client, () => where().tableName);
  return itemsOf(() => ({ items, code: where().code }));
}

/** Same for any table. */
export function itemsOf(where: () => { items: TableItems; code: OrganizationCode }) {
  const table = () => where().items;
  const code = () => where().code;
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
    edit,
    /** Sets a list state in the head, in an owner or in a former item; undefined removes it. */
    restate: (keeper: Key, list: string, state: string | undefined) =>
      edit(keeper, ({ lists, ...rest }) => {
        const name = stateName(parseListName(list)!);
        const { [name]: _, ...others } = lists as Attributes;
        return { ...rest, lists: { ...others, ...(state !== undefined && { [name]: state }) } };
      }),
    at,
    inOrganization,
    head: (): Key => headKey(code()),
    idAt: (prefix: string, number: number) => `${prefix}_${code()}${String(number).padStart(8, '0')}`,
    holeItemKey: (list: string, sk: string) => inOrganization(`${list}#LIST`, sk),
    unique: (kind: string, value: string) => inOrganization('UNIQUE', `${kind}#${value}`),
    /** Numbers of the events of this kind. */
    eventsOf: async (event: string): Promise<number[]> => {
      const all = await table().partition(at('EVENT', 1).pk);
      return all.filter((item) => item['event'] === event).map(({ id }) => id as number);
    },
    partitionOf: (list: string) => `ORG#${code()}#${list}`,
  };
}
export type StoredItems = ReturnType<typeof itemsOf>;
