import { compileFunction } from 'node:vm';
import { resolve } from '../../../infra/local/intrinsics.ts';

/** Resources of a template. */
export type Resources = Record<string, { Type: string; Properties?: unknown }>;

/** A metric that an alarm or a graph names. */
export interface NamedMetric {
  /** Name of the alarm, or title of the graph. */
  by: string;
  namespace: string;
  name: string;
  dimensions: Record<string, string>;
  /** Dimension of a search, which stands for all of its values. */
  each?: string;
}

/** A table of the dashboard that a query of logs fills. */
export interface NamedQuery {
  title: string;
  /** Names of the log groups. */
  groups: string[];
  /** Fields of log lines in the query. `error.name` is a part of the field `error`. */
  fields: string[];
}

export interface Widget {
  type: string;
  x: number;
  y: number;
  width: number;
  height: number;
  properties: {
    title?: string;
    metrics?: unknown[][];
    query?: string;
    alarms?: string[];
    markdown?: string;
  };
}

/** Metrics of AWS's own services that alarms and graphs use, each with its dimensions, as AWS documents them. */
export const awsMetrics: Readonly<Record<string, Readonly<Record<string, string[]>>>> = {
  'AWS/ApiGateway': {
    Count: ['ApiName', 'Stage'],
    '4XXError': ['ApiName', 'Stage'],
    '5XXError': ['ApiName', 'Stage'],
    Latency: ['ApiName', 'Stage'],
  },
  'AWS/Lambda': {
    Invocations: ['FunctionName'],
    Errors: ['FunctionName'],
    IteratorAge: ['FunctionName'],
    PolledEventCount: ['EventSourceMappingUUID'],
    // Of all functions of the account and region.
    ClaimedAccountConcurrency: [],
    Throttles: [],
  },
  'AWS/DynamoDB': { ConsumedWriteCapacityUnits: ['TableName'] },
  'AWS/CertificateManager': { DaysToExpiry: ['CertificateArn'] },
  'AWS/SNS': { NumberOfMessagesPublished: ['TopicName'], NumberOfNotificationsDelivered: ['TopicName'] },
  'AWS/WAFV2': { BlockedRequests: ['Region', 'Rule', 'WebACL'] },
  'AWS/SQS': {
    ApproximateAgeOfOldestMessage: ['QueueName'],
    ApproximateNumberOfMessagesVisible: ['QueueName'],
  },
};

interface AlarmProperties {
  AlarmName: string;
  Namespace?: string;
  MetricName?: string;
  Dimensions?: Dimension[];
  Metrics?: {
    MetricStat?: { Metric: { Namespace: string; MetricName: string; Dimensions?: Dimension[] } };
  }[];
}
interface MetricFilterProperties {
  LogGroupName: string;
  FilterPattern: string;
  MetricTransformations: [{ MetricNamespace: string; MetricName: string; DefaultValue?: number }];
}
interface Dimension {
  Name: string;
  Value: string;
}

/** Properties of each resource of a type, with references resolved to plain texts as on the local machine. */
export const propertiesIn = <P>(resources: Resources, type: string): P[] =>
  Object.values(resources)
    .filter(({ Type }) => Type === type)
    .map(({ Properties }) => resolve(Properties ?? {}) as P);

/** Widgets of the one dashboard. */
export function widgetsIn(resources: Resources): Widget[] {
  const [dashboard] = propertiesIn<{ DashboardBody: string }>(resources, 'AWS::CloudWatch::Dashboard');
  return (JSON.parse(dashboard!.DashboardBody) as { widgets: Widget[] }).widgets;
}

/**
 * Metric filters of a template: the metric, the log group on the local machine, and the value of a line.
 */
export const metricFiltersIn = (resources: Resources) =>
  propertiesIn<MetricFilterProperties>(resources, 'AWS::Logs::MetricFilter').map(
    ({
      LogGroupName,
      FilterPattern,
      MetricTransformations: [{ MetricNamespace, MetricName, DefaultValue }],
    }) => {
      const matches = matcherOf(FilterPattern);
      return {
        namespace: MetricNamespace,
        name: MetricName,
        dimensions: {},
        group: LogGroupName.split('/').at(-1)!,
        valueOf: (line: string) => (matches(JSON.parse(line) as Record<string, unknown>) ? 1 : DefaultValue),
      };
    },
  );

/**
 * Tells whether a line matches a pattern. A pattern has comparisons with texts, joined by `&&`, `||` and parentheses.
 * In a text, `*` stands for anything.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
function matcherOf(pattern: string): (line: Record<string, unknown>) => boolean {
  const [, condition = ''] = /^\{ (.*) \}$/.exec(pattern) ?? [];
  const terms: ((line: Record<string, unknown>) => boolean)[] = [];
  const code = condition.replaceAll(/\$\.(\w+) = "([^"]*)"/g, (_, field: string, wanted: string) => {
    const glob = new RegExp(
      `^${wanted
        .split('*')
        .map((part) => RegExp.escape(part))
        .join('.*')}$`,
    );
    return `is[${terms.push((line) => glob.test(String(line[field]))) - 1}](line)`;
  });
  if (!/^(is\[\d+\]\(line\)|&&|\|\||[() ])+$/.test(code))
    throw new Error(`No pattern that is known here: ${pattern}`);
  const evaluate = compileFunction(`return ${code}`, ['is', 'line']);
  return (line) => Reflect.apply(evaluate, undefined, [terms, line]) === true;
}

/** Metrics that the alarms and the dashboard of a template name, one entry for each mention. */
export const metricsNamedIn = (resources: Resources): NamedMetric[] => [
  ...propertiesIn<AlarmProperties>(resources, 'AWS::CloudWatch::Alarm').flatMap(metricsOfAlarm),
  ...widgetsIn(resources).flatMap(({ properties: { title = '', metrics = [] } }) =>
    metrics.flatMap((metric) => metricOfGraph(title, metric)),
  ),
];

function metricsOfAlarm(alarm: AlarmProperties): NamedMetric[] {
  const stats = alarm.Metrics?.map(({ MetricStat }) => MetricStat?.Metric) ?? [alarm];
  return stats.flatMap((metric) => {
    if (metric?.Namespace === undefined || metric.MetricName === undefined) return [];
    const dimensions = Object.fromEntries((metric.Dimensions ?? []).map(({ Name, Value }) => [Name, Value]));
    return { by: alarm.AlarmName, namespace: metric.Namespace, name: metric.MetricName, dimensions };
  });
}

/**
 * Reads a metric of a graph: `["AWS/SQS", "Name", "Dimension", "value", …, { "stat": "Sum" }]`, or `[{
 * "expression": … }]`.
 */
function metricOfGraph(by: string, metric: unknown[]): NamedMetric[] {
  const texts = metric.filter((part) => typeof part === 'string');
  const [namespace, name, ...rest] = texts;
  if (namespace !== undefined && name !== undefined) {
    const pairs = rest.flatMap((text, at) => (at % 2 === 0 ? [[text, rest[at + 1]] as const] : []));
    return [{ by, namespace, name, dimensions: Object.fromEntries(pairs) as Record<string, string> }];
  }
  const { expression } = metric[0] as { expression: string };
  const search = /^SEARCH\('\{"([^"]+)",(\w+)\} MetricName="(\w+)"', '\w+', \d+\)$/.exec(expression);
  if (!search) return [];
  const [, found = '', each = '', metricName = ''] = search;
  return [{ by, namespace: found, name: metricName, dimensions: {}, each }];
}

/** Keywords of Logs Insights in the queries, without functions. */
const words = /^(filter|fields|stats|sort|limit|by|as|and|or|in|asc|desc)$/;

/** Queries of a template's dashboard. */
export const queriesNamedIn = (resources: Resources): NamedQuery[] =>
  widgetsIn(resources).flatMap(({ properties: { title = '', query } }) => {
    if (query === undefined) return [];
    const groups = [...query.matchAll(/SOURCE '([^']+)'/g)].map(([, group]) => group!);
    const text = query.replaceAll(/SOURCE '[^']+'/g, '').replaceAll(/"[^"]*"/g, '');
    const made = new Set([...text.matchAll(/\bas (\w+)/g)].map(([, alias]) => alias));
    const fields = [...text.matchAll(/(?<![\w@.])[a-z_][\w.]*(?![\w.]*\()/gi)]
      .map(([field]) => field)
      .filter((field) => !words.test(field) && !made.has(field));
    return { title, groups, fields: [...new Set(fields)] };
  });
