/** A metric of CloudWatch: what its values are kept and looked up by. */
export interface Metric {
  namespace: string;
  name: string;
  dimensions: Readonly<Record<string, string>>;
}

/** One value of a metric. */
export interface Datum extends Metric {
  value: number;
  /** In epoch milliseconds. */
  at: number;
}

/** Is told every value of every metric. */
export type OnMetric = (datum: Datum) => void;

/** A text that two metrics share only if they are the same one. The order of dimensions does not matter. */
export const keyOf = ({ namespace, name, dimensions }: Metric): string =>
  JSON.stringify([namespace, name, Object.entries(dimensions).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
