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
import type { Scene } from './scene.ts';
import type { Judge } from './snapshots.ts';

/** A partition of an index of lists or texts. */
interface IndexPartition {
  index: ListIndex | SearchIndex;
  partition: string;
}

/** An item in such a partition, by its key in the table. */
export interface Placed extends IndexPartition {
  key: Key;
}

/** Number of partitions that are read at a time. */
const atOnce = 16;

/**
 * Proves that the organization's partitions of indexes have no item of another: an index takes what any item says of itself. They
 * were seen by a scan of the table, or else these lists are read, and the texts.
 */
export async function settleForeign(
  scene: Scene,
  lists: Iterable<string>,
  scanned: readonly Placed[] | undefined,
): Promise<void> {
  const foreign = scanned ?? (await readForeign(scene, [...indexedLists(scene, lists), ...texts(scene)]));
  await scene.inPortions(foreign, 'the indexes', (portion) =>
    scene.settleFindings(portion.map((placed) => judgeForeign(scene, placed))),
  );
}

function* indexedLists({ organization }: Scene, partitions: Iterable<string>): Generator<IndexPartition> {
  for (const partition of partitions) {
    const index = parseListPartition(organization, partition)?.index;
    if (index) yield { index, partition };
  }
}

const texts = ({ organization, collections }: Scene): IndexPartition[] =>
  [...collections.values()].flatMap((collection) =>
    searchIndexesOf(collection).map((index) => ({
      index,
      partition: searchPartition(organization, collection.name, index),
    })),
  );

async function readForeign(scene: Scene, partitions: readonly IndexPartition[]): Promise<Placed[]> {
  const { organization, reads } = scene;
  const found: Placed[] = [];
  await inParallel(atOnce, partitions, async (place) => {
    for await (const page of reads.indexPartition(place.index, place.partition)) {
      for (const item of page) {
        const key = { pk: String(item['pk']), sk: String(item['sk']) };
        if (!isOwnItem(organization, { ...key })) found.push({ ...place, key });
      }
    }
  });
  return found;
}

/** An index trails the table: the item itself tells if it still says so. */
function judgeForeign(scene: Scene, { index, partition, key }: Placed): Judge<Finding | undefined> {
  const where = keyName(key);
  const list = parseListPartition(scene.organization, partition);
  const place = list ? scene.listNameOf(partition) : 'its texts';
  return (look) => {
    if (look(key)?.[keyNamesOf(index).pkName] !== partition) return undefined;
    const sentence = `${where} is no item of the organization, and says that it is in ${place} (${index}): nobody is shown it there.`;
    return { kind: 'index-foreign', where, sentence };
  };
}
