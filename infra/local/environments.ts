import { buildSync } from 'esbuild';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { MachineClock } from './clock.ts';
import type { WorkerData } from './function-messages.ts';
import type { LocalFunction } from './template/template.ts';

/** How many idle environments are kept, of all functions together. */
const maxUnused = 8;

/** The execution environments of all functions: starts them, and limits how many idle ones are kept. */
export class Environments {
  /** Bundled to plain JavaScript: a thread that strips types itself takes 8 MB more, all its life. */
  readonly #program = buildSync({
    entryPoints: [join(import.meta.dirname, 'function-worker.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
  }).outputFiles[0]?.text;
  /** How to end each idle environment, the longest idle first. */
  readonly #unused = new Map<Worker, () => void>();

  /** Starts an environment of a function. Its standard output comes with each answer. */
  start(
    { name, folder, handler, memorySize }: LocalFunction,
    env: Record<string, string>,
    { shared: ahead }: Pick<MachineClock, 'shared'>,
  ): Worker {
    return new Worker(this.#program ?? '', {
      eval: true,
      workerData: { folder, handler, functionName: name, memorySize, ahead } satisfies WorkerData,
      env,
      stdout: true,
      stderr: true,
    });
  }

  /** Keeps an idle environment. If there are too many, ends the longest idle one. */
  keep(environment: Worker, end: () => void): void {
    this.#unused.set(environment, end);
    const [endLongest] = this.#unused.values();
    if (this.#unused.size > maxUnused) endLongest?.();
  }

  /** For an environment that is used again, or has ended. */
  forget(environment: Worker): void {
    this.#unused.delete(environment);
  }
}
