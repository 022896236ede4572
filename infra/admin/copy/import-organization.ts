import * as v from 'valibot';
import { newEpoch, newOrganizationCode, type OrganizationCode } from '../../../shared/core/ids.ts';
import { tokens } from '../../../shared/domain/tokens/tokens.ts';
import { formatEntries } from '../../../shared/ledger/internal/booked.ts';
import { events, type Collection } from '../../../shared/ledger/internal/collection.ts';
import { parseHead } from '../../../shared/ledger/internal/head.ts';
import {
  bookedKey,
  headKey,
  importKey,
  keyOfItem,
  nameOfKey,
  pathOf,
  recordKey,
  type Key,
} from '../../../shared/ledger/internal/keys.ts';
import { AdminError } from '../admin-error.ts';
import { collections as allCollections } from '../table/collections.ts';
import { TableReads, type TableAccess } from '../table/table-reads.ts';
import { checkCopy, type CheckedCopy } from './check-copy.ts';
import { ImportClaim } from './import-claim.ts';
import { headItem, itemsOfLine } from './record-lines.ts';
import { Copy } from './read-copy.ts';

/** An imported organization, which has no token yet. */
export interface Imported extends Pick<CheckedCopy, 'counts' | 'numbers'> {
  code: OrganizationCode;
  /** Number of the last imported event. */
  version: number;
}

export interface ImportOptions {
  /** Code of an interrupted import to resume. */
  code?: OrganizationCode | undefined;
  /** The project's collections, unless a test has others. */
  collections?: readonly Collection[];
  /** Called with the code before anything is written. */
  onCode?: (code: OrganizationCode) => void;
  /** Called from time to time with the number of written records. */
  onProgress?: (done: number, total: number) => void;
  /** Aborted to stop the import, which can be resumed. */
  signal?: AbortSignal;
}

const Marker = v.object({ digest: v.string() });

/**
 * Founds an organization from a copy, under a new code. Checks the whole copy first. Then writes the items, which no
 * one can find without a head. Writes the head last. Until then `ImportClaim` records which copy is being imported, and
 * which command imports it. So only the same files can resume an interrupted import, and only one command at a time. No
 * other organization is read or written.
 * @throws AdminError; Failure `unavailable` if DynamoDB does not answer for long
 */
export async function importOrganization(
  access: TableAccess,
  folder: string,
  options: ImportOptions = {},
): Promise<Imported> {
  const { collections = allCollections, code: known } = options;
  const copy = new Copy(folder, collections);
  const checked = checkCopy(copy, collections);
  const { counts, numbers } = checked;
  const imported = { version: copy.head.version, counts, numbers };
  if (known !== undefined && (await isDone(access, copy, known))) return { ...imported, code: known };
  const claim = await (known === undefined ? begin(access, copy, options) : goOn(access, known));
  await putAll(claim, checked, options);
  // A new epoch, because its later events have the same numbers as other events of the copied organization.
  const epoch = newEpoch(access.system.randomBytes.bind(access.system));
  const head = headItem(copy.head, checked.states, { to: claim.code, epoch });
  parseHead(head);
  await claim.end(head);
  return { ...imported, code: claim.code };
}

/** Chooses a free code and claims it for this copy. */
async function begin(access: TableAccess, copy: Copy, { onCode }: ImportOptions): Promise<ImportClaim> {
  for (;;) {
    const code = newOrganizationCode(() => access.system.random());
    if (await new TableReads(access).get(headKey(code))) continue;
    onCode?.(code);
    const claim = new ImportClaim(access, code);
    if (await claim.begin(copy.digest)) return claim;
  }
}

async function goOn(access: TableAccess, code: OrganizationCode): Promise<ImportClaim> {
  const claim = new ImportClaim(access, code);
  if (await claim.take()) return claim;
  throw new AdminError(
    `Another command has just ended or removed the import of the code ${code}: run it again to see.`,
  );
}

/**
 * True if the head of a resumed import is written already. @throws AdminError if the code belongs to another
 * import or organization, or no import has begun
 */
async function isDone(access: TableAccess, { head, digest }: Copy, code: OrganizationCode): Promise<boolean> {
  const reads = new TableReads(access);
  const [marker, stored] = [await reads.get(importKey(code)), await reads.get(headKey(code))];
  if (stored) {
    const { version } = parseHead(stored);
    // The command was killed after it wrote the head, before the next event.
    if (code !== head.code && version === head.version) return true;
    const next = await reads.get(recordKey(code, events.name, head.version + 1));
    throw new AdminError(
      next?.['event'] === 'ORGANIZATION_IMPORTED'
        ? `${code} is imported already: "token issue" gives it a token.`
        : `There is an organization ${code} already: leave --code out, and the copy gets a new code.`,
    );
  }
  if (!marker)
    throw new AdminError(`No import of the code ${code} has begun there: leave --code out to begin one.`);
  if (v.parse(Marker, marker).digest !== digest)
    throw new AdminError(
      `The import of the code ${code} began with other files: name their folder, or leave --code out to begin another.`,
    );
  return false;
}

/** Writes all items but the head. */
async function putAll(
  claim: ImportClaim,
  { copy, lists, counts, booked }: CheckedCopy,
  { onProgress, signal }: ImportOptions,
): Promise<void> {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  let done = 0;
  const codes = { from: copy.head.code, to: claim.code };
  for (const name of copy.names.filter((one) => one !== tokens.name)) {
    for (const copied of copy.records(name)) {
      for (const item of itemsOfLine(copied, codes, copy.head)) await claim.put(item);
      onProgress?.(++done, total);
      if (!signal?.aborted) continue;
      await claim.flush();
      throw new AdminError(`The import was stopped: --code ${claim.code} goes on with it.`);
    }
  }
  const { version: revision } = copy.head;
  for (const item of lists.items(claim.code, revision)) await claim.put(item);
  for (const [day, entries] of booked)
    await claim.put({ ...bookedKey(claim.code, day), booked: formatEntries(entries), revision });
  await claim.flush();
}

export interface DiscardOptions {
  /** Called from time to time with the number of removed items. */
  onProgress?: (done: number) => void;
  /** Aborted to stop the removal, which can be run again. */
  signal?: AbortSignal;
}

/**
 * Removes every item of an unfinished import. A scan of the whole table's keys finds them, because no list
 * has them all. The import's marker is removed last, so the removal can be stopped and run again. Returns the
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
  let removed = 0;
  // Repeat until none is found: a transaction of the previous claim's holder may still be applying.
  for (let before = -1; before < removed;) {
    before = removed;
    for await (const key of keysOf(reads, code)) {
      await claim.remove(key);
      removed++;
      onProgress?.(removed);
      if (!signal?.aborted) continue;
      await claim.flush();
      throw new AdminError(`The command was stopped: run it again to remove the rest of ${code}.`);
    }
    await claim.flush();
  }
  await claim.end();
  return removed;
}

/** Keys of all items of an organization, except the marker of its import. */
async function* keysOf(reads: TableReads, code: OrganizationCode): AsyncGenerator<Key> {
  const marker = importKey(code);
  for await (const page of reads.everyKey()) {
    for (const item of page) {
      const key = keyOfItem(item);
      const isOwn = key.pk === marker.pk || pathOf(code, key.pk) !== undefined;
      if (isOwn && nameOfKey(key) !== nameOfKey(marker)) yield key;
    }
  }
}
