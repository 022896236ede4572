import type { LogLine } from '../../../shared/http/log.ts';
import type { MetricName } from '../../../shared/http/metrics.ts';
import type { ConsumedCapacity } from '../../../shared/ledger/index.ts';
import { dollarsFor, prices } from '../../prices.ts';
import type { AccessLogFieldName } from '../access-log.ts';
import { functionMemory } from '../service-function.ts';
import type { LogKind } from '../resource-names.ts';

/** Query of CloudWatch Logs Insights. The result is a table of the dashboard. */
export interface LogQuery {
  title: string;
  logs: readonly LogKind[];
  commands: readonly string[];
}

/** Field of a function's log line: `log` writes all these side by side. */
type LogFieldName = 'level' | Exclude<keyof LogLine, 'capacity'> | keyof ConsumedCapacity | MetricName;

/** Fields of functions' lines that queries use. A field that no line has does not compile. */
const line = {
  level: 'level',
  operation: 'operation',
  organization: 'organization',
  requestId: 'requestId',
  status: 'status',
  milliseconds: 'milliseconds',
  readUnits: 'readUnits',
  writeUnits: 'writeUnits',
  transactions: 'transactions',
  writes: 'writes',
  refusals: 'refusals',
  coldStarts: 'coldStarts',
  error: 'error',
} as const satisfies { readonly [Name in LogFieldName]?: Name };

/** Fields of the access log that queries use. */
const access = {
  status: 'status',
  refusedBy: 'refusedBy',
  functionStatus: 'functionStatus',
  functionRequestId: 'functionRequestId',
  route: 'route',
} as const satisfies { readonly [Name in AccessLogFieldName]?: Name };

/** Maximum of rows, above the number of operations. */
const rows = 100;

const million = 1_000_000;
/**
 * Dollars per million requests, without the time of functions: API Gateway, and Lambda's price of a request.
 */
const requestDollars =
  dollarsFor(prices.apiGateway.requests, million) + dollarsFor(prices.lambda.requests, million);
/** Dollars per million milliseconds of a function. */
const timeDollars = dollarsFor(prices.lambda.compute, (functionMemory / 1024) * (million / 1000));
const readDollars = dollarsFor(prices.dynamodb.readUnits, million);
const writeDollars = dollarsFor(prices.dynamodb.writeUnits, million);

/**
 * Tables of the dashboard. The cost of an organization includes its requests, the time of functions, and
 * units of DynamoDB, as far as its lines show them. The cost excludes storage, logs and the authorizer.
 *
 * Names of sums are used in further sums of the same command, as in AWS's examples:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax-examples.html
 */
export const queries = {
  lastErrors: {
    title: 'Last errors',
    logs: ['api', 'workers'],
    commands: [
      // Includes errors that the answer does not show, whatever its status.
      `filter ${line.level} = "error"`,
      `fields @timestamp, ${line.status}, ${line.operation}, ${line.organization}, ${line.requestId}, ${line.error}.name, ${line.error}.message`,
      'sort @timestamp desc',
      'limit 20',
    ],
  },
  latency: {
    title: 'Latency by operation',
    logs: ['api'],
    commands: [
      `filter ispresent(${line.operation}) and ${line.status} < 500`,
      `stats count(*) as requests, pct(${line.milliseconds}, 50) as p50, pct(${line.milliseconds}, 99) as p99, max(${line.milliseconds}) as slowest by ${line.operation}`,
      'sort p99 desc',
      `limit ${rows}`,
    ],
  },
  coldStarts: {
    title: 'Cold starts by operation',
    logs: ['api'],
    commands: [
      `filter ispresent(${line.operation})`,
      `stats count(*) as requests, sum(${line.coldStarts}) as cold, 100 * cold / requests as percent by ${line.operation}`,
      'sort percent desc',
      `limit ${rows}`,
    ],
  },
  contention: {
    title: 'Contention by organization',
    logs: ['api', 'workers'],
    commands: [
      `filter ${line.transactions} > 0 or ${line.refusals} > 0`,
      `stats sum(${line.writes}) as stored, sum(${line.transactions}) as sent, sent / stored as sentPerStored, sent - stored as lost, sum(${line.refusals}) as refused by ${line.organization}`,
      // A request that waits for its turn and then succeeds is not refused.
      'sort lost desc, refused desc',
      'limit 20',
    ],
  },
  cost: {
    title: 'Cost by organization, in dollars',
    logs: ['api'],
    commands: [
      `filter ispresent(${line.organization}) and ${line.operation} != "authorize"`,
      `stats count(*) as requests, sum(${line.readUnits}) as unitsRead, sum(${line.writeUnits}) as unitsWritten, sum(${line.milliseconds}) as time, ` +
        `(requests * ${requestDollars} + unitsRead * ${readDollars} + unitsWritten * ${writeDollars} + time * ${timeDollars}) / ${million} as dollars by ${line.organization}`,
      'sort dollars desc',
      'limit 50',
    ],
  },
  refused: {
    title: 'Refused before a function, or in the place of one',
    logs: ['access'],
    commands: [
      // A path without the method is answered by no function, and is no refusal to API Gateway.
      `filter ${access.refusedBy} != "-" or ${access.functionRequestId} = "-" or ${access.route} = "/{proxy+}"`,
      `stats count(*) as requests by ${access.status}, ${access.refusedBy}, ${access.functionStatus}, ${access.route}`,
      'sort requests desc',
      'limit 50',
    ],
  },
} as const satisfies Record<string, LogQuery>;
