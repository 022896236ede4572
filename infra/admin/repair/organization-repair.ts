import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { newConsumedCapacity } from '../../../shared/ledger/index.ts';
import { commit } from '../../../shared/ledger/internal/commit.ts';
import { WriterQueue } from '../../../shared/ledger/internal/writer-queue.ts';
import { parseHead } from '../../../shared/ledger/internal/head.ts';
import { headKey, queueKey } from '../../../shared/ledger/internal/keys.ts';
import { TableClient } from '../../../shared/ledger/internal/table-client.ts';
import { RepairPlan, type Repair, type RepairStep } from '../verify/repair-plan.ts';
import type { Finding } from '../verify/finding.ts';

import { runChecks, unsettled } from '../verify/snapshots.ts';
import { TableReads, type TableAccess } from '../verify/table-reads.ts';
import { RepairTransaction } from './repair-transaction.ts';

export type RepairableFinding = Finding & { repair: Repair };

/** Maximum number of findings that one transaction repairs. */
const perWrite = 10;
/**
 * Maximum number of parts in one transaction. With the list states, the head and the event they fit
 * DynamoDB's 100 items.
 */
const partsPerWrite = 90;
/** Milliseconds until a transaction is given up. */
const patience = 60_000;
/** Number of tries for a transaction that is refused although the head did not change. */
const maxStaleTries = 3;

/** Repairs one organization while others write to it. Takes part in their queue. */
export class OrganizationRepair {
  readonly #access: TableAccess;
  readonly #organization: OrganizationCode;
  readonly #reads: TableReads;

  constructor(access: TableAccess, organization: OrganizationCode) {
    this.#access = access;
    this.#organization = organization;
    this.#reads = new TableReads(access);
  }

  /**
   * Repairs the findings, in as many transactions as needed. Each transaction leaves the organization no
   * worse.
   * @returns true if anything was written
   * @throws Failure `unavailable` or `internal`, as a write does
   */
  async repair(findings: readonly RepairableFinding[]): Promise<boolean> {
    let isStored = false;
    for (const repairs of transactionsOf(findings)) if (await this.#store(repairs)) isStored = true;
    return isStored;
  }

  /** Stores the repairs in one transaction, or in halves if they are too many. */
  async #store(repairs: readonly RepairStep[]): Promise<boolean> {
    const isStored = await this.#storeInQueue(repairs);
    if (isStored !== undefined || repairs.length === 1) return isStored ?? false;
    const half = Math.ceil(repairs.length / 2);
    const first = await this.#store(repairs.slice(0, half));
    return (await this.#store(repairs.slice(half))) || first;
  }

  /** True if there was anything to write; undefined if the repairs cannot be one transaction. */
  async #storeInQueue(repairs: readonly RepairStep[]): Promise<boolean | undefined> {
    const { system } = this.#access;
    const deadline = system.now() + patience;
    const table = this.#openTable(deadline);
    const counter = table.queueCounterAt(queueKey(this.#organization));
    const queue = new WriterQueue({ system, deadline }, counter);
    try {
      for (let staleTries = 0; staleTries < maxStaleTries;) {
        const head = await this.#whenMayTry(table, queue);
        const write = await this.#plan(repairs);
        if (write?.isEmpty) return false;
        if (!write || write.isTooLarge || write.isForeign) return undefined;
        const operations = write.operations((one) => queue.withQueueEstimate(one));
        const outcome = await commit(table, operations, {
          organization: this.#organization,
          system,
          deadline,
        });
        if (outcome.kind === 'stored') {
          queue.onStored();
          return true;
        }
        if (outcome.kind === 'moved') await queue.onMoved(outcome.winner);
        if (outcome.kind === 'collided') await queue.onConflict(head);
        if (outcome.kind === 'stale') staleTries++;
      }
      return undefined;
    } finally {
      await queue.giveUp();
    }
  }

  /** Waits for this writer's place in the queue. */
  async #whenMayTry(table: TableClient, queue: WriterQueue) {
    const { system } = this.#access;
    const counter = table.queueCounterAt(queueKey(this.#organization));
    for (;;) {
      const began = system.now();
      const [item, givenUp] = await Promise.all([
        table.get(headKey(this.#organization)),
        queue.isInDoubt ? counter.givenUp() : 0,
      ]);
      const head = parseHead(item);
      queue.observe(head, { givenUp, milliseconds: system.now() - began });
      if (queue.mayTry(head)) return head;
      await queue.wait(head);
    }
  }

  /** Plans the repairs on a snapshot of all items that they read; undefined if there was no snapshot. */
  async #plan(repairs: readonly RepairStep[]): Promise<RepairTransaction | undefined> {
    const { system, tableName } = this.#access;
    const [plan] = await runChecks(this.#reads, [
      (snapshot) => {
        snapshot.get(headKey(this.#organization));
        const planned = new RepairPlan(snapshot);
        for (const addTo of repairs) addTo(planned);
        return planned;
      },
    ]);
    if (plan === undefined || plan === unsettled) return undefined;
    const now = new Date(system.now()).toISOString();
    return new RepairTransaction(tableName, this.#organization, plan, now);
  }

  #openTable(deadline: number): TableClient {
    const { client, tableName, system } = this.#access;
    const documents = DynamoDBDocumentClient.from(client, {
      marshallOptions: { removeUndefinedValues: true },
    });
    const limits = { deadline, capacity: newConsumedCapacity() };
    return new TableClient({ plain: client, documents }, tableName, system, limits);
  }
}

/** Groups of steps, each for one transaction, in the order of the findings. */
function* transactionsOf(findings: readonly RepairableFinding[]): Generator<RepairStep[]> {
  let few: RepairStep[] = [];
  for (const { repair } of findings) {
    if (!repair.parts) few.push(repair.addTo);
    if (few.length === perWrite || (repair.parts && few.length > 0)) {
      yield few;
      few = [];
    }
    for (let at = 0; at < (repair.parts?.length ?? 0); at += partsPerWrite)
      yield (repair.parts ?? []).slice(at, at + partsPerWrite);
  }
  if (few.length > 0) yield few;
}
