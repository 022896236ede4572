import type { Operation } from '../../infra/functions.ts';
import { dollarsFor, prices } from '../../infra/prices.ts';
import { functionMemory } from '../../infra/stack/service-function.ts';
import { timeLimits } from '../../shared/core/waits.ts';
import { callCosts } from '../support/call-costs.ts';
import { everyOperation, type Cost } from '../support/operations.ts';
import { assumed } from './assumptions.ts';

/** Dollars, by their purpose. */
export interface Parts {
  gateway: number;
  functions: number;
  reads: number;
  writes: number;
  logs: number;
  /** Topics, queues, and other services that a worker needs besides the table. */
  others: number;
}

const noParts: Parts = { gateway: 0, functions: 0, reads: 0, writes: 0, logs: 0, others: 0 };
const names = Object.keys(noParts) as (keyof Parts)[];

/** Sum of costs, each multiplied. */
export function sumOf(costs: readonly (readonly [parts: Parts, times: number])[]): Parts {
  const sum = { ...noParts };
  for (const [parts, times] of costs) for (const name of names) sum[name] += parts[name] * times;
  return sum;
}

export const totalOf = (parts: Parts): number => names.reduce((sum, name) => sum + parts[name], 0);

/** Price of the time that a function runs. */
export const timeDollars = (milliseconds: number) =>
  dollarsFor(prices.lambda.compute, (functionMemory / 1024) * (milliseconds / 1000));

/** Price of log bytes: ingestion, and storage for a year. */
export function logDollars(bytes: number): number {
  const { logIngestion, logStorage } = prices.cloudWatch;
  const gigabytes = bytes / gigabyte;
  return (
    dollarsFor(logIngestion, gigabytes) + dollarsFor(logStorage, gigabytes * assumed.logsCompressedTo * 12)
  );
}

export const gigabyte = 1024 ** 3;

/** A call of a function: the price, and the cost in DynamoDB. */
export interface PricedCall {
  cost: Cost;
  parts: Parts;
}

/** Prices a call that waits this long for services other than DynamoDB. */
function callOf([trips, reads, writes]: Readonly<Cost>, waits: number, more: Partial<Parts>): PricedCall {
  const { ownMilliseconds, roundTripMilliseconds, coldShare, coldMilliseconds } = assumed;
  const milliseconds = ownMilliseconds + roundTripMilliseconds * trips + waits + coldShare * coldMilliseconds;
  const parts = {
    ...noParts,
    functions: dollarsFor(prices.lambda.requests, 1) + timeDollars(milliseconds),
    reads: dollarsFor(prices.dynamodb.readUnits, reads),
    writes: dollarsFor(prices.dynamodb.writeUnits, writes),
    logs: logDollars(assumed.logBytes.other),
    ...more,
  };
  return { cost: [trips, reads, writes], parts };
}

const requestOf = (cost: Readonly<Cost>, waits = 0) =>
  callOf(cost, waits, {
    gateway: dollarsFor(prices.apiGateway.requests, 1),
    logs: logDollars(assumed.logBytes.request),
  });

/** A queue takes a message, and Lambda receives and deletes it. */
const requestsPerMessage = 3;
const notificationOf = (cost: Readonly<Cost>) =>
  callOf(cost, 0, {
    others: dollarsFor(prices.sns.requests, 1) + dollarsFor(prices.sqs.requests, requestsPerMessage),
  });

const queued = dollarsFor(prices.sqs.fifoRequests, requestsPerMessage);
const sent =
  dollarsFor(prices.dataTransfer.out, assumed.sentBytes / gigabyte) +
  dollarsFor(prices.kms.requests, assumed.coldShare);
/** A worker that reads the stream hands each event to the sender. */
const dispatched = totalOf(callOf([0, 0, 0], assumed.roundTripMilliseconds, {}).parts);

/** Calls that no operation of the API stands for, by the words of the page. */
export const otherCalls = {
  pageOfLeads: ['a full page of 50 leads', requestOf(callCosts.pageOfLeads)],
  pageOfInquiries: ['a full page of 50 inquiries', requestOf(callCosts.pageOfInquiries)],
  inquiry: ['the inquiry of a phone call', requestOf(callCosts.inquiry)],
  textIn: ['an incoming SMS', notificationOf(callCosts.textIn)],
  report: ['a delivery report', notificationOf(callCosts.report)],
  authorize: ['a call of the authorizer', callOf(callCosts.authorize, 0, {})],
  noteUse: ['the first use of a token on a day', callOf(callCosts.noteUse, 0, {})],
  delivery: [
    'an event that is sent alone to one webhook',
    callOf(callCosts.delivery, assumed.receiverMilliseconds, { others: dispatched + queued + sent }),
  ],
  failedAttempt: [
    'a further attempt that gets no answer',
    callOf(callCosts.failedAttempt, timeLimits.webhookAttempt, { others: queued }),
  ],
  idleWebhook: [
    'a look at a webhook that has nothing to send',
    callOf(callCosts.idleWebhook, 0, { others: queued }),
  ],
  idleWorker: ['a run of a worker that finds nothing to do', callOf(callCosts.idleWorker, 0, {})],
} as const satisfies Record<string, readonly [string, PricedCall]>;

export const priceOf = ({ operationId, endpoint }: Operation): PricedCall =>
  requestOf(
    everyOperation.get(operationId)?.cost ?? [0, 0, 0],
    endpoint.uses === 'sms' ? assumed.providerMilliseconds : 0,
  );

/** Formats with two significant digits, which is more than the assumptions justify. */
export function dollars(amount: number): string {
  if (amount === 0) return '–';
  if (amount < 0.01) return '< 0.01';
  const rounded = Number(amount.toPrecision(2));
  return rounded.toLocaleString('en', { maximumFractionDigits: rounded < 1 ? 2 : rounded < 10 ? 1 : 0 });
}
