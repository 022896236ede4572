import type { Worker } from '../../shared/contract/worker.ts';
import { getLead, synthesizeStacks } from './made-up-stack.ts';

/** A worker, and the code of its function's module. */
export interface MadeUpWorker {
  worker: Worker;
  code?: string;
}

/**
 * Synthesizes a stack of these workers and one endpoint into a folder, as `infra/app.ts` does for the
 * service.
 */
export function synthesizeWorkers(
  folder: string,
  workers: readonly MadeUpWorker[],
  { validate = false } = {},
): void {
  synthesizeStacks(folder, {
    stage: 'dev',
    contracts: {
      operations: [getLead],
      workers: workers.map(({ worker }) => ({ kind: 'worker', worker, entry: entryOf(worker) })),
    },
    code: new Map(
      workers.flatMap(({ worker, code }) => (code === undefined ? [] : [[entryOf(worker), code]])),
    ),
    validate,
  });
}

const entryOf = ({ name }: Worker) => `functions/workers/${name}.ts`;
