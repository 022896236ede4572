import {
  isOwnItem,
  keyNamesOf,
  parseListPartition,
  searchPartition,
  type Key,
  type ListIndex,
  type SearchIndex,
} from '../../../shared/ledger/internal/keys.ts';
import { searchIndexesOf } from '../../../shared/ledger/internal/searchables.ts';
import { keyName, type Finding } from './finding.ts';
import { inParallel } from './parallel.ts';
import type { Verification } from './verification.ts';
import type { Check } from './snapshots.ts';

interface IndexPartition {
  index: ListIndex | SearchIndex;
  partition: string;
}

/** Item in an index partition, by its key in the table. */
export interface IndexedItem extends IndexPartition {
  key: Key;
}

/** Number of partitions that are read at a time. */
const atOnce = 16;

/**
 * Verifies that the organization's index partitions have no item of another organization: an index takes any
 * item that names its partition. The items come from a scan of the table, or else from reading these lists
 * and the search indexes.
 */
export async function verifyForeignItems(
  verification: Verification,
  lists: Iterable<string>,
  scanned: readonly IndexedItem[] | undefined,
): Promise<void> {
  const foreign =
    scanned ??
    (await readForeign(verification, [...indexedLists(verification, lists), ...texts(verification)]));
  await verification.inBatches(foreign, 'the indexes', (batch) =>
    verification.confirmFindings(batch.map((indexed) => checkForeignItem(verification, indexed))),
  );
}

function* indexedLists(
  { organization }: Verification,
  partitions: Iterable<string>,
): Generator<IndexPartition> {
  for (const partition of partitions) {
    const index = parseListPartition(organization, partition)?.index;
    if (index) yield { index, partition };
  }
}

const texts = ({ organization, collections }: Verification): IndexPartition[] =>
  [...collections.values()].flatMap((collection) =>
    searchIndexesOf(collection).map((index) => ({
      index,
      partition: searchPartition(organization, collection.name, index),
    })),
  );

async function readForeign(
  verification: Verification,
  partitions: readonly IndexPartition[],
): Promise<IndexedItem[]> {
  const { organization, reads } = verification;
  const found: IndexedItem[] = [];
  await inParallel(atOnce, partitions, async (indexPartition) => {
    for await (const page of reads.indexPartition(indexPartition.index, indexPartition.partition)) {
      for (const item of page) {
        const key = { pk: String(item['pk']), sk: String(item['sk']) };
        if (!isOwnItem(organization, { ...key })) found.push({ ...indexPartition, key });
      }
    }
  });
  return found;
}

/** An index lags behind the table, so the check reads the item itself. */
function checkForeignItem(
  verification: Verification,
  { index, partition, key }: IndexedItem,
): Check<Finding | undefined> {
  const where = keyName(key);
  const list = parseListPartition(verification.organization, partition);
  const place = list ? `${verification.listNameOf(partition)} (${index})` : `this organization's ${index}`;
  return (snapshot) => {
    if (snapshot.get(key)?.[keyNamesOf(index).pkName] !== partition) return undefined;
    const sentence = `${where}, an item of another organization, is in ${place}. No read returns it there.`;
    return { kind: 'index-foreign', where, sentence };
  };
}
