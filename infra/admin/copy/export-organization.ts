import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events, type Collection } from '../../../shared/ledger/internal/collection.ts';
import { collectionsIn, stateIn, type Head } from '../../../shared/ledger/internal/head.ts';
import { recordKey } from '../../../shared/ledger/internal/keys.ts';
import { lengthOf } from '../../../shared/ledger/internal/list-state.ts';
import { numberAt, revisionOf } from '../../../shared/ledger/internal/stored-record.ts';
import { AdminError, onDisk } from '../admin-error.ts';
import { writeNewFolder } from '../new-files.ts';
import { collections as allCollections } from '../table/collections.ts';
import { retryWait, TableReads, type TableAccess } from '../table/table-reads.ts';
import { copyForm, fileOf, headFile, type FileSum, type HeadLine, type SealLine } from './format.ts';
import { linesOf, writeLines } from './files.ts';
import { lineOfItem, numberOfLine, type Source } from './record-lines.ts';
import { exportStopped, SnapshotSearch, type OrganizationSnapshot } from './snapshot-search.ts';

export interface Exported {
  /** Number of the last event in the copy. */
  version: number;
  /** Number of records by collection name, events included. */
  counts: Record<string, number>;
}

export interface ExportOptions {
  /** The project's collections, unless a test has others. */
  collections?: readonly Collection[];
  /** Called from time to time with the number of records read. */
  onProgress?: (done: number) => void;
  /** Aborted to stop the export, which then leaves nothing. */
  signal?: AbortSignal;
}

/** Number of reads before an event that must exist counts as lost. */
const maxEventTries = 100;

/**
 * Writes an organization into a folder, as of one version, while others write to it. Plain reads alone, so no
 * writer waits. The folder gets its name once it is complete.
 * @throws AdminError; NoHead; OtherFormat; Failure `unavailable` if DynamoDB does not answer for long
 */
export async function exportOrganization(
  access: TableAccess,
  organization: OrganizationCode,
  path: string,
  options: ExportOptions = {},
): Promise<Exported> {
  const search = new SnapshotSearch(access, organization);
  const start = await search.begin();
  return writeNewFolder(path, (at) => new Export(access, organization, at, options).run(search, start));
}

class Export {
  readonly #access: TableAccess;
  readonly #reads: TableReads;
  readonly #organization: OrganizationCode;
  /** Path of a file of the copy. */
  readonly #at: (name: string) => string;
  readonly #options: ExportOptions;
  /** Number of records read. */
  #done = 0;
  /** Newest revision read. */
  #newest = 0;
  /** Line counts and checksums of the finished files. */
  readonly #files: Record<string, FileSum> = {};

  constructor(
    access: TableAccess,
    organization: OrganizationCode,
    at: (name: string) => string,
    options: ExportOptions,
  ) {
    this.#access = access;
    this.#reads = new TableReads(access);
    this.#organization = organization;
    this.#at = at;
    this.#options = options;
  }

  async run(search: SnapshotSearch, start: Head): Promise<Exported> {
    const sources = this.#sourcesOf(start);
    for (const source of sources) await writeLines(this.#pathOfRead(source), this.#linesAsRead(source));
    const snapshot = await search.find(this.#newest, this.#options.signal);
    const { head } = snapshot;
    const counts: Record<string, number> = {};
    for (const source of sources) counts[source.name] = await this.#bringTo(snapshot, source);
    const path = this.#at(fileOf(events.name));
    this.#files[fileOf(events.name)] = await writeLines(path, this.#eventLines(head.version));
    await writeLines(this.#at(headFile), this.#headLines(head));
    return { version: head.version, counts: { ...counts, [events.name]: head.version } };
  }

  /**
   * Collections of this version of the code, and others that the head names. Events are written separately,
   * at the end.
   */
  #sourcesOf(head: Head): Source[] {
    const known = new Map(
      (this.#options.collections ?? allCollections).map((collection) => [collection.name, collection]),
    );
    const others = collectionsIn(head).filter((name) => !known.has(name));
    const names = [...known.keys(), ...others].filter((name) => name !== events.name);
    const strange = names.find((name) => !/^[A-Z][A-Z0-9_]*$/.test(name));
    if (strange !== undefined) throw new AdminError(`The head names ${strange}, which is no collection.`);
    const organization = this.#organization;
    return names.map((name) => ({ organization, name, collection: known.get(name) }));
  }

  #pathOfRead({ name }: Source): string {
    return this.#at(`${name}.read`);
  }

  /** Records of a collection, each in the state that its read showed. Their versions may differ. */
  async *#linesAsRead(source: Source): AsyncGenerator<string> {
    for await (const page of this.#pagesOf(source.name)) {
      for (const item of page) {
        this.#newest = Math.max(this.#newest, revisionOf(item));
        yield lineOfItem(source, item);
      }
    }
  }

  /** Rewrites a collection's file as of the snapshot's version. Returns its number of records. */
  async #bringTo({ head, changes }: OrganizationSnapshot, source: Source): Promise<number> {
    const changed = changes.changesAt(source.name, head.version);
    const read = this.#pathOfRead(source);
    const path = this.#at(fileOf(source.name));
    const sum = await writeLines(path, this.#merged(source, read, changed));
    const { lines: count } = sum;
    if (count > 0) this.#files[fileOf(source.name)] = sum;
    onDisk(`${path} could not be written`, () => {
      rmSync(read);
      if (count === 0) rmSync(path);
    });
    const expected = lengthOf(stateIn(head, { collection: source.name }));
    if (count === expected) return count;
    throw new AdminError(
      `There are ${count} records of ${source.name}, and the head says ${expected}: "organization verify" tells what is wrong.`,
    );
  }

  /** Lines of the first read, with the snapshot's changes merged in by number. */
  *#merged(source: Source, read: string, changed: ReadonlyMap<number, Item | 'gone'>): Generator<string> {
    const rest = [...changed].sort(([one], [other]) => one - other);
    let at = 0;
    const upTo = function* (end: number): Generator<string> {
      for (; at < rest.length && (rest[at]?.[0] ?? end) < end; at++) {
        const item = rest[at]?.[1];
        if (item !== undefined && item !== 'gone') yield lineOfItem(source, item);
      }
    };
    for (const { text } of linesOf(read)) {
      const number = numberOfLine(text);
      yield* upTo(number);
      if (!changed.has(number)) yield text;
    }
    yield* upTo(Infinity);
  }

  /** All events up to a version. Events never change, so they are read last. */
  async *#eventLines(version: number): AsyncGenerator<string> {
    const source = { organization: this.#organization, name: events.name, collection: events };
    let last = 0;
    for (let tries = 1; last < version; tries++) {
      const before = last;
      pages: for await (const page of this.#pagesOf(events.name, last)) {
        for (const item of page) {
          // A gap: the transaction of the missing event is not applied to it yet.
          if (last === version || numberAt(item) !== last + 1) break pages;
          yield lineOfItem(source, item);
          last++;
        }
      }
      if (last > before) tries = 1;
      else if (tries === maxEventTries)
        throw new AdminError(`Event ${last + 1} is missing: "organization verify" tells what is wrong.`);
      else await retryWait(this.#access.system, tries);
    }
  }

  async *#pagesOf(name: string, after = 0) {
    const { pk, sk } = recordKey(this.#organization, name, after);
    for await (const page of this.#reads.partition(pk, sk)) {
      if (this.#options.signal?.aborted) throw exportStopped();
      yield page;
      this.#done += page.length;
      this.#options.onProgress?.(this.#done);
    }
  }

  /** Lines of the head's file. */
  #headLines(head: Head): string[] {
    const { form, version, epoch, country, lists, revisions, configuration, named, hashKey, queue, ...rest } =
      head;
    const { pk, sk, ...more } = rest;
    const line: HeadLine = {
      form: copyForm,
      stored: form,
      code: this.#organization,
      version,
      exportedAt: new Date(this.#access.system.now()).toISOString(),
      country,
      ...(hashKey !== undefined && { hashKey }),
      lists,
      ...(revisions && { revisions }),
      ...(configuration !== undefined && { configuration }),
      ...(Object.keys(more).length > 0 && { more }),
      files: this.#files,
    };
    const text = JSON.stringify(line);
    const sha256 = createHash('sha256').update(`${text}\n`).digest('hex');
    return [text, JSON.stringify({ sha256 } satisfies SealLine)];
  }
}
