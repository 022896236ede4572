import type { MachineClock } from '../../../infra/local/clock.ts';
import type { WorkerRun } from '../../../infra/local/workers/worker-run.ts';

/** Runs of a worker on a machine with this clock. The machine takes `onRun`. */
export interface WorkerRuns {
  onRun: (run: WorkerRun) => void;
  /** Moves the clock by so many minutes, and waits for the run that is due by then. */
  runAfter: (minutes: number) => Promise<WorkerRun>;
}

export function workerRuns(clock: MachineClock, name: string): WorkerRuns {
  let ran: PromiseWithResolvers<WorkerRun> | undefined;
  return {
    onRun: (run) => {
      if (run.name === name) ran?.resolve(run);
    },
    runAfter: (minutes) => {
      ran = Promise.withResolvers();
      clock.moveBy(minutes * 60_000);
      return ran.promise;
    },
  };
}
