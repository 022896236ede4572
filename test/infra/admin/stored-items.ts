import {
  DynamoDBDocumentClient,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { headKey, recordKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';

export type Attributes = Record<string, unknown>;

/** The sort key of the notes of a list's first bucket. */
export const firstBucket = '000000000000';

/** Reads and writes the items of an organization past the ledger; `where` tells which organization, when it is asked. */
export function storedItems(
  client: DynamoDBClient,
  where: () => { tableName: string; code: OrganizationCode },
) {
  const documents = DynamoDBDocumentClient.from(client);
  const inOrganization = (suffix: string, sk: string): Key => ({ pk: `ORG#${where().code}#${suffix}`, sk });
  const get = async (Key: Key): Promise<Attributes> => {
    const { Item } = await documents.send(
      new GetCommand({ TableName: where().tableName, Key, ConsistentRead: true }),
    );
    return Item!;
  };
  const put = (Item: Attributes) => documents.send(new PutCommand({ TableName: where().tableName, Item }));
  const edit = async (key: Key, change: (item: Attributes) => Attributes) => {
    await put(change(await get(key)));
  };
  const at = (collection: string, number: number): Key => recordKey(where().code, collection, number);
  return {
    get,
    put,
    remove: (Key: Key) => documents.send(new DeleteCommand({ TableName: where().tableName, Key })),
    /** Adds an item; false where there is one. */
    add: async (Item: Attributes): Promise<boolean> => {
      const ConditionExpression = 'attribute_not_exists(pk)';
      const input = { TableName: where().tableName, Item, ConditionExpression };
      return documents.send(new PutCommand(input)).then(
        () => true,
        () => false,
      );
    },
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
    head: (): Key => headKey(where().code),
    idAt: (prefix: string, number: number) => `${prefix}_${where().code}${String(number).padStart(8, '0')}`,
    notesOf: (list: string, sk: string) => inOrganization(`${list}#LIST`, sk),
    unique: (kind: string, value: string) => inOrganization('UNIQUE', `${kind}#${value}`),
    /** The numbers of the events of this kind. */
    eventsOf: async (event: string): Promise<number[]> => {
      const { Items = [] } = await documents.send(
        new QueryCommand({
          TableName: where().tableName,
          KeyConditionExpression: 'pk = :pk',
          FilterExpression: '#event = :event',
          ExpressionAttributeNames: { '#event': 'event' },
          ExpressionAttributeValues: { ':pk': at('EVENT', 1).pk, ':event': event },
        }),
      );
      return Items.map(({ id }) => id as number);
    },
    partitionOf: (list: string) => `ORG#${where().code}#${list}`,
    /** How findings name the notes of a list. */
    notes: (list: string, sk = firstBucket) => `ORG#${where().code}#${list}#LIST ${sk}`,
    headName: () => `ORG#${where().code} HEAD`,
  };
}
export type StoredItems = ReturnType<typeof storedItems>;
