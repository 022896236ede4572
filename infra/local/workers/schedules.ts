import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from '../functions/function-messages.ts';
import { accountId, logicalIdOf, region } from '../arns.ts';
import { tryOrReport } from '../local-error.ts';
import type { Schedule } from '../template/template.ts';
import { failureOf, logOf, type WorkerDependencies } from './worker-run.ts';

/** Lambda's delays before each retry, in milliseconds. */
const retryDelays = [60_000, 120_000];

interface ScheduleDependencies extends WorkerDependencies {
  /**
   * True if a function's role allows it to send to a queue, which Lambda needs for its dead letters:
   * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
   */
  maySend: (functionName: string, queue: string) => boolean;
}

/**
 * EventBridge's schedules with Lambda's retries. The first run comes after one interval. Runs may overlap.
 * Missed runs, for example while the computer slept, are skipped.
 */
export class Schedules {
  readonly #dependencies: ScheduleDependencies;
  #kept: readonly Schedule[] = [];

  constructor(dependencies: ScheduleDependencies) {
    this.#dependencies = dependencies;
  }

  /** Replaces the schedules. An unchanged schedule continues. */
  keep(schedules: readonly Schedule[]): void {
    const before = this.#kept;
    this.#kept = schedules.map((schedule) => {
      const known = before.find((other) => isDeepStrictEqual(other, schedule));
      if (!known) void this.#runInTime(schedule);
      return known ?? schedule;
    });
  }

  /** Starts no more runs, and ignores the outcomes of runs under way. */
  stop(): void {
    this.#kept = [];
  }

  async #runInTime(schedule: Schedule): Promise<void> {
    const { milliseconds } = schedule.every;
    for (let at = this.#dependencies.clock.now() + milliseconds; ; at += milliseconds) {
      await this.#dependencies.clock.sleep(at - this.#dependencies.clock.now());
      if (!this.#kept.includes(schedule)) return;
      const missed = Math.floor((this.#dependencies.clock.now() - at) / milliseconds);
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
      const outcome = await this.#dependencies.invoke(schedule.functionName, event).catch(failureOf);
      if (!outcome || !this.#kept.includes(schedule)) return;
      const delay = delays.shift();
      this.#dependencies.onRun({
        ...logOf(outcome, schedule.functionName),
        failed:
          outcome.error && (delay === undefined ? this.#end(schedule, event, outcome) : 'is tried again'),
        milliseconds: performance.now() - startedAt,
      });
      if (!outcome.error || delay === undefined) return;
      await this.#dependencies.clock.sleep(delay);
      if (!this.#kept.includes(schedule)) return;
    }
  }

  /** Makes a dead letter of an event that failed at every attempt. Returns whether it was stored. */
  #end(schedule: Schedule, event: object, outcome: Outcome): 'is a dead letter' | 'is lost' {
    const { functionName, deadLetters, retries } = schedule;
    if (deadLetters === undefined || !this.#dependencies.maySend(functionName, deadLetters)) return 'is lost';
    const queue = logicalIdOf(deadLetters);
    const letter = { queue, functionName, event, tries: 1 + retries, outcome };
    return tryOrReport(() => {
      this.#dependencies.keepDeadLetter(letter);
    })
      ? 'is a dead letter'
      : 'is lost';
  }
}

/**
 * Builds the event of a rule's target.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html
 */
function scheduledEvent({ rule }: Schedule, at: number): object {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: accountId,
    time: new Date(at).toISOString().replace(/\.\d+Z$/, 'Z'),
    region,
    resources: [`arn:aws:events:${region}:${accountId}:rule/${rule}`],
    detail: {},
  };
}
