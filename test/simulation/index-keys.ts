import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { itemSize, type Item } from './attribute-values.ts';
import { Invalid } from './errors.ts';
import type { TableKey, Version } from './table-items.ts';

/** A global secondary index. Its partition key is a string, its sort key a string or a number. */
export interface IndexDescription {
  name: string;
  partitionKey: string;
  sortKey: string;
  sortType: 'S' | 'N';
  /** Attributes that the index contains: all, or only the keys of the table and of the index. */
  projection: 'ALL' | 'KEYS_ONLY';
}

/** A table with the keys `pk` and `sk`, which are strings. */
export interface TableDescription {
  name: string;
  indexes: readonly IndexDescription[];
}

/** A unique string for a key. */
export const nameOf = ({ pk, sk }: TableKey): string => `${pk.length} ${pk}${sk}`;

const maxBytes = { pk: 2048, sk: 1024, item: 400 * 1024 };

/** Projection of an item into an index, with its keys there. */
export interface IndexEntry {
  partition: string;
  sort: string | number;
  version: Version;
}

/** Projects an item into an index; undefined if the item lacks one of the index's keys. */
export function indexEntryOf(
  { partitionKey, sortKey, sortType, projection }: IndexDescription,
  version: Version,
): IndexEntry | undefined {
  const { item } = version;
  const partition = item[partitionKey]?.S;
  const sort = sortValueOf(item[sortKey], sortType);
  if (partition === undefined || sort === undefined) return undefined;
  if (projection === 'ALL') return { partition, sort, version };
  const names = ['pk', 'sk', partitionKey, sortKey];
  const keys: Item = Object.fromEntries(names.map((name) => [name, item[name]!]));
  return { partition, sort, version: { item: keys, size: itemSize(keys) } };
}

/** Sort key in a form that can be compared; undefined for a value of another type. */
export function sortValueOf(
  value: AttributeValue | undefined,
  type: IndexDescription['sortType'],
): string | number | undefined {
  if (type === 'S') return value?.S;
  return value?.N === undefined ? undefined : Number(value.N);
}

/** Parses a key of a request. @throws Invalid for a key that no item can have */
export function tableKeyOf(attributes: Record<string, AttributeValue> | undefined): TableKey {
  const names = Object.keys(attributes ?? {});
  if (!attributes || names.length !== 2 || !attributes['pk'] || !attributes['sk']) {
    throw new Invalid('The provided key element does not match the schema');
  }
  return { pk: keyText('pk', attributes['pk']), sk: keyText('sk', attributes['sk']) };
}

/** Key of an item that is to be stored. @throws Invalid */
export function keyOfItem(item: Item): TableKey {
  const { pk, sk } = item;
  if (!pk || !sk) throw new Invalid(`Missing the key ${pk ? 'sk' : 'pk'} in the item`);
  return { pk: keyText('pk', pk), sk: keyText('sk', sk) };
}

function keyText(name: 'pk' | 'sk', { S: text }: AttributeValue): string {
  if (text === undefined) throw new Invalid(`Type mismatch for key ${name}`);
  if (text === '')
    throw new Invalid(`The AttributeValue for a key attribute cannot contain an empty string: ${name}`);
  if (Buffer.byteLength(text) > maxBytes[name]) {
    throw new Invalid(`Size of ${name} has exceeded the maximum of ${maxBytes[name]} bytes`);
  }
  return text;
}

/** Prepares an item for storing. @throws Invalid if it is too large or if an index cannot take it */
export function versionOf(item: Item, indexes: readonly IndexDescription[]): Version {
  const size = itemSize(item);
  if (size > maxBytes.item) throw new Invalid('Item size has exceeded the maximum allowed size');
  for (const { name, partitionKey, sortKey, sortType } of indexes) {
    checkIndexKey(name, partitionKey, item[partitionKey], { type: 'S', most: maxBytes.pk });
    checkIndexKey(name, sortKey, item[sortKey], { type: sortType, most: maxBytes.sk });
  }
  return { item, size };
}

function checkIndexKey(
  index: string,
  name: string,
  value: AttributeValue | undefined,
  { type, most }: { type: IndexDescription['sortType']; most: number },
): void {
  if (!value) return;
  if (value.S === '') throw new Invalid(`An empty string for the key ${name} of index ${index}`);
  if (value[type] === undefined) throw new Invalid(`Type mismatch for the key ${name} of index ${index}`);
  if (value.S !== undefined && Buffer.byteLength(value.S) > most)
    throw new Invalid(`Too many bytes for the key ${name} of index ${index}`);
}
