import type { Item } from './attributes.ts';
import { isHeadKey, type Key } from './keys.ts';
import { TableClient } from './table-client.ts';

/**
 * A table client that shows no item that is older than a head that the caller has read. A plain read can show such an
 * item: it sees a transaction item by item, and an index trails. Each item costs twice a plain read.
 */
export class SerializableTableClient extends TableClient {
  override readonly isSerializable = true;

  /**
   * Reads the head by a plain read: other items are compared with the head, and a transaction holds it most of the
   * time.
   */
  override async get(key: Key): Promise<Item | undefined> {
    if (isHeadKey(key)) return super.get(key);
    const [item] = await this.settledSnapshot([key]);
    return item;
  }

  override getMany(keys: Key[]): Promise<Item[]> {
    return this.settledMany(keys);
  }

  /** Reads each item that was found in an index once more, and drops items that have left the partition. */
  override async newestFirst(...query: Parameters<TableClient['newestFirst']>): Promise<Item[]> {
    const [{ index, pkName, pk: partition }] = query;
    const found = await super.newestFirst(...query);
    if (index === undefined) return found;
    const items = await this.getMany(found.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
    return items.filter((item) => item[pkName] === partition);
  }
}
