import { publicKindOf, namedTypes } from '../../contract/events.ts';
import { isGranted, type Scope } from '../../contract/scopes.ts';
import { isWanted, webhookTypeOf } from '../../contract/webhooks.ts';
import type { OrganizationCode } from '../../core/ids.ts';
import type { System } from '../../core/system.ts';
import { timeLimits, webhookWaits } from '../../core/waits.ts';
import {
  LeaseLost,
  type Cursor,
  type CursorChanges,
  type Deliveries,
  type Ledger,
  type StoredEvent,
} from '../../ledger/index.ts';
import { disableWebhook } from '../webhooks/change-webhook.ts';
import { deduplicationOf, type QueueWebhooks, type WebhookMessage } from '../webhooks/message.ts';
import type { Posted, PostWebhook } from '../webhooks/receiver.ts';
import type { SecretBox } from '../webhooks/secrets.ts';
import { signedHeaders } from '../webhooks/sign.ts';
import { webhooks, type WebhookRecord } from '../webhooks/webhooks.ts';
import { waitAfterFailures } from './retry-wait.ts';
import { scopesOf } from './scopes-of-webhook.ts';
import { webhookBodyOf, type WebhookBody } from './webhook-body.ts';

/** Services and limits of one run of the sender. */
export interface Sending {
  /** Ledger of the organization, for its deliveries and to disable webhooks. */
  ledger: Ledger;
  /** The same ledger with serializable reads: otherwise a receiver would keep a record older than its event. */
  reader: Ledger;
  post: PostWebhook;
  box: SecretBox;
  queue: QueueWebhooks;
  system: System;
  /** Time until which the run may begin calls, in epoch milliseconds. */
  deadline: number;
  /** Receives each attempt, for the log. */
  attempted: (attempt: SentAttempt) => void;
  /** Adds one to a metric. */
  count: (metric: 'deliveries' | 'failedAttempts' | 'disabledWebhooks') => void;
}

/** An attempt as the log tells it: no address, no body, no secret. */
export interface SentAttempt extends Pick<Posted, 'status' | 'failure' | 'milliseconds'> {
  organization: OrganizationCode;
  webhook: number;
  /** Number and type of the event. */
  event: number;
  type: string;
}

/** Result of a run: the number of events that it sent, and, if the message is to come again, the seconds until then. */
export interface Sent {
  sent: number;
  retryIn?: number;
}

/** Number of events that are read at once. */
const eventsAtOnce = 50;
/** Maximum difference between the clocks of two machines, in milliseconds. */
const clockSkew = 1000;

/**
 * Sends to one webhook the events that it has not got yet, in order, each at least once. If a receiver fails, its whole
 * webhook waits, and then goes on with the same event. Safe to call twice, late, or without a reason.
 *
 * @throws Failure `unavailable` if DynamoDB or KMS did not answer in time. The message must then come again
 */
export async function sendWebhooks(message: WebhookMessage, sending: Sending): Promise<Sent> {
  const cursor = await sending.ledger.deliveries.cursor(message.webhook);
  if (isDone(message, cursor)) return { sent: 0 };
  const held = cursor.leaseUntil - sending.system.now();
  if (held > 0) return { sent: 0, retryIn: Math.ceil(held / 1000) };
  const run = new Run(message, sending, cursor);
  try {
    return await run.carryOut();
  } catch (error) {
    // Another run began to send meanwhile. The events of this message may have come too late for that run.
    if (error instanceof LeaseLost) return { sent: run.sent, retryIn: 1 };
    throw error;
  }
}

/** True if the events of a message are sent, or if a later message is in the queue and sends them. */
const isDone = ({ upTo }: WebhookMessage, { after, handedOver }: Cursor): boolean =>
  upTo > 0 && (upTo <= after || upTo < handedOver);

/** An event to send, and the event that causes the sending. */
interface Due {
  stored: StoredEvent;
  cause: number;
}

class Run {
  sent = 0;
  readonly #message: WebhookMessage;
  readonly #sending: Sending;
  readonly #deliveries: Deliveries;
  readonly #webhook: number;
  #cursor: Cursor;
  /** Changes of the cursor that the next write stores. */
  #unsaved: CursorChanges = {};
  #isHeld = false;

  constructor(message: WebhookMessage, sending: Sending, cursor: Cursor) {
    this.#message = message;
    this.#webhook = message.webhook;
    this.#sending = sending;
    this.#deliveries = sending.ledger.deliveries;
    this.#cursor = cursor;
  }

  async carryOut(): Promise<Sent> {
    const { reader, system } = this.#sending;
    const ref = { collection: webhooks, number: this.#webhook };
    for (;;) {
      if (this.#isWaiting() && !this.#isWoken(await reader.getOrUndefined(ref))) return { sent: 0 };
      const [webhook, page] = await Promise.all([
        reader.getOrUndefined(ref),
        reader.eventsAfter(this.#after, eventsAtOnce),
      ]);
      if (!webhook) return this.#remove();
      if (!webhook.isEnabled) return this.#end();
      if (this.#wake(webhook) === 'moved') continue;
      if (page.events.length === 0) return this.#end();
      if (!this.#hasTime(0)) return this.#handOver(page.version);
      const scopes = await scopesOf(reader, webhook, system.now());
      if (!scopes) return this.#disable(webhook, 'TOKEN_ENDED');
      const result = await this.#sendPage(webhook, scopes, page);
      if (result) return result;
    }
  }

  /** Sends the events of a page. Returns undefined if there is more to look at. */
  async #sendPage(
    webhook: WebhookRecord,
    scopes: readonly Scope[],
    { events, version, epoch }: { events: StoredEvent[]; version: number; epoch: string },
  ): Promise<Sent | undefined> {
    // Events after a change of the webhook are sent as the changed webhook says.
    const change = events.findIndex(({ event }) => changes(event.event, event.referenceId, webhook));
    const page = change === -1 ? events : events.slice(0, change + 1);
    const last = page.at(-1)?.event.id ?? this.#after;
    for (const stored of page) {
      const due = await this.#dueOf(stored, webhook, scopes);
      if (due) {
        // Before the lease, because an erasure would wait for a run that fails here.
        const secrets = await this.#secretsOf(webhook);
        // From here on an erasure waits for the run. Records are read only after that.
        await this.#hold();
        const outcome = await this.#sendEvent(due, webhook, { scopes, version, epoch, secrets });
        if (outcome) return outcome;
      }
      this.#unsaved.after = stored.event.id;
      if (due && stored.event.id !== last) await this.#save();
    }
    if (change === -1 && last === version) return this.#end();
    if (this.#isHeld) await this.#save();
    return undefined;
  }

  /** Sends one event. Returns the end of the run if it was not delivered. */
  async #sendEvent(
    { stored, cause }: Due,
    webhook: WebhookRecord,
    {
      scopes,
      version,
      epoch,
      secrets,
    }: { scopes: readonly Scope[]; version: number; epoch: string; secrets: readonly string[] },
  ): Promise<Sent | undefined> {
    const { reader, post, system } = this.#sending;
    const { organization } = this.#message;
    const body = await webhookBodyOf(reader, stored, (scope) => isGranted(scope, scopes));
    if (!this.#hasTime(timeLimits.webhookAttempt)) return this.#handOver(version);
    const begin = system.now();
    const id = `${organization}-${epoch}-${stored.event.id}`;
    const headers = signedHeaders({ id, seconds: Math.floor(begin / 1000), body: body.text, secrets });
    const posted = await post(webhook.url, headers, body.text);
    const isDelivered = posted.status !== undefined && posted.status >= 200 && posted.status < 300;
    await this.#record({ stored, cause }, { begin, posted, body, isDelivered });
    if (!isDelivered) return this.#fail(webhook, begin, posted);
    this.sent++;
    Object.assign(this.#unsaved, { failures: 0, failingSince: '' });
    return undefined;
  }

  /** Secrets that sign now. */
  #secretsOf({ secrets }: WebhookRecord): Promise<string[]> {
    const { box, system } = this.#sending;
    const now = new Date(system.now()).toISOString();
    const signing = secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
    return Promise.all(signing.map(({ encrypted }) => box.decrypt(this.#message.organization, encrypted)));
  }

  /** Tells the log and the deliveries of an attempt. */
  async #record(
    { stored, cause }: Due,
    attempt: { begin: number; posted: Posted; body: WebhookBody; isDelivered: boolean },
  ): Promise<void> {
    const { attempted, count } = this.#sending;
    const { begin, posted, body, isDelivered } = attempt;
    const { status, failure, milliseconds } = posted;
    const { id: eventId } = stored.event;
    const { organization, webhook } = this.#message;
    const result = { status, ...(failure && { failure }), milliseconds };
    attempted({ organization, webhook, event: eventId, type: body.type, ...result });
    count(isDelivered ? 'deliveries' : 'failedAttempts');
    const recorded = await this.#deliveries.record(this.#webhook, this.#cursor, {
      eventId,
      cause,
      type: body.type,
      lead: body.lead,
      status: isDelivered ? 'DELIVERED' : 'RETRYING',
      attempt: {
        at: new Date(begin).toISOString(),
        status: status ?? null,
        failure: failure ?? null,
        milliseconds,
        body: body.isOfGone ? '' : posted.body,
      },
    });
    Object.assign(this.#unsaved, recorded);
  }

  /** Ends the run after a failed attempt: the webhook waits, or is disabled. */
  async #fail(webhook: WebhookRecord, begin: number, { status, retryAfter }: Posted): Promise<Sent> {
    const { system } = this.#sending;
    const failures = this.#cursor.failures + 1;
    const failingSince = this.#cursor.failingSince || new Date(begin).toISOString();
    const wait = waitAfterFailures(failures, retryAfter, system);
    const now = system.now();
    Object.assign(this.#unsaved, { failures, failingSince });
    const reason =
      status === 410
        ? 'GONE'
        : now - Date.parse(failingSince) >= webhookWaits.failing
          ? 'FAILING'
          : undefined;
    if (reason) return this.#disable(webhook, reason);
    const { sent } = await this.#end(now + wait);
    const [first] = webhookWaits.retries;
    return wait === first ? { sent, retryIn: wait / 1000 } : { sent };
  }

  /**
   * The event to send for an event of the feed: the same event, or for a redelivery the event that somebody asks for
   * again. Undefined if the webhook does not want the event, or may not see it.
   */
  async #dueOf(
    stored: StoredEvent,
    webhook: WebhookRecord,
    scopes: readonly Scope[],
  ): Promise<Due | undefined> {
    const { event, values, id: cause } = stored.event;
    const isOwn = isAbout(stored, webhook);
    if (isOwn && event === 'WEBHOOK_TESTED') return { stored, cause };
    if (isOwn && event === 'WEBHOOK_REDELIVERED' && values) {
      const { events } = await this.#sending.reader.eventsAfter(Number(values.to) - 1, 1);
      const [again] = events;
      return again && mayRead(again, scopes) ? { stored: again, cause } : undefined;
    }
    const type = webhookTypeOf(publicKindOf(event).name);
    return isWanted(webhook.types, type) && mayRead(stored, scopes) ? { stored, cause } : undefined;
  }

  /** Number of the last event that needs no more work. */
  get #after(): number {
    return this.#unsaved.after ?? this.#cursor.after;
  }

  /** True after a failure, while the wait is not over. */
  #isWaiting(): boolean {
    const { failures, dueAt } = { ...this.#cursor, ...this.#unsaved };
    return failures > 0 && Date.parse(dueAt) - clockSkew > this.#sending.system.now();
  }

  /** True if somebody has changed the webhook so that its sender must not wait. */
  #isWoken(webhook: WebhookRecord | undefined): boolean {
    const { wakes, restarts } = this.#cursor;
    return webhook?.wakes !== wakes || webhook.restarts !== restarts;
  }

  /**
   * Takes over requests to the sender: to try at once, or to go on after another event. Returns `moved` if other events
   * come next.
   */
  #wake(webhook: WebhookRecord): 'moved' | undefined {
    const { wakes, restarts } = { ...this.#cursor, ...this.#unsaved };
    if (webhook.wakes !== wakes)
      Object.assign(this.#unsaved, { wakes: webhook.wakes, failures: 0, failingSince: '' });
    if (webhook.restarts === restarts) return undefined;
    Object.assign(this.#unsaved, { restarts: webhook.restarts, after: webhook.startAfter });
    return 'moved';
  }

  /** Takes the lease, unless the run has it. @throws LeaseLost */
  async #hold(): Promise<void> {
    if (this.#isHeld) return;
    // The write of an answer may arrive after the run was cut off. The lease lasts until then, so that it does not
    // arrive after an erasure.
    await this.#take(this.#sending.deadline + timeLimits.answer + timeLimits.lateWrite);
    this.#isHeld = true;
  }

  async #take(until: number): Promise<void> {
    const taken = await this.#deliveries.take(this.#webhook, this.#cursor, until, this.#unsaved);
    if (!taken) throw new LeaseLost('Another run has written the cursor');
    this.#cursor = taken;
    this.#unsaved = {};
  }

  /** Stores the changes. The run goes on. */
  async #save(options?: { isEnd: boolean }): Promise<void> {
    this.#cursor = await this.#deliveries.move(this.#webhook, this.#cursor, this.#unsaved, options);
    this.#unsaved = {};
  }

  /** Ends the run. The sweeper looks at the webhook at `due`, or after the usual time. */
  async #end(due?: number): Promise<Sent> {
    const now = this.#sending.system.now();
    const untilDue = Date.parse(this.#cursor.dueAt) - now;
    const isDueSoon = untilDue > 0 && untilDue <= webhookWaits.check;
    const next = due ?? (isDueSoon ? undefined : now + webhookWaits.check);
    if (next !== undefined) this.#unsaved.dueAt = new Date(next).toISOString();
    if (this.#isHeld) await this.#save({ isEnd: true });
    else if (Object.keys(this.#unsaved).length > 0) await this.#take(0);
    return { sent: this.sent };
  }

  /** Leaves the rest to another run. The last event of the organization has this number. */
  async #handOver(version: number): Promise<Sent> {
    const message = { ...this.#message, upTo: version };
    const reason = `${this.#after}.${this.#cursor.leaseId}`;
    await this.#sending.queue([{ message, deduplication: deduplicationOf(message, reason) }]);
    this.#unsaved.handedOver = version;
    return this.#end();
  }

  /** True if there is time for a step that takes so many milliseconds, and for the steps after it. */
  #hasTime(milliseconds: number): boolean {
    const { system, deadline } = this.#sending;
    return system.now() + milliseconds + webhookWaits.room <= deadline;
  }

  async #disable(webhook: WebhookRecord, reason: 'GONE' | 'FAILING' | 'TOKEN_ENDED'): Promise<Sent> {
    const { ledger, count } = this.#sending;
    // The cursor first: a run that is cut off in between must not hide the attempt. The event is then tried again.
    const result = await this.#end();
    if (await disableWebhook(ledger, webhook, reason)) count('disabledWebhooks');
    return result;
  }

  async #remove(): Promise<Sent> {
    await this.#deliveries.remove(this.#webhook, this.#cursor);
    return { sent: this.sent };
  }
}

const isAbout = ({ event }: StoredEvent, { id }: WebhookRecord): boolean =>
  event.event.startsWith('WEBHOOK_') && event.referenceId === String(id);

const changes = (event: string, referenceId: string, { id }: WebhookRecord): boolean =>
  /^WEBHOOK_(?:UPDATED|DELETED|DISABLED|SECRET_ROTATED|REPLAYED)$/.test(event) && referenceId === String(id);

/**
 * True if the scopes may read the type of record that an event is about, or if clients cannot read that type at all.
 */
function mayRead({ event }: StoredEvent, scopes: readonly Scope[]): boolean {
  const { about } = publicKindOf(event.event);
  return about === undefined || isGranted(namedTypes[about], scopes);
}
