import { findContracts, type Operation } from '../../infra/functions.ts';
import { dollarsFor, notPriced, priceList, prices } from '../../infra/prices.ts';
import { authorizerCacheTime } from '../../infra/stack/authorizer-cache-time.ts';
import { functionMemory } from '../../infra/stack/service-function.ts';
import { everyOperation } from '../support/every-operation.ts';
import { markdownDocument, markdownTable } from '../support/markdown.ts';
import { assumed, customers, type Customer } from './assumptions.ts';
import { monthOf, type CallCosts, type Month } from './customer.ts';
import { fixedCosts, sumWhen, type FixedCost } from './fixed.ts';
import { otherBytes, requestBytes } from './log-lines.ts';
import { measured } from './measured.ts';
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
    '# What it costs',
    `A customer costs ${months.map(([{ title }, { total }]) => `${dollars(total)} dollars a month (${title.toLowerCase()})`).join(', ')}, ` +
      `and a stage with its web ACL ${dollars(sumWhen(fixed, 'idle'))} while nobody uses it, ${dollars(sumWhen(fixed, 'used'))} on usual days, with the metrics of its traffic. Text messages come on top, and cost more than all of it.`,
    `Made by \`npm run cost\` from the units that tests measure, and the list prices of AWS in ${priceList.region} as of ` +
      `${priceList.asOf}, which \`infra/prices.ts\` has with their pages. Dollars, before tax, without any free allowance or discount. ` +
      'Amounts have two digits that count: what is assumed below carries no more.',
    '## A customer, a month',
    ...customerTables(months),
    'What customers share comes on top, once: [the stage itself](#a-stage-a-month-whatever-its-traffic).',
    '## A stage, a month, whatever its traffic',
    ...fixedTable(fixed, worker),
    '## A million calls of each operation',
    ...operationTable(operations, perCall, costs),
    '## What is in these numbers',
    ...assumptionTable([...bytes.values()]),
    '## What is not',
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
        costs('**In all**', ({ total }) => total),
        costs('API Gateway', ({ gateway }) => gateway),
        costs('Functions (Lambda)', ({ functions }) => functions),
        costs('Table: reads', ({ reads }) => reads),
        costs('Table: writes', ({ writes }) => writes),
        costs('Table: a year of data, restorable', ({ storage }) => storage),
        costs('Logs, kept for a year', ({ logs }) => logs),
        costs('Texts that come in, reports of delivery', ({ received }) => received),
        costs('Authorizer', ({ authorizer }) => authorizer),
        costs('Web ACL', ({ webAcl }) => webAcl),
      ],
    }),
    'This is what they do on a day, of 30.4 in a month:',
    markdownTable({
      areAmounts: true,
      columns: ['A day', ...titles],
      rows: [
        days('Who, for example', ({ who }) => who),
        days('New leads, with email address and phone', ({ leads }) => leads),
        days('Inquiries, as calls', ({ inquiries }) => inquiries),
        days('Inquiries, by forms of websites', ({ forms }) => forms),
        days('Messages by SMS to leads', ({ texts }) => texts),
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
    `An operation that fails adds one metric for each hour in which it does: ${(prices.cloudWatch.customMetrics.dollars / 730).toFixed(4)} dollars.`,
    'Nothing else has a price while nobody uses it: functions, API, table, topics and roles are charged by use, ' +
      'encryption is by keys that AWS owns, and no address, network or secret is rented. A second stage costs the same again, less what its settings leave out.',
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
      columns: ['A million of', 'API Gateway', 'Functions', 'Reads', 'Writes', 'Logs', 'In all'],
      rows: [
        ...operations.map(({ operationId }) => row(operationId, perCall.get(operationId)!)),
        row('_a full page of 50 leads_', pageOfLeads),
        row('_… of 50 inquiries_', pageOfInquiries),
        row('_texts that come in_', textIn),
        row('_reports of delivery_', report),
        row('_calls of the authorizer_', authorize),
      ],
    }),
    `The authorizer is asked at most once per token in ${authorizerCacheTime} seconds. So it adds nothing to speak of where one token sends ` +
      'many requests, and its whole line where each request comes alone. Each million of requests that a web ACL looks at adds ' +
      `${dollars(dollarsFor(prices.waf.requests, million))}; X-Ray, where the setting \`tracing\` is on, ` +
      `${dollars(dollarsFor(prices.xray.traces, million))} for each million of traces that it keeps.`,
    `A text that comes in, or a report, comes by a topic and a queue: ${dollars(messageDollars * million)} for a million on top.`,
    'An operation that was added after the last run of `npm run cost` has no row yet.',
    'A request that API Gateway refuses (401, 404, 429) costs what it costs at API Gateway, or nothing; one that a function refuses, the same without the units.',
  ];
}

function assumptionTable(bytes: readonly number[]): string[] {
  const { ownMilliseconds, roundTripMilliseconds, providerMilliseconds, coldShare, coldMilliseconds } =
    assumed;
  const rounded = (number: number) => textOf(Number(number.toPrecision(2)));
  return [
    markdownTable({
      columns: ['What', 'How it is known'],
      rows: [
        ['Units and round trips', 'Exact: [performance](performance.md) has them, and tests assert them'],
        [
          'Bytes of log of a request',
          `${rounded(Math.min(...bytes))} to ${rounded(Math.max(...bytes))}: the function's own line as it writes it, with its metrics; three lines of Lambda; a line of the access log`,
        ],
        [
          'Bytes of a lead, and of a call that came in',
          'Measured, with their events, unique values and indexes',
        ],
        [
          'Time of a function',
          `Assumed: ${ownMilliseconds} ms, ${roundTripMilliseconds} ms for each round trip to DynamoDB, ${providerMilliseconds} ms for the SMS provider, with ${functionMemory} MB`,
        ],
        [
          'Cold starts',
          `Assumed: ${coldShare * 100} % of requests, ${coldMilliseconds} ms each. A small customer alone has more of them, at hardly a cent`,
        ],
        [
          'Logs kept',
          `Assumed: compressed to ${assumed.logsCompressedTo * 100} %, for 12 months as in \`prod\``,
        ],
        [
          'Looks into an empty queue',
          `Assumed: Lambda has ${assumed.queueLooks.atOnce} under way, each of which waits ${assumed.queueLooks.seconds} s`,
        ],
        ['What a customer does', 'Assumed, in the table above'],
      ],
    }),
    'Writers who meet pay for the transactions that are refused: a tenth more where an organization is very busy ([scale](scale.md)). ' +
      'Measure instead of assuming as soon as there is a bill: the dashboard has units, calls and cost by organization.',
  ];
}

function notIncluded(): string[] {
  const { dataTransfer, dynamodb, cloudWatch, sns } = prices;
  return [
    [
      `- **The text messages themselves.** ${notPriced.sms.reason} [Its prices](${notPriced.sms.page}) make all else small: a cent or several for each.`,
      `- Data sent to the internet, ${dataTransfer.out.dollars} a GB: a full page of 50 leads is some 3 KB compressed, so a million of them 0.3 dollars.`,
      `- Restoring (${dynamodb.restores.dollars} a GB), backups on demand (${dynamodb.backups.dollars} a GB and month), an export, a second copy of the table.`,
      `- Looking: queries of the logs and the tables of the dashboard, ${cloudWatch.logQueries.dollars} for each GB that they scan; emails of alarms, ${dollars(dollarsFor(sns.emails, 1000))} for a thousand.`,
      '- The support plan, taxes, what a domain costs, and what the account has besides: CloudTrail, a network, other stacks.',
    ].join('\n'),
  ];
}
