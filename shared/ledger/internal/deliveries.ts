import * as v from 'valibot';
import type { Page, PageQuery } from '../../core/page.ts';
import { partsOf } from '../../core/parts-of.ts';
import type { System } from '../../core/system.ts';
import { retryWaits, waitAfter } from '../../core/waits.ts';
import type { Item } from './attributes.ts';
import type { Principal } from './principal.ts';
import {
  answersAreKept,
  cursorIsAsRead,
  cursorIsAsReadOrWritten,
  deliveryLacksAttempt,
} from './conditions.ts';
import {
  answerKey,
  answersPartition,
  cursorKey,
  cursorsPartition,
  cursorsWorker,
  deliveriesPartition,
  deliveryKey,
  dueIndex,
  keyNamesOf,
  keyOfItem,
  nameOfKey,
  placeInDueIndex,
  sortable,
  type Key,
} from './keys.ts';
import type { TableClient } from './table-client.ts';
import { dayOf, secondAfterDays } from './expiry.ts';

/** Number of days that deliveries are shown (UTC, the first and the last day included) and kept. */
const shownDays = 30;

/** Maximum number of attempts of one delivery. Further attempts belong to another delivery of the same event. */
const maxAttempts = 20;

/** Position of a webhook in the events. Only a run that holds the lease moves the cursor. */
export interface Cursor {
  /** Number of the last event that needs no more work. */
  after: number;
  /**
   * Number of the organization's last event when a run left the rest to another run. A message with this number is in
   * the queue, and sends all events up to now.
   */
  handedOver: number;
  /** The webhook's `restarts` and `wakes` when the sender last read them; -1 if the sender never has. */
  restarts: number;
  wakes: number;
  /** Number of the newest delivery. Deliveries are numbered from 1. */
  deliveries: number;
  /** First delivery of each of the last days with deliveries: `day:number`, days since 1970. */
  days: string;
  /** Number of attempts that failed since the last success, or since the webhook was last woken. */
  failures: number;
  /** Number of attempts of the newest delivery, if it must be tried again. */
  tries: number;
  /** Time of the first of the `failures`, ISO 8601; empty if there are none. */
  failingSince: string;
  /** Time when the sweeper looks at the cursor, ISO 8601. After a failure, the time of the next attempt. */
  dueAt: string;
  /** Number of writes of the cursor by runs. */
  writes: number;
  /** Name of the run that wrote the cursor last. */
  leaseId: string;
  /** Time until which that run may send, in epoch milliseconds; 0 if the run has ended. */
  leaseUntil: number;
}

const StoredCursor = v.object({
  after: v.optional(v.number(), 0),
  handedOver: v.optional(v.number(), 0),
  restarts: v.optional(v.number(), -1),
  wakes: v.optional(v.number(), -1),
  deliveries: v.optional(v.number(), 0),
  days: v.optional(v.string(), ''),
  failures: v.optional(v.number(), 0),
  tries: v.optional(v.number(), 0),
  failingSince: v.optional(v.string(), ''),
  [keyNamesOf(dueIndex).skName]: v.optional(v.string(), ''),
  writes: v.optional(v.number(), 0),
  leaseId: v.optional(v.string(), ''),
  leaseUntil: v.optional(v.number(), 0),
});

/** Changes of a cursor by the run that holds its lease. */
export type CursorChanges = Partial<Omit<Cursor, 'writes' | 'leaseId' | 'leaseUntil'>>;

export const deliveryStates = ['DELIVERED', 'RETRYING'] as const;

const StoredAttempt = v.object({
  at: v.string(),
  status: v.nullable(v.number()),
  failure: v.nullable(v.string()),
  milliseconds: v.number(),
  body: v.string(),
});
/** One try of a delivery. `status`: status of the receiver's answer. `failure`: reason if there is no answer. */
export type Attempt = v.InferOutput<typeof StoredAttempt>;

const StoredDelivery = v.object({
  id: v.number(),
  /**
   * Number of the event that was sent, and number of the event that caused the delivery. The cause is the same event,
   * or an event that asked to send it again.
   */
  eventId: v.number(),
  cause: v.number(),
  type: v.string(),
  status: v.picklist(deliveryStates),
  /** Lead that the receiver's answer may have data of. The answer is then stored in an item of the lead. */
  lead: v.exactOptional(v.number()),
  attempts: v.array(StoredAttempt),
});
type StoredDelivery = v.InferOutput<typeof StoredDelivery>;

/** An event that was sent to a webhook, with all attempts. */
export type Delivery = Omit<StoredDelivery, 'cause' | 'lead'>;

const StoredAnswers = v.object({ answers: v.array(v.object({ at: v.string(), body: v.string() })) });

/** One attempt, and the delivery that it belongs to. */
export interface NewAttempt extends Omit<StoredDelivery, 'id' | 'attempts' | 'lead'> {
  attempt: Attempt;
  /** Number of the lead that the sent data is about. Undefined for none. */
  lead: number | undefined;
}

/** Thrown for a cursor that another run has taken. */
export class LeaseLost extends Error {}

/**
 * Cursors and deliveries of an organization's webhooks, and receivers' answers about a person. These items are outside
 * the ledger: each change of the ledger is an event, and that event would be sent, too. The sender writes each item
 * with a call for this item alone. DynamoDB deletes deliveries and answers after 30 days.
 *
 * Every method throws Failure `unavailable` if DynamoDB does not answer before the principal's deadline.
 */
export class Deliveries {
  readonly #table: TableClient;
  readonly #system: System;
  readonly #principal: Principal;

  constructor(table: TableClient, system: System, principal: Principal) {
    this.#table = table;
    this.#system = system;
    this.#principal = principal;
  }

  /**
   * A webhook's cursor. If none is stored, the cursor of a webhook that the sender has never looked at. One round trip.
   */
  async cursor(webhook: number): Promise<Cursor> {
    const item = await this.#table.get(cursorKey(this.#principal.organization, webhook));
    return toCursor(item ?? {});
  }

  /**
   * Takes the lease on a cursor until a time (epoch milliseconds), and makes changes. If the time is 0, only makes the
   * changes. Returns undefined if another run has written the cursor since it was read, or holds the lease. One round
   * trip, or none if another run holds the lease.
   */
  async take(
    webhook: number,
    seen: Cursor,
    leaseUntil: number,
    changes: CursorChanges = {},
  ): Promise<Cursor | undefined> {
    if (seen.leaseUntil > this.#system.now()) return undefined;
    const leaseId = Buffer.from(this.#system.randomBytes(9)).toString('base64url');
    return this.#write(webhook, seen, { ...changes, leaseId, leaseUntil });
  }

  /**
   * Writes a cursor. The run must hold the lease, and ends the lease with `isEnd`. One round trip. @throws LeaseLost
   */
  async move(
    webhook: number,
    cursor: Cursor,
    changes: CursorChanges,
    { isEnd = false } = {},
  ): Promise<Cursor> {
    const { leaseId } = cursor;
    const leaseUntil = isEnd ? 0 : cursor.leaseUntil;
    const moved = await this.#write(webhook, cursor, { ...changes, leaseId, leaseUntil });
    if (!moved) throw new LeaseLost('Another run has taken the cursor');
    return moved;
  }

  /** Changes a cursor. Returns undefined if another run has written the cursor since it was read. */
  async #write(
    webhook: number,
    seen: Cursor,
    changes: CursorChanges & Pick<Cursor, 'leaseId' | 'leaseUntil'>,
  ): Promise<Cursor | undefined> {
    const { organization } = this.#principal;
    const { dueAt, ...others } = changes;
    const writes = seen.writes + 1;
    const place =
      dueAt === undefined ? {} : placeInDueIndex(organization, { worker: cursorsWorker, at: dueAt });
    const key = cursorKey(organization, webhook);
    const condition = cursorIsAsReadOrWritten(seen.writes, changes.leaseId);
    const { isStored } = await this.#table.update(key, { set: { ...others, ...place, writes } }, condition);
    return isStored ? { ...seen, ...changes, writes } : undefined;
  }

  /** Deletes the cursor of a webhook that is gone, unless a run has written the cursor since it was read. */
  async remove(webhook: number, { writes }: Cursor): Promise<void> {
    const key = cursorKey(this.#principal.organization, webhook);
    await this.#table.delete(key, cursorIsAsRead(writes));
  }

  /**
   * Adds an attempt to the newest delivery if that delivery must be tried again, otherwise to a new delivery. Returns
   * new values for the cursor. One round trip; two if the answer may have data of a lead. One more after a run that was
   * cut off here.
   */
  async record(
    webhook: number,
    cursor: Cursor,
    { attempt, lead, ...delivery }: NewAttempt,
  ): Promise<Pick<Cursor, 'deliveries' | 'days' | 'tries'>> {
    const { organization } = this.#principal;
    const { at, body } = attempt;
    const { cause, status } = delivery;
    const isRetry = cursor.tries > 0 && cursor.tries < maxAttempts;
    const tries = status === 'DELIVERED' ? 0 : isRetry ? cursor.tries + 1 : 1;
    const expiresAtSecond = secondAfterDays(Date.parse(at), shownDays);
    const shared = { ...delivery, ...(lead !== undefined && { lead }), triedAt: at, expiresAtSecond };
    const attempts = [lead === undefined ? attempt : { ...attempt, body: '' }];
    let id = cursor.deliveries + (isRetry ? 0 : 1);
    // A run that was cut off before it moved the cursor may have given the number to another delivery.
    while (!(await this.#store(deliveryKey(organization, webhook, id), { ...shared, id }, attempts))) id++;
    if (lead !== undefined && body !== '')
      await this.#table.update(
        answerKey(organization, lead, { webhook, cause }),
        { set: { expiresAtSecond }, append: { answers: [{ at, body }] } },
        answersAreKept,
      );
    const days = id > cursor.deliveries ? daysWith(cursor, id, Date.parse(at)) : cursor.days;
    return { deliveries: id, days, tries };
  }

  /** Stores an attempt of a delivery. Returns false if the key has a delivery with another cause. */
  async #store(
    key: Key,
    set: Record<string, unknown> & { cause: number; triedAt: string },
    attempts: readonly Attempt[],
  ): Promise<boolean> {
    const condition = deliveryLacksAttempt(set.cause, set.triedAt);
    const outcome = await this.#table.update(key, { set, append: { attempts } }, condition);
    return outcome.isStored || outcome.found?.['cause'] === set.cause;
  }

  /** A page of a webhook's deliveries, newest first. Two round trips; three if an answer may have data of a lead. */
  async page(webhook: number, { page = 1, limit }: PageQuery): Promise<Page<Delivery>> {
    const cursor = await this.cursor(webhook);
    const first = this.#firstShown(cursor);
    const newest = cursor.deliveries - (page - 1) * limit;
    const totalCount = cursor.deliveries - first + 1;
    if (newest < first) return { items: [], totalCount };
    const pk = deliveriesPartition(this.#principal.organization, webhook);
    const items = await this.#table.newestFirst(
      { pkName: 'pk', pk, skName: 'sk' },
      { from: sortable(newest), to: sortable(Math.max(first, newest - limit + 1)) },
      { limit, pkOfItems: pk },
    );
    return { items: await this.#withAnswers(webhook, items), totalCount };
  }

  /**
   * One delivery, without answers that are stored in a lead's item. Undefined if there is no delivery, or if it is no
   * longer shown. One round trip.
   */
  async one(webhook: number, number: number): Promise<Delivery | undefined> {
    const { organization } = this.#principal;
    const [cursor, item] = await Promise.all([
      this.cursor(webhook),
      this.#table.get(deliveryKey(organization, webhook, number)),
    ]);
    return item && number >= this.#firstShown(cursor) ? toDelivery(v.parse(StoredDelivery, item)) : undefined;
  }

  /** Number of the first delivery that is shown. If none is shown, the number after the newest delivery. */
  #firstShown({ days, deliveries }: Cursor): number {
    const earliest = dayOf(this.#system.now()) - shownDays + 1;
    return parseDays(days).find(({ day }) => day >= earliest)?.first ?? deliveries + 1;
  }

  async #withAnswers(webhook: number, items: readonly Item[]): Promise<Delivery[]> {
    const deliveries = items.map((item) => v.parse(StoredDelivery, item));
    const keyOf = ({ lead, cause }: StoredDelivery) =>
      lead === undefined ? [] : [answerKey(this.#principal.organization, lead, { webhook, cause })];
    const keys = new Map(deliveries.flatMap(keyOf).map((key) => [nameOfKey(key), key]));
    const found = keys.size === 0 ? [] : await this.#table.getMany([...keys.values()]);
    const answers = new Map(
      found.map((item) => [nameOfKey(keyOfItem(item)), v.parse(StoredAnswers, item).answers]),
    );
    return deliveries.map((delivery) => {
      const [key] = keyOf(delivery);
      const bodies = key && answers.get(nameOfKey(key));
      return toDelivery(
        delivery,
        (attempt) => bodies?.find(({ at }) => at === attempt.at)?.body ?? attempt.body,
      );
    });
  }

  /**
   * Waits until no run can send data that it read before this call. A run reads a record only while it holds the lease,
   * and moves the cursor after it has sent the data. One round trip if no run is sending.
   * @returns false if time runs out while a run may still be sending
   */
  async waitForRuns(): Promise<boolean> {
    let before = await this.#steps();
    for (let tries = 1; before.length > 0; tries++) {
      const pause = waitAfter(retryWaits.lease, tries, this.#system);
      if (this.#system.now() + pause >= this.#principal.deadline) return false;
      await this.#system.sleep(pause);
      const now = await this.#steps();
      before = before.filter((step) => now.includes(step));
    }
    return true;
  }

  /** The runs that may be sending, each with its position in the events. */
  async #steps(): Promise<string[]> {
    const items = await this.#table.partition(cursorsPartition(this.#principal.organization));
    return items.flatMap((item) => {
      const { leaseId, leaseUntil, after } = toCursor(item);
      return leaseUntil > this.#system.now() ? [`${String(item['sk'])} ${leaseId} ${after}`] : [];
    });
  }

  /**
   * Removes the receivers' answers about a lead and its inquiries. One round trip, and more if there are answers. The
   * emptied items stay for a day. If the reply to a stored answer was lost, the answer was sent twice, and may arrive
   * once more.
   */
  async removeAnswers(lead: number): Promise<void> {
    const items = await this.#table.partition(answersPartition(this.#principal.organization, lead));
    const keys = items.filter(({ isRemoved }) => isRemoved !== true).map(keyOfItem);
    const expiresAtSecond = secondAfterDays(this.#system.now(), 1);
    const set = { answers: [], isRemoved: true, expiresAtSecond };
    for (const some of partsOf(keys, atOnce))
      await Promise.all(some.map((key) => this.#table.update(key, { set })));
  }
}

/** Number of items that are emptied at once. */
const atOnce = 25;

function toCursor(item: Item): Cursor {
  const { [keyNamesOf(dueIndex).skName]: dueAt, ...cursor } = v.parse(StoredCursor, item);
  return { ...cursor, dueAt };
}

const toDelivery = (
  { id, eventId, type, status, attempts }: StoredDelivery,
  bodyOf: (attempt: Attempt) => string = ({ body }) => body,
): Delivery => ({
  id,
  eventId,
  type,
  status,
  attempts: attempts.map((attempt) => ({ ...attempt, body: bodyOf(attempt) })),
});

/** The days of a cursor, with the day of a new delivery. */
function daysWith({ days }: Cursor, delivery: number, now: number): string {
  const today = dayOf(now);
  const shown = parseDays(days).filter(({ day }) => day > today - shownDays);
  const all = shown.some(({ day }) => day === today) ? shown : [...shown, { day: today, first: delivery }];
  return all.map(({ day, first }) => `${day}:${first}`).join(' ');
}

/** Parses `Cursor.days`: days since 1970 (UTC). */
const parseDays = (days: string): { day: number; first: number }[] =>
  [...days.matchAll(/(\d+):(\d+)/g)].map(([, day, first]) => ({ day: Number(day), first: Number(first) }));
