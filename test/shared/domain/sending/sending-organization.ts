import * as v from 'valibot';
import type { Scope } from '../../../../shared/contract/scopes.ts';
import {
  sendWebhooks,
  type Sent,
  type SentAttempt,
} from '../../../../shared/domain/sending/send-webhooks.ts';
import { createWebhook } from '../../../../shared/domain/webhooks/change-webhook.ts';
import type { WebhookMessage } from '../../../../shared/domain/webhooks/message.ts';
import type { Posted, PostWebhook } from '../../../../shared/domain/webhooks/receiver.ts';
import { addToken } from '../../../../shared/domain/tokens/tokens.ts';
import {
  newConsumedCapacity,
  openStore,
  type ConsumedCapacity,
  type Cursor,
  type Ledger,
  type Store,
} from '../../../../shared/ledger/index.ts';
import { TableInMemory } from '../../../infra/admin/table-in-memory.ts';
import type { StoredOrganization } from '../../../support/stored-organization.ts';
import { aroundCalls } from '../../../support/store/around-calls.ts';
import { openBox, secretMaker } from '../../../support/secrets.ts';
import { sendWebhooksWorker } from '../../../../shared/contract/webhook-workers.ts';

const Body = v.object({
  type: v.string(),
  timestamp: v.string(),
  id: v.number(),
  data: v.looseObject({ type: v.string(), summary: v.string() }),
});

/** A request that the receiver got. */
export interface Got {
  at: number;
  url: string;
  headers: Record<string, string>;
  text: string;
  body: v.InferOutput<typeof Body>;
}

/** An organization in memory with webhooks, a receiver that a test directs, and a clock that it moves. */
export class SendingOrganization {
  readonly table: TableInMemory;
  readonly organization: StoredOrganization;
  readonly got: Got[] = [];
  readonly queued: { message: WebhookMessage; deduplication: string }[] = [];
  readonly attempts: SentAttempt[] = [];
  readonly counts: Record<string, number> = {};
  /** Answer of the receiver to a request, which may take time. */
  answer: (got: Got) => Partial<Posted> | Promise<Partial<Posted>> = () => ({});
  /** Number of calls of the process that runs: to DynamoDB, to the receiver, and to the queue. */
  calls = 0;
  /** Action before a call, counted from 1. */
  before: (call: number) => Promise<void> | void = () => undefined;
  #death: { at: number; when: 'before' | 'after' } | undefined;

  private constructor(table: TableInMemory, organization: StoredOrganization) {
    this.table = table;
    this.organization = organization;
  }

  static async found(): Promise<SendingOrganization> {
    const table = new TableInMemory();
    return new SendingOrganization(table, await table.found());
  }

  get code() {
    return this.organization.code;
  }

  get now(): number {
    return this.table.access.system.now();
  }

  run<T>(act: (ledger: Ledger) => Promise<T>): Promise<T> {
    return this.table.run(() => act(this.organization.openLedger().ledger));
  }

  /** Lets time pass. */
  async pass(milliseconds: number): Promise<void> {
    await this.table.run(() => this.table.access.system.sleep(milliseconds));
  }

  /** Creates a webhook that acts for a token with these scopes. Returns the secret too. */
  async webhook(types: string[] = ['*'], scopes: Scope[] = ['read']) {
    const { userId } = this.organization;
    return this.run(async (ledger) => {
      const { record } = await ledger.write({}, (write) =>
        addToken(
          write,
          { name: 'Hook', mode: 'live', scopes, userId, role: 'OWNER' },
          secretMaker.randomBytes,
        ),
      );
      const by = { userId, tokenId: record.id, reachesLoopback: false, ...secretMaker };
      const made = await createWebhook(ledger, { url: 'https://example.com/hook', types }, by);
      return { ...made, id: made.webhook.id, tokenId: record.id };
    });
  }

  /** Lets the sender handle one message, as a separate process. Only inside `table.run`. */
  carryOut(
    message: Partial<WebhookMessage> = {},
    { milliseconds = 58_500, store = this.newStore() }: { milliseconds?: number; store?: Store } = {},
    capacity: ConsumedCapacity = newConsumedCapacity(),
  ): Promise<Sent> {
    const deadline = this.now + milliseconds;
    const reach = { access: sendWebhooksWorker.access, worker: sendWebhooksWorker.name };
    const principal = { organization: this.code, userId: 'system', reach, deadline, capacity };
    return sendWebhooks(
      { organization: this.code, webhook: 1, upTo: 0, ...message },
      {
        ledger: store.ledgerOf(principal),
        reader: store.ledgerOf(principal, { isSerializable: true }),
        post: (...request) => this.#call(() => this.#post(...request)),
        box: openBox,
        queue: (messages) =>
          this.#call(() => {
            this.queued.push(...messages);
            return Promise.resolve();
          }),
        system: this.table.access.system,
        deadline,
        attempted: (attempt) => void this.attempts.push(attempt),
        count: (metric) => void (this.counts[metric] = (this.counts[metric] ?? 0) + 1),
      },
    );
  }

  newStore(): Store {
    const { client, tableName, system } = this.table.newAccess();
    aroundCalls(client, (_, send) => this.#call(send));
    return openStore(client, tableName, system);
  }

  /** Lets the sender handle messages in a process that is killed at one of its calls, counted from 1. */
  async kill(
    at: number,
    when: 'before' | 'after',
    ...parameters: Parameters<SendingOrganization['carryOut']>
  ) {
    this.calls = 0;
    this.#death = { at, when };
    await this.send(...parameters).catch(() => undefined);
    this.#death = undefined;
  }

  /** Makes a call, unless the process dies before it or has died. Nobody learns the outcome if it dies after it. */
  async #call<T>(act: () => Promise<T>): Promise<T> {
    const killed = new Error('The process ended');
    const call = ++this.calls;
    await this.before(call);
    const { at = Infinity, when } = this.#death ?? {};
    if (call > at || (call === at && when === 'before')) throw killed;
    const result = await act();
    if (call === at) throw killed;
    return result;
  }

  send(...parameters: Parameters<SendingOrganization['carryOut']>): Promise<Sent> {
    return this.table.run(() => this.carryOut(...parameters));
  }

  readonly #post: PostWebhook = async (url, headers, text) => {
    const got = { at: this.now, url, headers, text, body: v.parse(Body, JSON.parse(text)) };
    this.got.push(got);
    const posted = await this.answer(got);
    return { status: 'failure' in posted ? undefined : 200, milliseconds: 12, body: 'OK', ...posted };
  };

  /** Types of what the receiver got from the given request on, with the events' numbers. */
  gotFrom(first = 0): [string, number][] {
    return this.got.slice(first).map(({ body }) => [body.type, body.id]);
  }

  cursor(webhook = 1): Promise<Cursor> {
    return this.run((ledger) => ledger.deliveries.cursor(webhook));
  }

  /** Deliveries of a webhook, newest first. */
  async deliveries(webhook = 1) {
    return (await this.run((ledger) => ledger.deliveries.page(webhook, { page: 1, limit: 100 }))).items;
  }

  /** Lets the sweeper and the queue work until the webhook waits for its usual check, or the given time is over. */
  async work(milliseconds: number, webhook = 1): Promise<void> {
    const end = this.now + milliseconds;
    for (;;) {
      const { retryIn } = await this.send({ webhook });
      const { failures, dueAt } = await this.cursor(webhook);
      if (retryIn === undefined && failures === 0) return;
      const next = retryIn === undefined ? Date.parse(dueAt) : this.now + retryIn * 1000;
      if (next > end) return this.pass(end - this.now);
      await this.pass(next - this.now);
    }
  }
}
