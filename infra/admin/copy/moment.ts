import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { newConsumedCapacity } from '../../../shared/ledger/index.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { parseHead, type Head } from '../../../shared/ledger/internal/head.ts';
import {
  headKey,
  nameOfKey,
  parseRecordKey,
  recordKey,
  type Key,
} from '../../../shared/ledger/internal/keys.ts';
import { numberAt, revisionOf } from '../../../shared/ledger/internal/stored-record.ts';
import { TableClient } from '../../../shared/ledger/internal/table-client.ts';
import { parseTouched } from '../../../shared/ledger/internal/touched.ts';
import { AdminError } from '../admin-error.ts';
import { TableReads, type TableAccess } from '../verify/table-reads.ts';
import { KnownChanges } from './known-changes.ts';

/**
 * What came shortly before an export counts as well, since a transaction can still be on its way to its items after the head
 * shows it: so many events, and all of so many milliseconds.
 */
const eventsBefore = 1000;
const timeBefore = 60_000;

/** How long it looks for a version of which it knows all, in milliseconds. */
const patience = 120_000;

/** The longest wait between two tries, in milliseconds. */
const longestWait = 250;

/** DynamoDB's limit on one `BatchGetItem`. */
const maxKeys = 100;

/** Of how many versions, the newest that were read, it is asked whether all is known. */
const candidates = 8;

const EventItem = v.object({
  id: v.number(),
  event: v.string(),
  createdAt: v.string(),
  revision: v.number(),
  touched: v.optional(v.string()),
});

export const exportStopped = () => new AdminError('The export was stopped: nothing of it is left.');

/** An organization at one version: its head, and what changed of late. */
export interface Moment {
  head: Head;
  changes: KnownChanges;
}

/**
 * Finds a version of an organization that others write to, at which all is known: by plain reads, so nobody waits. First
 * `begin`, then whoever exports reads all records, then `find` reads those again that changed meanwhile.
 *
 * Plain reads can show the half of a transaction. So none is trusted to be of a version because of when it was read: events
 * are numbered without a gap, each write's last one says which records it changed, and a record says of which write it is.
 */
export class Moments {
  readonly #organization: OrganizationCode;
  readonly #access: TableAccess;
  readonly #reads: TableReads;
  readonly #documents: DynamoDBDocumentClient;
  #changes = new KnownChanges();
  /** As they were read, the newest last. */
  #heads: Head[] = [];
  /** When it began, by the operator's own clock, in epoch milliseconds. */
  #began = 0;
  /** The first version that an export can be of; and up to where its events are known. */
  #first = 0;
  #known = 0;

  constructor(access: TableAccess, organization: OrganizationCode) {
    this.#access = access;
    this.#organization = organization;
    this.#reads = new TableReads(access);
    this.#documents = DynamoDBDocumentClient.from(access.client);
  }

  /** Reads the head, and the events before it. @throws NoHead; OtherForm; AdminError after a write of older code */
  async begin(): Promise<Head> {
    this.#began = this.#access.system.now();
    const head = parseHead(await this.#reads.get(headKey(this.#organization)));
    this.#first = head.version;
    // The operator's own clock may be ahead of those by which events have their times.
    const since = Math.min(this.#began, await this.#lastMoment(head.version)) - timeBefore;
    let from = head.version;
    do from = Math.max(0, from - eventsBefore);
    while (from > 0 && (await this.#momentOf(from)) >= since);
    this.#known = from;
    await this.#readEvents();
    return head;
  }

  /** When the newest event up to a version happened: the last ones may still be on their way. */
  async #lastMoment(version: number): Promise<number> {
    for (let event = version; event > 0; event--) {
      const moment = await this.#momentOf(event);
      if (!Number.isNaN(moment)) return moment;
    }
    return Infinity;
  }

  /** When an event happened, in epoch milliseconds; NaN where it is not there. */
  async #momentOf(event: number): Promise<number> {
    return Date.parse(String((await this.#reads.get(this.#eventKey(event)))?.['createdAt']));
  }

  /**
   * Reads until all is known at one version, that is at least `from`: the newest revision that was seen.
   * @throws AdminError where it does not come to that, or is stopped
   */
  async find(from: number, signal?: AbortSignal): Promise<Moment> {
    const { system } = this.#access;
    const end = system.now() + patience;
    const first = Math.max(this.#first, from);
    let wanted = this.#changes.unknownAt(this.#known);
    for (let tries = 1; ; tries++) {
      if (signal?.aborted) throw exportStopped();
      await this.#read(wanted);
      await this.#readEvents();
      const versions = this.#heads.filter(({ version }) => version >= first && version <= this.#known);
      const head = versions.findLast(({ version }) => this.#changes.unknownAt(version).length === 0);
      if (head) return { head, changes: this.#changes };
      wanted = this.#changes.unknownAt(this.#known);
      if (system.now() > end) throw new AdminError(this.#tooLate(wanted.map(nameOf)));
      await system.sleep(system.random() * Math.min(longestWait, 2 ** tries));
    }
  }

  /** Reads these records, and with the first of them the head. */
  async #read(wanted: readonly { collection: string; number: number }[]): Promise<void> {
    const head = headKey(this.#organization);
    const keys = [head, ...wanted.map((one) => recordKey(this.#organization, one.collection, one.number))];
    for (let at = 0; at < keys.length; at += maxKeys) {
      for (const item of await this.#getMany(keys.slice(at, at + maxKeys))) {
        const key = { pk: String(item['pk']), sk: String(item['sk']) };
        const record = parseRecordKey(key);
        if (record) this.#changes.noteSeen(record, revisionOf(item), item);
        else if (nameOfKey(key) === nameOfKey(head))
          this.#heads = [...this.#heads, parseHead(item)].slice(-candidates);
      }
    }
  }

  #getMany(keys: Key[]): Promise<Item[]> {
    const { client: plain, tableName, system } = this.#access;
    const limits = { deadline: system.now() + patience, capacity: newConsumedCapacity() };
    return new TableClient({ plain, documents: this.#documents }, tableName, system, limits).getMany(keys);
  }

  /** Reads the events that follow those that are known, as far as they are there without a gap. */
  async #readEvents(): Promise<void> {
    const { pk, sk } = this.#eventKey(this.#known);
    for await (const page of this.#reads.partition(pk, sk)) {
      for (const item of page) {
        // Its transaction is still on the way to it.
        if (numberAt(item) !== this.#known + 1) return;
        this.#note(item);
        this.#known++;
      }
    }
  }

  #note(item: Item): void {
    const parsed = v.safeParse(EventItem, item);
    if (!parsed.success)
      throw new AdminError(
        `Event ${numberAt(item)} cannot be read: "organization verify" tells what is wrong with it.`,
      );
    const { id, event, createdAt, revision, touched } = parsed.output;
    const isMeanwhile = id > this.#first;
    if (isMeanwhile && event === 'ORGANIZATION_REPAIRED')
      throw new AdminError('The organization was repaired meanwhile: export it again.');
    // The last event of a write says what it changed.
    if (id !== revision) return;
    const records = touched === undefined ? undefined : parseTouched(touched);
    if (records) this.#changes.note(id, records);
    else if (isMeanwhile)
      throw new AdminError(
        `Event ${id} does not say which records it changed: an older version of the service writes to the organization. ` +
          'Export it once the new one is deployed everywhere.',
      );
    else if (Date.parse(createdAt) >= this.#began - timeBefore)
      throw new AdminError(
        `An older version of the service wrote event ${id} moments ago, which does not say which records it changed: ` +
          'export the organization again in a minute.',
      );
    // It may have changed any record after the events before it. All was stored by then, so the first reading shows it.
    else this.#changes = new KnownChanges();
  }

  #tooLate(unknown: readonly string[]): string {
    const what =
      unknown.length === 0 ? `what came after event ${this.#known}` : unknown.slice(0, 3).join(', ');
    return (
      `No one version of the organization could be read as a whole: it changed too fast, or ${what} is not as the events say. ` +
      'Export it again; if that does not help, "organization verify" tells what is wrong.'
    );
  }

  #eventKey(number: number): Key {
    return recordKey(this.#organization, events.name, number);
  }
}

const nameOf = ({ collection, number }: { collection: string; number: number }) => `${collection} ${number}`;
