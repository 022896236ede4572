import { randomUUID } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import * as v from 'valibot';
import { printableLines } from '../../printable.ts';
import { MachineClock } from '../clock.ts';
import type { LocalFunction } from '../template/template.ts';
import type { Environments } from './environments.ts';
import { type Invocation, Outcome } from './function-messages.ts';
import { withOriginalPlaces } from './original-places.ts';

/** Milliseconds without an invocation after which an environment counts as idle. */
const idleTime = 30_000;

/** Runs one function as Lambda does. Starts environments as needed; each runs one invocation at a time. */
export class FunctionHost {
  readonly definition: LocalFunction;
  readonly #environments: Environments;
  readonly #variables: Record<string, string>;
  readonly #clock: Pick<MachineClock, 'shared' | 'now' | 'sleep'>;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  readonly #waiting: ((worker: Worker) => void)[] = [];
  readonly #idleTimers = new WeakMap<Worker, NodeJS.Timeout>();
  #retired = false;

  /** @param variables environment variables that Lambda and this machine add to the function's own */
  constructor(
    definition: LocalFunction,
    environments: Environments,
    variables: Record<string, string>,
    clock: Pick<MachineClock, 'shared' | 'now' | 'sleep'> = new MachineClock(),
  ) {
    this.definition = definition;
    this.#environments = environments;
    this.#variables = variables;
    this.#clock = clock;
  }

  /**
   * Invokes the function. Returns an error or a timeout of the function as an outcome, and does not throw it.
   */
  async invoke(event: unknown): Promise<Outcome> {
    const { output, error, ...outcome } = await this.#run(event);
    return {
      ...outcome,
      output: withOriginalPlaces(output),
      ...(error && { error: { ...error, stack: withOriginalPlaces(error.stack) } }),
    };
  }

  async #run(event: unknown): Promise<Outcome> {
    const worker = await this.#take();
    const milliseconds = this.definition.timeoutSeconds * 1000;
    const deadline = this.#clock.now() + milliseconds;
    const invocation: Invocation = { id: randomUUID(), event, deadline };
    try {
      const outcome = await this.#runInTime(worker, invocation, milliseconds);
      this.#give(worker);
      return outcome;
    } catch (error) {
      // On Lambda, too, an environment that timed out or crashed is gone.
      await worker.terminate();
      const next = this.#waiting.shift();
      if (next) next(this.#start());
      const {
        name: type,
        message,
        stack = message,
      } = error instanceof Error ? error : new Error(String(error));
      return { id: invocation.id, error: { type, message, stack }, output: '' };
    }
  }

  /** Ends every environment after its answer. Invoke nothing afterwards. */
  async retire(): Promise<void> {
    this.#retired = true;
    await Promise.all(this.#idle.splice(0).map((worker) => worker.terminate()));
  }

  /** Ends every environment at once. */
  async close(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #take(): Promise<Worker> {
    const idle = this.#idle.pop();
    if (idle) {
      this.#environments.forget(idle);
      return Promise.resolve(idle);
    }
    if (this.#all.size < this.#environments.maxEach) return Promise.resolve(this.#start());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #give(worker: Worker): void {
    const next = this.#waiting.shift();
    if (next) next(worker);
    else if (this.#retired) void worker.terminate();
    else {
      this.#idle.push(worker);
      this.#endIfIdle(worker);
    }
  }

  /** Ends an environment that stays idle, unless it is among the few that are kept. */
  #endIfIdle(worker: Worker): void {
    clearTimeout(this.#idleTimers.get(worker));
    const end = () => {
      // Dropped first, so that no invocation gets it.
      this.#drop(worker);
      void worker.terminate();
    };
    const timer = setTimeout(() => {
      if (this.#idle.includes(worker)) this.#environments.keep(worker, end);
    }, idleTime);
    this.#idleTimers.set(worker, timer.unref());
  }

  #drop(worker: Worker): void {
    this.#environments.forget(worker);
    this.#all.delete(worker);
    const at = this.#idle.indexOf(worker);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  #start(): Worker {
    const variables = { ...this.#variables, ...this.definition.environment };
    const worker = this.#environments.start(this.definition, variables, this.#clock);
    worker.unref();
    worker.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => process.stderr.write(printableLines(text)));
    // A waiting invocation reports the crash. This listener only keeps the crash from ending the process.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      this.#drop(worker);
    });
    this.#all.add(worker);
    return worker;
  }

  /**
   * Runs one invocation.
   * @throws Error if the environment ends, or does not answer in time by this machine's clock
   */
  async #runInTime(worker: Worker, invocation: Invocation, milliseconds: number): Promise<Outcome> {
    const ending = new AbortController();
    const { promise: message, resolve, reject } = Promise.withResolvers<unknown>();
    const exited = () => {
      reject(new Error('The function ended its process'));
    };
    try {
      worker.once('message', resolve).once('error', reject).once('exit', exited).postMessage(invocation);
      const tooLong = this.#clock.sleep(milliseconds, ending.signal).then(() => {
        throw new Error(`The function ran longer than ${milliseconds / 1000} seconds`);
      });
      return v.parse(Outcome, await Promise.race([message, tooLong]));
    } finally {
      worker.off('message', resolve).off('error', reject).off('exit', exited);
      // A reason, since without one each call would make an error with its stack.
      ending.abort('It has ended');
    }
  }
}
