import { isDeepStrictEqual } from 'node:util';
import { eventKinds } from '../../../shared/contract/events.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { ownerIdOf } from '../../../shared/domain/members/members.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { headVersionUnchanged, recordDoesNotExist } from '../../../shared/ledger/internal/conditions.ts';
import { events, type LedgerEvent } from '../../../shared/ledger/internal/collection.ts';
import { parseHead, withRevision, type Head } from '../../../shared/ledger/internal/head.ts';
import {
  headKey,
  isOwnItem,
  keyOfItem,
  parseFormerKey,
  parseRecordKey,
  recordKey,
  type Key,
} from '../../../shared/ledger/internal/keys.ts';
import { formatTouchedRecords } from '../../../shared/ledger/internal/touched-records.ts';
import type { TransactOperation, WriteOperation } from '../../../shared/ledger/internal/table-client.ts';
import type { Finding } from '../verify/finding.ts';
import type { PlannedChange, RepairPlan } from '../verify/organization-items.ts';
import { lossesOf, lossSentences } from './losses.ts';

/** Limits of one transaction, below DynamoDB's 100 items and 4 MB. */
const maxItems = 100;
const maxBytes = 3_000_000;

/**
 * Transaction of a repair plan. Like any write it advances the head, on condition of the version that was read, and appends
 * an event. Everything that the plan read is of that version, so it is unchanged while the head is. Each written item also
 * has a condition on the attributes that were read. The event names what was lost, or perhaps lost, with the damage.
 */
export class RepairTransaction {
  readonly #tableName: string;
  readonly #organization: OrganizationCode;
  readonly #plan: RepairPlan;
  readonly #findings: readonly Finding[];
  readonly #now: string;

  constructor(
    tableName: string,
    organization: OrganizationCode,
    { plan, findings, now }: { plan: RepairPlan; findings: readonly Finding[]; now: string },
  ) {
    this.#tableName = tableName;
    this.#organization = organization;
    this.#plan = plan;
    this.#findings = findings;
    this.#now = now;
  }

  /** The head's version once the transaction is stored. */
  get version(): number {
    return this.#head.version + 1;
  }

  /** Items that the transaction stores, and removes. */
  get stored(): { key: Key; after: Item | undefined }[] {
    return this.operations().map(({ operation: { Put, Delete } }) => ({
      key: keyOfItem(Put?.Item ?? Delete?.Key ?? {}),
      after: Put?.Item,
    }));
  }

  get isEmpty(): boolean {
    return !this.#plan.changes.some(isChange);
  }

  get isTooLarge(): boolean {
    const items = this.#changes.map(({ after }) => after ?? {});
    const bytes = items.reduce((sum, item) => sum + Buffer.byteLength(JSON.stringify(item)), 0);
    return items.length + 2 > maxItems || bytes > maxBytes;
  }

  /**
   * True if a planned item would stand in an index of another organization. The repair succeeds once another
   * repair has taken the item from there.
   */
  get isForeign(): boolean {
    return this.#changes.some(({ after }) => after && !isOwnItem(this.#organization, after));
  }

  /** Operations of the transaction, the head's first. */
  operations(withQueueEstimate: (head: Head) => Head = (head) => head): WriteOperation[] {
    const { version } = this;
    const head = this.#withRevisions({ ...this.#head, version });
    return [
      this.#advanceHead(withQueueEstimate(head)),
      this.#appendEvent(version),
      ...this.#changes.map((change) => this.#operationOf(change, version)),
    ].map((operation) => ({ operation }));
  }

  /** Planned head. A repair may have planned a later version than the stored one. */
  get #head(): Head {
    return parseHead(this.#plan.get(headKey(this.#organization)));
  }

  /** Head with the revisions, as this write leaves them, of the records that it keeps revisions of. */
  #withRevisions(head: Head): Head {
    return this.#changes.reduce((after, change) => {
      const name = parseRecordKey(change.key)?.collection;
      if (name === undefined || after.revisions?.[name] === undefined) return after;
      return withRevision(after, name, change.after && head.version);
    }, head);
  }

  get #changes(): PlannedChange[] {
    const { pk, sk } = headKey(this.#organization);
    return this.#plan.changes.filter(
      (change) => isChange(change) && (change.key.pk !== pk || change.key.sk !== sk),
    );
  }

  #advanceHead(head: Head): TransactOperation {
    const key = headKey(this.#organization);
    const { version } = parseHead(this.#plan.before(key));
    return {
      Put: {
        TableName: this.#tableName,
        Item: { ...head, ...key },
        ...headVersionUnchanged(version),
      },
    };
  }

  #appendEvent(id: number): TransactOperation {
    const event: LedgerEvent = {
      id,
      event: 'ORGANIZATION_REPAIRED',
      data: [eventKinds.ORGANIZATION_REPAIRED.sentence, ...lossSentences(lossesOf(this.#findings))].join(
        '. ',
      ),
      referenceId: `org_${this.#organization}`,
      userId: ownerIdOf(this.#organization),
      createdAt: this.#now,
    };
    return {
      Put: {
        TableName: this.#tableName,
        Item: {
          ...event,
          touched: this.#touched,
          revision: id,
          ...recordKey(this.#organization, events.name, id),
        },
        ...recordDoesNotExist,
      },
    };
  }

  /** Records that the transaction stores and removes, in the form of the event's attribute `touched`. */
  get #touched(): string {
    return formatTouchedRecords(
      this.#changes.flatMap(({ key, after }) => {
        const ref = parseRecordKey(key);
        return ref && ref.collection !== events.name ? [{ ...ref, isRemoved: after === undefined }] : [];
      }),
    );
  }

  #operationOf({ key, before, after }: PlannedChange, version: number): TransactOperation {
    const TableName = this.#tableName;
    const Item = { ...after, ...(hasRevision(key) && { revision: version }), ...key };
    const condition = before ? asSeen(before, after && Item) : recordDoesNotExist;
    return after
      ? { Put: { TableName, Item, ...condition } }
      : { Delete: { TableName, Key: key, ...condition } };
  }
}

/** True if an item of this key carries the revision of its last write. */
function hasRevision(key: Key): boolean {
  const collection = parseRecordKey(key)?.collection;
  const isRecord = collection !== undefined && collection !== events.name;
  return isRecord || parseFormerKey(key) !== undefined;
}

/**
 * True if the change must be written. Storing an item with a revision always changes the revision. Any other
 * item may be as before, if a later repair undid the change.
 */
const isChange = ({ key, before, after }: PlannedChange): boolean =>
  hasRevision(key) || !isDeepStrictEqual(before, after);

/** Condition that an item's revision, and every attribute that changes, is as the snapshot showed it. */
function asSeen(before: Item, after: Item | undefined) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after ?? {})])].filter(
    (name) => name === 'revision' || !after || !isDeepStrictEqual(before[name], after[name]),
  );
  const [seen, unseen] = [names.filter((name) => name in before), names.filter((name) => !(name in before))];
  const all = [...seen, ...unseen];
  return {
    ConditionExpression: [
      ...seen.map((_, at) => `#a${at} = :a${at}`),
      ...unseen.map((_, at) => `attribute_not_exists(#a${seen.length + at})`),
    ].join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(all.map((name, at) => [`#a${at}`, name])),
    ...(seen.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(seen.map((name, at) => [`:a${at}`, before[name]])),
    }),
  };
}
