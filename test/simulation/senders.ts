import * as v from 'valibot';
import { seededRandom } from '../../infra/local/demo/seeded-random.ts';
import { Queues } from '../../infra/local/messaging/queues.ts';
import { lanesOf, sendersIn } from '../../infra/stack/webhooks.ts';
import { sendWebhooksWorker, sweepWebhooksWorker } from '../../shared/contract/webhook-workers.ts';
import { maxWebhooks } from '../../shared/contract/webhooks.ts';
import type { System } from '../../shared/core/system.ts';
import { timeLimits, webhookWaits } from '../../shared/core/waits.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import { createOrganization } from '../../shared/domain/organizations/found-organization.ts';
import { sendWebhooks } from '../../shared/domain/sending/send-webhooks.ts';
import { createWebhook } from '../../shared/domain/webhooks/change-webhook.ts';
import { dispatchWebhooks } from '../../shared/domain/webhooks/dispatch-webhooks.ts';
import { groupOf, WebhookMessage, type QueueWebhooks } from '../../shared/domain/webhooks/message.ts';
import type { PostWebhook } from '../../shared/domain/webhooks/receiver.ts';
import { sweepWebhooks } from '../../shared/domain/webhooks/sweep-webhooks.ts';
import { newConsumedCapacity, openStore } from '../../shared/ledger/index.ts';
import { SimulatedDynamoDb, type Commit } from './dynamodb.ts';
import { ledgerTable } from './simulated-table.ts';
import { VirtualTime } from './virtual-time.ts';

/** Senders of webhooks beside organizations whose receivers hold them. */
export interface SenderLoad {
  /** Concurrent invocations of the account. */
  account: number;
  /** Number of organizations with slow receivers. */
  slowOrganizations?: number;
  /** Number of slow receivers of each. The rest of its webhooks have receivers that answer at once. */
  slowReceivers?: number;
  /** Milliseconds until a slow receiver answers with 200. Without it, a slow receiver never answers. */
  answersAfter?: number;
  /** Lanes of an organization, if not as the stack has them. Infinity: each webhook has its own. */
  lanes?: number;
  minutes?: number;
}

/** Milliseconds from each event to its receiver. */
export interface SenderOutcome {
  /** Events of the organization without a slow receiver. */
  others: number[];
  /** Events of the slow organizations, at the receivers that answer at once. */
  own: number[];
  /** Largest number of senders that ran at once. */
  atOnce: number;
}

/** Milliseconds between two events of an organization. */
const pause = { slow: 5000, other: 1000 };
const Sent = v.pipe(v.string(), v.parseJson(), v.object({ timestamp: v.string() }));
const Event = v.object({
  Records: v.tuple([v.object({ messageId: v.string(), receiptHandle: v.string(), body: v.string() })]),
});

/**
 * Lets organizations send their events for ten minutes: by the dispatcher, the queue of the local machine, the sender
 * and the sweeper, in virtual time. Each organization has as many webhooks as it may have, the other one has one.
 */
export async function simulateSenders({
  account,
  slowOrganizations = 1,
  slowReceivers = maxWebhooks,
  answersAfter,
  lanes = lanesOf(sendersIn(account)),
  minutes = 10,
}: SenderLoad): Promise<SenderOutcome> {
  const time = new VirtualTime();
  const { random, randomBytes } = seededRandom(1);
  const sleep = (milliseconds: number) => time.sleep(milliseconds);
  const system: System = { now: () => time.now, random, randomBytes, sleep };
  const table = { time, random, table: ledgerTable, onCommit: (commit: Commit) => void dispatch(commit) };
  const engine = new SimulatedDynamoDb(table);
  const store = openStore(engine.connect({ name: 'all', dead: false }), ledgerTable.name, system);
  const limitsFor = (milliseconds: number) => ({
    deadline: time.now + milliseconds,
    capacity: newConsumedCapacity(),
  });
  const outcome: SenderOutcome = { others: [], own: [], atOnce: 0 };
  let running = 0;

  const { fifoQueue } = sendWebhooksWorker.on;
  const queues = new Queues({
    clock: system,
    folder: undefined,
    onRun: () => undefined,
    keepDeadLetter: () => undefined,
    invoke: async (_, event) => {
      const [{ messageId: id, receiptHandle, body }] = v.parse(Event, event).Records;
      outcome.atOnce = Math.max(outcome.atOnce, ++running);
      const wait = await send(v.parse(WebhookMessage, JSON.parse(body)));
      running--;
      if (wait !== undefined) queues.hide('Queue', receiptHandle, wait * 1000);
      const batchItemFailures = wait === undefined ? [] : [{ itemIdentifier: id }];
      return { id, result: JSON.stringify({ batchItemFailures }), output: '' };
    },
  });
  queues.keep([
    {
      id: 'Queue',
      functionName: sendWebhooksWorker.name,
      isFifo: true,
      maxConcurrency: sendersIn(account),
      visibilityTimeout: fifoQueue.visibilitySeconds * 1000,
      maxReceives: 1 + sendWebhooksWorker.retries,
      deadLetters: undefined,
    },
  ]);
  queues.open();
  const queue: QueueWebhooks = (messages) => {
    for (const { message, deduplication } of messages)
      queues.send('Queue', JSON.stringify(message), { group: groupOf(message, lanes), deduplication });
    return Promise.resolve();
  };
  const dispatch = async ({ writes }: Commit) => {
    const heads = writes.flatMap(({ key, after }) =>
      key.sk === 'HEAD' && after?.['named']?.M?.['WEBHOOK'] ? [after] : [],
    );
    if (heads.length === 0) return;
    await sleep(50);
    await dispatchWebhooks(heads, queue);
  };

  const post: PostWebhook = async (url, _, body) => {
    const began = time.now;
    const { host } = new URL(url);
    if (host === 'slow.example') {
      await sleep(answersAfter ?? timeLimits.webhookAttempt);
      const answered = { milliseconds: time.now - began, body: '' };
      return answersAfter === undefined
        ? { status: undefined, failure: 'TIMEOUT', ...answered }
        : { status: 200, ...answered };
    }
    const waits = host === 'own.example' ? outcome.own : outcome.others;
    waits.push(began - Date.parse(v.parse(Sent, body).timestamp));
    await sleep(50);
    return { status: 200, milliseconds: 50, body: '' };
  };
  const box = {
    encrypt: (_: string, secret: string) => Promise.resolve(secret),
    decrypt: (_: string, secret: string) => Promise.resolve(secret),
  };
  const send = async (message: WebhookMessage) => {
    const reach = { access: sendWebhooksWorker.access, worker: sendWebhooksWorker.name };
    const limits = limitsFor(sendWebhooksWorker.timeoutSeconds * 1000 - timeLimits.answer);
    const principal = { organization: message.organization, userId: 'system', reach, ...limits };
    const nothing = () => undefined;
    const { retryIn } = await sendWebhooks(message, {
      ledger: store.ledgerOf(principal),
      reader: store.ledgerOf(principal, { isSerializable: true }),
      post,
      box,
      queue,
      system,
      deadline: limits.deadline,
      attempted: nothing,
      count: nothing,
    });
    return retryIn;
  };

  const found = async (urls: string[]) => {
    const owner = { firstName: 'Tess', lastName: 'Owner', email: 'tess@example.com' };
    const token = { name: 'Test', mode: 'test' as const, scopes: ['read' as const] };
    const { code, ownerId, record } = await createOrganization(
      store,
      limitsFor(10_000),
      { name: 'Test', country: 'AU', owner, token },
      system,
    );
    const ledger = () => store.ledgerOf({ organization: code, userId: ownerId, ...limitsFor(10_000) });
    const by = { userId: ownerId, tokenId: record.id, reachesLoopback: false, box, randomBytes };
    for (const [at, url] of urls.entries())
      await createWebhook(ledger(), { url: `https://${url}/${at}`, types: ['lead.created'] }, by);
    return ledger;
  };
  const urls = Array.from({ length: maxWebhooks }, (_, at) =>
    at < slowReceivers ? 'slow.example' : 'own.example',
  );
  const other = await time.run(found(['other.example']));
  const slow = [];
  while (slow.length < slowOrganizations) slow.push(await time.run(found(urls)));

  const end = time.now + minutes * 60_000;
  const created: number[] = [];
  const write = async (ledger: typeof other, pause: number) => {
    while (time.now < end) {
      if (ledger === other) created.push(time.now);
      await createLead(ledger(), { name: 'Ann Lee' });
      await sleep(pause);
    }
  };
  const sweep = async () => {
    while (time.now < end) {
      const limits = limitsFor(sweepWebhooksWorker.timeoutSeconds * 1000);
      const due = store.dueCursors(sweepWebhooksWorker.name, new Date(time.now).toISOString(), limits);
      await sweepWebhooks(due, queue, time.now);
      await sleep(webhookWaits.sweep);
    }
  };
  const writers = [write(other, pause.other), ...slow.map((ledger) => write(ledger, pause.slow))];
  await time.run(Promise.all([sweep(), ...writers]));
  queues.stop();
  // Events that have not arrived have waited until now.
  outcome.others.push(...created.slice(outcome.others.length).map((at) => time.now - at));
  return outcome;
}
