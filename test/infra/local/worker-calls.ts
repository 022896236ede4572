import { vi } from 'vitest';
import { MachineClock } from '../../../infra/local/clock.ts';
import type { Outcome } from '../../../infra/local/functions/function-messages.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import type { DeadLetter, WorkerRun } from '../../../infra/local/workers/worker-run.ts';

export const done: Outcome = { id: '1', result: 'null', output: '' };
const error = { type: 'Error', message: 'No', stack: 'Error: No' };
export const failed: Outcome = { id: '1', error, output: '' };

/** Lets everything run that is due now. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Runs of workers and their dead letters, with a clock that moves only if a test moves it. */
export function workerCalls() {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const [clock, runs, letters]: [MachineClock, WorkerRun[], DeadLetter[]] = [new MachineClock(), [], []];
  const calls = {
    clock,
    runs,
    letters,
    /** True if no dead letter can be stored. */
    isDiskFull: false,
    onRun: (run: WorkerRun) => void runs.push(run),
    keepDeadLetter: (letter: DeadLetter) => {
      if (calls.isDiskFull) throw new LocalError('No space left');
      letters.push(letter);
    },
    ends: () => runs.map((run) => run.failed),
    /** Moves the clock, and lets everything run that is due by then. */
    pass: async (milliseconds: number) => {
      clock.moveBy(milliseconds);
      await settle();
    },
  };
  return calls;
}
