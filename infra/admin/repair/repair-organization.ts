import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { newConsumedCapacity } from '../../../shared/ledger/index.ts';
import { commit } from '../../../shared/ledger/internal/commit.ts';
import { parseHead } from '../../../shared/ledger/internal/head.ts';
import { headKey, queueKey } from '../../../shared/ledger/internal/keys.ts';
import { TableClient } from '../../../shared/ledger/internal/table-client.ts';
import { WriterQueue } from '../../../shared/ledger/internal/writer-queue.ts';
import { textOf, type Finding, type FindingKind, type Repair } from '../verify/finding.ts';
import { RepairPlan } from '../verify/organization-items.ts';
import type { TableAccess } from '../verify/table-reads.ts';
import type { OrganizationVerification } from '../verify/verify-organization.ts';
import { RepairTransaction } from './repair-transaction.ts';

export type RepairableFinding = Finding & { repair: Repair };

/** Milliseconds until a transaction is given up. */
const patience = 60_000;
/** Number of tries of a transaction that is refused although the head did not change. */
const maxStaleTries = 3;
/** Number of transactions of one run: each repairs at least one finding. */
const maxTransactions = 5000;

/** Kinds in the order of repair, each in transactions of its own, before all others: later repairs build on these. */
const repairedFirst: readonly FindingKind[] = [
  'event-beyond',
  'record-beyond',
  'queue-counter-behind',
  'hole-malformed',
  'list-malformed',
  'record-malformed',
  'record-and-hole',
  'record-missing',
  'pipeline-missing',
  'former-item-missing',
  'former-item-malformed',
  'rank-beyond',
  'rank-and-hole',
  'rank-doubled',
  'position-wrong',
  'rank-missing',
];

/** Repairs one organization while others write to it. Takes part in their queue. */
export class OrganizationRepair {
  readonly #access: TableAccess;
  readonly #organization: OrganizationCode;
  readonly #verification: OrganizationVerification;
  /** Findings whose repairs were stored. */
  readonly repaired: RepairableFinding[] = [];
  /** Findings whose repair writes nothing, or cannot be written yet. */
  readonly #inVain = new Set<string>();
  /** Version of the items that were judged last; undefined if they were of several versions. */
  #judgedVersion: number | undefined;

  constructor(access: TableAccess, verification: OrganizationVerification) {
    this.#access = access;
    this.#verification = verification;
    this.#organization = verification.reader.organization;
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
      if (stored.length > 0) this.#inVain.clear();
      this.repaired.push(...stored);
      const left = next.filter((finding) => !stored.includes(finding) && !this.#inVain.has(textOf(finding)));
      // While nobody else writes, the other repairs of the same judgement remain right.
      next = stored.length > 0 && left.length > 0 ? left : await this.#nextJudged();
    }
  }

  /** Judges the items of one version. Repairs that are planned from items of several versions are not stored. */
  async #nextJudged(): Promise<RepairableFinding[]> {
    const { reader } = this.#verification;
    const isAtRest = await reader.catchUp();
    this.#judgedVersion = isAtRest ? reader.head.version : undefined;
    return this.#nextOf((await this.#verification.judgeRead({ limit: Infinity })).findings);
  }

  /** Findings that are repaired next: those of the first kind, or of all kinds without an order. */
  #nextOf(findings: readonly Finding[]): RepairableFinding[] {
    const left = findings.filter(isRepairable).filter((finding) => !this.#inVain.has(textOf(finding)));
    const first = repairedFirst.find((kind) => left.some((finding) => finding.kind === kind));
    return left.filter(({ kind }) => (first ? kind === first : !repairedFirst.includes(kind)));
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
        const { transaction, included } = this.#plan(next);
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
      for (const finding of next) this.#inVain.add(textOf(finding));
      return [];
    } finally {
      await queue.giveUp();
    }
  }

  /** Plans the repairs until a transaction is full. Those that change nothing, or that none can take, are in vain. */
  #plan(findings: readonly RepairableFinding[]) {
    const { items } = this.#verification.reader;
    let plan = new RepairPlan(items);
    const included: RepairableFinding[] = [];
    let transaction: RepairTransaction | undefined;
    for (const finding of findings) {
      const after = new RepairPlan(items, plan);
      finding.repair.addTo(after);
      const larger = this.#transactionOf(after, [...included, finding]);
      const isRefused = larger.isTooLarge || larger.isForeign;
      if (isRefused && included.length > 0 && larger.isTooLarge) break;
      if (isRefused || larger.isEmpty) this.#inVain.add(textOf(finding));
      else {
        included.push(finding);
        [plan, transaction] = [after, larger];
      }
    }
    return { transaction, included };
  }

  #transactionOf(plan: RepairPlan, findings: readonly Finding[]): RepairTransaction {
    const { system, tableName } = this.#access;
    const now = new Date(system.now()).toISOString();
    return new RepairTransaction(tableName, this.#organization, { plan, findings, now });
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

export const isRepairable = (finding: Finding): finding is RepairableFinding => finding.repair !== undefined;
