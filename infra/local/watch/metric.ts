/** A metric of CloudWatch: the key of its values. */
export interface Metric {
  namespace: string;
  name: string;
  dimensions: Readonly<Record<string, string>>;
}

/** One value of a metric. */
export interface Datum extends Metric {
  value: number;
  /** Epoch milliseconds. */
  at: number;
}

/** Receives every value of every metric. */
export type OnMetric = (datum: Datum) => void;

/** Unique string of a metric. The order of dimensions does not matter. */
export const keyOf = ({ namespace, name, dimensions }: Metric): string =>
  JSON.stringify([namespace, name, Object.entries(dimensions).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
