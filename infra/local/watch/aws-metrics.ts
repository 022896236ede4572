import { costOf } from '../cost.ts';
import type { Outcome } from '../function-messages.ts';
import { region } from '../intrinsics.ts';
import type { Access } from './access-log.ts';
import type { Datum } from './metric.ts';

/** AWS's own metrics that alarms and dashboards use. */

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html */
export function apiMetrics(dimensions: Datum['dimensions'], access: Access, at: number): Datum[] {
  const { status, milliseconds } = access;
  const values = {
    Count: 1,
    '4XXError': Number(status >= 400 && status < 500),
    '5XXError': Number(status >= 500),
    Latency: milliseconds,
  };
  return dataOf('AWS/ApiGateway', dimensions, values, at);
}

/**
 * Requests that the web ACL refused, by rule.
 * https://docs.aws.amazon.com/waf/latest/developerguide/waf-metrics.html
 */
export const webAclMetrics = ({ webAcl }: Access, at: number): Datum[] =>
  webAcl?.refusedBy
    ? dataOf('AWS/WAFV2', { ...webAcl.refusedBy, Region: region }, { BlockedRequests: 1 }, at)
    : [];

/**
 * Write units of the table, from a function's log lines. They include those of the indexes, which AWS counts
 * separately.
 */
export const tableMetrics = (TableName: string, outcome: Outcome, at: number): Datum[] => {
  const { endpoint, authorizer } = costOf([outcome]);
  const ConsumedWriteCapacityUnits = endpoint.writeUnits + authorizer.writeUnits;
  return dataOf('AWS/DynamoDB', { TableName }, { ConsumedWriteCapacityUnits }, at);
};

/**
 * Metrics of a call. It counts at the time when it began, however long it took.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
 */
export function functionMetrics(
  FunctionName: string,
  { error }: Outcome,
  { milliseconds, at }: { milliseconds: number; at: number },
): Datum[] {
  const values = { Invocations: 1, Errors: error ? 1 : 0, Duration: milliseconds };
  return dataOf('AWS/Lambda', { FunctionName }, values, at);
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html */
export function queueMetrics(
  QueueName: string,
  values: { ApproximateNumberOfMessagesVisible: number } | { ApproximateAgeOfOldestMessage: number },
  at: number,
): Datum[] {
  return dataOf('AWS/SQS', { QueueName }, values, at);
}

const dataOf = (
  namespace: string,
  dimensions: Datum['dimensions'],
  values: Record<string, number>,
  at: number,
): Datum[] => Object.entries(values).map(([name, value]) => ({ namespace, name, dimensions, value, at }));
