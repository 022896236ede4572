import { dollarsFor, prices } from '../../infra/prices.ts';
import { functionMemory } from '../../infra/stack/service-function.ts';
import type { Cost } from '../support/operations/operation.ts';
import { assumed } from './assumptions.ts';

/** Dollars, by what they are for. */
export interface Parts {
  gateway: number;
  functions: number;
  reads: number;
  writes: number;
  logs: number;
}

export const noParts: Parts = { gateway: 0, functions: 0, reads: 0, writes: 0, logs: 0 };
const names = Object.keys(noParts) as (keyof Parts)[];

/** What costs come to, each as often as is said. */
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
  /** Whether a client waits for it at API Gateway; not for the authorizer and for workers. */
  isRequest?: boolean;
  usesProvider?: boolean;
}

/** What one call of a function costs. */
export function partsOf({ cost, logBytes, isRequest = true, usesProvider = false }: Call): Parts {
  const [trips, readUnits, writeUnits] = cost;
  const milliseconds =
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

/** How often what is published to a queue's topic asks something of the queue: it is put in, taken out, and deleted. */
const queueRequests = 3;

/** What it costs that a worker is told something by a topic and a queue, without the worker. */
export const messageDollars =
  dollarsFor(prices.sns.requests, 1) + dollarsFor(prices.sqs.requests, queueRequests);

/** What bytes of log cost to take in, and to keep for a year. */
function logDollars(bytes: number): number {
  const { logIngestion, logStorage } = prices.cloudWatch;
  const gigabytes = bytes / gigabyte;
  return (
    dollarsFor(logIngestion, gigabytes) + dollarsFor(logStorage, gigabytes * assumed.logsCompressedTo * 12)
  );
}

export const gigabyte = 1024 ** 3;

/** With two digits that count, which is more than the assumptions carry. */
export function dollars(amount: number): string {
  if (amount === 0) return '–';
  if (amount < 0.01) return '< 0.01';
  const rounded = Number(amount.toPrecision(2));
  return rounded.toLocaleString('en', { maximumFractionDigits: rounded < 1 ? 2 : rounded < 10 ? 1 : 0 });
}
