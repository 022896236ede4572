import { resolve } from '../../infra/local/intrinsics.ts';

/** The resources of a template. */
export type Resources = Record<string, { Type: string; Properties?: unknown }>;

/** A metric that an alarm or a graph names. */
export interface NamedMetric {
  /** The alarm's name, or the graph's title. */
  by: string;
  namespace: string;
  name: string;
  dimensions: Record<string, string>;
  /** The dimension whose every value is meant, of a search. */
  each?: string;
}

/** A table of the dashboard that is made of logs. */
export interface NamedQuery {
  title: string;
  /** The names of the log groups. */
  groups: string[];
  /** The fields of lines that it names; `error.name` is a part of the field `error`. */
  fields: string[];
}

/** A widget of a dashboard. */
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

interface AlarmProperties {
  AlarmName: string;
  Namespace?: string;
  MetricName?: string;
  Dimensions?: Dimension[];
  Metrics?: {
    MetricStat?: { Metric: { Namespace: string; MetricName: string; Dimensions?: Dimension[] } };
  }[];
}
interface Dimension {
  Name: string;
  Value: string;
}

/** The properties of each resource of a type, as the local machine reads them: with plain texts for references. */
export const propertiesIn = <P>(resources: Resources, type: string): P[] =>
  Object.values(resources)
    .filter(({ Type }) => Type === type)
    .map(({ Properties }) => resolve(Properties ?? {}) as P);

/** The widgets of the one dashboard. */
export function widgetsIn(resources: Resources): Widget[] {
  const [dashboard] = propertiesIn<{ DashboardBody: string }>(resources, 'AWS::CloudWatch::Dashboard');
  return (JSON.parse(dashboard!.DashboardBody) as { widgets: Widget[] }).widgets;
}

/** Every metric that the alarms and the dashboard of a template name, as often as it is named. */
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

/** `["AWS/SQS", "Name", "Dimension", "value", …, { "stat": "Sum" }]`, or `[{ "expression": … }]`. */
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

/** The words of Logs Insights that the queries use, bar functions. */
const words = /^(filter|fields|stats|sort|limit|by|as|and|or|in|asc|desc)$/;

/** Every query of a template's dashboard. */
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
