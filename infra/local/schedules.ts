import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { ConsumedCapacity } from '../../shared/ledger/index.ts';
import type { System } from '../../shared/core/system.ts';
import { costOf, troublesOf } from './cost.ts';
import type { Outcome } from './function-messages.ts';
import { logicalIdOf, region } from './intrinsics.ts';
import { localMessageOf } from './local-error.ts';
import type { Schedule } from './template.ts';
import type { DeadLetter } from './watch/dead-letters.ts';

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

/** Lambda's waits before each retry, in milliseconds. */
const retryDelays = [60_000, 120_000];

/** Invokes a function; undefined where there is none of that name any more. @throws Error when nothing can run */
type Invoke = (functionName: string, event: unknown) => Promise<Outcome | undefined>;

/**
 * EventBridge's schedules with Lambda's retries. The first run comes after one interval, and runs may
 * overlap. Missed runs, as while the computer slept, are skipped.
 */
export class Schedules {
  readonly #clock: Pick<System, 'now' | 'sleep'>;
  readonly #invoke: Invoke;
  readonly #told: (run: WorkerRun) => void;
  readonly #maySend: (functionName: string, queue: string) => boolean;
  readonly #keepLetter: (letter: DeadLetter) => void;
  #kept: readonly Schedule[] = [];

  /**
   * `told` is given every run; `maySend` says whether a function's role allows to send to a queue, which Lambda needs
   * for its dead letters: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html;
   * `keepLetter` is given those.
   */
  constructor(
    clock: Pick<System, 'now' | 'sleep'>,
    invoke: Invoke,
    told: (run: WorkerRun) => void,
    maySend: (functionName: string, queue: string) => boolean,
    keepLetter: (letter: DeadLetter) => void = () => undefined,
  ) {
    this.#clock = clock;
    this.#maySend = maySend;
    this.#keepLetter = keepLetter;
    this.#invoke = invoke;
    this.#told = told;
  }

  /** Replaces the schedules. An unchanged one keeps its rhythm. */
  keep(schedules: readonly Schedule[]): void {
    const before = this.#kept;
    this.#kept = schedules.map((schedule) => {
      const known = before.find((other) => isDeepStrictEqual(other, schedule));
      if (!known) void this.#runInTime(schedule);
      return known ?? schedule;
    });
  }

  /** Starts no more runs, and reports no more of those under way. */
  stop(): void {
    this.#kept = [];
  }

  async #runInTime(schedule: Schedule): Promise<void> {
    const { milliseconds } = schedule.every;
    for (let at = this.#clock.now() + milliseconds; ; at += milliseconds) {
      await this.#clock.sleep(at - this.#clock.now());
      if (!this.#kept.includes(schedule)) return;
      const missed = Math.floor((this.#clock.now() - at) / milliseconds);
      at += missed * milliseconds;
      void this.#run(schedule, at);
    }
  }

  /** Runs a worker, with retries. */
  async #run(schedule: Schedule, at: number): Promise<void> {
    const event = scheduledEvent(schedule, at);
    const delays = retryDelays.slice(0, schedule.retries);
    for (;;) {
      const startedAt = performance.now();
      const outcome = await this.#invoke(schedule.functionName, event).catch(failureOf);
      if (!outcome || !this.#kept.includes(schedule)) return;
      const delay = delays.shift();
      this.#told({
        ...logOf(outcome, schedule),
        failed:
          outcome.error && (delay === undefined ? this.#end(schedule, event, outcome) : 'is tried again'),
        milliseconds: performance.now() - startedAt,
      });
      if (!outcome.error || delay === undefined) return;
      await this.#clock.sleep(delay);
      if (!this.#kept.includes(schedule)) return;
    }
  }

  /** What becomes of an event that failed at every try. */
  #end(schedule: Schedule, event: object, outcome: Outcome): 'is a dead letter' | 'is lost' {
    const { functionName, deadLetters, retries } = schedule;
    if (deadLetters === undefined || !this.#maySend(functionName, deadLetters)) return 'is lost';
    const queue = logicalIdOf(deadLetters);
    this.#keepLetter({ queue, functionName, event, tries: 1 + retries, outcome });
    return 'is a dead letter';
  }
}

/** What EventBridge gives a rule's target. https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html */
function scheduledEvent({ rule }: Schedule, at: number): object {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: '000000000000',
    time: new Date(at).toISOString().replace(/\.\d+Z$/, 'Z'),
    region,
    resources: [`arn:aws:events:${region}:000000000000:rule/${rule}`],
    detail: {},
  };
}

/** The outcome if the current sources do not run. */
function failureOf(error: unknown): Outcome {
  const message = localMessageOf(error);
  return { id: randomUUID(), error: { type: 'Error', message, stack: message }, output: '' };
}

const LogLine = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ operation: v.string(), done: v.optional(v.number()) }),
);

/** What a worker's own log line tells of its run. */
function logOf(
  outcome: Outcome,
  { functionName }: Schedule,
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
