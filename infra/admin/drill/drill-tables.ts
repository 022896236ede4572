import {
  DeleteTableCommand,
  type DynamoDBClient,
  DescribeTableCommand,
  type DescribeTableCommandOutput,
  ListTablesCommand,
  RestoreTableToPointInTimeCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import type { System } from '../../../shared/core/system.ts';
import { stackNameOf } from '../../stack/resource-names.ts';
import type { Stage } from '../../stack/stage.ts';
import { AdminError, messageOf } from '../admin-error.ts';
import { duration } from '../output.ts';
import { switchOnRecovery } from '../table/switch-on-recovery.ts';
import { retried } from '../table/table-reads.ts';

type Table = NonNullable<DescribeTableCommandOutput['Table']>;

/** Table that an earlier drill has left, or that a running drill uses. */
export interface LeftTable {
  name: string;
  status: string;
  /** Reason not to remove the table. */
  staysBecause: string | undefined;
}

interface Access {
  client: DynamoDBClient;
  system: System;
  stage: Stage;
  /** Name of the table in use. */
  source: string;
  /** Prints a line about the progress. */
  progress: (line: string) => void;
}

/** Milliseconds between two looks at a table, and between two lines about it. */
const interval = 10_000;
const lineInterval = 300_000;
/** Milliseconds until the wait for a table ends, and the wait for a new table that `DescribeTable` does not know yet. */
const patience = 24 * 3_600_000;
const patienceUnknown = 60_000;

/** States of a table that will never be usable. */
const failed = new Set<unknown>(['DELETING', 'ARCHIVING', 'ARCHIVED', 'INACCESSIBLE_ENCRYPTION_CREDENTIALS']);
/** Errors of a deletion that succeeds later: another change of the table goes on, or too many changes of the account. */
const later = new Set(['ResourceInUseException', 'LimitExceededException', 'ResourceNotFoundException']);

/** Sentences about refused restores, by the names of their errors. */
const refusals: Record<string, (source: string) => string> = {
  PointInTimeRecoveryUnavailableException: (source) =>
    `${source} cannot be restored, because its point-in-time recovery is off. Switch it on: "${switchOnRecovery(source)}"`,
  InvalidRestoreTimeException: (source) =>
    `${source} cannot be restored to this moment. "aws dynamodb describe-continuous-backups --table-name ${source}" shows the earliest and the latest one`,
  LimitExceededException: () =>
    'This account restores or changes as many tables at once as it may, so nothing was restored: try again later',
};

/** The tables of a stage's drills. Changes no other table, and reads nothing but descriptions. */
export class DrillTables {
  readonly #access: Access;
  readonly #pattern: RegExp;

  constructor(access: Access) {
    this.#access = access;
    this.#pattern = new RegExp(`^${stackNameOf(access.stage)}-drill-\\d{8}T\\d{6}Z$`);
  }

  /**
   * Begins the restore of the table in use into a new table. Without `at`, the latest moment that can be restored.
   * @returns the name of the new table, which tells when the drill began
   * @throws AdminError that says why there is no new table
   */
  async restore(at: Date | undefined): Promise<string> {
    const { client, system, stage, source } = this.#access;
    const began = new Date(system.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const name = `${stackNameOf(stage)}-drill-${began}`;
    const input = {
      SourceTableName: source,
      TargetTableName: name,
      ...(at ? { RestoreDateTime: at } : { UseLatestRestorableTime: true }),
    };
    let tries = 0;
    await retried(system, () => {
      tries++;
      return client.send(new RestoreTableToPointInTimeCommand(input));
    }).catch((error: unknown) => {
      const kind = error instanceof Error ? error.name : '';
      const isTaken = /^Table(AlreadyExists|InUse)Exception$/.test(kind);
      // An earlier try began the restore, and its reply was lost.
      if (isTaken && tries > 1) return;
      const sentence = isTaken
        ? 'Another drill began in this second: run it again'
        : refusals[kind]?.(source);
      throw sentence === undefined ? error : new AdminError(`${sentence} (${messageOf(error)}).`);
    });
    return name;
  }

  /** Waits until the table and its indexes can be read. @throws AdminError if the restore failed, or if `signal` stops it */
  async usable(name: string, signal: AbortSignal): Promise<Table> {
    const { system } = this.#access;
    const giveUp = system.now() + patienceUnknown;
    return this.#until(name, (table) => {
      if (table ? failed.has(table.TableStatus) : system.now() > giveUp)
        throw new AdminError(
          `DynamoDB did not restore ${name}, which is ${table?.TableStatus ?? 'not there'}: look for the reason in CloudTrail, and drill again.`,
        );
      signal.throwIfAborted();
      const indexes = (table?.GlobalSecondaryIndexes ?? []).map(({ IndexStatus }) => IndexStatus);
      const isReady = [table?.TableStatus, ...indexes].every((status) => status === 'ACTIVE');
      return Promise.resolve(
        isReady && table?.RestoreSummary?.RestoreInProgress !== true ? table : undefined,
      );
    });
  }

  /** Removes a table of a drill, and waits until it is gone. With `isProtected`, also if it is protected from deletion. */
  async remove(name: string, { isProtected = false } = {}): Promise<void> {
    if (!this.#pattern.test(name) || name === this.#access.source)
      throw new Error(`${name} is not the table of a drill`);
    const { client, system } = this.#access;
    await this.#until(name, async (table) => {
      if (!table) return true;
      if (table.TableStatus !== 'ACTIVE') return undefined;
      const open = { TableName: name, DeletionProtectionEnabled: false };
      await retried<unknown>(system, () =>
        isProtected && table.DeletionProtectionEnabled === true
          ? client.send(new UpdateTableCommand(open))
          : client.send(new DeleteTableCommand({ TableName: name })),
      ).catch((error: unknown) => {
        if (!(error instanceof Error && later.has(error.name))) throw error;
      });
      return undefined;
    });
  }

  /** Tables of earlier drills of this stage. Tables that no drill made, or that somebody wants, are to stay. */
  async left(): Promise<LeftTable[]> {
    const { client, system, source } = this.#access;
    const names: string[] = [];
    let from: string | undefined;
    do {
      const page = await retried(system, () =>
        client.send(new ListTablesCommand({ ExclusiveStartTableName: from })),
      );
      names.push(...(page.TableNames ?? []).filter((name) => this.#pattern.test(name) && name !== source));
      from = page.LastEvaluatedTableName;
    } while (from !== undefined);
    const arn = names.length === 0 ? undefined : (await this.describe(source))?.TableArn;
    const left: LeftTable[] = [];
    for (const name of names) {
      const table = await this.describe(name);
      if (!table) continue;
      const { TableStatus: status = 'unknown' } = table;
      let staysBecause: string | undefined;
      if (arn === undefined || table.RestoreSummary?.SourceTableArn !== arn)
        staysBecause = `it was not restored from ${source}`;
      else if (table.DeletionProtectionEnabled === true) staysBecause = 'it is protected from deletion';
      else if (!['ACTIVE', 'DELETING'].includes(status)) staysBecause = `it is ${status}`;
      left.push({ name, status, staysBecause });
    }
    return left;
  }

  /** Description of a table; undefined if there is none. */
  async describe(name: string): Promise<Table | undefined> {
    const { client, system } = this.#access;
    const asked = retried(system, () => client.send(new DescribeTableCommand({ TableName: name })));
    const { Table } = await asked.catch((error: unknown) => {
      if (error instanceof Error && error.name === 'ResourceNotFoundException') return { Table: undefined };
      throw error;
    });
    return Table;
  }

  /** Looks at a table until `look` returns a value, and says now and then how it is. */
  async #until<T>(name: string, look: (table: Table | undefined) => Promise<T | undefined>): Promise<T> {
    const { system, progress } = this.#access;
    const began = system.now();
    let nextLine = began + lineInterval;
    for (;;) {
      const table = await this.describe(name);
      const result = await look(table);
      if (result !== undefined) return result;
      const [now, status] = [system.now(), table?.TableStatus ?? 'not there yet'];
      if (now - began > patience)
        throw new AdminError(`After ${duration(patience / 1000)} ${name} is still ${status}: ask AWS.`);
      if (now >= nextLine) {
        progress(`${name} is ${status} after ${duration((now - began) / 1000)}.`);
        nextLine += lineInterval;
      }
      await system.sleep(interval);
    }
  }
}
