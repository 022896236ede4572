import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import type { MachineClock } from '../../../infra/local/clock.ts';
import type { WorkerRun } from '../../../infra/local/workers/worker-run.ts';
import { metricsInLine, keyOf, type Metric as Named } from './metrics-in-line.ts';
import { metricFiltersIn, propertiesIn, type Resources } from './named-metrics.ts';

const minute = 60_000;

/**
 * Data points that CloudWatch reads in addition to the evaluated data points, as in the examples of its
 * documentation.
 */
const furtherDataPoints = 2;

interface Metric {
  Namespace: string;
  MetricName: string;
  Dimensions?: { Name: string; Value: string }[];
}

interface MetricQuery {
  Id: string;
  Expression?: string;
  ReturnData?: boolean;
  MetricStat?: { Metric: Metric; Period: number; Stat: string };
}

interface Alarm extends Partial<Metric> {
  AlarmName: string;
  ComparisonOperator: keyof typeof comparisons;
  Threshold: number;
  EvaluationPeriods: number;
  TreatMissingData: 'breaching' | 'notBreaching';
  Statistic?: string;
  ExtendedStatistic?: string;
  Period?: number;
  Metrics?: MetricQuery[];
}

const comparisons = {
  GreaterThanOrEqualToThreshold: (value: number, threshold: number) => value >= threshold,
  GreaterThanThreshold: (value: number, threshold: number) => value > threshold,
  LessThanThreshold: (value: number, threshold: number) => value < threshold,
};

/**
 * Functions of CloudWatch's metric math that the alarms use. A missing value is undefined, or NaN.
 *
 * AWS documents that FILL fills the missing values of a series, and not what FILL makes of a series without any
 * value. So the alarms are evaluated in both ways: FILL fills that series, too, or leaves it empty. In the
 * second case, too, a missing value counts as 0 beside another series, so that it matters only if all series
 * are empty. https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
const metricMath = {
  IF: (condition: boolean, whenTrue: number, whenFalse: number) => (condition ? whenTrue : whenFalse),
  FILL: (value: number | undefined, filler: number) => value ?? filler,
};

/** Value of a metric, and the number of its samples with this value. */
interface Value {
  value: number;
  times: number;
}

interface AlarmDependencies {
  /** Clock of the machine. If it cannot sleep, `evaluate` is to be called. */
  clock: Pick<MachineClock, 'now'> & Partial<Pick<MachineClock, 'sleep'>>;
  /** Folder of the machine's logs, where the dead letters are. Without it, no queue is measured. */
  logs?: string;
  /** Name of the scheduled worker. Its runs count. */
  worker?: string;
  /** True for an alarm to evaluate; all of them by default. */
  isObserved?: (name: string) => boolean;
  /** Age in seconds of the oldest message of every queue. */
  queueAge?: () => number;
  /** Receives every alarm that changes, such as `ServerErrors ALARM`. */
  onChange: (change: string) => void;
}

/**
 * Evaluates the alarms of a template at every full minute, as CloudWatch does. The metrics come from a machine's
 * log lines, its worker's runs, and its dead letters.
 */
export class Alarms {
  readonly #alarms: Alarm[];
  readonly #filters: ReturnType<typeof metricFiltersIn>;
  readonly #dependencies: AlarmDependencies;
  /** Start of the observation. Earlier gaps are not missing data. */
  readonly #since: number;
  /** Values by metric and minute. */
  readonly #data = new Map<string, Map<number, Value[]>>();
  readonly #firing = new Set<string>();
  #stopped = false;

  constructor(resources: Resources, dependencies: AlarmDependencies) {
    const { isObserved = () => true } = dependencies;
    this.#alarms = propertiesIn<Alarm>(resources, 'AWS::CloudWatch::Alarm').filter(({ AlarmName }) =>
      isObserved(shortName(AlarmName)),
    );
    this.#filters = metricFiltersIn(resources);
    this.#dependencies = dependencies;
    this.#since = dependencies.clock.now();
    if (dependencies.clock.sleep)
      void this.#evaluateInTime(dependencies.clock.sleep.bind(dependencies.clock));
  }

  get names(): string[] {
    return this.#alarms.map(({ AlarmName }) => shortName(AlarmName));
  }

  get firing(): ReadonlySet<string> {
    return this.#firing;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Counts a line of log, or so many lines that have the same metrics. */
  readonly onLogLine = (group: string, line: string, times = 1): void => {
    for (const datum of metricsInLine(line)) this.#add(datum, datum);
    for (const filter of this.#filters) {
      const value = filter.group === group ? filter.valueOf(line) : undefined;
      if (value !== undefined) this.#add(filter, { value, times });
    }
  };

  /** Adds a value, or so many equal ones, to a metric of AWS or of the functions. */
  add(namespace: string, name: string, dimensions: Named['dimensions'], value: number, times = 1): void {
    this.#add({ namespace, name, dimensions }, { value, times });
  }

  readonly onRun = ({ failed }: Pick<WorkerRun, 'failed'>): void => {
    const { worker: FunctionName = '' } = this.#dependencies;
    const values = { Invocations: 1, Errors: Number(failed !== undefined) };
    for (const [name, value] of Object.entries(values)) this.add('AWS/Lambda', name, { FunctionName }, value);
  };

  /** Counts an answer of the API, as API Gateway's own metrics do. */
  readonly onAnswer = (status: number, times = 1): void => {
    const dimensions = { ApiName: 'SalesPipeline-dev', Stage: 'dev' };
    for (const [name, from] of Object.entries({ '4XXError': 400, '5XXError': 500 }))
      this.add('AWS/ApiGateway', name, dimensions, Number(status >= from && status < from + 100), times);
  };

  /** Adds a value to the only metric of an alarm. This machine does not have the metric. */
  measure(alarm: string, value: number): void {
    const found = this.#alarms.find(({ AlarmName }) => shortName(AlarmName) === alarm);
    const [query, ...more] = queriesOf(found!).filter(({ MetricStat }) => MetricStat);
    if (more.length > 0) throw new Error(`${alarm} has several metrics`);
    this.#add(metricOf(query!.MetricStat!.Metric), { value });
  }

  #add(
    metric: Named,
    { value, times = 1, at }: Omit<Value, 'times'> & { times?: number; at?: number },
  ): void {
    const key = keyOf(metric);
    const during = Math.floor((at ?? this.#dependencies.clock.now()) / minute);
    const byMinute = this.#data.get(key) ?? new Map<number, Value[]>();
    const values = byMinute.get(during) ?? [];
    values.push({ value, times });
    this.#data.set(key, byMinute.set(during, values));
  }

  /** Evaluates every alarm as of the last full minute. */
  evaluate(): void {
    const now = Math.floor(this.#dependencies.clock.now() / minute) * minute;
    for (const alarm of this.#alarms) this.#evaluate(alarm, now);
  }

  async #evaluateInTime(sleep: MachineClock['sleep']): Promise<void> {
    const { clock } = this.#dependencies;
    for (;;) {
      this.#measureQueues();
      await sleep(minute - (clock.now() % minute));
      if (this.#stopped) return;
      this.evaluate();
    }
  }

  #measureQueues(): void {
    const { logs = '', queueAge = () => 0 } = this.#dependencies;
    for (const { MetricName: name, Dimensions: [queue] = [] } of this.#alarms) {
      if (queue?.Name !== 'QueueName') continue;
      const letters = join(logs, 'dead-letters', queue.Value.replace(/(?:\.QueueName)?$/, '.jsonl'));
      const value =
        name === 'ApproximateAgeOfOldestMessage'
          ? queueAge()
          : existsSync(letters)
            ? readFileSync(letters, 'utf8').split('\n').length - 1
            : 0;
      this.add('AWS/SQS', name!, { QueueName: queue.Value }, value);
    }
  }

  #evaluate(alarm: Alarm, now: number): void {
    const { AlarmName, EvaluationPeriods: wanted, ComparisonOperator: comparison, Threshold } = alarm;
    const queries = queriesOf(alarm);
    const period = 1000 * queries.find(({ MetricStat }) => MetricStat)!.MetricStat!.Period;
    const isMissingBreaching = alarm.TreatMissingData === 'breaching';
    // A period that has just begun always has too little.
    if (isMissingBreaching && now < this.#since + period * wanted) return;
    const ends = Array.from({ length: wanted + furtherDataPoints }, (_, at) => now - at * period);
    const fires = (points: readonly number[]) => {
      const breaching = points.filter((value) => comparisons[comparison](value, Threshold)).length;
      return breaching + (isMissingBreaching ? wanted - points.length : 0) >= wanted;
    };
    const points = ends
      .map((to) => this.#dataPoint(queries, to - period, to))
      .filter((value) => value !== undefined)
      .slice(0, wanted);
    const hasData = queries.some((query) => this.#valuesOf(query, ends.at(-1)! - period, now).length > 0);
    const isFiring = fires(points);
    const name = shortName(AlarmName);
    if (fires(hasData ? points : []) !== isFiring) this.#dependencies.onChange(`${name} depends on FILL`);
    if (isFiring === this.#firing.has(name)) return;
    if (isFiring) this.#firing.add(name);
    else this.#firing.delete(name);
    this.#dependencies.onChange(`${name} ${isFiring ? 'ALARM' : 'OK'}`);
  }

  /** Value of an alarm's queries from one full minute until before another; undefined without one. */
  #dataPoint(queries: readonly MetricQuery[], from: number, to: number): number | undefined {
    const valueOf = (query: MetricQuery): number | undefined => {
      const { Expression = '', MetricStat } = query;
      if (MetricStat) {
        const within = this.#valuesOf(query, from, to);
        return within.length === 0 ? undefined : statistic(MetricStat.Stat, within);
      }
      const used = queries.filter(({ Id }) => new RegExp(`\\b${Id}\\b`).test(Expression));
      const evaluate = compiled(Expression, ['IF', 'FILL', ...used.map(({ Id }) => Id)]);
      const values = [metricMath.IF, metricMath.FILL, ...used.map(valueOf)];
      return Reflect.apply(evaluate, undefined, values) as number;
    };
    const value = valueOf(queries.find(({ ReturnData = true }) => ReturnData)!);
    return Number.isNaN(value) ? undefined : value;
  }

  /** Values of a query's metric from one full minute until before another; none of an expression. */
  #valuesOf({ MetricStat }: MetricQuery, from: number, to: number): Value[] {
    const byMinute = MetricStat && this.#data.get(keyOf(metricOf(MetricStat.Metric)));
    const values: Value[] = [];
    if (byMinute)
      for (let at = from / minute; at < to / minute; at++) values.push(...(byMinute.get(at) ?? []));
    return values;
  }
}

/** The metric of a query, as `keyOf` takes it. */
function metricOf({ Namespace: namespace, MetricName: name, Dimensions = [] }: Metric) {
  return {
    namespace,
    name,
    dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value])),
  };
}

/** Name of an alarm without the stack's: `ServerErrors`. */
const shortName = (name: string) => name.replace(/^.*-/, '');

function queriesOf(alarm: Alarm): MetricQuery[] {
  const { Namespace = '', MetricName, Dimensions = [], Statistic, ExtendedStatistic, Period } = alarm;
  if (MetricName === undefined) return alarm.Metrics!;
  const Stat = Statistic ?? ExtendedStatistic!;
  return [{ Id: 'm', MetricStat: { Metric: { Namespace, MetricName, Dimensions }, Period: Period!, Stat } }];
}

const functions = new Map<string, ReturnType<typeof compileFunction>>();
/** Function of an expression of metric math. */
function compiled(expression: string, parameters: string[]) {
  const key = JSON.stringify([expression, parameters]);
  const found = functions.get(key) ?? compileFunction(`return ${expression}`, parameters);
  functions.set(key, found);
  return found;
}

const count = (values: readonly Value[]) => values.reduce((sum, { times }) => sum + times, 0);

/** Aggregates values by a statistic's name in CloudWatch: `Sum`, or `p99`. */
function statistic(name: string, values: readonly Value[]): number {
  if (name === 'Sum') return values.reduce((sum, { value, times }) => sum + value * times, 0);
  if (name === 'SampleCount') return count(values);
  if (name === 'Maximum') return Math.max(...values.map(({ value }) => value));
  if (name === 'Minimum') return Math.min(...values.map(({ value }) => value));
  const [, percent] = /^p(\d+)$/.exec(name)!;
  let left = Math.ceil((count(values) * Number(percent)) / 100);
  return values.toSorted((a, b) => a.value - b.value).find(({ times }) => (left -= times) <= 0)!.value;
}
