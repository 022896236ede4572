import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { retryWaits, waitAfter } from '../../../shared/core/waits.ts';
import { newConsumedCapacity, operator } from '../../../shared/ledger/index.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { parseHead, type Head } from '../../../shared/ledger/internal/head.ts';
import {
  headKey,
  keyOfItem,
  nameOfKey,
  parseRecordKey,
  recordKey,
  type Key,
} from '../../../shared/ledger/internal/keys.ts';
import { numberAt, revisionOf } from '../../../shared/ledger/internal/stored-record.ts';
import { Lock, TableClient } from '../../../shared/ledger/internal/table-client.ts';
import { parseTouchedRecords } from '../../../shared/ledger/internal/touched-records.ts';
import { AdminError } from '../admin-error.ts';
import { TableReads, type TableAccess } from '../table/table-reads.ts';
import { ObservedChanges } from './observed-changes.ts';

/**
 * Earlier events that a search also reads, by count and by milliseconds. Their transactions may still be
 * applying to items although the head already counts them.
 */
const minEarlierEvents = 1000;
const earlierTime = 60_000;

/** Milliseconds after which the search for a version gives up. */
const searchTimeout = 120_000;

/** DynamoDB's limit on one `BatchGetItem`. */
const maxKeys = 100;

/** Maximum number of heads, the most recently read, that the search considers. */
const maxHeads = 8;

const EventItem = v.object({
  id: v.number(),
  event: v.string(),
  revision: v.number(),
  touched: v.optional(v.string()),
});

export const exportStopped = () => new AdminError('The export was stopped: nothing of it is left.');

/** An organization at one version: its head, and recent changes. */
export interface OrganizationSnapshot {
  head: Head;
  changes: ObservedChanges;
}

/**
 * Finds a version of an organization at which the state of every record is known, while others write. Uses
 * plain reads, so no writer waits. Call `begin`, read all records, then `find`, which reads changed records
 * again.
 *
 * A plain read can show half of a transaction, so the time of a read proves nothing about its version. The
 * search relies on three facts: events are numbered without a gap, the last event of a write lists the
 * changed records, and a record's revision names its last write.
 */
export class SnapshotSearch {
  readonly #organization: OrganizationCode;
  readonly #access: TableAccess;
  readonly #reads: TableReads;
  readonly #documents: DynamoDBDocumentClient;
  readonly #changes = new ObservedChanges();
  /** Heads in the order of their reads. */
  #heads: Head[] = [];
  /** Lowest version that an export can have; and number of the last event read. */
  #firstVersion = 0;
  #knownTo = 0;

  constructor(access: TableAccess, organization: OrganizationCode) {
    this.#access = access;
    this.#organization = organization;
    this.#reads = new TableReads(access);
    this.#documents = DynamoDBDocumentClient.from(access.client);
  }

  /** Reads the head and the events before it. @throws NoHead; OtherFormat; AdminError for a damaged event */
  async begin(): Promise<Head> {
    const began = this.#access.system.now();
    const head = parseHead(await this.#reads.get(headKey(this.#organization)));
    this.#firstVersion = head.version;
    // The operator's clock may be ahead of the clocks that dated the events.
    const since = Math.min(began, await this.#newestEventTime(head.version)) - earlierTime;
    let from = head.version;
    do from = Math.max(0, from - minEarlierEvents);
    while (from > 0 && (await this.#timeOf(from)) >= since);
    this.#knownTo = from;
    await this.#readEvents();
    return head;
  }

  /** Time of the newest readable event up to a version. The last ones may still be missing. */
  async #newestEventTime(version: number): Promise<number> {
    for (let event = version; event > 0; event--) {
      const time = await this.#timeOf(event);
      if (!Number.isNaN(time)) return time;
    }
    return Infinity;
  }

  /** Epoch milliseconds of an event; NaN if it cannot be read. */
  async #timeOf(event: number): Promise<number> {
    return Date.parse(String((await this.#reads.get(this.#eventKey(event)))?.['createdAt']));
  }

  /**
   * Reads until every record is known at one version, which is at least `from`: the newest revision read so
   * far.
   * @throws AdminError after the timeout, or if aborted
   */
  async find(from: number, signal?: AbortSignal): Promise<OrganizationSnapshot> {
    const { system } = this.#access;
    const end = system.now() + searchTimeout;
    const first = Math.max(this.#firstVersion, from);
    let wanted = this.#changes.unknownAt(this.#knownTo);
    for (let tries = 1; ; tries++) {
      if (signal?.aborted) throw exportStopped();
      await this.#read(wanted);
      await this.#readEvents();
      const versions = this.#heads.filter(({ version }) => version >= first && version <= this.#knownTo);
      const head = versions.findLast(({ version }) => this.#changes.unknownAt(version).length === 0);
      if (head) return { head, changes: this.#changes };
      wanted = this.#changes.unknownAt(this.#knownTo);
      if (system.now() > end) throw new AdminError(this.#tooLate(wanted.map(nameOf)));
      await system.sleep(waitAfter(retryWaits.exportedSnapshot, tries, system));
    }
  }

  /** Reads the given records, and the head with the first of them. */
  async #read(wanted: readonly { collection: string; number: number }[]): Promise<void> {
    const head = headKey(this.#organization);
    const keys = [head, ...wanted.map((one) => recordKey(this.#organization, one.collection, one.number))];
    for (let at = 0; at < keys.length; at += maxKeys) {
      for (const item of await this.#getMany(keys.slice(at, at + maxKeys))) {
        const key = keyOfItem(item);
        const record = parseRecordKey(key);
        if (record) this.#changes.addRead(record, revisionOf(item), item);
        else if (nameOfKey(key) === nameOfKey(head))
          this.#heads = [...this.#heads, parseHead(item)].slice(-maxHeads);
      }
    }
  }

  #getMany(keys: Key[]): Promise<Item[]> {
    const { client: plain, tableName, system } = this.#access;
    const limits = { deadline: system.now() + searchTimeout, capacity: newConsumedCapacity() };
    const clients = { plain, documents: this.#documents };
    const lock = new Lock(operator, this.#organization);
    return new TableClient(clients, tableName, system, limits, lock).getMany(keys);
  }

  /** Reads the events after the last known one, up to the first gap. */
  async #readEvents(): Promise<void> {
    const { pk, sk } = this.#eventKey(this.#knownTo);
    for await (const page of this.#reads.partition(pk, sk)) {
      for (const item of page) {
        // The event before it has not been applied yet.
        if (numberAt(item) !== this.#knownTo + 1) return;
        this.#addEvent(item);
        this.#knownTo++;
      }
    }
  }

  #addEvent(item: Item): void {
    const parsed = v.safeParse(EventItem, item);
    if (!parsed.success) throw damagedEvent(numberAt(item));
    const { id, event, revision, touched } = parsed.output;
    if (id > this.#firstVersion && event === 'ORGANIZATION_REPAIRED')
      throw new AdminError('The organization was repaired meanwhile: export it again.');
    // Only the last event of a write lists the records that the write changed.
    if (id !== revision) return;
    const records = touched === undefined ? undefined : parseTouchedRecords(touched);
    if (!records) throw damagedEvent(id);
    this.#changes.addWrite(id, records);
  }

  #tooLate(unknown: readonly string[]): string {
    const what =
      unknown.length === 0 ? `a change after event ${this.#knownTo}` : unknown.slice(0, 3).join(', ');
    return (
      `No version of the organization could be read as a whole: it changed too fast, or ${what} does not match the events. ` +
      'Export it again; if that does not help, "organization verify" shows the damage.'
    );
  }

  #eventKey(number: number): Key {
    return recordKey(this.#organization, events.name, number);
  }
}

const damagedEvent = (number: number) =>
  new AdminError(`Event ${number} cannot be read: "organization verify" tells what is wrong with it.`);

const nameOf = ({ collection, number }: { collection: string; number: number }) => `${collection} ${number}`;
