import * as v from 'valibot';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import {
  newConsumedCapacity,
  openStore,
  type ConsumedCapacity,
  type Ledger,
} from '../../../shared/ledger/index.ts';
import { SimulatedDynamoDb, type Item, type TableKey } from '../../simulation/dynamodb.ts';
import { ledgerTable } from '../../simulation/simulated-table.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';

/** What something asked of DynamoDB, and how often it waited for a reply. */
export interface SimulatedCost extends ConsumedCapacity {
  roundTrips: number;
}

/** Half a round trip, in virtual milliseconds. No read takes any more. */
const travel = 1;

/**
 * The ledger of one organization, in a simulated DynamoDB in which nothing goes wrong: a list of a hundred thousand
 * members is there within seconds.
 */
export class SimulatedLedger {
  readonly code = v.parse(OrganizationCode, '6H8EV880');
  readonly #time = new VirtualTime();
  readonly #engine = new SimulatedDynamoDb({
    time: this.#time,
    random: seededRandom(1).random,
    table: ledgerTable,
    behaviour: {
      network: [travel, travel],
      read: [0, 0],
      prepare: [0, 0],
      apply: [0, 0],
      lateApplyChance: 0,
      indexLag: [0, 0],
      lateIndexChance: 0,
      staleReadChance: 0,
    },
  });
  readonly #store = openStore(this.#engine.connect({ name: 'test', dead: false }), ledgerTable.name, {
    now: () => this.#time.now,
    sleep: (pause) => this.#time.sleep(pause),
    random: seededRandom(2).random,
  });

  static async found(): Promise<SimulatedLedger> {
    const simulated = new SimulatedLedger();
    await simulated.run((ledger) =>
      ledger.found('AU', (write) => {
        write.event({ event: 'TEST', data: 'A test', referenceId: '1' });
      }),
    );
    return simulated;
  }

  /** Lets something be done with the ledger, which nothing is remembered of, and tells what that cost. */
  async run<T>(act: (ledger: Ledger) => Promise<T>): Promise<{ result: T; cost: SimulatedCost }> {
    const capacity = newConsumedCapacity();
    const caller = { organization: this.code, userId: 'user', deadline: this.#time.now + 1e9, capacity };
    const began = this.#time.now;
    const result = await this.#time.run(act(this.#store.ledgerOf(caller)));
    return { result, cost: { ...capacity, roundTrips: (this.#time.now - began) / (2 * travel) } };
  }

  /**
   * From now on indexes trail the table, and four of five reads that need not be consistent show what was there a second ago:
   * trying again helps them little.
   */
  beBehind(): void {
    Object.assign(this.#engine.behaviour, {
      staleReadChance: 0.8,
      staleness: [1000, 1000],
      indexLag: [0, 20],
    });
  }

  /** One stored item. */
  item(key: TableKey): Item | undefined {
    return this.#engine.item(key);
  }
}
