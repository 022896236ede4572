import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { areEqualItems } from './attribute-values.ts';
import { indexEntryOf, type IndexDescription } from './index-keys.ts';
import type { Version } from './table-items.ts';

/** Bytes that one capacity unit pays for. */
const readBlock = 4096;
const writeBlock = 1024;

const readBlocks = (size: number) => Math.max(1, Math.ceil(size / readBlock));
const writeBlocks = (size: number) => Math.max(1, Math.ceil(size / writeBlock));

/** Units for reading `size` bytes: of one item, or of all that a query reads. */
export const readUnits = (size: number, consistent: boolean): number =>
  readBlocks(size) * (consistent ? 1 : 0.5);

/** Units for reading an item of `size` bytes in a transaction. */
export const transactReadUnits = (size: number): number => 2 * readBlocks(size);

/**
 * Units of the table for a write outside a transaction: by the larger of old and new item. A transaction
 * costs twice that.
 */
export const writeUnits = (before: Version | undefined, after: Version | undefined): number =>
  writeBlocks(Math.max(before?.size ?? 0, after?.size ?? 0));

/**
 * Units of the indexes for a write: each index entry that is written or deleted counts, unchanged ones do
 * not.
 */
export function indexUnits(
  indexes: readonly IndexDescription[],
  before: Version | undefined,
  after: Version | undefined,
): number {
  let units = 0;
  for (const index of indexes) {
    const old = before && indexEntryOf(index, before);
    const now = after && indexEntryOf(index, after);
    const isSame = old?.partition === now?.partition && old?.sort === now?.sort;
    if (old && now && isSame) {
      if (!areEqualItems(old.version.item, now.version.item)) units += writeUnits(old.version, now.version);
      continue;
    }
    if (old) units += writeBlocks(old.version.size);
    if (now) units += writeBlocks(now.version.size);
  }
  return units;
}

/** Consumed capacity in a reply, for a request that asks for the total. */
export const capacityOf = (TableName: string, units: number): ConsumedCapacity => ({
  TableName,
  CapacityUnits: units,
});
export const readCapacityOf = (TableName: string, units: number): ConsumedCapacity => ({
  TableName,
  CapacityUnits: units,
  ReadCapacityUnits: units,
});
export const writeCapacityOf = (TableName: string, units: number): ConsumedCapacity => ({
  TableName,
  CapacityUnits: units,
  WriteCapacityUnits: units,
});
