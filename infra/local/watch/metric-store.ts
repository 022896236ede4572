import { LocalError } from '../local-error.ts';
import { keyOf, type Datum, type Metric } from './metric.ts';

const minute = 60_000;

/** Number of times that each value came. */
type Counts = Map<number, number>;

/** Aggregates the values of a period. */
export type Statistic = (counts: Counts) => number;

const sampleCount: Statistic = (counts) => [...counts.values()].reduce((sum, count) => sum + count, 0);
const sum: Statistic = (counts) => [...counts].reduce((total, [value, count]) => total + value * count, 0);

const statistics = new Map<string, Statistic>(
  Object.entries({
    SampleCount: sampleCount,
    Sum: sum,
    Average: (counts) => sum(counts) / sampleCount(counts),
    Minimum: (counts) => [...counts.keys()].reduce((least, value) => Math.min(least, value)),
    Maximum: (counts) => [...counts.keys()].reduce((most, value) => Math.max(most, value)),
  } satisfies Record<string, Statistic>),
);

/**
 * Finds a statistic by its name in CloudWatch: `Sum`, or `p99`.
 * @throws LocalError for one that this machine does not know
 */
export function statisticOf(name: string): Statistic {
  const known = statistics.get(name);
  if (known) return known;
  const [, percent] = /^p(\d{1,2}(?:\.\d+)?)$/.exec(name) ?? [];
  if (percent === undefined) throw new LocalError(`The local machine does not know the statistic ${name}`);
  return (counts) => percentile(counts, Number(percent));
}

/** Smallest value that so many percent of the values do not exceed. */
function percentile(counts: Counts, percent: number): number {
  const wanted = (sampleCount(counts) * percent) / 100;
  let counted = 0;
  for (const [value, count] of [...counts].toSorted(([a], [b]) => a - b)) {
    counted += count;
    if (counted >= wanted) return value;
  }
  return Number.NaN;
}

/**
 * Stores the values of the metrics that alarms read, by the minute, for as long as the alarms read them. A
 * value that comes often is stored once, with its number.
 */
export class MetricStore {
  readonly #kept = new Map<string, { milliseconds: number; minutes: Map<number, Counts> }>();

  /** Sets the metrics to store, and for how long. Forgets all others. */
  keep(wanted: Iterable<{ metric: Metric; milliseconds: number }>): void {
    const before = new Map(this.#kept);
    this.#kept.clear();
    for (const { metric, milliseconds } of wanted) {
      const key = keyOf(metric);
      const minutes = before.get(key)?.minutes ?? new Map<number, Counts>();
      const longest = Math.max(milliseconds, this.#kept.get(key)?.milliseconds ?? 0);
      this.#kept.set(key, { milliseconds: longest, minutes });
    }
  }

  add(datum: Datum): void {
    const minutes = this.#kept.get(keyOf(datum))?.minutes;
    if (!minutes) return;
    const at = Math.floor(datum.at / minute);
    const counts = minutes.get(at) ?? new Map<number, number>();
    counts.set(datum.value, (counts.get(datum.value) ?? 0) + 1);
    minutes.set(at, counts);
  }

  /**
   * Computes a statistic of the values from one full minute until before another; undefined without values.
   */
  statistic(metric: Metric, statistic: Statistic, from: number, to: number): number | undefined {
    const minutes = this.#kept.get(keyOf(metric))?.minutes;
    const all: Counts = new Map();
    for (const [at, counts] of minutes ?? []) {
      if (at * minute < from || at * minute >= to) continue;
      for (const [value, count] of counts) all.set(value, (all.get(value) ?? 0) + count);
    }
    return all.size === 0 ? undefined : statistic(all);
  }

  /** Forgets values that no alarm can read any more. */
  forget(now: number): void {
    for (const { milliseconds, minutes } of this.#kept.values())
      for (const at of minutes.keys()) if (at * minute < now - milliseconds) minutes.delete(at);
  }
}
