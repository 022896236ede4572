import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { System } from '../../../shared/core/system.ts';
import type { SimulatedDynamoDb } from '../dynamodb.ts';
import { ledgerTable } from '../simulated-table.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Draw } from './draw.ts';
import { currentInvocation, invocations, type Serving } from './invocation.ts';
import type { Request } from './plan.ts';
import { openStore, type Store } from '../../../shared/ledger/index.ts';

/** Dependencies that all environments share. */
export interface EnvironmentOptions {
  time: VirtualTime;
  database: SimulatedDynamoDb;
  draw: Draw;
  /** Maximum clock error in milliseconds. */
  skew: number;
  /** Replaces each client, to break it in some way. */
  alter: (client: DynamoDBClient) => DynamoDBClient;
  /** Called before each call to DynamoDB. `onReply` gets the result or the error. */
  onCall: (request: Request, operation: string, input: object) => void;
  onReply: (request: Request, operation: string, reply: object) => void;
}

/** End of an invocation. */
export type Ended<T> =
  | { is: 'value'; value: T }
  | { is: 'error'; error: unknown }
  | { is: 'died' | 'timeout' };

/** Time limit in milliseconds of a function that serves requests. */
export const functionTimeout = 15_000;

const never = new Promise<never>(() => undefined);

/**
 * One Lambda execution environment. The environment serves one request at a time, with its own client and
 * clock, until it dies.
 */
export class Environment implements Serving {
  readonly name: string;
  readonly store: Store;
  readonly system: System;
  readonly skew: number;
  readonly #sender: { name: string; dead: boolean };
  readonly #options: EnvironmentOptions;
  /** Number of awaits that it survives; usually infinite. */
  #awaitsLeft = Infinity;
  #stopDying: () => void = () => undefined;
  #onDeath: (how: 'died' | 'timeout') => void = () => undefined;

  constructor(name: string, environmentOptions: EnvironmentOptions) {
    const { time, database, draw, skew } = environmentOptions;
    this.name = name;
    this.skew = Math.round(draw.between(-skew, skew));
    this.#sender = { name, dead: false };
    this.#options = environmentOptions;
    this.system = {
      now: () => Math.floor(time.now + this.skew),
      random: draw.random,
      randomBytes: draw.randomBytes,
      sleep: (milliseconds) => this.sleep(milliseconds),
    };
    const client = environmentOptions.alter(this.#observed(database.connect(this.#sender)));
    this.store = openStore(client, ledgerTable.name, this.system);
  }

  get isDead(): boolean {
    return this.#sender.dead;
  }

  sleep(milliseconds: number): Promise<void> {
    this.noteAwait();
    return new Promise((resolve) => {
      this.#options.time.at(milliseconds, () => {
        if (!this.isDead) resolve();
      });
    });
  }

  /**
   * Runs a request for at most `timeout` milliseconds. The environment dies shortly after `awaits` awaits,
   * unless the request ends before.
   */
  run<T>(
    request: Request,
    awaits: number,
    work: () => Promise<T>,
    timeout = functionTimeout,
  ): Promise<Ended<T>> {
    this.#awaitsLeft = awaits;
    return new Promise((resolve) => {
      const stop = this.#options.time.at(timeout, () => {
        this.#die('timeout');
      });
      const end = (ended: Ended<T>) => {
        stop();
        this.#stopDying();
        this.#awaitsLeft = Infinity;
        resolve(ended);
      };
      this.#onDeath = (how) => {
        end({ is: how });
      };
      invocations.run({ environment: this, request }, () => {
        work().then(
          (value) => {
            if (!this.isDead) end({ is: 'value', value });
          },
          (error: unknown) => {
            if (!this.isDead) end({ is: 'error', error });
          },
        );
      });
    });
  }

  noteAwait(): void {
    this.#awaitsLeft--;
    if (this.#awaitsLeft !== 0) return;
    const { time, draw } = this.#options;
    this.#stopDying = time.at(draw.between(0, 8), () => {
      this.#die('died');
    });
  }

  #die(how: 'died' | 'timeout'): void {
    if (this.isDead) return;
    this.#sender.dead = true;
    this.#onDeath(how);
  }

  #observed(client: DynamoDBClient): DynamoDBClient {
    const { onCall, onReply } = this.#options;
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          if (this.isDead) return never;
          this.noteAwait();
          const { request } = currentInvocation();
          onCall(request, commandName, args.input);
          try {
            const reply = await next(args);
            onReply(request, commandName, reply.output);
            return reply;
          } catch (error) {
            onReply(request, commandName, error as Error);
            throw error;
          }
        },
      { step: 'initialize', priority: 'low', name: 'simulationObserver' },
    );
    return client;
  }
}

/** A limited number of environments. A caller waits until one is free. */
export class Pool {
  /** Number of environments that died. */
  deaths = 0;
  readonly #size: number;
  readonly #name: string;
  readonly #environmentOptions: EnvironmentOptions;
  readonly #idle: Environment[] = [];
  readonly #waiting: ((environment: Environment) => void)[] = [];
  #alive = 0;
  #count = 0;

  constructor(name: string, size: number, environmentOptions: EnvironmentOptions) {
    this.#name = name;
    this.#size = size;
    this.#environmentOptions = environmentOptions;
  }

  take(): Promise<Environment> {
    const idle = this.#idle.pop();
    if (idle) return Promise.resolve(idle);
    if (this.#alive < this.#size) return Promise.resolve(this.#start());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Returns an environment. A dead one is replaced when needed. */
  give(environment: Environment): void {
    if (environment.isDead) {
      this.#alive--;
      this.deaths++;
    } else this.#idle.push(environment);
    const next = this.#waiting.shift();
    if (next) next(this.#idle.pop() ?? this.#start());
  }

  #start(): Environment {
    this.#alive++;
    return new Environment(`${this.#name}-${++this.#count}`, this.#environmentOptions);
  }
}
