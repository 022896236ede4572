import { dollarsFor, prices } from '../../infra/prices.ts';
import { functionMemory } from '../../infra/stack/service-function.ts';
import type { Cost } from '../support/operations.ts';
import { assumed } from './assumptions.ts';

/** Dollars, by their purpose. */
export interface Parts {
  gateway: number;
  functions: number;
  reads: number;
  writes: number;
  logs: number;
}

export const noParts: Parts = { gateway: 0, functions: 0, reads: 0, writes: 0, logs: 0 };
const names = Object.keys(noParts) as (keyof Parts)[];

/** Sum of costs, each multiplied. */
export const sumOf = (costs: readonly (readonly [parts: Parts, times: number])[]): Parts =>
  costs.reduce(
    (sum, [parts, times]) =>
      Object.fromEntries(names.map((name) => [name, sum[name] + parts[name] * times])) as unknown as Parts,
    noParts,
  );

export const totalOf = (parts: Parts) => names.reduce((sum, name) => sum + parts[name], 0);

interface Call {
  cost: Cost;
  logBytes: number;
  /** True if a client waits for the call at API Gateway. False for the authorizer and for workers. */
  isRequest?: boolean;
  usesProvider?: boolean;
  /** Milliseconds that it runs, where that is not what its round trips take. */
  milliseconds?: number;
}

/** Cost of one call of a function. */
export function partsOf({ cost, logBytes, isRequest = true, usesProvider = false, ...given }: Call): Parts {
  const [trips, readUnits, writeUnits] = cost;
  const milliseconds =
    given.milliseconds ??
    assumed.ownMilliseconds +
      assumed.roundTripMilliseconds * trips +
      (usesProvider ? assumed.providerMilliseconds : 0) +
      assumed.coldShare * assumed.coldMilliseconds;
  const { lambda, apiGateway, dynamodb } = prices;
  return {
    gateway: isRequest ? dollarsFor(apiGateway.requests, 1) : 0,
    functions:
      dollarsFor(lambda.requests, 1) +
      dollarsFor(lambda.compute, (functionMemory / 1024) * (milliseconds / 1000)),
    reads: dollarsFor(dynamodb.readUnits, readUnits),
    writes: dollarsFor(dynamodb.writeUnits, writeUnits),
    logs: logDollars(logBytes),
  };
}

/** Requests to SQS per published message: SNS puts it in, Lambda receives and deletes it. */
const queueRequests = 3;

/** Cost of a message to a worker by a topic and a queue, without the worker. */
export const messageDollars =
  dollarsFor(prices.sns.requests, 1) + dollarsFor(prices.sqs.requests, queueRequests);

/** Cost of log bytes: ingestion, and storage for a year. */
function logDollars(bytes: number): number {
  const { logIngestion, logStorage } = prices.cloudWatch;
  const gigabytes = bytes / gigabyte;
  return (
    dollarsFor(logIngestion, gigabytes) + dollarsFor(logStorage, gigabytes * assumed.logsCompressedTo * 12)
  );
}

export const gigabyte = 1024 ** 3;

/** Formats with two significant digits, which is more than the assumptions justify. */
export function dollars(amount: number): string {
  if (amount === 0) return '–';
  if (amount < 0.01) return '< 0.01';
  const rounded = Number(amount.toPrecision(2));
  return rounded.toLocaleString('en', { maximumFractionDigits: rounded < 1 ? 2 : rounded < 10 ? 1 : 0 });
}
