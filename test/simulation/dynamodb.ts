import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { copyOfItem, type Item } from './attribute-values.ts';
import { defaultBehaviour, type Behaviour } from './behaviour.ts';
import { Invalid, NotSimulated, reasons, sdkErrors } from './errors.ts';
import { keyOfItem, versionOf, type TableDescription } from './index-keys.ts';
import { Network } from './network.ts';
import { prepareQuery, prepareScan } from './queries.ts';
import { prepareBatchGetItem, prepareGetItem, prepareTransactGetItems } from './reads.ts';
import { RequestTokens } from './request-tokens.ts';
import { NoSuchTable } from './requests.ts';
import { Server, type CarryOut, type Commit, type Refusal, type Sender, type Stats } from './server.ts';
import { simulatedClient, type SentCommand } from './simulated-client.ts';
import type { TableKey } from './table-items.ts';
import { prepareTransactWriteItems } from './transactions.ts';
import { prepareUpdateItem } from './updates.ts';
import type { VirtualTime } from './virtual-time.ts';

export { defaultBehaviour, type Behaviour } from './behaviour.ts';
export type { Item } from './attribute-values.ts';
export type { IndexDescription, TableDescription } from './index-keys.ts';
export type { Commit, CommittedWrite, Refusal, Sender, Stats } from './server.ts';
export type { TableKey } from './table-items.ts';

export interface SimulationOptions {
  time: VirtualTime;
  /** Numbers in [0, 1): all that is left to chance comes from here. */
  random: () => number;
  table: TableDescription;
  /** Where it differs from `defaultBehaviour`. */
  behaviour?: Partial<Behaviour>;
  /** Called at the moment at which a transaction is decided, or an update carried out. */
  onCommit?: (commit: Commit) => void;
  /** Called at the moment at which a call is refused for a conflict or a condition. */
  onRefusal?: (refusal: Refusal) => void;
}

/**
 * One table of a DynamoDB that behaves as the real service does where the local engines do not: transactions are
 * prepared, decided and applied item by item; plain reads see the items in between; indexes trail. All in virtual time,
 * and the same for the same random numbers.
 */
export class SimulatedDynamoDb {
  readonly #server: Server;
  readonly #network: Network;
  readonly #tokens: RequestTokens;
  /** How it behaves from now on; may be changed while it runs. */
  readonly behaviour: Behaviour;
  /** What no correct program does, and what the simulation cannot do: a run in which there is any proves nothing. */
  readonly problems: string[] = [];

  constructor({ time, random, table, behaviour, onCommit, onRefusal }: SimulationOptions) {
    const { faults } = defaultBehaviour;
    this.behaviour = { ...defaultBehaviour, ...behaviour, faults: { ...faults, ...behaviour?.faults } };
    this.#server = new Server(time, random, this.behaviour, table);
    this.#server.observers.onCommit = onCommit;
    this.#server.observers.onRefusal = onRefusal;
    this.#network = new Network(this.#server);
    this.#tokens = new RequestTokens(time);
  }

  /** What was asked of it so far. */
  get stats(): Stats {
    return this.#server.stats;
  }

  /** Whether nothing is on its way to be carried out: no request, no transaction, no change of an index. */
  get isIdle(): boolean {
    return this.#network.isIdle && this.#server.indexes.every((index) => index.isUpToDate);
  }

  /** A client of the AWS SDK, as one sender has it. */
  connect(sender: Sender): DynamoDBClient {
    return simulatedClient((command) => this.#send(command, sender));
  }

  /** The committed items, in the order of a scan. */
  *items(): Generator<Item> {
    for (const { version } of this.#server.items.scan()) if (version) yield version.item;
  }

  /** One committed item. */
  item(key: TableKey): Item | undefined {
    return this.#server.items.versionAt(key)?.item;
  }

  /** Changes the table at once, whoever holds the item, past conditions and observers. The indexes follow as ever. */
  readonly edit = {
    put: (attributes: Item): void => {
      const item = copyOfItem(attributes);
      const cell = this.#server.items.cellOf(keyOfItem(item));
      this.#server.commit(cell, versionOf(item, this.#server.table.indexes));
    },
    delete: (key: TableKey): void => {
      const cell = this.#server.items.cellOf(key);
      this.#server.commit(cell, undefined);
      this.#server.items.forgetEmpty(cell);
    },
  };

  async #send({ operation, input, signal }: SentCommand, sender: Sender): Promise<object> {
    if (sender.dead) return never;
    const { stats, chance } = this.#server;
    stats.calls[operation] = (stats.calls[operation] ?? 0) + 1;
    if (operation === 'TransactWriteItems') stats.transactions.sent++;
    const isTransaction = operation.startsWith('Transact');
    const throttled = () => {
      if (!isTransaction)
        return chance.happens(0.5) ? sdkErrors.throttling() : sdkErrors.throughputExceeded();
      const causes = partsIn(input).map(reasons.none);
      causes[chance.indexIn(causes)] = reasons.throttled();
      return sdkErrors.cancelled(causes);
    };
    const carryOut = this.#prepare(operation, input, sender);
    return this.#network.send({ sender, signal, carryOut, throttled });
  }

  /** What a request asks for; what is not valid is refused once it has arrived. @throws NotSimulated */
  #prepare(operation: string, input: object, sender: Sender): CarryOut {
    try {
      return this.#carryOutOf(operation, input, sender);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.problems.push(`${operation} of ${sender.name}: ${message}`);
      const refusal =
        error instanceof Invalid
          ? sdkErrors.invalid(message)
          : error instanceof NoSuchTable
            ? sdkErrors.noTable()
            : undefined;
      if (!refusal) throw error;
      return (reply) => {
        reply({ error: refusal });
      };
    }
  }

  #carryOutOf(operation: string, input: object, sender: Sender): CarryOut {
    const server = this.#server;
    // The SDK's types of the inputs have no required member that is not checked.
    switch (operation) {
      case 'GetItem':
        return prepareGetItem(server, input as Parameters<typeof prepareGetItem>[1]);
      case 'BatchGetItem':
        return prepareBatchGetItem(server, input as Parameters<typeof prepareBatchGetItem>[1]);
      case 'Query':
        return prepareQuery(server, input as Parameters<typeof prepareQuery>[1]);
      case 'Scan':
        return prepareScan(server, input as Parameters<typeof prepareScan>[1]);
      case 'TransactGetItems':
        return prepareTransactGetItems(
          server,
          input as Parameters<typeof prepareTransactGetItems>[1],
          sender,
        );
      case 'TransactWriteItems': {
        const write = input as Parameters<typeof prepareTransactWriteItems>[2];
        return prepareTransactWriteItems(server, this.#tokens, write, sender);
      }
      case 'UpdateItem':
        return prepareUpdateItem(server, input as Parameters<typeof prepareUpdateItem>[1], sender);
      default:
        throw new NotSimulated(`the operation ${operation}`);
    }
  }
}

const never = new Promise<never>(() => undefined);

/** The parts of a transaction that is refused before it is looked at. */
const partsIn = (input: object): readonly unknown[] =>
  'TransactItems' in input && Array.isArray(input.TransactItems) ? input.TransactItems : [];
