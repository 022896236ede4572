import type { OrganizationCode } from '../../core/ids.ts';

/**
 * Primary key of an item. The ledger builds all keys with the functions of this file; `docs/data-model.md` shows every
 * kind of item with an example.
 */
export interface Key {
  pk: string;
  sk: string;
}

/**
 * The table's global secondary indexes. The set is fixed, because CloudFormation adds only one index per deployment. An
 * unused index costs nothing. Each index has the keys `<name>pk`, a string, and `<name>sk`.
 *
 * - List indexes sort by a number, the member's rank. A record can be in one list of each index.
 * - Search indexes sort by a string, the searchable field, for ranges. A record can be once in each search index.
 * - The due index sorts by due time, across organizations, and projects keys only.
 */
export const listIndexes = ['gsi1', 'gsi2', 'gsi3', 'gsi4', 'gsi5'] as const;
export const searchIndexes = ['gsi6', 'gsi7', 'gsi8'] as const;
export const dueIndex = 'gsi9';
export type ListIndex = (typeof listIndexes)[number];
export type SearchIndex = (typeof searchIndexes)[number];

export const keyNamesOf = <const Index extends string>(index: Index) =>
  ({ pkName: `${index}pk`, skName: `${index}sk` }) as const;

const indexPartitionNames = [...listIndexes, ...searchIndexes].map((index) => keyNamesOf(index).pkName);
const duePartitionName = keyNamesOf(dueIndex).pkName;
const allPartitionNames = [...indexPartitionNames, duePartitionName];

/**
 * True if all keys of an item, in the table and in indexes, belong to this organization. `item` may be a key
 * alone. A grant and a phone number name the organization in an attribute, and are in no index. The loops are
 * plain for speed: every write checks each of its items.
 */
export function isOwnItem(
  organization: OrganizationCode,
  item: Readonly<Partial<Record<string, unknown>>>,
): boolean {
  const pk = String(item['pk']);
  const partition = `ORG#${organization}`;
  const start = `${partition}#`;
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

/** True if an item is in an index. */
const isInIndexes = (item: Readonly<Partial<Record<string, unknown>>>): boolean =>
  allPartitionNames.some((name) => item[name] !== undefined);

/** Key of an item that has its key attributes. */
export const keyOfItem = ({ pk, sk }: Readonly<Partial<Record<string, unknown>>>): Key => ({
  pk: String(pk),
  sk: String(sk),
});

/** A key in one string, for maps. */
export const nameOfKey = ({ pk, sk }: Key): string => `${pk} ${sk}`;

const digits = 12;
/** A number as a sort key. */
export const sortable = (number: number) => String(number).padStart(digits, '0');

/** Partition key with this path. The path is the key without the organization. */
export const partitionAt = (organization: OrganizationCode, path: string): string =>
  `ORG#${organization}#${path}`;

/** The path of an organization's partition; undefined for any other partition. */
export function pathOf(organization: OrganizationCode, partition: string): string | undefined {
  const start = partitionAt(organization, '');
  return partition.startsWith(start) ? partition.slice(start.length) : undefined;
}

const headSk = 'HEAD';
export const headKey = (organization: OrganizationCode): Key => ({ pk: `ORG#${organization}`, sk: headSk });
export const isHeadKey = ({ sk }: Key): boolean => sk === headSk;

export const recordsPartition = (organization: OrganizationCode, collection: string): string =>
  `ORG#${organization}#${collection}`;

export const recordKey = (organization: OrganizationCode, collection: string, number: number): Key => ({
  pk: recordsPartition(organization, collection),
  sk: sortable(number),
});

/** Partition of the claims of unique values. */
export const uniquePartition = (organization: OrganizationCode): string => `ORG#${organization}#UNIQUE`;

/**
 * Key of a unique value's claim.
 *
 * - `kind`: collection and field, such as `LEAD.email`.
 * - `within`: number of the record that the value is unique within; undefined for the whole organization.
 * - `folded`: value in the form that is compared (see `unique-values.ts`).
 */
export const uniqueKey = (
  organization: OrganizationCode,
  { kind, within, folded }: { kind: string; within?: number | undefined; folded: string },
): Key => ({
  pk: uniquePartition(organization),
  sk: [kind, ...(within === undefined ? [] : [sortable(within)]), folded].join('#'),
});

/**
 * List of a collection's records. A list in the table has all records. A list in an index has the records with the same
 * owner, the same name, or both.
 */
export interface ListKey {
  collection: string;
  /** Undefined for the list of all records, which is the collection itself. */
  index?: ListIndex | undefined;
  owner?: { collection: string; number: number } | undefined;
  name?: string | undefined;
}

/** Partition of a list in its index, or of a collection in the table. */
export const listPartition = (organization: OrganizationCode, list: ListKey): string =>
  partitionAt(organization, listPath(list));

/** Path of a list's partition. */
export const listPath = (list: ListKey): string => {
  const { owner } = list;
  const ownedBy = owner ? [owner.collection, sortable(owner.number)] : [];
  return [...ownedBy, listName(list)].join('#');
};

/** Name of a list. Includes the index's number, because lists of two kinds may share an owner or a name. */
export const listName = ({ collection, index, name }: Omit<ListKey, 'owner'>): string =>
  [
    collection,
    ...(index === undefined ? [] : [index.slice('gsi'.length)]),
    ...(name === undefined ? [] : [name]),
  ].join('#');

/**
 * Short codes of collections, for the names of states. Every write stores the head, so each byte of a name costs. A
 * collection without a code has its whole name there.
 */
const stateCodes = new Map([
  ['APPOINTMENT', 'A'],
  ['ATTENDANCE', 'T'],
  ['CALL', 'K'],
  ['CATEGORY', 'G'],
  ['CHATBOT', 'B'],
  ['COMPANY', 'C'],
  ['EMAIL', 'E'],
  ['EVENT', 'V'],
  ['FAQ', 'F'],
  ['INQUIRY', 'I'],
  ['INVITATION', 'IV'],
  ['LEAD', 'L'],
  ['MEMBER', 'M'],
  ['MESSAGE', 'X'],
  ['NOTE', 'N'],
  ['OPTOUT', 'O'],
  ['ORGANIZATION', 'Z'],
  ['PIPELINE', 'D'],
  ['POLICY', 'Y'],
  ['PRODUCT', 'P'],
  ['SCENARIO', 'U'],
  ['SERVICE', 'S'],
  ['THREAD', 'H'],
  ['TOKEN', 'Q'],
  ['TRANSFER', 'R'],
  ['WEBFORM', 'W'],
  ['WEBHOOK', 'J'],
]);
const collectionsByCode = new Map([...stateCodes].map(([collection, code]) => [code, collection]));

/** Name of a list's state in the head or in its owner: the list's name, with the code of the collection. */
export const stateName = (list: Omit<ListKey, 'owner'>): string =>
  listName({ ...list, collection: stateCodes.get(list.collection) ?? list.collection });

/** Parses the name of a list's state; undefined if it is no state's name. */
export function parseStateName(text: string): Omit<ListKey, 'owner'> | undefined {
  const list = parseListName(text);
  // The whole name of a collection that has a code would be a second name for the same state.
  if (!list || stateCodes.has(list.collection)) return undefined;
  return { ...list, collection: collectionsByCode.get(list.collection) ?? list.collection };
}

/** Parses the partition of a list; undefined if it is no list of the organization. */
export function parseListPartition(organization: OrganizationCode, partition: string): ListKey | undefined {
  return parseListPath(pathOf(organization, partition) ?? '');
}

/** Parses the path of a list's partition; undefined if it is no list's. */
export function parseListPath(path: string): ListKey | undefined {
  const [, owner, number, list] = /^(?:([^#]+)#(\d{12})#)?(.+)$/s.exec(path) ?? [];
  const key = list === undefined ? undefined : parseListName(list);
  if (!key || owner === undefined) return key;
  return { ...key, owner: { collection: owner, number: Number(number) } };
}

/** A partition for a log: without a token's hash, a phone number, or a list's name, such as a tag. */
export const redactedPartition = (partition: string): string =>
  partition
    .replace(/^(TOKEN|NUMBER)#.*/s, '$1')
    .replace(/^(ORG#[^#]*#(?:[^#]+#\d{12}#)?[^#]+#\d)#(?!LIST$).*?(#LIST)?$/s, '$1#…$2');

/** Parses the name of a list; undefined if it is no list's name. */
export function parseListName(text: string): Omit<ListKey, 'owner'> | undefined {
  const [, collection, place, name] = /^([^#]+)(?:#(\d)(?:#(.*))?)?$/s.exec(text) ?? [];
  if (collection === undefined) return undefined;
  if (place === undefined) return { collection };
  const index = listIndexes.find((one) => one === `gsi${place}`);
  return index && { collection, index, ...(name !== undefined && { name }) };
}

/** Partition of a collection's records in a search index. */
export const searchPartition = (
  organization: OrganizationCode,
  collection: string,
  index: SearchIndex,
): string => [`ORG#${organization}`, collection, index.slice('gsi'.length)].join('#');

const listItemKey = (partition: string, sk: string): Key => ({ pk: `${partition}#LIST`, sk });

/** Partition of a list's holes, counts and state item. */
export const holesPartition = (partition: string): string => listItemKey(partition, '').pk;

/** Partition of the list that has its holes in this partition; undefined for any other partition. */
export function listOfHoles(pk: string): string | undefined {
  const end = holesPartition('');
  return pk.endsWith(end) ? pk.slice(0, -end.length) : undefined;
}

/** Key of the holes in one bucket (a range of numbers) of a list. */
export const holesKey = (partition: string, bucket: number): Key => listItemKey(partition, sortable(bucket));

/** Key of the number of holes in each bucket of a list. */
export const countsKey = (partition: string): Key => listItemKey(partition, 'COUNTS');

/** Key of a list's state item. Other lists have their state in the head or in the owner. */
export const stateKey = (partition: string): Key => listItemKey(partition, 'STATE');

/**
 * Key of the former item of a removed record. The former item keeps the states of the record's lists while the lists
 * have members.
 */
export const formerKey = (organization: OrganizationCode, collection: string, number: number): Key => {
  const { pk, sk } = recordKey(organization, collection, number);
  return stateKey(`${pk}#${sk}`);
};

/** Parses the key of a former item; undefined for any other key. */
export function parseFormerKey({
  pk,
  sk,
}: Key): { organization: string; collection: string; number: number } | undefined {
  const [, organization, collection, number] = /^ORG#([^#]+)#([^#]+)#(\d{12})#LIST$/.exec(pk) ?? [];
  if (organization === undefined || collection === undefined || sk !== 'STATE') return undefined;
  return { organization, collection, number: Number(number) };
}

/** Number of partitions of a worker's due records. A partition takes a thousand writes a second. */
export const dueShards = 8;

export const duePartition = (worker: string, shard: number): string => `DUE#${worker}#${shard}`;

/** Attributes that put an item of an organization into the due index, for a worker and a time (ISO 8601, UTC). */
export const placeInDueIndex = (
  organization: OrganizationCode,
  { worker, at }: { worker: string; at: string },
): Record<string, string> => {
  const { pkName, skName } = keyNamesOf(dueIndex);
  return { [pkName]: duePartition(worker, shardOf(organization)), [skName]: at };
};

/** Shard of an organization. Codes are random, so shards fill evenly. */
export const shardOf = (organization: OrganizationCode): number => organization.charCodeAt(7) % dueShards;

/** Parses the key of a record; undefined for any other key. */
export function parseRecordKey({
  pk,
  sk,
}: Key): { organization: string; collection: string; number: number } | undefined {
  const [, organization, collection] = /^ORG#([^#]+)#([^#]+)$/.exec(pk) ?? [];
  if (organization === undefined || collection === undefined || !/^\d{12}$/.test(sk)) return undefined;
  return { organization, collection, number: Number(sk) };
}

/**
 * Key of the counter of queue numbers. The counter is written outside transactions, so it has its own partition: a role
 * can allow such writes for that partition alone. Cursors, deliveries, receivers' answers and prepared texts are
 * written in the same way.
 */
export const queueKey = (organization: OrganizationCode): Key => ({
  pk: `ORG#${organization}#TURN`,
  sk: 'TURN',
});

/** Key of a daily count (UTC, ISO 8601 date). */
export const dayCountKey = (
  organization: OrganizationCode,
  { kind, name, day }: { kind: string; name: string; day: string },
): Key => ({ pk: dayCountPartition(organization), sk: [kind, name, day].join('#') });

export const dayCountPartition = (organization: OrganizationCode): string => `ORG#${organization}#DAY`;

/** True if a sort key has the form that `dayCountKey` gives. */
export const isDayCount = (sk: string): boolean => /^[A-Z]+#[^#]+#\d{4}-\d\d-\d\d$/.test(sk);

/** Key of the bookings of a day (UTC, ISO 8601 date). */
export const bookedKey = (organization: OrganizationCode, day: string): Key => ({
  pk: bookedPartition(organization),
  sk: day,
});

export const bookedPartition = (organization: OrganizationCode): string => `ORG#${organization}#BOOKED`;

/** True if a key has the form that `bookedKey` gives. */
export const isBookedKey = ({ pk, sk }: Key): boolean =>
  /^ORG#[^#]+#BOOKED$/.test(pk) && /^\d{4}-\d\d-\d\d$/.test(sk);

/** Key of a text that is prepared from the configuration. */
export const preparedKey = (organization: OrganizationCode, name: string): Key => ({
  pk: preparedPartition(organization),
  sk: name,
});

export const preparedPartition = (organization: OrganizationCode): string => `ORG#${organization}#PREPARED`;

/** Key of a request with an `Idempotency-Key`. `id`: SHA-256, base64url. */
export const requestKey = (organization: OrganizationCode, id: string): Key => ({
  pk: requestPartition(organization),
  sk: id,
});

export const requestPartition = (organization: OrganizationCode): string => `ORG#${organization}#REQUEST`;

/** Key of the note that the person with a phone number was erased. `hash`: keyed hash of the number, base64url. */
export const erasedKey = (organization: OrganizationCode, hash: string): Key => ({
  pk: erasedPartition(organization),
  sk: hash,
});

export const erasedPartition = (organization: OrganizationCode): string => `ORG#${organization}#ERASED`;

/** True if a sort key can be a hash of 32 bytes: a request's id, or an erased person's number. */
export const isHash = (sk: string): boolean => /^[\w-]{43}$/.test(sk);

/** Partition of the cursors of an organization's webhooks. */
export const cursorsPartition = (organization: OrganizationCode): string =>
  partitionAt(organization, cursorsName);
const cursorsName = 'CURSOR';

/** Key of a webhook's cursor: its position in the events. */
export const cursorKey = (organization: OrganizationCode, webhook: number): Key => ({
  pk: cursorsPartition(organization),
  sk: sortable(webhook),
});

/** Organization and webhook of a cursor's key; undefined for any other key. */
export function parseCursorKey(key: Key): { organization: string; webhook: number } | undefined {
  const { organization, collection, number } = parseRecordKey(key) ?? {};
  if (organization === undefined || collection !== cursorsName || number === undefined) return undefined;
  return { organization, webhook: number };
}

/** The worker that cursors are due for. */
export const cursorsWorker = 'sweep-webhooks';

/** Partition of a webhook's deliveries. */
export const deliveriesPartition = (organization: OrganizationCode, webhook: number): string =>
  partitionAt(organization, `DELIVERY#${sortable(webhook)}`);

export const deliveryKey = (organization: OrganizationCode, webhook: number, delivery: number): Key => ({
  pk: deliveriesPartition(organization, webhook),
  sk: sortable(delivery),
});

/** Partition of the receivers' answers to events about a lead or its inquiries. */
export const answersPartition = (organization: OrganizationCode, lead: number): string =>
  partitionAt(organization, `ANSWER#${sortable(lead)}`);

/** Key of one receiver's answers. `cause`: number of the event that caused the delivery. */
export const answerKey = (
  organization: OrganizationCode,
  lead: number,
  { webhook, cause }: { webhook: number; cause: number },
): Key => ({
  pk: answersPartition(organization, lead),
  sk: `${sortable(webhook)}#${sortable(cause)}`,
});

/** True if a partition has cursors, deliveries or answers of webhooks. No record depends on these items. */
export const isSentPartition = (organization: OrganizationCode, pk: string): boolean =>
  /^(?:CURSOR|(?:DELIVERY|ANSWER)#\d{12})$/.test(pathOf(organization, pk) ?? '');

/** Key of the marker of an import under way. The marker is there until the organization's head is stored. */
export const importKey = (organization: OrganizationCode): Key => ({
  pk: `ORG#${organization}`,
  sk: 'IMPORT',
});

/** Key of a token's grant. The key has no organization: the grant names the organization. */
export const grantKey = (tokenHash: string): Key => ({ pk: `TOKEN#${tokenHash}`, sk: 'TOKEN' });

/** Key of a phone number (E.164). The key has no organization: the item names the organization. */
export const phoneNumberKey = (phone: string): Key => ({ pk: `NUMBER#${phone}`, sk: 'NUMBER' });

/** Key that no item has. A starting function reads this key to open a connection. */
export const warmUpKey: Key = { pk: 'NOWHERE', sk: 'NOWHERE' };

/** The partition keys above as IAM patterns, for roles. `*` matches any string, `?` one character. */
export const keyPatterns = {
  /** All items of any organization, in the table and in its indexes. */
  organization: 'ORG#*',
  queue: 'ORG#????????#TURN',
  cursors: 'ORG#????????#CURSOR',
  deliveries: 'ORG#????????#DELIVERY#*',
  prepared: 'ORG#????????#PREPARED',
  answers: 'ORG#????????#ANSWER#*',
  grant: 'TOKEN#*',
  number: 'NUMBER#*',
  warmUp: 'NOWHERE',
  dueOf: (worker: string) => `DUE#${worker}#*`,
} as const;

/**
 * Narrows a pattern above to one organization: `ORG#*` becomes `ORG#6H8EV880*`. Undefined if the pattern needs an
 * organization and there is none.
 */
export function patternIn(organization: OrganizationCode | undefined, pattern: string): string | undefined {
  if (!pattern.startsWith('ORG#')) return pattern;
  return organization && pattern.replace(/^ORG#(\?{8})?/, `ORG#${organization}`);
}

/** The kind of a partition key, for a log: the rest can be private. */
export const kindOfPartition = (pk: unknown): string =>
  /^(?:ORG|TOKEN|NUMBER|DUE)#/.exec(String(pk))?.[0] ?? 'a key of no known kind';
