import { apiGatewayTiers, dollarsFor, prices } from '../../infra/prices.ts';
import { stageSettings } from '../../infra/stack/stages.ts';
import { sendersIn } from '../../infra/stack/webhooks.ts';
import { callCosts } from '../support/call-costs.ts';
import { markdownTable } from '../support/docs/markdown.ts';
import { assumed, storedBytes } from './assumptions.ts';
import type { Month } from './month.ts';
import { dollars, gigabyte, otherCalls, timeDollars, totalOf, type Parts } from './price.ts';

const million = 1_000_000;
const inMillions = (count: number) => `${(count / million).toLocaleString('en')} million`;
const whole = (count: number) => Math.round(count).toLocaleString('en');
/** Rounds to two significant digits, as costs are. */
const about = (count: number) => Number(count.toPrecision(2)).toLocaleString('en');

/** Price of a month's requests to API Gateway, by its tiers. */
export function tieredDollars(requests: number): number {
  let sum = 0;
  let from = 0;
  for (const { upTo, price } of apiGatewayTiers) {
    sum += dollarsFor(price, Math.max(0, Math.min(requests, upTo) - from));
    from = upTo;
  }
  return sum;
}

/** Tiers of API Gateway, with the number of such customers that reach each, and what they then cost. */
export function tierTables({ requests, gateway, total }: Month): string[] {
  const starts = [0, ...apiGatewayTiers.map(({ upTo }) => upTo)];
  return [
    markdownTable({
      areAmounts: true,
      columns: ['Requests a month', 'Dollars a million', 'Middle customers'],
      rows: apiGatewayTiers.map(({ upTo, price }, at) => {
        const start = starts[at] ?? 0;
        return [
          upTo === Infinity ? `beyond ${inMillions(start)}` : `up to ${inMillions(upTo)}`,
          String(price.dollars),
          start === 0 ? 'from the first' : `from ${about(start / requests)}`,
        ];
      }),
    }),
    markdownTable({
      areAmounts: true,
      columns: ['Middle customers', 'A customer, without tiers', 'With tiers', 'API Gateway', 'With tiers'],
      rows: [1000, 10_000, 100_000, million].map((customers) => {
        const tiered = tieredDollars(requests * customers) / customers;
        return [
          whole(customers),
          dollars(total),
          dollars(total - gateway + tiered),
          dollars(gateway),
          dollars(tiered),
        ];
      }),
    }),
  ];
}

/** Events that one webhook sends, by the time of its receiver, and what many events a second take. */
export function webhookTable(): string {
  const [roundTrips] = callCosts.nextDelivery;
  const wanted = 1000;
  const sendersByDefault = sendersIn(stageSettings.prod.accountConcurrency);
  return markdownTable({
    areAmounts: true,
    columns: [
      'The receiver answers in',
      'Events a second',
      'Events a day',
      `${sendersByDefault} senders, a second`,
      `Senders for ${whole(wanted)} a second`,
      'Their `accountConcurrency`',
    ],
    rows: [20, assumed.receiverMilliseconds, 1000, 5000].map((receiver) => {
      const each = 1000 / (receiver + roundTrips * assumed.roundTripMilliseconds);
      const senders = Math.ceil(wanted / each);
      return [
        `${whole(receiver)} ms`,
        about(each),
        about(each * 24 * 60 * 60),
        about(sendersByDefault * each),
        whole(senders),
        sendersIn(10 * senders) < senders ? 'more than one queue' : whole(10 * senders),
      ];
    }),
  });
}

/** Leads of one organization, each with an inquiry: their room, and what they cost. */
export function growthTable(priceOf: (operationId: string) => Parts): string {
  const created = totalOf(priceOf('createLead')) + totalOf(otherCalls.inquiry[1].parts);
  const { storage, pointInTimeRecovery, restores } = prices.dynamodb;
  const bytesIn = ({ lead, inquiry }: { lead: number; inquiry: number }) => lead + inquiry;
  return markdownTable({
    areAmounts: true,
    columns: ['Leads', 'Gigabytes', 'Dollars to create', 'Dollars a month', 'Dollars to restore'],
    rows: [10_000, million, 10 * million].map((leads) => {
      const inTable = (leads * bytesIn(storedBytes.table)) / gigabyte;
      const all = inTable + (leads * bytesIn(storedBytes.indexes)) / gigabyte;
      return [
        whole(leads),
        dollars(all),
        dollars(leads * created),
        dollars(dollarsFor(storage, all) + dollarsFor(pointInTimeRecovery, inTable)),
        dollars(dollarsFor(restores, inTable)),
      ];
    }),
  });
}

/** Costs of features of AWS that the service does not use, beside its own. */
export function unusedTable({ requests, gateway, webAcl }: Month): string {
  const ofMillion = (each: number) => dollars(million * each);
  const delivery = otherCalls.delivery[1].parts;
  // The result of a step takes the place of the writes.
  const step = totalOf(delivery) - delivery.writes + dollarsFor(prices.lambda.durableOperations, 1);
  const overHttp = dollarsFor(prices.apiGateway.httpRequests, requests);
  return markdownTable({
    areAmounts: true,
    columns: ['Dollars', 'Here', 'With the feature'],
    rows: [
      [
        'Session tags: a million calls that ask for a role',
        '–',
        ofMillion(timeDollars(assumed.roundTripMilliseconds)),
      ],
      [
        'Tenant isolation: a million starts of an environment',
        '–',
        ofMillion(timeDollars(assumed.coldMilliseconds)),
      ],
      [
        'Durable functions: a million events to webhooks, a step for each',
        ofMillion(totalOf(delivery)),
        ofMillion(step),
      ],
      ['HTTP API: API Gateway for a middle customer, a month', dollars(gateway), dollars(overHttp)],
      ['… and the web ACL', dollars(webAcl), 'not possible'],
    ],
  });
}
