import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findContracts, type Operation } from '../../infra/functions.ts';
import { dollarsFor, priceList, prices } from '../../infra/prices.ts';
import { root } from '../../infra/root.ts';
import { functionMemory } from '../../infra/stack/service-function.ts';
import { markdownDocument, markdownTable, withParts } from '../support/docs/markdown.ts';
import { assumed, customers, tableLimits, type Customer } from './assumptions.ts';
import { monthOf, type Month } from './month.ts';
import { dollars, otherCalls, priceOf, timeDollars, totalOf, type PricedCall } from './price.ts';
import { growthTable, tierTables, unusedTable, webhookTable } from './scale-tables.ts';
import { fixedCosts, sumWhen, type FixedCost } from './stage.ts';

/** Pages that have costs, or rates that follow from costs. */
export const pages = ['docs/cost.md', 'docs/scale.md', 'docs/not-used.md'] as const;
type Page = (typeof pages)[number];

const million = 1_000_000;

/** Reads a page as it is now. */
export const readPage = (page: Page): string => readFileSync(join(root, page), 'utf8');

/** Returns the text of each page with the costs. */
export async function withCosts(): Promise<Record<Page, string>> {
  const { operations } = await findContracts();
  const priced = pricesOf(operations);
  const partsOf = (operationId: string) => priced.get(operationId)!.parts;
  const months = customers.map((customer) => [customer, monthOf(customer, partsOf)] as const);
  const [, middle] = months.find(([{ title }]) => title === 'Middle')!;
  const fixed = fixedCosts({ operations });
  const written = (page: Page, parts: Readonly<Record<string, string>>) =>
    withParts(readPage(page), { page, command: 'npm run cost', parts });
  return {
    'docs/cost.md': await written('docs/cost.md', {
      summary: summary(months, fixed),
      customers: customerTables(months).join('\n\n'),
      tiers: tierTables(middle).join('\n\n'),
      stage: stageTable(fixed),
      operations: callTable(operations),
      assumptions: assumptionTable(),
    }),
    'docs/scale.md': await written('docs/scale.md', {
      rates: rateTable(priced),
      webhookRates: webhookTable(),
      growth: growthTable(partsOf),
    }),
    'docs/not-used.md': await written('docs/not-used.md', { unused: unusedTable(middle) }),
  };
}

type Months = readonly (readonly [Customer, Month])[];

const summary = (months: Months, fixed: readonly FixedCost[]): string =>
  `A customer costs ${months.map(([{ title }, { total }]) => `${dollars(total)} dollars a month (${title.toLowerCase()})`).join(', ')}. ` +
  `An idle stage with its web ACL costs ${dollars(sumWhen(fixed, 'idle'))}, and ${dollars(sumWhen(fixed, 'used'))} with the metrics of usual traffic. ` +
  'Text messages cost extra, and more than everything else. ' +
  `Amounts are dollars before tax, at AWS's list prices in ${priceList.region} as of ${priceList.asOf}, without free allowances or discounts.`;

const textOf = (value: number | string) => (typeof value === 'number' ? value.toLocaleString('en') : value);

function customerTables(months: Months): string[] {
  const titles = months.map(([{ title }]) => title);
  const costs = (what: string, of: (month: Month) => number) => [
    what,
    ...months.map(([, month]) => dollars(of(month))),
  ];
  const days = (what: string, of: (customer: Customer) => number | string) => [
    what,
    ...months.map(([customer]) => textOf(of(customer))),
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

const stageTable = (costs: readonly FixedCost[]): string =>
  markdownTable({
    areAmounts: true,
    columns: ['What', 'How many', 'Dollars a month'],
    rows: costs.map(({ what, count, dollars: amount }) => [what, textOf(Math.round(count)), dollars(amount)]),
  });

const pricesOf = (operations: readonly Operation[]): ReadonlyMap<string, PricedCall> =>
  new Map(operations.map((operation) => [operation.operationId, priceOf(operation)]));

const costColumns = ['A million of', 'Round trips', 'Read units', 'Write units', 'Dollars'];
const amountOf = (amount: number) => (amount === 0 ? '–' : textOf(amount));
const costRow = (what: string, { cost, parts }: PricedCall) => [
  what,
  ...cost.map(amountOf),
  dollars(totalOf(parts) * million),
];

/** The exact costs of each operation, sorted by the files of the functions. */
export async function operationTable(): Promise<string> {
  const { operations } = await findContracts();
  const sorted = operations.toSorted((one, other) => (one.entry < other.entry ? -1 : 1));
  const rows = [...pricesOf(sorted)].map(([operationId, call]) => costRow(operationId, call));
  return markdownDocument([markdownTable({ areAmounts: true, columns: costColumns, rows })]);
}

/** The range of the costs of the operations with each method, and the costs of other calls. */
function callTable(operations: readonly Operation[]): string {
  const methods = Map.groupBy(operations, ({ endpoint: { method } }) =>
    method === 'PUT' || method === 'PATCH' ? '`PUT` or `PATCH`' : `\`${method}\``,
  );
  const range = (values: readonly number[], show: (value: number) => string) =>
    [...new Set([Math.min(...values), Math.max(...values)])].map(show).join(' to ');
  const methodRow = (method: string, calls: readonly PricedCall[]) => [
    `operations with ${method}`,
    ...([0, 1, 2] as const).map((unit) =>
      range(
        calls.map(({ cost }) => cost[unit]),
        textOf,
      ),
    ),
    range(
      calls.map(({ parts }) => totalOf(parts) * million),
      dollars,
    ),
  ];
  const { waf, xray } = prices;
  const extra = (what: string, amount: number) => [what, '–', '–', '–', dollars(amount * million)];
  return markdownTable({
    areAmounts: true,
    columns: costColumns,
    rows: [
      ...[...methods.keys()].sort().map((method) => methodRow(method, methods.get(method)!.map(priceOf))),
      ...Object.values(otherCalls).map(([what, call]) => costRow(what, call)),
      extra('a cold start, which is in each row by its share', timeDollars(assumed.coldMilliseconds)),
      extra('a request, more for the web ACL', dollarsFor(waf.requests, 1)),
      extra('a trace, with the setting `tracing`', dollarsFor(xray.traces, 1)),
    ],
  });
}

/** Says how often a second the table takes some calls, by the units that AWS gives it. */
function rateTable(priced: ReadonlyMap<string, PricedCall>): string {
  const { newReads, newWrites, quota } = tableLimits;
  const row = (what: string, { cost: [, reads, writes] }: PricedCall) => [
    what,
    ...[
      [newReads, newWrites],
      [quota, quota],
    ].map(([mostReads = 0, mostWrites = 0]) => Math.floor(Math.min(mostReads / reads, mostWrites / writes))),
  ];
  return markdownTable({
    columns: ['A second', 'A new table, at once', 'By default quota'],
    rows: [
      row('Leads (createLead)', priced.get('createLead')!),
      row('Inquiries of phone calls', otherCalls.inquiry[1]),
      row('Forms that create a lead (createFormSubmission)', priced.get('createFormSubmission')!),
      row('Full pages of 50 leads', otherCalls.pageOfLeads[1]),
      row('Records by their id (getLead)', priced.get('getLead')!),
    ],
  });
}

function assumptionTable(): string {
  const { logBytes, emptyQueue } = assumed;
  return markdownTable({
    columns: ['What', 'Source'],
    rows: [
      [
        'Units and round trips',
        'Exact: tests assert each, on records of up to 1 KB, while nobody else writes',
      ],
      [
        'Bytes of a lead, and of the inquiry of a call',
        'Measured by a test, with their events, unique values and indexes',
      ],
      [
        'Time of a function',
        `Assumed: ${assumed.ownMilliseconds} ms, ${assumed.roundTripMilliseconds} ms for each round trip to DynamoDB, ${assumed.providerMilliseconds} ms for the SMS provider, ` +
          `${assumed.receiverMilliseconds} ms for the receiver of a webhook, with ${functionMemory} MB`,
      ],
      ['Cold starts', `Assumed: ${assumed.coldShare * 100} % of calls, ${assumed.coldMilliseconds} ms each`],
      [
        'Bytes of log',
        `Assumed: ${textOf(logBytes.request)} of a request, with the lines of Lambda and of the access log (lines of all operations made 1,200 to 1,500); ${logBytes.other} of another call`,
      ],
      [
        'Logs kept',
        `Assumed: compressed to ${assumed.logsCompressedTo * 100} %, for 12 months as in \`prod\``,
      ],
      [
        'Polls of an empty queue',
        `Assumed: Lambda polls ${emptyQueue.pollers} times at once, and each poll waits ${emptyQueue.seconds} s`,
      ],
      ['What a customer does', 'Assumed, in the table above'],
    ],
  });
}
