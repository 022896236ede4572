import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { newConsumedCapacity } from '../../../shared/ledger/index.ts';
import { commit } from '../../../shared/ledger/internal/commit.ts';
import { ContentionBackoff } from '../../../shared/ledger/internal/contention-backoff.ts';
import { parseHead } from '../../../shared/ledger/internal/head.ts';
import { headKey, queueKey } from '../../../shared/ledger/internal/keys.ts';
import { TableClient } from '../../../shared/ledger/internal/table-client.ts';
import { RepairPlan, type Repair, type RepairStep } from '../verify/repair-plan.ts';
import type { Finding } from '../verify/finding.ts';

import { runChecks, unsettled } from '../verify/snapshots.ts';
import { TableReads, type TableAccess } from '../verify/table-reads.ts';
import { RepairTransaction } from './repair-transaction.ts';

/** A finding that can be put right. */
export type RepairableFinding = Finding & { repair: Repair };

/** How many findings are put right in one transaction, at most. */
const perWrite = 10;
/** How many parts of one: with the states of their lists, the head and the event they fit the 100 items of a transaction. */
const partsPerWrite = 90;
/** How long one transaction is tried, in milliseconds. */
const patience = 60_000;
/** How often one is tried that is refused though the head is as it was seen. */
const maxStaleTries = 3;

/** Puts right what is wrong with one organization, while others write to it: it takes its turn among them. */
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
   * Puts right what it can, in as many transactions as that takes, each of which leaves the organization no worse.
   * @returns whether anything was written
   * @throws Failure `unavailable` or `internal`, as a write does
   */
  async repair(findings: readonly RepairableFinding[]): Promise<boolean> {
    let isStored = false;
    for (const repairs of transactionsOf(findings)) if (await this.#store(repairs)) isStored = true;
    return isStored;
  }

  /** In one transaction, or where that is too much, in two. */
  async #store(repairs: readonly RepairStep[]): Promise<boolean> {
    const isStored = await this.#storeInTurn(repairs);
    if (isStored !== undefined || repairs.length === 1) return isStored ?? false;
    const half = Math.ceil(repairs.length / 2);
    const first = await this.#store(repairs.slice(0, half));
    return (await this.#store(repairs.slice(half))) || first;
  }

  /** Whether there was anything to write; undefined where it cannot be one transaction. */
  async #storeInTurn(repairs: readonly RepairStep[]): Promise<boolean | undefined> {
    const { system } = this.#access;
    const deadline = system.now() + patience;
    const table = this.#openTable(deadline);
    const counter = table.queueCounterAt(queueKey(this.#organization));
    const contention = new ContentionBackoff({ system, deadline }, counter);
    try {
      for (let staleTries = 0; staleTries < maxStaleTries;) {
        const head = await this.#whenMayTry(table, contention);
        const write = await this.#plan(repairs);
        if (write?.isUnindexed) return false;
        if (!write || write.isTooLarge || write.isForeign) return undefined;
        const outcome = await commit(table, write, {
          organization: this.#organization,
          system,
          deadline,
          withQueue: (one) => contention.withQueueEstimate(one),
        });
        if (outcome.is === 'stored') {
          contention.onStored();
          return true;
        }
        if (outcome.is === 'moved') await contention.onMoved(outcome.winner);
        if (outcome.is === 'collided') await contention.onConflict(head);
        if (outcome.is === 'stale') staleTries++;
      }
      return undefined;
    } finally {
      await contention.giveUp();
    }
  }

  /** Waits until it is this writer's turn. */
  async #whenMayTry(table: TableClient, contention: ContentionBackoff) {
    const { system } = this.#access;
    const counter = table.queueCounterAt(queueKey(this.#organization));
    for (;;) {
      const began = system.now();
      const [item, givenUp] = await Promise.all([
        table.get(headKey(this.#organization)),
        contention.isInDoubt ? counter.givenUp() : 0,
      ]);
      const head = parseHead(item);
      contention.observe(head, { givenUp, milliseconds: system.now() - began });
      if (contention.mayTry(head)) return head;
      await contention.wait(head);
    }
  }

  /** What shall be written, by a snapshot of all that it rests on; undefined where there is none. */
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

/** What is planned together, in the order of the findings. */
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
