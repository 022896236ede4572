import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { dueIndex, keyNamesOf, listIndexes, searchIndexes } from '../../../shared/ledger/internal/keys.ts';

/** Limits of DynamoDB in bytes. */
const maxItem = 400 * 1024;
const maxPartitionKey = 2048;
const maxSortKey = 1024;

const keys = [
  { pkName: 'pk', skName: 'sk' },
  ...[...listIndexes, ...searchIndexes, dueIndex].map((index) => keyNamesOf(index)),
];

/** The limit of DynamoDB that an item breaks, as part of a sentence; undefined if there is none. */
export function limitProblem(item: Item): string | undefined {
  const isLonger = (value: unknown, max: number) => typeof value === 'string' && bytesOf(value) > max;
  if (
    keys.some((key) => isLonger(item[key.pkName], maxPartitionKey) || isLonger(item[key.skName], maxSortKey))
  )
    return 'makes a key that is longer than DynamoDB takes';
  if (!isStorable(item)) return 'has a number or a text that DynamoDB does not take';
  return sizeOf(item) > maxItem ? 'is larger than the 400 KB that DynamoDB takes' : undefined;
}

const bytesOf = (text: string) => Buffer.byteLength(text);

/**
 * True for numbers that JavaScript holds exactly and that are not too small for DynamoDB, and for well-formed
 * Unicode.
 */
function isStorable(value: unknown): boolean {
  if (typeof value === 'number')
    return value === 0 || (Math.abs(value) >= 1e-130 && Math.abs(value) <= Number.MAX_SAFE_INTEGER);
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, one]) => name.isWellFormed() && isStorable(one));
}

/**
 * Size of a value as DynamoDB counts it:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return bytesOf(value);
  if (typeof value === 'number') return Math.ceil(String(Math.abs(value)).length / 2) + 1;
  if (typeof value !== 'object' || value === null) return 1;
  const entries = Object.entries(value);
  const names = Array.isArray(value) ? 0 : entries.reduce((sum, [name]) => sum + bytesOf(name), 0);
  return entries.reduce((sum, [, one]) => sum + 1 + sizeOf(one), names + 3);
}
