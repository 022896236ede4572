import { marshall } from '@aws-sdk/util-dynamodb';
// Imported before the first test: otherwise the code would import it during a request, and virtual time does
// not wait for imports.
import '../../../shared/domain/phone/numbering-plans.ts';
import type { TableAccess } from '../../../infra/admin/table/table-reads.ts';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import type { System } from '../../../shared/core/system.ts';
import { newConsumedCapacity, openStore } from '../../../shared/ledger/index.ts';
import { toItem } from '../../../shared/ledger/internal/attributes.ts';
import { defaultBehaviour, type Behaviour } from '../../simulation/behaviour.ts';
import { SimulatedDynamoDb } from '../../simulation/dynamodb.ts';
import { ledgerTable } from '../../simulation/simulated-table.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';
import { foundOrganizationBy, type StoredOrganization } from '../../support/stored-organization.ts';
import type { Attributes, TableItems } from './stored-items.ts';

/** No call takes time, and no index lags. */
const ideal: Partial<Behaviour> = {
  network: [0, 0],
  read: [0, 0],
  staleReadChance: 0,
  transactRead: [0, 0],
  update: [0, 0],
  prepare: [0, 0],
  apply: [0, 0],
  lateApplyChance: 0,
  indexLag: [0, 0],
  lateIndexChance: 0,
};

/**
 * Table of the simulated DynamoDB, several times as fast as an engine in another process. For tests of what
 * code makes of stored items. Calls to the table proceed only inside `run`.
 */
export class TableInMemory {
  readonly #time = new VirtualTime();
  readonly #chance = seededRandom(1);
  readonly #database = new SimulatedDynamoDb({
    time: this.#time,
    random: this.#chance.random,
    table: ledgerTable,
    behaviour: ideal,
  });
  readonly #system: System = {
    now: () => this.#time.now,
    sleep: (milliseconds) => this.#time.sleep(milliseconds),
    ...this.#chance,
  };
  readonly access = this.newAccess();

  /** Access by a separate client, so that a test can disturb its calls. */
  newAccess(): TableAccess {
    const client = this.#database.connect({ name: 'test', dead: false });
    return { client, tableName: ledgerTable.name, system: this.#system };
  }

  /**
   * Makes calls take their time and run side by side, and transactions apply item by item, as in DynamoDB.
   */
  beReal(): void {
    Object.assign(this.#database.behaviour, defaultBehaviour);
  }

  /** Runs `act` on virtual time. */
  run<T>(act: () => Promise<T>): Promise<T> {
    return this.#time.run(act());
  }

  /** Lets two minutes pass: a verification reads again what was written in the minute before the last write. */
  rest = () => this.run(() => this.#time.sleep(120_000));

  /** Number of calls of each operation of DynamoDB during `act`. */
  async callsOf(act: () => Promise<unknown>): Promise<Record<string, number>> {
    const before = { ...this.#database.stats.calls };
    await this.run(act);
    return Object.fromEntries(
      Object.entries(this.#database.stats.calls).map(([name, count]) => [name, count - (before[name] ?? 0)]),
    );
  }

  found(): Promise<StoredOrganization> {
    const by = {
      open: (system: Partial<System> = {}) =>
        openStore(this.access.client, ledgerTable.name, { ...this.#system, ...system }),
      limits: (milliseconds = 60_000) => ({
        deadline: this.#time.now + milliseconds,
        capacity: newConsumedCapacity(),
      }),
    };
    return this.run(() => foundOrganizationBy(by));
  }

  readonly items: TableItems = {
    get: (key) => {
      const item = this.#database.item(key);
      return Promise.resolve((item && toItem(item))!);
    },
    put: (item) => {
      this.#database.edit.put(marshall(item));
      return Promise.resolve();
    },
    remove: (key) => {
      this.#database.edit.delete(key);
      return Promise.resolve();
    },
    add: async (item) => {
      const isThere = this.#database.item({ pk: String(item['pk']), sk: String(item['sk']) }) !== undefined;
      if (!isThere) await this.items.put(item);
      return !isThere;
    },
    partition: (pk) => Promise.resolve(this.#all().filter((item) => item['pk'] === pk)),
    all: () => Promise.resolve(this.#all()),
  };

  /** Saves the table's content, so that a test can change it and restore it. */
  image(): { restore: () => void } {
    const image = new Map([...this.#database.items()].map((item) => [nameOf(item), item]));
    return {
      restore: () => {
        const now = [...this.#database.items()];
        for (const item of now)
          if (!image.has(nameOf(item)))
            this.#database.edit.delete({ pk: item['pk']!.S!, sk: item['sk']!.S! });
        const isStored = new Set(now);
        for (const item of image.values()) if (!isStored.has(item)) this.#database.edit.put(item);
      },
    };
  }

  #all(): Attributes[] {
    return [...this.#database.items()].map((item) => toItem(item));
  }
}

const nameOf = ({ pk, sk }: { pk?: { S?: string }; sk?: { S?: string } }) => `${pk?.S} ${sk?.S}`;
