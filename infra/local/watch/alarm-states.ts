import { dataPointsOf, isAlarm, windowOf, type Alarm } from './alarm.ts';
import { MetricStore } from './metric-store.ts';
import type { Datum } from './metric.ts';

const minute = 60_000;

/** An alarm, and how it stands. */
export interface AlarmState {
  name: string;
  sentence: string;
  state: 'OK' | 'ALARM';
  /** Its newest data point that is there. */
  value: number | undefined;
}

/** Watches the alarms of a template. */
export class AlarmStates {
  readonly #store = new MetricStore();
  /** Since when all that is missing is really missing. */
  #since: number;
  #alarms: readonly Alarm[] = [];
  readonly #states = new Map<string, AlarmState>();

  constructor(now: number) {
    this.#since = now;
  }

  /** Replaces the alarms. What is known of metrics and states that go on stays. */
  keep(alarms: readonly Alarm[]): void {
    this.#alarms = alarms;
    this.#store.keep(
      alarms.flatMap((alarm) =>
        alarm.metrics.map(({ metric }) => ({ metric, milliseconds: windowOf(alarm) })),
      ),
    );
    for (const name of this.#states.keys())
      if (!alarms.some((alarm) => alarm.name === name)) this.#states.delete(name);
  }

  add(datum: Datum): void {
    this.#store.add(datum);
  }

  /** For a computer that slept: what is missing until now was not to be had. */
  restart(now: number): void {
    this.#since = now;
  }

  get states(): AlarmState[] {
    return [...this.#states.values()];
  }

  /** Evaluates every alarm on what came before this full minute. Returns those that have changed. */
  evaluate(now: number): AlarmState[] {
    this.#store.forget(now - minute);
    return this.#alarms.flatMap((alarm) => {
      const { name, sentence, period, evaluationPeriods, firesOnTooLittle } = alarm;
      const before = this.#states.get(name);
      const isTooEarly = firesOnTooLittle && now < this.#since + period * evaluationPeriods;
      const dataPoints = dataPointsOf(alarm, this.#store, now);
      const isBreaching = !isTooEarly && isAlarm(alarm, dataPoints);
      const value = dataPoints.findLast((one) => one !== undefined);
      const state: AlarmState = { name, sentence, state: isBreaching ? 'ALARM' : 'OK', value };
      this.#states.set(name, state);
      return state.state === (before?.state ?? 'OK') ? [] : [state];
    });
  }
}
