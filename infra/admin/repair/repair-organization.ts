import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { newConsumedCapacity } from '../../../shared/ledger/index.ts';
import { commit } from '../../../shared/ledger/internal/commit.ts';
import { parseHead } from '../../../shared/ledger/internal/head.ts';
import { headKey, queueKey } from '../../../shared/ledger/internal/keys.ts';
import { TableClient } from '../../../shared/ledger/internal/table-client.ts';
import { WriterQueue } from '../../../shared/ledger/internal/writer-queue.ts';
import type { TableAccess } from '../verify/table-reads.ts';
import type { OrganizationVerification } from '../verify/verify-organization.ts';
import { RepairPlanner, type RepairableFinding } from './repair-planner.ts';

/** Milliseconds until a transaction is given up. */
const patience = 60_000;
/** Number of tries of a transaction that is refused although the head did not change. */
const maxStaleTries = 3;
/** Number of transactions of one run: each repairs at least one finding. */
const maxTransactions = 5000;

/** Repairs one organization while others write to it. Takes part in their queue. */
export class OrganizationRepair {
  readonly #access: TableAccess;
  readonly #organization: OrganizationCode;
  readonly #verification: OrganizationVerification;
  /** Findings whose repairs were stored. */
  readonly repaired: RepairableFinding[] = [];
  readonly #planner: RepairPlanner;
  /** Version of the items that were judged last; undefined if they were of several versions. */
  #judgedVersion: number | undefined;

  constructor(access: TableAccess, verification: OrganizationVerification) {
    this.#access = access;
    this.#verification = verification;
    this.#organization = verification.reader.organization;
    this.#planner = new RepairPlanner(access.tableName, this.#organization);
  }

  /**
   * Repairs whatever is found, and what it hid, in as many transactions as needed. Each transaction leaves the organization
   * no worse.
   * @throws Failure `unavailable` or `internal`, as a write does; NeverAtRest; RepairedMeanwhile; earlier repairs stay
   */
  async run(): Promise<void> {
    let next = await this.#nextJudged();
    for (let count = 0; next.length > 0 && count < maxTransactions; count++) {
      const stored = await this.#store(next);
      if (stored.length > 0) this.#planner.onStored();
      this.repaired.push(...stored);
      const left = next.filter((finding) => !stored.includes(finding) && !this.#planner.isGivenUp(finding));
      // While nobody else writes, the other repairs of the same judgement remain right.
      next = stored.length > 0 && left.length > 0 ? left : await this.#nextJudged();
    }
  }

  /** Judges the items of one version. Repairs that are planned from items of several versions are not stored. */
  async #nextJudged(): Promise<RepairableFinding[]> {
    const { reader } = this.#verification;
    const isAtRest = await reader.catchUp();
    this.#judgedVersion = isAtRest ? reader.head.version : undefined;
    return this.#planner.nextOf((await this.#verification.judgeRead({ limit: Infinity })).findings);
  }

  /** Stores as many of the repairs as one transaction takes. Gives their findings; none if nothing was written. */
  async #store(findings: readonly RepairableFinding[]): Promise<RepairableFinding[]> {
    const { system } = this.#access;
    const { reader } = this.#verification;
    const deadline = system.now() + patience;
    const table = this.#openTable(deadline);
    const queue = new WriterQueue({ system, deadline }, table.queueCounterAt(queueKey(this.#organization)));
    let next = findings;
    try {
      for (let staleTries = 0; staleTries < maxStaleTries && next.length > 0;) {
        const head = await this.#whenMayTry(table, queue);
        if (head.version !== this.#judgedVersion) {
          // Others wrote: the repairs follow from the items as they are now.
          next = await this.#nextJudged();
          continue;
        }
        const now = new Date(system.now()).toISOString();
        const { transaction, included } = this.#planner.plan(reader.items, next, now);
        if (!transaction) return [];
        const operations = transaction.operations((one) => queue.withQueueEstimate(one));
        const outcome = await commit(table, operations, {
          organization: this.#organization,
          system,
          deadline,
        });
        if (outcome.kind === 'stored') {
          queue.onStored();
          reader.onStored(transaction.version, transaction.stored);
          this.#judgedVersion = transaction.version;
          return included;
        }
        if (outcome.kind === 'moved') await queue.onMoved(outcome.winner);
        if (outcome.kind === 'collided') await queue.onConflict(head);
        if (outcome.kind === 'stale') {
          staleTries++;
          await reader.readAgain(transaction.stored.map(({ key }) => key));
          next = await this.#nextJudged();
        }
      }
      this.#planner.giveUp(next);
      return [];
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

  #openTable(deadline: number): TableClient {
    const { client, tableName, system } = this.#access;
    const documents = DynamoDBDocumentClient.from(client, {
      marshallOptions: { removeUndefinedValues: true },
    });
    const limits = { deadline, capacity: newConsumedCapacity() };
    return new TableClient({ plain: client, documents }, tableName, system, limits);
  }
}
