import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { headKey, importKey, nameOfKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import { AdminError } from '../admin-error.ts';
import { TableReads, type TableAccess } from '../verify/table-reads.ts';
import { ImportClaim } from './import-claim.ts';
import { ItemWriter } from './item-writer.ts';

/** What a removal may be told. */
export interface DiscardOptions {
  /** Told from time to time how many items were removed. */
  onProgress?: (done: number) => void;
  /** Aborted where it is to end; it can be run again. */
  signal?: AbortSignal;
}

/**
 * Removes every item that an import has written which was not finished: found by a scan of the whole table's keys, since no list
 * has them all. What says that there is an import goes last, so it can be stopped and run again. Returns how many items there were.
 * @throws AdminError for an organization that has a head, or where nothing was begun; Failure `unavailable`
 */
export async function discardImport(
  access: TableAccess,
  code: OrganizationCode,
  { onProgress, signal }: DiscardOptions = {},
): Promise<number> {
  const reads = new TableReads(access);
  if (await reads.get(headKey(code)))
    throw new AdminError(`${code} is an organization, and no unfinished import: nothing is removed.`);
  const claim = new ImportClaim(access, code);
  if (!(await claim.take())) throw new AdminError(`No import of the code ${code} has begun there.`);
  const writer = new ItemWriter(claim, access.tableName);
  let removed = 0;
  // Until none is found: a transaction of who had the claim before may still have been on its way to its items.
  for (let before = -1; before < removed;) {
    before = removed;
    for await (const key of keysOf(reads, code)) {
      await writer.remove(key);
      removed++;
      onProgress?.(removed);
      if (!signal?.aborted) continue;
      await writer.end();
      throw new AdminError(`It was stopped: run it again, and it removes what is left of ${code}.`);
    }
    await writer.end();
  }
  await claim.end([]);
  return removed;
}

/** The keys of all items of an organization, but of what says that it is being imported. */
async function* keysOf(reads: TableReads, code: OrganizationCode): AsyncGenerator<Key> {
  const marker = nameOfKey(importKey(code));
  for await (const page of reads.everyKey()) {
    for (const item of page) {
      const key = { pk: String(item['pk']), sk: String(item['sk']) };
      const isOwn = key.pk === `ORG#${code}` || key.pk.startsWith(`ORG#${code}#`);
      if (isOwn && nameOfKey(key) !== marker) yield key;
    }
  }
}
