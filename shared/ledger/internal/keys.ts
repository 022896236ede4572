import type { OrganizationCode } from '../../core/ids.ts';

/** The only place where keys are built. `docs/data-model.md` shows every kind of item with an example. */
export interface Key {
  pk: string;
  sk: string;
}

/**
 * The table's global secondary indexes. Fixed: CloudFormation adds one index per deployment, and an unused
 * one costs nothing. Each has the keys `<name>pk`, a string, and `<name>sk`.
 *
 * - List indexes sort by a number, the member's rank. A record can be in one list of each.
 * - Text indexes sort by a string, such as a name. A record can be in each of them once.
 * - The index of due records sorts by the moment each is due, across organizations. It projects keys only.
 */
export const listIndexes = ['gsi1', 'gsi2', 'gsi3', 'gsi4', 'gsi5'] as const;
export const searchIndexes = ['gsi6', 'gsi7', 'gsi8'] as const;
export const dueIndex = 'gsi9';
export type ListIndex = (typeof listIndexes)[number];
export type SearchIndex = (typeof searchIndexes)[number];

/** The names of an index's two key attributes. */
export const keyNamesOf = <const Index extends string>(index: Index) =>
  ({ pkName: `${index}pk`, skName: `${index}sk` }) as const;

const indexPartitionNames = [...listIndexes, ...searchIndexes].map((index) => keyNamesOf(index).pkName);
const duePartitionName = keyNamesOf(dueIndex).pkName;
const allPartitionNames = [...indexPartitionNames, duePartitionName];

/**
 * True if an item, or its key alone, is this organization's with all keys that it has, those of indexes included: it begins no
 * partition of another, and of those of due records it is in its own shard. A grant and a phone number name the organization
 * by an attribute, and are in no index. Plain loops, since every write asks this of each of its items.
 */
export function isOwnItem(
  organization: OrganizationCode,
  item: Readonly<Partial<Record<string, unknown>>>,
): boolean {
  const { pk } = item;
  const partition = `ORG#${organization}`;
  const start = `${partition}#`;
  if (typeof pk !== 'string') return false;
  if (pk !== partition && !pk.startsWith(start)) {
    const { organization: named = organization } = item;
    const isFoundAlone = pk.startsWith('TOKEN#') || pk.startsWith('NUMBER#');
    return isFoundAlone && named === organization && !isInIndexes(item);
  }
  for (const name of indexPartitionNames) {
    const inIndex = item[name];
    if (inIndex !== undefined && !(typeof inIndex === 'string' && inIndex.startsWith(start))) return false;
  }
  const due = item[duePartitionName];
  return (
    due === undefined ||
    (typeof due === 'string' && due.startsWith('DUE#') && due.endsWith(`#${shardOf(organization)}`))
  );
}

/** True if an item is in an index. Of all items, records alone are. */
const isInIndexes = (item: Readonly<Partial<Record<string, unknown>>>): boolean =>
  allPartitionNames.some((name) => item[name] !== undefined);

/** A key as one text. */
export const nameOfKey = ({ pk, sk }: Key): string => `${pk} ${sk}`;

const digits = 12;
/** A number as a sort key. */
export const sortable = (number: number) => String(number).padStart(digits, '0');

export const headKey = (organization: OrganizationCode): Key => ({ pk: `ORG#${organization}`, sk: 'HEAD' });

/** The partition of a collection's records. */
export const recordsPartition = (organization: OrganizationCode, collection: string): string =>
  `ORG#${organization}#${collection}`;

export const recordKey = (organization: OrganizationCode, collection: string, number: number): Key => ({
  pk: recordsPartition(organization, collection),
  sk: sortable(number),
});

/**
 * A unique value. `kind`: collection and field, such as `LEAD.email`; `within`: the number of the record
 * within which it is unique, if not in the whole organization; `folded`: the value as compared, see
 * `unique-values.ts`.
 */
export const uniqueKey = (
  organization: OrganizationCode,
  { kind, within, folded }: { kind: string; within?: number | undefined; folded: string },
): Key => ({
  pk: `ORG#${organization}#UNIQUE`,
  sk: [kind, ...(within === undefined ? [] : [sortable(within)]), folded].join('#'),
});

/**
 * A list of a collection's records: of all, or, in an index, of those with the same owner or name, or both.
 */
export interface ListKey {
  collection: string;
  /** Undefined for the list of all, which is the collection itself. */
  index?: ListIndex | undefined;
  owner?: { collection: string; number: number } | undefined;
  name?: string | undefined;
}

/** The partition of a list in its index, or of a collection in the table. */
export const listPartition = (organization: OrganizationCode, list: ListKey): string => {
  const { owner } = list;
  const ownedBy = owner ? [owner.collection, sortable(owner.number)] : [];
  return [`ORG#${organization}`, ...ownedBy, listName(list)].join('#');
};

/**
 * The name of a list's state in the head or in its owner. Contains the index's number, since lists of two
 * kinds may have the same owner or name.
 */
export const listName = ({ collection, index, name }: Omit<ListKey, 'owner'>): string =>
  [
    collection,
    ...(index === undefined ? [] : [index.slice('gsi'.length)]),
    ...(name === undefined ? [] : [name]),
  ].join('#');

/** The list of a partition; undefined if it is no list of the organization. */
export function parseListPartition(organization: OrganizationCode, partition: string): ListKey | undefined {
  const start = `ORG#${organization}#`;
  const [, owner, number, list] =
    /^(?:([^#]+)#(\d{12})#)?(.+)$/s.exec(partition.startsWith(start) ? partition.slice(start.length) : '') ??
    [];
  const key = list === undefined ? undefined : parseListName(list);
  if (!key || owner === undefined) return key;
  return { ...key, owner: { collection: owner, number: Number(number) } };
}

/** A partition as a log may tell it: without the hash of a token, a phone number, or the name of a list, such as a tag. */
export const redactedPartition = (partition: string): string =>
  partition
    .replace(/^(TOKEN|NUMBER)#.*/s, '$1')
    .replace(/^(ORG#[^#]*#(?:[^#]+#\d{12}#)?[^#]+#\d)#(?!LIST$).*?(#LIST)?$/s, '$1#…$2');

/** The list of a name; undefined if it is no list's name. */
export function parseListName(text: string): Omit<ListKey, 'owner'> | undefined {
  const [, collection, place, name] = /^([^#]+)(?:#(\d)(?:#(.*))?)?$/s.exec(text) ?? [];
  if (collection === undefined) return undefined;
  if (place === undefined) return { collection };
  const index = listIndexes.find((one) => one === `gsi${place}`);
  return index && { collection, index, ...(name !== undefined && { name }) };
}

/** The partition of a collection's records in a text index. */
export const searchPartition = (
  organization: OrganizationCode,
  collection: string,
  index: SearchIndex,
): string => [`ORG#${organization}`, collection, index.slice('gsi'.length)].join('#');

const listItemKey = (partition: string, sk: string): Key => ({ pk: `${partition}#LIST`, sk });

/** The partition of a list's notes, from the list's partition. */
export const holesPartition = (partition: string): string => listItemKey(partition, '').pk;

/** Which numbers of one bucket (a range of numbers) have left a list. */
export const holesKey = (partition: string, bucket: number): Key => listItemKey(partition, sortable(bucket));

/** How many numbers of each bucket have left a list. */
export const countsKey = (partition: string): Key => listItemKey(partition, 'COUNTS');

/** The state of a list that is kept neither in the head nor in its owner. */
export const stateKey = (partition: string): Key => listItemKey(partition, 'STATE');

/** What is left of a removed record as long as lists that it owned have members: the states of those. */
export const formerKey = (organization: OrganizationCode, collection: string, number: number): Key => {
  const { pk, sk } = recordKey(organization, collection, number);
  return stateKey(`${pk}#${sk}`);
};

/** Reads the key of what is left of a removed record; undefined for any other key. */
export function parseFormerKey({
  pk,
  sk,
}: Key): { organization: string; collection: string; number: number } | undefined {
  const [, organization, collection, number] = /^ORG#([^#]+)#([^#]+)#(\d{12})#LIST$/.exec(pk) ?? [];
  if (organization === undefined || collection === undefined || sk !== 'STATE') return undefined;
  return { organization, collection, number: Number(number) };
}

/** How many partitions a worker's due records are spread over: one takes a thousand writes a second. */
export const dueShards = 8;

/** The partition of a worker's due records in one shard. */
export const duePartition = (worker: string, shard: number): string => `DUE#${worker}#${shard}`;

/** The shard of an organization: codes are random. */
export const shardOf = (organization: OrganizationCode): number => organization.charCodeAt(7) % dueShards;

/** Reads the key of a record; undefined for any other key. */
export function parseRecordKey({
  pk,
  sk,
}: Key): { organization: string; collection: string; number: number } | undefined {
  const [, organization, collection] = /^ORG#([^#]+)#([^#]+)$/.exec(pk) ?? [];
  if (organization === undefined || collection === undefined || !/^\d{12}$/.test(sk)) return undefined;
  return { organization, collection, number: Number(sk) };
}

/**
 * The counter that hands out queue numbers to waiting writers. It is the only item written outside a
 * transaction, so it has its own partition, for which alone a role can allow that.
 */
export const queueKey = (organization: OrganizationCode): Key => ({
  pk: `ORG#${organization}#TURN`,
  sk: 'TURN',
});

/** A count of one day (UTC, ISO 8601): how often something was, of which a day may have so many. */
export const dayCountKey = (
  organization: OrganizationCode,
  { kind, name, day }: { kind: string; name: string; day: string },
): Key => ({ pk: dayCountPartition(organization), sk: [kind, name, day].join('#') });

export const dayCountPartition = (organization: OrganizationCode): string => `ORG#${organization}#DAY`;

/** True if a sort key can be that of a count of a day. */
export const isDayCount = (sk: string): boolean => /^[A-Z]+#[^#]+#\d{4}-\d\d-\d\d$/.test(sk);

/** What an import under way writes for: there until the organization's head is. */
export const importKey = (organization: OrganizationCode): Key => ({
  pk: `ORG#${organization}`,
  sk: 'IMPORT',
});

/** A token's grant: found without the organization, which it names. */
export const grantKey = (tokenHash: string): Key => ({ pk: `TOKEN#${tokenHash}`, sk: 'TOKEN' });

/** Whose a phone number (E.164) is: found without the organization, as a grant is. */
export const phoneNumberKey = (phone: string): Key => ({ pk: `NUMBER#${phone}`, sk: 'NUMBER' });

/** A key that no item has: what a function reads as it starts. */
export const warmUpKey: Key = { pk: 'NOWHERE', sk: 'NOWHERE' };

/** The partition keys above as IAM patterns, in which `*` is any text and `?` a character: a role names those that it may reach. */
export const keyPatterns = {
  /** All of any organization, in the table and in its lists' indexes. */
  organization: 'ORG#*',
  queue: 'ORG#????????#TURN',
  grant: 'TOKEN#*',
  number: 'NUMBER#*',
  warmUp: 'NOWHERE',
  dueOf: (worker: string) => `DUE#${worker}#*`,
} as const;
