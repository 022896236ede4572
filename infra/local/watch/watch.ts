import { join } from 'node:path';
import type { MachineClock } from '../clock.ts';
import type { DeadLetter } from '../dead-letter.ts';
import type { Outcome } from '../function-messages.ts';
import type { Access } from './access-log.ts';
import { AlarmStates, type AlarmState } from './alarm-states.ts';
import { apiMetrics, functionMetrics, queueMetrics, tableMetrics, webAclMetrics } from './aws-metrics.ts';
import { DeadLetters } from './dead-letters.ts';
import { embeddedMetrics } from './embedded-metrics.ts';
import { functionLines } from './function-log.ts';
import { LogFiles, type OnLogLine } from './log-files.ts';
import type { Datum, OnMetric } from './metric.ts';
import type { Watched } from './watched.ts';

const minute = 60_000;

export interface WatchOptions {
  /** Folder of the logs, which each start writes anew. */
  logs: string;
  onLogLine?: OnLogLine;
  onMetric?: OnMetric;
  /** Receives every alarm that changes. */
  onAlarm?: (alarm: AlarmState) => void;
}

interface WatchDependencies {
  clock: Pick<MachineClock, 'now' | 'sleep' | 'ahead'>;
  /** Age in seconds of the oldest message in a queue, by the queue's logical id. */
  ageIn: (queue: string) => number;
}

/** The part of CloudWatch that the template uses: logs, metrics from logs, AWS's own metrics, and alarms. */
export class Watch {
  readonly #clock: WatchDependencies['clock'];
  readonly #ageIn: WatchDependencies['ageIn'];
  readonly #options: WatchOptions;
  readonly #files: LogFiles;
  readonly #letters: DeadLetters;
  readonly #alarms: AlarmStates;
  #watched: Watched;
  #stopped = false;

  constructor(watched: Watched, { clock, ageIn }: WatchDependencies, options: WatchOptions) {
    this.#clock = clock;
    this.#ageIn = ageIn;
    this.#options = options;
    this.#files = new LogFiles(options.logs);
    this.#letters = new DeadLetters(join(options.logs, 'dead-letters'));
    this.#alarms = new AlarmStates(clock.now());
    this.#watched = watched;
    this.keep(watched);
    void this.#evaluateInTime();
  }

  /** Replaces the watched resources by those of another template. */
  keep(watched: Watched): void {
    this.#watched = watched;
    this.#alarms.keep(watched.alarms);
  }

  /** Logs and counts a request that API Gateway has answered. */
  recordAccess(access: Access): void {
    const { accessLog, api } = this.#watched;
    if (accessLog) this.#log(accessLog.group, accessLog.lineOf(access));
    const at = this.#clock.now();
    this.#record([...apiMetrics(api, access, at), ...webAclMetrics(access, at)]);
  }

  /** Logs and counts a call of a function, by the function's logical id. */
  recordInvocation(id: string, outcome: Outcome, call: { at: number; milliseconds: number }): void {
    const { groups, functionNames, table } = this.#watched;
    for (const line of functionLines(outcome, this.#clock.now())) this.#log(groups.get(id) ?? id, line);
    this.#record(functionMetrics(functionNames.get(id) ?? id, outcome, call));
    this.#record(tableMetrics(table, outcome, this.#clock.now()));
  }

  keepDeadLetter(letter: DeadLetter): void {
    this.#letters.add(letter, this.#clock.now());
  }

  get deadLetters(): DeadLetters {
    return this.#letters;
  }

  /** States of the alarms at the last full minute. */
  get alarms(): AlarmState[] {
    return this.#alarms.states;
  }

  stop(): void {
    this.#stopped = true;
  }

  #log(group: string, line: string): void {
    // A function that still runs while the machine ends is no longer logged.
    if (this.#stopped) return;
    this.#files.write(group, line);
    this.#options.onLogLine?.(group, line);
    const at = this.#clock.now();
    const filtered = this.#watched.filters.flatMap(({ group: filters, metric, valueOf }) => {
      const value = filters === group ? valueOf(line) : undefined;
      return value === undefined ? [] : [{ ...metric, value, at }];
    });
    this.#record([...embeddedMetrics(line), ...filtered]);
  }

  #record(data: Datum[]): void {
    for (const datum of data) {
      this.#alarms.add(datum);
      this.#options.onMetric?.(datum);
    }
  }

  /** Evaluates queues and alarms at every full minute. */
  async #evaluateInTime(): Promise<void> {
    for (;;) {
      this.#recordQueueMetrics();
      const slept = await this.#untilNextMinute();
      if (this.#stopped) return;
      const now = Math.floor(this.#clock.now() / minute) * minute;
      if (slept) this.#alarms.restart(now);
      for (const alarm of this.#alarms.evaluate(now)) this.#options.onAlarm?.(alarm);
    }
  }

  /**
   * Waits for the next full minute. Returns true if the computer slept meanwhile, so that nothing could run.
   */
  async #untilNextMinute(): Promise<boolean> {
    const computerNow = () => this.#clock.now() - this.#clock.ahead;
    const before = computerNow();
    await this.#clock.sleep(minute - (this.#clock.now() % minute));
    return computerNow() - before > 2 * minute;
  }

  #recordQueueMetrics(): void {
    const at = this.#clock.now();
    for (const { id, name } of this.#watched.deadLetters)
      this.#record(queueMetrics(name, { ApproximateNumberOfMessagesVisible: this.#letters.countOf(id) }, at));
    for (const { id, name } of this.#watched.queues)
      this.#record(queueMetrics(name, { ApproximateAgeOfOldestMessage: this.#ageIn(id) }, at));
  }
}
