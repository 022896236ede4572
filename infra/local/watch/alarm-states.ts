import { dataPointsOf, isAlarm, windowOf, type Alarm } from './alarm.ts';
import { MetricStore } from './metric-store.ts';
import type { Datum } from './metric.ts';

const minute = 60_000;

export interface AlarmState {
  name: string;
  sentence: string;
  state: 'OK' | 'ALARM';
  /** Newest data point that exists. */
  value: number | undefined;
}

/** Evaluates the alarms of a template. */
export class AlarmStates {
  readonly #store = new MetricStore();
  /** Start of observation. Earlier gaps are not missing data. */
  #since: number;
  #alarms: readonly Alarm[] = [];
  readonly #states = new Map<string, AlarmState>();

  constructor(now: number) {
    this.#since = now;
  }

  /** Replaces the alarms. Metrics and states that the new alarms share with the old ones stay. */
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

  /** Restarts the observation after the computer slept. Data of the time asleep is not missing. */
  restart(now: number): void {
    this.#since = now;
  }

  get states(): AlarmState[] {
    return [...this.#states.values()];
  }

  /** Evaluates every alarm on the data before this full minute. Returns the alarms that changed. */
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
