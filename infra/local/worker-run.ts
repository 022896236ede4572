import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { System } from '../../shared/core/system.ts';
import type { ConsumedCapacity } from '../../shared/ledger/index.ts';
import { costOf, troublesOf } from './cost.ts';
import type { Outcome } from './function-messages.ts';
import { localMessageOf } from './local-error.ts';
import type { DeadLetter } from './dead-letter.ts';

/** How one run of a worker went, for the terminal. */
export interface WorkerRun {
  /** The worker's name, or that of its function where it left no log. */
  name: string;
  /** How many things it has dealt with, where it tells. */
  done: number | undefined;
  /** What happens to the event of a failed run; undefined if the run succeeded. */
  failed: 'is tried again' | 'is a dead letter' | 'is lost' | undefined;
  milliseconds: number;
  consumed: ConsumedCapacity;
  /** What went wrong, or what the function wrote. */
  troubles: string[];
}

/** Invokes a function; undefined where there is none of that name any more. @throws Error when nothing can run */
export type InvokeWorker = (functionName: string, event: unknown) => Promise<Outcome | undefined>;

/** What calls workers, and is onRun of it. */
export interface WorkerDependencies {
  clock: Pick<System, 'now' | 'sleep'>;
  invoke: InvokeWorker;
  /** Is given every run. */
  onRun: (run: WorkerRun) => void;
  /** Is given every event that failed at every try. @throws LocalError if it cannot be kept */
  keepDeadLetter: (letter: DeadLetter) => void;
}

/** The outcome if the current sources do not run. */
export function failureOf(error: unknown): Outcome {
  const message = localMessageOf(error);
  return { id: randomUUID(), error: { type: 'Error', message, stack: message }, output: '' };
}

const LogLine = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ operation: v.string(), done: v.optional(v.number()) }),
);

/** What a worker's own log line tells of its run. */
export function logOf(
  outcome: Outcome,
  functionName: string,
): Pick<WorkerRun, 'name' | 'done' | 'consumed' | 'troubles'> {
  const { error, ...logged } = outcome;
  const [line] = outcome.output.split('\n').flatMap((text) => {
    const { success, output } = v.safeParse(LogLine, text);
    return success ? [output] : [];
  });
  // The log has the error that the function threw, unless it did not come so far.
  const troubles = troublesOf([line ? logged : outcome]);
  const { endpoint: consumed } = costOf([outcome]);
  return { name: line?.operation ?? functionName, done: line?.done, consumed, troubles };
}
