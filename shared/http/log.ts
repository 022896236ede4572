import { Failure } from '../core/failure.ts';
import type { SentAttempt } from '../domain/sending/send-webhooks.ts';
import type { ConsumedCapacity } from '../ledger/index.ts';
import { describeError } from './describe-error.ts';
import { metrics, type MetricName } from './metrics.ts';
import { settings } from './outside/settings.ts';
import { system } from './outside/system.ts';

/** One line of a function's log: the request, its organization, its outcome and its cost. */
export interface LogLine {
  requestId: string;
  /** Method and path template, such as `GET /v1/leads/{leadId}`, or the name of a worker. */
  operation: string;
  organization?: string;
  /** HTTP status. A worker has 200 for success and 500 for failure. */
  status: number;
  milliseconds: number;
  capacity: ConsumedCapacity;
  /** Set on the first request of a process. */
  coldStarts?: 1;
  answers?: 1;
  /** Status as a string, because the dimension of a metric has no other type. */
  answer?: string;
  serverErrors?: 1;
  hiddenErrors?: number;
  texts?: 1;
  text?: string;
  deliveries?: number;
  failedAttempts?: number;
  disabledWebhooks?: number;
  attempts?: readonly SentAttempt[];
  /** Number of items that a worker has processed. */
  done?: number | undefined;
  /** Cause of an error response, or an AggregateError of errors that the response does not mention. */
  error?: unknown;
}

/**
 * Writes one line of JSON. Its level is `error` for a 5xx, and for an error that the response does not
 * mention. CloudWatch discovers the fields, and makes metrics of the `emitted` ones.
 */
export function log({ error, capacity, ...line }: LogLine, emitted: readonly MetricName[]): void {
  const { requestId, operation, organization, status, milliseconds, ...more } = line;
  const { calls, readUnits, writeUnits, transactions, writes } = capacity;
  const refusals = refusalsIn(error);
  const fields = {
    level: status >= 500 || error instanceof AggregateError ? 'error' : 'info',
    requestId,
    operation,
    organization,
    status,
    milliseconds,
    calls,
    readUnits,
    writeUnits,
    transactions,
    writes,
    ...(refusals > 0 && { refusals }),
    ...more,
    ...(error !== undefined && { error: describeError(error) }),
  };
  const namespace = settings.metricsNamespace;
  const _aws = namespace === undefined ? undefined : embeddedMetrics(namespace, fields, emitted);
  process.stdout.write(`${JSON.stringify({ ...fields, _aws })}\n`);
}

/** Number of refusals for lack of time: the request, or each item that a batch reports. */
function refusalsIn(error: unknown): number {
  if (error instanceof AggregateError) {
    return error.errors.reduce((sum: number, one: unknown) => sum + refusalsIn(one), 0);
  }
  return isRefusal(error) ? 1 : 0;
}

/** True if the ledger refused something for lack of time, and stored nothing of it. */
export const isRefusal = (error: unknown) => error instanceof Failure && error.kind === 'unavailable';

/** Fields of a log line that are metrics, and fields that are dimensions of metrics. */
interface MetricFields
  extends Partial<Record<MetricName, number | undefined>>, Partial<Record<'answer' | 'text', string>> {
  operation: string;
}

interface Directive {
  Namespace: string;
  Dimensions: [string[]];
  Metrics: { Name: MetricName; Unit: string }[];
}

/**
 * Tells CloudWatch which fields of a line are metrics (embedded metric format). Metrics with the same dimension share
 * one directive. Undefined if there are none. A count of 0 is left out, because it would change no sum.
 *
 * The library of Powertools is not used: for each request, it writes a second line that costs money. The library also
 * takes 1 ms of each cold start.
 *
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
function embeddedMetrics(namespace: string, fields: MetricFields, emitted: readonly MetricName[]) {
  const directives = new Map<string | undefined, Directive>();
  for (const Name of emitted) {
    const metric = metrics[Name];
    const value = fields[Name];
    if (value === undefined || (value === 0 && metric.unit === 'Count')) continue;
    const by = 'by' in metric ? metric.by : undefined;
    const directive = directives.get(by) ?? {
      Namespace: namespace,
      // One set of dimensions: one name, or none.
      Dimensions: [by === undefined ? [] : [by]],
      Metrics: [],
    };
    directive.Metrics.push({ Name, Unit: metric.unit });
    directives.set(by, directive);
  }
  if (directives.size === 0) return undefined;
  return { Timestamp: system.now(), CloudWatchMetrics: [...directives.values()] };
}
