import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { headKey, importKey, nameOfKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import { AdminError } from '../admin-error.ts';
import { TableReads, type TableAccess } from '../verify/table-reads.ts';
import { ImportClaim } from './import-claim.ts';
import { ItemWriter } from './item-writer.ts';

export interface DiscardOptions {
  /** Called from time to time with the number of removed items. */
  onProgress?: (done: number) => void;
  /** Aborted to stop the removal, which can be run again. */
  signal?: AbortSignal;
}

/**
 * Removes every item of an unfinished import. A scan of the whole table's keys finds them, since no list has
 * them all. The import's marker is removed last, so the removal can be stopped and run again. Returns the
 * number of removed items.
 * @throws AdminError if the organization has a head, or no import has begun; Failure `unavailable`
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
  // Repeat until none is found: a transaction of the previous claim's holder may still be applying.
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

/** Keys of all items of an organization, except the marker of its import. */
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
