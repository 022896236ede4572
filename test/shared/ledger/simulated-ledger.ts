import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import * as v from 'valibot';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import {
  newConsumedCapacity,
  openStore,
  type ConsumedCapacity,
  type Ledger,
  type Reach,
} from '../../../shared/ledger/index.ts';
import { SimulatedDynamoDb, type Behaviour, type Item, type TableKey } from '../../simulation/dynamodb.ts';
import { ledgerTable } from '../../simulation/simulated-table.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';

/** Calls and capacity of an action, and the number of its round trips. */
export interface SimulatedCost extends ConsumedCapacity {
  roundTrips: number;
  /** Number of items that queries returned. */
  itemsQueried: number;
}

/** Half a round trip, in virtual milliseconds. No read takes any more. */
const travel = 1;

/** No faults, and no delay except the round trip. */
const ideal: Partial<Behaviour> = {
  network: [travel, travel],
  read: [0, 0],
  prepare: [0, 0],
  apply: [0, 0],
  lateApplyChance: 0,
  indexLag: [0, 0],
  lateIndexChance: 0,
  staleReadChance: 0,
};

/**
 * The ledger of one organization, in a simulated DynamoDB. Nothing goes wrong there unless a test asks for
 * it. A list of a hundred thousand members is there within seconds.
 */
export class SimulatedLedger {
  readonly code = v.parse(OrganizationCode, '6H8EV880');
  readonly #time = new VirtualTime();
  readonly #engine = new SimulatedDynamoDb({
    time: this.#time,
    random: seededRandom(1).random,
    table: ledgerTable,
    behaviour: ideal,
  });
  #itemsQueried = 0;
  readonly store = openStore(this.#connect(), ledgerTable.name, {
    now: () => this.#time.now,
    sleep: (pause) => this.#time.sleep(pause),
    ...seededRandom(2),
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

  /** Runs something with a ledger that remembers nothing, and returns the cost. */
  async run<T>(
    act: (ledger: Ledger) => Promise<T>,
    reach?: Reach,
  ): Promise<{ result: T; cost: SimulatedCost }> {
    const capacity = newConsumedCapacity();
    const [began, queried] = [this.#time.now, this.#itemsQueried];
    const result = await this.#time.run(act(this.open({ capacity, reach })));
    const roundTrips = (this.#time.now - began) / (2 * travel);
    return { result, cost: { ...capacity, roundTrips, itemsQueried: this.#itemsQueried - queried } };
  }

  /** Runs several at the same time, each with a separate ledger. */
  together<T>(acts: readonly ((ledger: Ledger) => Promise<T>)[]): Promise<T[]> {
    return this.#time.run(Promise.all(acts.map((act) => act(this.open()))));
  }

  sleep(milliseconds: number): Promise<void> {
    return this.#time.sleep(milliseconds);
  }

  /** A ledger that may do what the reach says: without one, all that operators may. */
  open({
    capacity = newConsumedCapacity(),
    organization = this.code,
    reach,
    isSerializable = false,
  }: {
    capacity?: ConsumedCapacity;
    organization?: OrganizationCode;
    reach?: Reach | undefined;
    isSerializable?: boolean;
  } = {}): Ledger {
    const principal = { organization, userId: 'user', deadline: this.#time.now + 1e9, capacity };
    return this.store.ledgerOf({ ...principal, ...(reach && { reach }) }, { isSerializable });
  }

  #connect(): DynamoDBClient {
    const client = this.#engine.connect({ name: 'test', dead: false });
    client.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        if ('Items' in result.output) this.#itemsQueried += result.output.Items?.length ?? 0;
        return result;
      },
      { step: 'initialize', name: 'itemsQueried' },
    );
    return client;
  }

  /** Changes the speed and the faults of DynamoDB from now on. */
  be(behaviour: Partial<Behaviour>): void {
    Object.assign(this.#engine.behaviour, behaviour);
  }

  /** Stores an item, past all conditions. */
  put(item: object): void {
    this.#engine.edit.put(marshall(item));
  }

  /** Removes an item, past all conditions. */
  remove(key: TableKey): void {
    this.#engine.edit.delete(key);
  }

  /** One stored item. */
  item(key: TableKey): Item | undefined {
    return this.#engine.item(key);
  }
}
