import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { copyOfItem, type Item } from './attribute-values.ts';
import { defaultBehaviour, type Behaviour, type Fault } from './behaviour.ts';
import { Invalid, NotSimulated, reasons, sdkErrors } from './errors.ts';
import { keyOfItem, versionOf, type TableDescription } from './index-keys.ts';
import { Network } from './network.ts';
import { prepareQuery, prepareScan } from './queries.ts';
import { prepareBatchGetItem, prepareGetItem, prepareTransactGetItems } from './reads.ts';
import { NoSuchTable } from './requests.ts';
import { Server, type CarryOut, type Commit, type Refusal, type Sender, type Stats } from './server.ts';
import type { TableKey } from './table-items.ts';
import { prepareTransactWriteItems, RequestTokens } from './transactions.ts';
import { prepareSingleWrite, type SingleWrite } from './single-writes.ts';
import type { VirtualTime } from './virtual-time.ts';

export { defaultBehaviour, type Behaviour } from './behaviour.ts';
export type { Item } from './attribute-values.ts';
export type { IndexDescription, TableDescription } from './index-keys.ts';
export type { Commit, CommittedWrite, Refusal, Sender, Stats } from './server.ts';
export type { TableKey } from './table-items.ts';

export interface SimulationOptions {
  time: VirtualTime;
  /** Source of all chance: numbers in [0, 1). */
  random: () => number;
  table: TableDescription;
  /** Overrides of `defaultBehaviour`. */
  behaviour?: Partial<Behaviour>;
  /** Called when a transaction is decided or a single write is carried out. */
  onCommit?: (commit: Commit) => void;
  /** Called when a call is refused for a conflict or a failed condition. */
  onRefusal?: (refusal: Refusal) => void;
  /** Fault of a call. If it returns undefined, chance decides by `Behaviour.faults`. */
  faultOf?: (operation: string, input: object) => Fault | undefined;
}

/**
 * One table of a DynamoDB that behaves like the real service where local engines do not. The simulation
 * prepares, decides and applies transactions item by item. Plain reads show the states in between. Indexes
 * lag. Everything happens in virtual time, and the same random numbers give the same run.
 */
export class SimulatedDynamoDb {
  readonly #server: Server;
  readonly #network: Network;
  readonly #tokens: RequestTokens;
  readonly #faultOf: NonNullable<SimulationOptions['faultOf']>;
  /** Current behaviour. A run may change the behaviour. */
  readonly behaviour: Behaviour;
  /**
   * Calls that no correct program makes or that the simulation does not support. A run with any of them
   * proves nothing.
   */
  readonly problems: string[] = [];

  constructor({ time, random, table, behaviour, onCommit, onRefusal, faultOf }: SimulationOptions) {
    const { faults } = defaultBehaviour;
    this.behaviour = { ...defaultBehaviour, ...behaviour, faults: { ...faults, ...behaviour?.faults } };
    this.#server = new Server(time, random, this.behaviour, table);
    this.#server.observers.onCommit = onCommit;
    this.#server.observers.onRefusal = onRefusal;
    this.#network = new Network(this.#server);
    this.#tokens = new RequestTokens(time);
    this.#faultOf = faultOf ?? (() => undefined);
  }

  get stats(): Stats {
    return this.#server.stats;
  }

  /** True if nothing is under way: no request, no transaction, no change of an index. */
  get isIdle(): boolean {
    return this.#network.isIdle && this.#server.indexes.every((index) => index.isUpToDate);
  }

  /** Creates a client of the AWS SDK for one sender. */
  connect(sender: Sender): DynamoDBClient {
    return simulatedClient((command) => this.#send(command, sender));
  }

  /** All committed items, in the order of a scan. */
  *items(): Generator<Item> {
    for (const { version } of this.#server.items.scan()) if (version) yield version.item;
  }

  item(key: TableKey): Item | undefined {
    return this.#server.items.versionAt(key)?.item;
  }

  /**
   * Changes the table at once. Ignores holds, conditions and observers. The indexes follow with their usual
   * lag.
   */
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
    return this.#network.send({
      sender,
      signal,
      carryOut,
      throttled,
      fault: this.#faultOf(operation, input),
    });
  }

  /** Parses a request. The error for an invalid one is sent when the request arrives. @throws NotSimulated */
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
    // Safe: the SDK's types of inputs have no required member that is left unchecked.
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
      case 'PutItem':
      case 'UpdateItem':
      case 'DeleteItem':
        return prepareSingleWrite(server, { command: operation, input } as SingleWrite, sender);
      default:
        throw new NotSimulated(`the operation ${operation}`);
    }
  }
}

const never = new Promise<never>(() => undefined);

/** Parts of a transaction that is refused before it is parsed. */
const partsIn = (input: object): readonly unknown[] =>
  'TransactItems' in input && Array.isArray(input.TransactItems) ? input.TransactItems : [];

/** A command as sent on the wire: its input holds attribute values. */
interface SentCommand {
  /** Name such as `GetItem`. */
  operation: string;
  input: object;
  signal: AbortSignal | undefined;
}

/** Context that the SDK gives a middleware. The SDK's types leave these fields out. */
interface Context {
  commandName?: string;
  __smithy_context?: { abortSignal?: AbortSignal };
}

const pass =
  <A, R>(next: (args: A) => R) =>
  (args: A): R =>
    next(args);

/**
 * Creates a client of the AWS SDK. Its commands end before they become HTTP requests. The document client's
 * own library marshals and unmarshals, with the options that it was given.
 *
 * That library places its two middlewares relative to other middlewares, by name. The SDK resolves an
 * endpoint between the two, which takes longer than everything else. So middlewares that do nothing take
 * those names, in this order: unmarshalling of the reply, marshalling of the input, then this one.
 */
function simulatedClient(carryOut: (command: SentCommand) => Promise<object>): DynamoDBClient {
  const client = new DynamoDBClient({
    region: 'us-east-1',
    endpoint: 'http://simulated.invalid',
    credentials: { accessKeyId: 'simulated', secretAccessKey: 'simulated' },
    maxAttempts: 1,
  });
  const stack = client.middlewareStack;
  for (const step of stack.identify()) stack.remove(step.split(' ')[0] ?? '');
  stack.add(pass, { step: 'initialize', name: 'deserializerMiddleware' });
  stack.add(pass, { step: 'serialize', name: 'serializerMiddleware' });
  // The document client overrides this middleware; other commands pass through it.
  stack.addRelativeTo(pass, {
    name: 'DocumentMarshall',
    relation: 'before',
    toMiddleware: 'serializerMiddleware',
  });
  // The SDK has a type for each kind of middleware, but no type for a middleware that ends the chain.
  const end = (_: unknown, { commandName = '', __smithy_context }: Context) => {
    const operation = commandName.replace(/Command$/, '');
    const signal = __smithy_context?.abortSignal;
    return async ({ input }: { input: object }) => ({ output: await carryOut({ operation, input, signal }) });
  };
  stack.addRelativeTo(end as never, {
    name: 'simulatedDynamoDb',
    relation: 'after',
    toMiddleware: 'DocumentMarshall',
  });
  return client;
}
