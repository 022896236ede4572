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
  /** The folder of the logs, which are new with each start. */
  logs: string;
  onLogLine?: OnLogLine;
  onMetric?: OnMetric;
  /** Is told of every alarm that changes. */
  onAlarm?: (alarm: AlarmState) => void;
}

interface WatchDependencies {
  clock: Pick<MachineClock, 'now' | 'sleep' | 'ahead'>;
  /** For how many seconds the oldest message has been in a queue, by the queue's logical id. */
  ageIn: (queue: string) => number;
}

/** The part of CloudWatch that the template uses: logs, the metrics that are made of them, AWS's own, and alarms. */
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

  /** Replaces what is watched, with another template. */
  keep(watched: Watched): void {
    this.#watched = watched;
    this.#alarms.keep(watched.alarms);
  }

  /** A request that API Gateway has answered. */
  recordAccess(access: Access): void {
    const { accessLog, api } = this.#watched;
    if (accessLog) this.#log(accessLog.group, accessLog.lineOf(access));
    const at = this.#clock.now();
    this.#record([...apiMetrics(api, access, at), ...webAclMetrics(access, at)]);
  }

  /** A call of a function, by its logical id, that began at a time. */
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

  /** How the alarms stood when they were last looked at, which is at every full minute. */
  get alarms(): AlarmState[] {
    return this.#alarms.states;
  }

  stop(): void {
    this.#stopped = true;
  }

  #log(group: string, line: string): void {
    // What a function that is still running says while the machine ends has no place any more.
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

  /** Looks at queues and alarms at every full minute. */
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

  /** Whether the computer slept meanwhile, so that nothing could run. */
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
