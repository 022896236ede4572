import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { itemSize, type Item } from './attribute-values.ts';
import { Invalid } from './errors.ts';
import type { Version } from './ordered-items.ts';
import type { TableKey } from './table-items.ts';

/** A global secondary index of whole items: its partition key is text, and its sort key a number. */
export interface IndexDescription {
  name: string;
  partitionKey: string;
  sortKey: string;
}

/** A table whose keys are the texts `pk` and `sk`. */
export interface TableDescription {
  name: string;
  indexes: readonly IndexDescription[];
}

/** A key as one text, different for different keys. */
export const nameOf = ({ pk, sk }: TableKey): string => `${pk.length} ${pk}${sk}`;

const maxBytes = { pk: 2048, sk: 1024, item: 400 * 1024 };

/** Where an item is in an index; undefined where it lacks one of the attributes. */
export function indexPositionOf(
  { partitionKey, sortKey }: IndexDescription,
  item: Item,
): { partition: string; sort: number } | undefined {
  const [partition, sort] = [item[partitionKey]?.S, item[sortKey]?.N];
  return partition === undefined || sort === undefined ? undefined : { partition, sort: Number(sort) };
}

/** A key of the table, from a request. @throws Invalid for one that no item can have */
export function tableKeyOf(attributes: Record<string, AttributeValue> | undefined): TableKey {
  const names = Object.keys(attributes ?? {});
  if (!attributes || names.length !== 2 || !attributes['pk'] || !attributes['sk']) {
    throw new Invalid('The provided key element does not match the schema');
  }
  return { pk: keyText('pk', attributes['pk']), sk: keyText('sk', attributes['sk']) };
}

/** The key of an item that is to be stored. @throws Invalid */
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

/** An item as it can be stored. @throws Invalid for one that is too large, or that an index cannot take */
export function versionOf(item: Item, indexes: readonly IndexDescription[]): Version {
  const size = itemSize(item);
  if (size > maxBytes.item) throw new Invalid('Item size has exceeded the maximum allowed size');
  for (const { name, partitionKey, sortKey } of indexes) {
    const [partition, sort] = [item[partitionKey], item[sortKey]];
    if (partition?.S === '')
      throw new Invalid(`An empty string for the key ${partitionKey} of index ${name}`);
    if (partition && (partition.S === undefined || Buffer.byteLength(partition.S) > maxBytes.pk)) {
      throw new Invalid(`Type mismatch or too many bytes for the key ${partitionKey} of index ${name}`);
    }
    if (sort && sort.N === undefined)
      throw new Invalid(`Type mismatch for the key ${sortKey} of index ${name}`);
  }
  return { item, size };
}
