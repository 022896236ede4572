import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { Backoff } from '../../../shared/core/waits.ts';
import { newConsumedCapacity, operator } from '../../../shared/ledger/index.ts';
import { commit } from '../../../shared/ledger/internal/commit.ts';
import { parseHead } from '../../../shared/ledger/internal/head.ts';
import { headKey, queueKey } from '../../../shared/ledger/internal/keys.ts';
import { clientsOf, Lock, TableClient } from '../../../shared/ledger/internal/table-client.ts';
import { WriterQueue } from '../../../shared/ledger/internal/writer-queue.ts';
import {
  isRepairable,
  keyName,
  textOf,
  type Finding,
  type RepairableFinding,
  type Report,
  type TableReport,
} from '../verify/finding.ts';
import { NeverAtRest, RepairedMeanwhile } from '../verify/organization-reader.ts';
import type { TableAccess } from '../table/table-reads.ts';
import type { OrganizationVerification, VerifyOptions } from '../verify/verify-organization.ts';
import { verify } from '../verify/verify-table.ts';
import { nextRepairs, planTransaction } from './repair-planner.ts';
import { lossesOf, type RepairReport } from './report.ts';

/** Maximum number of rounds: the repair of one organization can uncover damage of another. */
const maxRounds = 5;
/** Milliseconds until a transaction is given up. */
const patience = 60_000;
/** Number of tries of a transaction that is refused although the head did not change. */
const maxStaleTries = 3;
/** Number of transactions of one run: each repairs at least one finding. */
const maxTransactions = 5000;

/**
 * Repairs all findings of an organization that have a repair, or of all organizations, and verifies again.
 * @throws Failure `unavailable` or `internal`, as a write does; earlier repairs stay
 */
export async function repairAll(
  access: TableAccess,
  organization: OrganizationCode | undefined,
  options: Pick<VerifyOptions, 'collections'> = {},
): Promise<RepairReport> {
  const repaired: RepairReport['repaired'] = [];
  let tried = 0;
  /** Organizations with a last repair that ended because transactions held the items. */
  const restless = new Set<OrganizationCode>();
  const repair = async (verification: OrganizationVerification, { organization: code, findings }: Report) => {
    // A fault that cannot be proved while others write can be judged and repaired in the queue of writers.
    if (!findings.some((finding) => finding.repair ?? finding.kind === 'unsettled')) return;
    tried++;
    const { stored, isAtRest } = await new OrganizationRepair(access, verification).run();
    repaired.push(...stored.map((finding) => ({ organization: code, finding })));
    if (!isAtRest) restless.add(code);
  };
  let remaining = await verify(access, organization, options, repair);
  for (let round = 1, count = 0; tried > 0; round++) {
    const isEnd = (repaired.length === count && restless.size === 0) || round === maxRounds;
    [count, tried] = [repaired.length, 0];
    if (!isEnd) restless.clear();
    remaining = await verify(access, organization, options, isEnd ? undefined : repair);
  }
  const nameOf = (code: OrganizationCode, finding: Finding) => `${code} ${textOf(finding)}`;
  const stored = new Map(repaired.map((one) => [nameOf(one.organization, one.finding), one]));
  for (const { organization: code, findings } of remaining.organizations)
    for (const finding of findings) stored.delete(nameOf(code, finding));
  const losses = lossesOf(repaired.map(({ finding }) => finding));
  return { repaired: [...stored.values()], losses, remaining: withRestless(remaining, restless) };
}

/** Adds a finding to each organization in `restless`, if something is left to repair. */
function withRestless(report: TableReport, restless: ReadonlySet<OrganizationCode>): TableReport {
  const organizations = report.organizations.map((one): Report => {
    if (!restless.has(one.organization) || !one.findings.some(isRepairable)) return one;
    const where = keyName(headKey(one.organization));
    const sentence = 'Transactions held items each time that the repair read them, so not all is repaired.';
    return { ...one, findings: [...one.findings, { kind: 'unsettled', where, sentence }] };
  });
  return { ...report, organizations };
}

/** Repairs one organization while others write to it. Takes part in their queue. */
class OrganizationRepair {
  readonly #access: TableAccess;
  readonly #verification: OrganizationVerification;
  /** Findings of the last judgement to repair next. */
  #next: readonly RepairableFinding[] = [];
  /** Version of the items that were judged last; undefined if they were of several versions. */
  #judgedVersion: number | undefined;
  readonly #repaired: RepairableFinding[] = [];
  /**
   * Findings, by `textOf`, with a repair that cannot be written or changes nothing. Emptied when another
   * repair is stored.
   */
  readonly #inVain = new Set<string>();

  constructor(access: TableAccess, verification: OrganizationVerification) {
    this.#access = access;
    this.#verification = verification;
  }

  /**
   * Repairs all findings, and the findings that they hid, in as many transactions as needed. Each transaction leaves
   * the organization no worse. Ends early if somebody else repairs the organization. Also ends early if transactions
   * hold the items at every read: `isAtRest` is then false. `stored` has the findings that were repaired.
   * @throws Failure `unavailable` or `internal`, as a write does; earlier repairs stay
   */
  async run(): Promise<{ stored: readonly RepairableFinding[]; isAtRest: boolean }> {
    try {
      await this.#judge();
      for (let count = 0; this.#next.length > 0 && count < maxTransactions; count++) {
        await this.#store();
        if (this.#next.length === 0) await this.#judge();
      }
    } catch (error) {
      if (error instanceof NeverAtRest) return { stored: this.#repaired, isAtRest: false };
      if (!(error instanceof RepairedMeanwhile)) throw error;
    }
    return { stored: this.#repaired, isAtRest: true };
  }

  /** Judges the items of one version. Repairs that are planned from items of several versions are not stored. */
  async #judge(): Promise<void> {
    const { reader } = this.#verification;
    if (!reader.hasHead) throw new NeverAtRest();
    const isAtRest = await reader.catchUp();
    this.#judgedVersion = isAtRest ? reader.head.version : undefined;
    const { findings } = await this.#verification.judgeRead({ limit: Infinity });
    this.#next = nextRepairs(findings, this.#inVain);
  }

  /**
   * Stores as many of the next repairs as one transaction takes. If nobody else writes, the remaining repairs stay
   * right.
   */
  async #store(): Promise<void> {
    const { client, tableName, system } = this.#access;
    const { reader } = this.#verification;
    const { organization } = reader;
    const deadline = system.now() + patience;
    const limits = { deadline, capacity: newConsumedCapacity() };
    const lock = new Lock(operator, organization);
    const table = new TableClient(clientsOf(client), tableName, system, limits, lock);
    const queue = new WriterQueue({ system, deadline }, table.queueCounterAt(queueKey(organization)));
    const backoff = new Backoff(system, deadline);
    const readHead = async () => ({ head: parseHead(await table.get(headKey(organization))) });
    try {
      for (let staleTries = 0; staleTries < maxStaleTries && this.#next.length > 0;) {
        const { head } = await queue.look(readHead());
        if (!queue.mayTry(head)) {
          await queue.wait(head);
          continue;
        }
        if (head.version !== this.#judgedVersion) {
          // Others wrote: plan the repairs again, from the current items.
          await this.#judge();
          continue;
        }
        const transaction = planTransaction({ organization, tableName }, reader.items, this.#next, {
          now: new Date(system.now()).toISOString(),
          withQueueEstimate: (one) => queue.withQueueEstimate(one),
        });
        if (!transaction) break;
        const { included, version, changes, operations } = transaction;
        const outcome = await commit(table, operations, { system, deadline });
        switch (outcome.kind) {
          case 'stored':
            queue.onStored();
            reader.onStored(version, changes);
            this.#judgedVersion = version;
            this.#inVain.clear();
            this.#repaired.push(...included);
            this.#next = this.#next.filter((finding) => !included.has(finding));
            return;
          case 'moved':
            await queue.onMoved(outcome.winner);
            break;
          case 'collided':
            await queue.onConflict(head);
            break;
          case 'unsettled':
          case 'stale':
            if (outcome.kind === 'stale') staleTries++;
            else await backoff.wait(undefined);
            await reader.readAgain(changes.map(({ key }) => key));
            await this.#judge();
        }
      }
      for (const finding of this.#next) this.#inVain.add(textOf(finding));
      this.#next = [];
    } finally {
      await queue.giveUp();
    }
  }
}
