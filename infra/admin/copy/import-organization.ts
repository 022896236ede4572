import * as v from 'valibot';
import { newOrganizationCode, type OrganizationCode } from '../../../shared/core/ids.ts';
import { tokens } from '../../../shared/domain/tokens/tokens.ts';
import { events, type Collection } from '../../../shared/ledger/internal/collection.ts';
import { parseHead } from '../../../shared/ledger/internal/head.ts';
import { headKey, importKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { AdminError } from '../admin-error.ts';
import { collections as allCollections } from '../verify/collections.ts';
import { TableReads, type TableAccess } from '../verify/table-reads.ts';
import { checkCopy, type CheckedCopy } from './check-copy.ts';
import { ImportClaim } from './import-claim.ts';
import { ItemWriter } from './item-writer.ts';
import { headItem, itemsOfLine } from './item-of-line.ts';
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
 * Founds an organization from a copy, under a new code. First it checks the whole copy; then it writes the
 * items, which no one can find without a head; then the head. Until then `ImportClaim` records which copy is
 * being imported and by which command, so an interrupted import resumes with the same files only, and by one
 * command only. No other organization is read or written.
 * @throws AdminError; Failure `unavailable` if DynamoDB does not answer for long
 */
export async function importOrganization(
  access: TableAccess,
  folder: string,
  options: ImportOptions = {},
): Promise<Imported> {
  const collections = options.collections ?? allCollections;
  const copy = new Copy(folder, collections);
  const checked = checkCopy(copy, collections);
  const importing = new Import(access, checked, options);
  const code = await importing.run();
  const { counts, numbers } = checked;
  return { code, version: copy.head.version, counts, numbers };
}

interface Begun {
  code: OrganizationCode;
  claim: ImportClaim;
}

class Import {
  readonly #access: TableAccess;
  readonly #reads: TableReads;
  readonly #checked: CheckedCopy;
  readonly #options: ImportOptions;

  constructor(access: TableAccess, checked: CheckedCopy, options: ImportOptions) {
    this.#access = access;
    this.#reads = new TableReads(access);
    this.#checked = checked;
    this.#options = options;
  }

  async run(): Promise<OrganizationCode> {
    const { code: known } = this.#options;
    const { digest } = this.#checked.copy;
    if (known !== undefined && (await this.#isDone(known, digest))) return known;
    const { code, claim } = known === undefined ? await this.#begin(digest) : await this.#goOn(known);
    await this.#putAll(code, claim);
    await this.#putHead(code, claim);
    return code;
  }

  /** Chooses a free code and claims it for this copy. */
  async #begin(digest: string): Promise<Begun> {
    for (;;) {
      const code = newOrganizationCode(() => this.#access.system.random());
      if (await this.#reads.get(headKey(code))) continue;
      this.#options.onCode?.(code);
      const claim = new ImportClaim(this.#access, code);
      if (await claim.begin(digest)) return { code, claim };
    }
  }

  async #goOn(code: OrganizationCode): Promise<Begun> {
    const claim = new ImportClaim(this.#access, code);
    if (await claim.take()) return { code, claim };
    throw new AdminError(
      `Another command has just ended or removed the import of the code ${code}: run it again to see.`,
    );
  }

  /**
   * True if the head of a resumed import is written already. @throws AdminError if the code belongs to
   * another import or organization, or no import has begun
   */
  async #isDone(code: OrganizationCode, digest: string): Promise<boolean> {
    const { head } = this.#checked.copy;
    const [marker, stored] = [await this.#reads.get(importKey(code)), await this.#reads.get(headKey(code))];
    if (stored) {
      const { version } = parseHead(stored);
      // The command was killed after it wrote the head, before the next event.
      if (code !== head.code && version === head.version) return true;
      const next = await this.#reads.get(recordKey(code, events.name, head.version + 1));
      throw new AdminError(
        next?.['event'] === 'ORGANIZATION_IMPORTED'
          ? `${code} is imported already: "token issue" gives it a token.`
          : `There is an organization ${code}: leave --code out, and the copy gets a code of its own.`,
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

  async #putAll(code: OrganizationCode, claim: ImportClaim): Promise<void> {
    const { copy, lists, counts } = this.#checked;
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    let done = 0;
    const codes = { from: copy.head.code, to: code };
    const writer = new ItemWriter(claim, this.#access.tableName);
    for (const name of copy.names) {
      if (name === tokens.name) continue;
      for (const copied of copy.records(name)) {
        for (const item of itemsOfLine(copied, codes)) await writer.put(item);
        this.#options.onProgress?.(++done, total);
        if (!this.#options.signal?.aborted) continue;
        await writer.end();
        throw new AdminError(`The import was stopped: --code ${code} goes on with it.`);
      }
    }
    for (const item of lists.items(code, copy.head.version)) await writer.put(item);
    await writer.end();
  }

  /** Writes the head, by which the organization comes into being. */
  async #putHead(code: OrganizationCode, claim: ImportClaim): Promise<void> {
    const { copy, states } = this.#checked;
    const head = headItem(copy.head, states, code);
    parseHead(head);
    const { tableName: TableName } = this.#access;
    await claim.end([{ Put: { TableName, Item: head, ConditionExpression: 'attribute_not_exists(pk)' } }]);
  }
}
