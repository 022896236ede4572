import { buildSync } from 'esbuild';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { MachineClock } from '../clock.ts';
import { localCredentials } from '../engine.ts';
import { region } from '../arns.ts';
import type { LocalFunction } from '../template/template.ts';
import type { WorkerData } from './function-messages.ts';

/** Execution environments of all functions. Starts them, and limits the number of idle ones. */
export class Environments {
  /** Bundled to plain JavaScript: a thread that strips types itself takes 8 MB more for its whole life. */
  readonly #program = buildSync({
    entryPoints: [join(import.meta.dirname, 'function-worker.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
  }).outputFiles[0]?.text;
  readonly #reachesOthers: boolean;
  readonly #maxIdle: number;
  /** Most environments of one function. Further invocations wait for a free one. */
  readonly maxEach: number;
  /** Functions that end the idle environments, the longest idle first. */
  readonly #unused = new Map<Worker, () => void>();

  /**
   * @param options `reachesOthers`: true if functions may connect to other computers; `maxIdle`: most idle environments that
   * are kept, of all functions together; `maxEach`: most environments of one function
   */
  constructor({
    reachesOthers = false,
    maxIdle = 8,
    maxEach = 8,
  }: { reachesOthers?: boolean; maxIdle?: number; maxEach?: number } = {}) {
    this.#reachesOthers = reachesOthers;
    this.#maxIdle = maxIdle;
    this.maxEach = maxEach;
  }

  /** Starts an environment of a function. Each answer brings its standard output. */
  start(
    { name, folder, handler, memorySize }: LocalFunction,
    env: Record<string, string>,
    { shared: ahead }: Pick<MachineClock, 'shared'>,
  ): Worker {
    return new Worker(this.#program ?? '', {
      eval: true,
      workerData: {
        folder,
        handler,
        functionName: name,
        memorySize,
        ahead,
        reachesOthers: this.#reachesOthers,
      } satisfies WorkerData,
      env,
      stdout: true,
      stderr: true,
    });
  }

  /** Keeps an idle environment. Ends the longest idle one if there are too many. */
  keep(environment: Worker, end: () => void): void {
    this.#unused.set(environment, end);
    const [endLongest] = this.#unused.values();
    if (this.#unused.size > this.#maxIdle) endLongest?.();
  }

  /** Drops an environment from the idle ones, because it is used again or has ended. */
  forget(environment: Worker): void {
    this.#unused.delete(environment);
  }
}

/** The environment variables that Lambda sets, and the endpoints of this machine's services. */
export function variablesOf(
  { name, folder, handler, memorySize }: LocalFunction,
  endpoints: Record<'dynamodb' | 'sms' | 'lambda' | 'sqs' | 'kms', string>,
): Record<string, string> {
  return {
    ...localCredentials,
    // The role is looked up by the access key id, which is the function's name.
    AWS_ACCESS_KEY_ID: name,
    AWS_REGION: region,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memorySize),
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_KMS: endpoints.kms,
    AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2: endpoints.sms,
    // A receiver may be a program of this computer.
    WEBHOOKS_REACH_LOOPBACK: 'yes',
    LAMBDA_TASK_ROOT: folder,
    _HANDLER: handler,
    TZ: ':UTC',
  };
}
