import { Failure } from '../core/failure.ts';
import type { ConsumedCapacity } from '../ledger/index.ts';
import { describeError } from './describe-error.ts';
import { embeddedMetrics } from './embedded-metrics.ts';
import type { MetricName } from './metrics.ts';

/** One line of a function's log: which request, of which organization, how it went and what it cost. */
export interface LogLine {
  requestId: string;
  /** Method and path template, such as `GET /v1/leads/{leadId}`; or the name of a worker. */
  operation: string;
  organization?: string;
  /** Of a worker: 200 if it succeeded, 500 if it failed. */
  status: number;
  milliseconds: number;
  capacity: ConsumedCapacity;
  /** The first request of a process. */
  coldStarts?: 1;
  answers?: 1;
  /** The status once more, as text: the dimension of a metric has no other type. */
  answer?: string;
  serverErrors?: 1;
  hiddenErrors?: number;
  texts?: 1;
  text?: string;
  /** How many items a worker has processed. */
  done?: number | undefined;
  /** The cause of an error answer, or an AggregateError of errors that the answer does not mention. */
  error?: unknown;
}

/**
 * Writes one line of JSON, at level `error` for a 5xx or an error that the answer does not mention. CloudWatch discovers
 * the fields, and makes metrics of the `emitted` ones.
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
  const namespace = process.env['METRICS_NAMESPACE'];
  const _aws = namespace === undefined ? undefined : embeddedMetrics(namespace, fields, emitted);
  process.stdout.write(`${JSON.stringify({ ...fields, _aws })}\n`);
}

/** How much was refused since no time was left: the request, or each item of a batch that reports it. */
function refusalsIn(error: unknown): number {
  if (error instanceof AggregateError) {
    return error.errors.reduce((sum: number, one: unknown) => sum + refusalsIn(one), 0);
  }
  return isRefusal(error) ? 1 : 0;
}

/** Whether the ledger had no time for something, and stored nothing of it. */
export const isRefusal = (error: unknown) => error instanceof Failure && error.kind === 'unavailable';
