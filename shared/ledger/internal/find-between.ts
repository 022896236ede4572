import type { OrganizationCode } from '../../core/ids.ts';
import { foldForSearch } from '../../core/fold-case.ts';
import type { Collection, RecordOf } from './collection.ts';
import { keyNamesOf, recordsPartition, searchPartition } from './keys.ts';
import { compareSortKeys, searchIndexesOf, truncateForSortKey } from './searchables.ts';
import { parseRecord } from './stored-record.ts';
import type { TableClient } from './table-client.ts';

/** Implements `LedgerReader.findBetween`. In a sort key, a tab follows the field: it comes before all characters of a line. */
export async function findBetween<C extends Collection>(
  table: TableClient,
  organization: OrganizationCode,
  collection: C,
  { searchable, from, to, max }: { searchable: string; from: string; to: string; max: number },
): Promise<RecordOf<C>[]> {
  const index = searchIndexesOf(collection)[Object.keys(collection.searchables ?? {}).indexOf(searchable)];
  const [first, end] = [from, to].map((text) => truncateForSortKey(foldForSearch(text)));
  // DynamoDB refuses a range that ends before it begins.
  if (index === undefined || first === undefined || end === undefined || compareSortKeys(first, end) >= 0)
    return [];
  const items = await table.between(
    { index, ...keyNamesOf(index), pk: searchPartition(organization, collection.name, index) },
    { from: first, to: end },
    { limit: max, pkOfItems: recordsPartition(organization, collection.name) },
  );
  return items.map((item) => parseRecord(collection, item));
}
