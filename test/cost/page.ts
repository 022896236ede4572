import { findContracts, type Operation } from '../../infra/functions.ts';
import { dollarsFor, priceList, prices } from '../../infra/prices.ts';
import { authorizerCacheTime } from '../../infra/stack/stage.ts';
import { functionMemory } from '../../infra/stack/service-function.ts';
import { everyOperation } from '../support/operations.ts';
import { markdownDocument, markdownTable } from '../support/markdown.ts';
import { assumed, customers, type Customer } from './assumptions.ts';
import { monthOf, type CallCosts, type Month } from './customer.ts';
import { fixedCosts, sumWhen, type FixedCost } from './fixed.ts';
import { keptWarmSection } from './kept-warm.ts';
import { otherBytes, requestBytes } from './log-lines.ts';
import { measured } from './measured.ts';
import { webhooksSection } from './webhooks.ts';
import { dollars, messageDollars, partsOf, sumOf, totalOf, type Parts } from './price.ts';

const million = 1_000_000;
const noCost = [0, 0, 0] as const;

/** Writes docs/cost.md, with a row for each of the listed operations, or for all of them without a list. */
export async function costPage(listed?: ReadonlySet<string>): Promise<string> {
  const found = await findContracts();
  // Sorted by file: the order of a module's exports depends on what loads it.
  const operations = found.operations
    .filter(({ operationId }) => listed?.has(operationId) ?? true)
    .sort((one, other) => (one.entry < other.entry ? -1 : 1));
  const bytes = new Map<string, number>();
  const perCall = new Map<string, Parts>();
  for (const operation of operations) {
    const { operationId, endpoint } = operation;
    const cost = everyOperation.get(operationId)?.cost ?? [...noCost];
    const logBytes = await requestBytes(operation, cost);
    bytes.set(operationId, logBytes);
    perCall.set(operationId, partsOf({ cost, logBytes, usesProvider: endpoint.uses === 'sms' }));
  }
  const like = (operationId: string, cost: (typeof measured)[keyof typeof measured]) =>
    partsOf({ cost: [...cost], logBytes: bytes.get(operationId)! });
  const costs: CallCosts = {
    operation: (operationId) => perCall.get(operationId)!,
    pageOfLeads: like('listLeads', measured.pageOfLeads),
    pageOfInquiries: like('listInquiries', measured.pageOfInquiries),
    inquiry: like('createLead', measured.inquiry),
    textIn: partsOf({
      cost: [...measured.textIn],
      logBytes: await otherBytes('receive-texts', [...measured.textIn]),
      isRequest: false,
    }),
    report: partsOf({
      cost: [...measured.report],
      logBytes: await otherBytes('receive-texts', [...measured.report]),
      isRequest: false,
    }),
    authorize: partsOf({
      cost: [...measured.authorize],
      logBytes: await otherBytes('authorize', [...measured.authorize]),
      isRequest: false,
    }),
  };
  const worker = partsOf({
    cost: [...measured.idleWorker],
    logBytes: await otherBytes('resolve-sending', [...measured.idleWorker]),
    isRequest: false,
  });
  const months = customers.map((customer) => [customer, monthOf(customer, costs)] as const);
  const fixed = fixedCosts({ operations });
  return markdownDocument([
    '# Cost',
    `A customer costs ${months.map(([{ title }, { total }]) => `${dollars(total)} dollars a month (${title.toLowerCase()})`).join(', ')}. ` +
      `An idle stage with its web ACL costs ${dollars(sumWhen(fixed, 'idle'))}, and ${dollars(sumWhen(fixed, 'used'))} with the metrics of usual traffic. Text messages cost extra, and more than everything else.`,
    `\`npm run cost\` writes this page from the units that tests measure, and from AWS's list prices in ${priceList.region} as of ` +
      `${priceList.asOf} (\`infra/prices.ts\` has them with their pages). Amounts are dollars before tax, without free allowances or discounts. ` +
      'They have two significant digits: the assumptions below justify no more.',
    '## A customer, a month',
    ...customerTables(months),
    'All customers share the cost of [the stage itself](#a-stage-a-month-whatever-its-traffic), which comes on top.',
    '## A stage, a month, whatever its traffic',
    ...fixedTable(fixed, worker),
    '## Functions that are kept warm',
    ...(await keptWarmSection(
      found.functions.filter(({ kind }) => kind !== 'worker').length,
      months.map(([, { requests }]) => requests),
    )),
    '## A million calls of each operation',
    ...operationTable(operations, perCall, costs),
    '## Webhooks',
    ...(await webhooksSection()),
    '## How these numbers are known',
    ...assumptionTable([...bytes.values()]),
    '## Not included',
    ...notIncluded(),
  ]);
}

function customerTables(months: readonly (readonly [Customer, Month])[]): string[] {
  const titles = months.map(([{ title }]) => title);
  const days = (what: string, of: (customer: Customer) => number | string) => [
    what,
    ...months.map(([customer]) => textOf(of(customer))),
  ];
  const costs = (what: string, of: (month: Month) => number) => [
    what,
    ...months.map(([, month]) => dollars(of(month))),
  ];
  return [
    markdownTable({
      areAmounts: true,
      columns: ['Dollars a month', ...titles],
      rows: [
        costs('**Total**', ({ total }) => total),
        costs('API Gateway', ({ gateway }) => gateway),
        costs('Functions (Lambda)', ({ functions }) => functions),
        costs('Table: reads', ({ reads }) => reads),
        costs('Table: writes', ({ writes }) => writes),
        costs('Table: a year of data, restorable', ({ storage }) => storage),
        costs('Logs, kept for a year', ({ logs }) => logs),
        costs('Incoming SMS, delivery reports', ({ received }) => received),
        costs('Authorizer', ({ authorizer }) => authorizer),
        costs('Web ACL', ({ webAcl }) => webAcl),
      ],
    }),
    'A day of each customer, 30.4 of which make a month:',
    markdownTable({
      areAmounts: true,
      columns: ['A day', ...titles],
      rows: [
        days('Who, for example', ({ who }) => who),
        days('New leads, with email address and phone', ({ leads }) => leads),
        days('Inquiries, as calls', ({ inquiries }) => inquiries),
        days('Inquiries, by forms of websites', ({ forms }) => forms),
        days('SMS to leads', ({ texts }) => texts),
        days('… and from them', ({ textsIn }) => textsIn),
        days('Full pages of 50 leads, and of 50 inquiries', ({ pages }) => pages),
        days('Records read by their id, half of them inquiries', ({ records }) => records),
        days('Other changes', ({ changes }) => changes),
        days('Tokens in use', ({ tokens, hours }) => `${tokens}, ${hours} hours`),
        ['Requests a month', ...months.map(([, { requests }]) => textOf(Math.round(requests / 100) * 100))],
        ['Stored after a year, GB', ...months.map(([, { gigabytes }]) => dollars(gigabytes))],
      ],
    }),
  ];
}

const textOf = (value: number | string) => (typeof value === 'number' ? value.toLocaleString('en') : value);

function fixedTable(costs: readonly FixedCost[], worker: Parts): string[] {
  const runs = (assumed.daysInMonth * 24 * 60) / 5;
  const rows = [
    ...costs.map(({ what, count, dollars: amount }) => [what, textOf(count), dollars(amount)]),
    [
      'Runs of `resolve-sending`, with nothing to do',
      textOf(Math.round(runs)),
      dollars(totalOf(sumOf([[worker, runs]]))),
    ],
  ];
  return [
    markdownTable({ areAmounts: true, columns: ['What', 'How many', 'Dollars a month'], rows }),
    `An operation that fails adds one metric for each hour with a failure: ${(prices.cloudWatch.customMetrics.dollars / 730).toFixed(4)} dollars.`,
    'Nothing else costs money while it is idle: AWS charges functions, API, table, topics and roles by use, encryption uses keys that AWS owns, ' +
      'and there is no rented address, network or secret. A second stage costs the same again, less what its settings turn off.',
  ];
}

function operationTable(
  operations: readonly Operation[],
  perCall: ReadonlyMap<string, Parts>,
  { pageOfLeads, pageOfInquiries, textIn, report, authorize }: CallCosts,
): string[] {
  const row = (what: string, parts: Parts) => [
    what,
    ...[parts.gateway, parts.functions, parts.reads, parts.writes, parts.logs, totalOf(parts)].map((amount) =>
      dollars(amount * million),
    ),
  ];
  return [
    markdownTable({
      areAmounts: true,
      columns: ['A million of', 'API Gateway', 'Functions', 'Reads', 'Writes', 'Logs', 'Total'],
      rows: [
        ...operations.map(({ operationId }) => row(operationId, perCall.get(operationId)!)),
        row('_a full page of 50 leads_', pageOfLeads),
        row('_… of 50 inquiries_', pageOfInquiries),
        row('_incoming SMS_', textIn),
        row('_delivery reports_', report),
        row('_calls of the authorizer_', authorize),
      ],
    }),
    `API Gateway calls the authorizer at most once per token in ${authorizerCacheTime} seconds. So it adds almost nothing if one token sends ` +
      'many requests, and its whole line if each request comes alone. A web ACL adds for each million of requests ' +
      `${dollars(dollarsFor(prices.waf.requests, million))}. With the setting \`tracing\`, X-Ray adds ` +
      `${dollars(dollarsFor(prices.xray.traces, million))} for each million of traces that it keeps.`,
    `An incoming SMS or a report passes a topic and a queue, which adds ${dollars(messageDollars * million)} for a million.`,
    'An operation that was added after the last run of `npm run cost` has no row yet.',
    'A request that API Gateway refuses (401, 404, 429) costs its line of API Gateway, or nothing. A request that a function refuses costs the same as a served one, without the units.',
    'A request with `Prefer: cost` is told the units of its own answer: [Cost of an answer](reference.md#19-cost-of-an-answer).',
  ];
}

function assumptionTable(bytes: readonly number[]): string[] {
  const { ownMilliseconds, roundTripMilliseconds, providerMilliseconds, coldShare, coldMilliseconds } =
    assumed;
  const rounded = (number: number) => textOf(Number(number.toPrecision(2)));
  return [
    markdownTable({
      columns: ['What', 'Source'],
      rows: [
        ['Units and round trips', 'Exact: tests assert them, and [performance](performance.md) lists them'],
        [
          'Bytes of log of a request',
          `${rounded(Math.min(...bytes))} to ${rounded(Math.max(...bytes))}: the function's own line with its metrics, three lines of Lambda, a line of the access log`,
        ],
        [
          'Bytes of a lead, and of the inquiry of a call',
          'Measured, with their events, unique values and indexes',
        ],
        [
          'Time of a function',
          `Assumed: ${ownMilliseconds} ms, ${roundTripMilliseconds} ms for each round trip to DynamoDB, ${providerMilliseconds} ms for the SMS provider, ${assumed.receiverMilliseconds} ms for the receiver of a webhook, with ${functionMemory} MB`,
        ],
        [
          'Cold starts',
          `Assumed: ${coldShare * 100} % of requests, ${coldMilliseconds} ms each. A small customer alone has more, which cost hardly a cent`,
        ],
        [
          'Logs kept',
          `Assumed: compressed to ${assumed.logsCompressedTo * 100} %, for 12 months as in \`prod\``,
        ],
        [
          'Polls of an empty queue',
          `Assumed: Lambda polls ${assumed.emptyQueue.pollers} times at once, and each poll waits ${assumed.emptyQueue.seconds} s`,
        ],
        ['What a customer does', 'Assumed, in the table above'],
      ],
    }),
    'Concurrent writers also pay for refused transactions: a tenth more if an organization is very busy ([scale](scale.md)). ' +
      'Replace the assumptions by measurements as soon as there is a bill: the dashboard has units, calls and cost by organization.',
  ];
}

function notIncluded(): string[] {
  const { dataTransfer, dynamodb, cloudWatch, sns } = prices;
  return [
    [
      '- **The text messages themselves.** The price of a text depends on the country, the carrier and the kind of number, and is charged for each of its parts. ' +
        '[Its prices](https://aws.amazon.com/end-user-messaging/pricing/) make everything else small: one or several cents each.',
      `- Data sent to the internet, ${dataTransfer.out.dollars} a GB: a full page of 50 leads is some 3 KB compressed, so a million of them 0.3 dollars.`,
      `- Restoring (${dynamodb.restores.dollars} a GB), backups on demand (${dynamodb.backups.dollars} a GB and month), an export, a second copy of the table.`,
      `- Queries of the logs and the tables of the dashboard, ${cloudWatch.logQueries.dollars} for each GB that they scan; emails of alarms, ${dollars(dollarsFor(sns.emails, 1000))} for a thousand.`,
      '- The support plan, taxes, a domain, and other resources of the account: CloudTrail, a network, other stacks.',
    ].join('\n'),
  ];
}
