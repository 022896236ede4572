import { dollarsFor, prices } from '../../infra/prices.ts';
import { timeLimits, webhookWaits } from '../../shared/core/waits.ts';
import { markdownTable } from '../support/markdown.ts';
import type { Cost } from '../support/operations.ts';
import { assumed } from './assumptions.ts';
import { otherBytes } from './log-lines.ts';
import { measured } from './measured.ts';
import { dollars, gigabyte, partsOf, totalOf, type Parts } from './price.ts';

const million = 1_000_000;

/** Requests to the queue for each message: a worker sends it, Lambda receives and deletes it. */
const queueDollars = dollarsFor(prices.sqs.fifoRequests, 3);

/** Cost of a run of a worker that waits so long for others than DynamoDB. */
async function runOf(name: string, cost: Cost, waits: number): Promise<Parts> {
  const { ownMilliseconds, roundTripMilliseconds, coldShare, coldMilliseconds } = assumed;
  const milliseconds =
    ownMilliseconds + roundTripMilliseconds * cost[0] + waits + coldShare * coldMilliseconds;
  return partsOf({ cost, logBytes: await otherBytes(name, cost), isRequest: false, milliseconds });
}

/** Writes the section about sending events to webhooks. */
export async function webhooksSection(): Promise<string[]> {
  const { receiverMilliseconds, roundTripMilliseconds, coldShare, daysInMonth, sentBytes } = assumed;
  const dispatched = await runOf('dispatch-webhooks', [0, 0, 0], roundTripMilliseconds);
  const sent = await runOf('send-webhooks', [...measured.delivery], receiverMilliseconds);
  const failed = await runOf('send-webhooks', [...measured.failedAttempt], timeLimits.webhookAttempt);
  const checked = await runOf('send-webhooks', [...measured.idleWebhook], 0);
  const rows: [string, number][] = [
    ['Function and log of `dispatch-webhooks`', totalOf(dispatched)],
    ['Queue', queueDollars],
    ['Function of `send-webhooks`', sent.functions],
    ['… its reads', sent.reads],
    ['… its writes', sent.writes],
    ['… its log', sent.logs],
    [
      'Decryption of the secret, once in each environment of the function',
      dollarsFor(prices.kms.requests, coldShare),
    ],
    ['Data sent', dollarsFor(prices.dataTransfer.out, sentBytes / gigabyte)],
  ];
  const total = rows.reduce((sum, [, amount]) => sum + amount, 0);
  const checks = (daysInMonth * 24 * 3_600_000) / webhookWaits.check;
  const attempts = attemptsUntilDisabled();
  return [
    markdownTable({
      areAmounts: true,
      columns: ['A million events, each sent alone to one webhook', 'Dollars'],
      rows: [...rows, ['**Total**', total] as const].map(([what, amount]) => [
        what,
        dollars(amount * million),
      ]),
    }),
    'Organizations without webhooks cost nothing: AWS charges neither what Lambda reads from the stream, nor what the filter leaves out. ' +
      'Events that come soon after each other share a message and a run. An event that a webhook does not want costs its reads alone.',
    `A webhook with nothing to send is looked at every ${webhookWaits.check / 60_000} minutes, ${dollars((totalOf(checked) + queueDollars) * checks)} dollars a month. ` +
      `An attempt that gets no answer keeps the function for ${timeLimits.webhookAttempt / 1000} seconds: ${dollars((totalOf(failed) + queueDollars) * million)} dollars for a million, ` +
      `and a receiver that is dead gets ${attempts} of them before its webhook is disabled.`,
  ];
}

/** Number of attempts that a receiver gets that never answers. */
function attemptsUntilDisabled(): number {
  const { retries, failing } = webhookWaits;
  let attempts = 1;
  for (let time = 0; time < failing; attempts++) time += retries[Math.min(attempts, retries.length) - 1] ?? 0;
  return attempts;
}
