import { buildSync } from 'esbuild';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { WorkerData } from './function-messages.ts';
import type { LocalFunction } from './template.ts';

/** The most environments, of all functions, that are kept although no one has used them for a while. */
const maxUnused = 8;

/** What the execution environments of all functions have in common: their program, and how many are kept unused. */
export class Environments {
  /** As one plain script: a thread that has to strip types by itself takes eight megabytes more, for as long as it lives. */
  readonly #program = buildSync({
    entryPoints: [join(import.meta.dirname, 'function-worker.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
  }).outputFiles[0]?.text;
  /** How each is ended; the one unused longest comes first. */
  readonly #unused = new Map<Worker, () => void>();

  /** Starts an environment of a function; what it writes to its standard output comes with each answer. */
  start({ name, folder, handler, memorySize }: LocalFunction, env: Record<string, string>): Worker {
    return new Worker(this.#program ?? '', {
      eval: true,
      workerData: { folder, handler, functionName: name, memorySize } satisfies WorkerData,
      env,
      stdout: true,
      stderr: true,
    });
  }

  /** Keeps an environment that no one has used for a while. Where that makes too many, the one unused longest is ended. */
  keep(environment: Worker, end: () => void): void {
    this.#unused.set(environment, end);
    const [endLongest] = this.#unused.values();
    if (this.#unused.size > maxUnused) endLongest?.();
  }

  /** An environment is used again, or has ended. */
  forget(environment: Worker): void {
    this.#unused.delete(environment);
  }
}
