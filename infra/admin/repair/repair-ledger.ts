import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { newConsumedCapacity } from '../../../shared/ledger/index.ts';
import { commit } from '../../../shared/ledger/internal/commit.ts';
import { ContentionBackoff } from '../../../shared/ledger/internal/contention-backoff.ts';
import { parseHead } from '../../../shared/ledger/internal/head.ts';
import { headKey, queueKey } from '../../../shared/ledger/internal/keys.ts';
import { TableClient } from '../../../shared/ledger/internal/table-client.ts';
import { Draft } from '../verify/draft.ts';
import type { Finding, Mend } from '../verify/finding.ts';
import { settle, unsettled } from '../verify/snapshots.ts';
import { TableReads, type TableAccess } from '../verify/table-reads.ts';
import { RepairWrite } from './repair-write.ts';

/** A finding that can be put right. */
export type Mendable = Finding & { mend: Mend };

type Apply = Mend['apply'];

/** How many findings are put right in one transaction, at most. */
const perWrite = 10;
/** How many parts of one: with the states of their lists, the head and the event they fit the 100 items of a transaction. */
const partsPerWrite = 90;
/** How long one transaction is tried, in milliseconds. */
const patience = 60_000;
/** How often one is tried that is refused though the head is as it was seen. */
const maxStaleTries = 3;

/** Puts right what is wrong with one organization, while others write to it: it takes its turn among them. */
export class RepairLedger {
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
  async repair(findings: readonly Mendable[]): Promise<boolean> {
    let isStored = false;
    for (const mends of transactionsOf(findings)) if (await this.#store(mends)) isStored = true;
    return isStored;
  }

  /** In one transaction, or where that is too much, in two. */
  async #store(mends: readonly Apply[]): Promise<boolean> {
    const isStored = await this.#storeInTurn(mends);
    if (isStored !== undefined || mends.length === 1) return isStored ?? false;
    const half = Math.ceil(mends.length / 2);
    const first = await this.#store(mends.slice(0, half));
    return (await this.#store(mends.slice(half))) || first;
  }

  /** Whether there was anything to write; undefined where it cannot be one transaction. */
  async #storeInTurn(mends: readonly Apply[]): Promise<boolean | undefined> {
    const { system } = this.#access;
    const deadline = system.now() + patience;
    const table = this.#openTable(deadline);
    const counter = table.queueCounterAt(queueKey(this.#organization));
    const contention = new ContentionBackoff({ system, deadline }, counter);
    try {
      for (let staleTries = 0; staleTries < maxStaleTries;) {
        const head = await this.#whenMayTry(table, contention);
        const write = await this.#draft(mends);
        if (write?.isEmpty) return false;
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
  async #draft(mends: readonly Apply[]): Promise<RepairWrite | undefined> {
    const { system, tableName } = this.#access;
    const [draft] = await settle(this.#reads, [
      (look) => {
        look(headKey(this.#organization));
        const drafted = new Draft(look);
        for (const apply of mends) apply(drafted);
        return drafted;
      },
    ]);
    if (draft === undefined || draft === unsettled) return undefined;
    const now = new Date(system.now()).toISOString();
    return new RepairWrite(tableName, this.#organization, draft, now);
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

/** What is drafted together, in the order of the findings. */
function* transactionsOf(findings: readonly Mendable[]): Generator<Apply[]> {
  let few: Apply[] = [];
  for (const { mend } of findings) {
    if (!mend.parts) few.push(mend.apply);
    if (few.length === perWrite || (mend.parts && few.length > 0)) {
      yield few;
      few = [];
    }
    for (let at = 0; at < (mend.parts?.length ?? 0); at += partsPerWrite)
      yield (mend.parts ?? []).slice(at, at + partsPerWrite);
  }
  if (few.length > 0) yield few;
}
