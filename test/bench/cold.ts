import { authorizer, findContracts } from '../../infra/functions.ts';
import { region } from '../../infra/local/arns.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import { fill } from '../support/filled-records.ts';
import { foundOrganizationAt } from '../support/stored-organization.ts';
import { eventFor } from '../support/event-for.ts';
import { median, type Chapter, type Run } from './chapter.ts';
import { ways, withFunctionPlace, withTable, type EngineTable, type FunctionPlace } from './functions.ts';

/** Operations that stand for all: reads, lists and writes, of little code and of much. */
const sample = [
  ...['getLead', 'listLeads', 'createLead', 'updateLead', 'createInquiry', 'createFormSubmission'],
  ...['createFaq', 'getService', 'getPipeline', 'getReceptionist', 'sendSms'],
];

/**
 * Measures cold starts: from the start of a process to the function's first answer, with DynamoDB behind TLS.
 */
export const measureCold = (run: Run): Promise<Chapter> =>
  withTable((table) => withFunctionPlace(table, (place) => measure(run, table, place)));

type Way = keyof typeof ways;
const wayNames = Object.keys(ways) as Way[];

interface ColdStart {
  way: Way;
  name: string;
  total: number;
  load: number;
  request: number;
}

async function measure({ quick, progress }: Run, table: EngineTable, place: FunctionPlace): Promise<Chapter> {
  progress('bundling the functions in each way');
  const functions = await functionsOf(table);
  const entries = functions.map(({ entry }) => entry);
  const fileOf = new Map<Way, (entry: string) => string>();
  for (const way of wayNames) fileOf.set(way, await place.build(way, entries));
  const rounds = quick ? 3 : 15;
  const starts: ColdStart[] = [];
  let count = 0;
  // The first round reads the files into the disk cache of the system, and does not count.
  for (let round = 0; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}`);
    for (const { name, entry, eventOf } of functions) {
      for (const way of wayNames) {
        const event = eventOf(count++);
        const { load, first, calls } = await place.run([{ file: fileOf.get(way)!(entry), event }], 1);
        if (round > 0) starts.push({ way, name, total: first, load, request: calls[0]![0]! });
      }
    }
  }
  const timeOf = (way: Way, name: string, time: 'total' | 'load' | 'request') =>
    median(starts.filter((one) => one.way === way && one.name === name).map((one) => one[time]));
  const names = functions.map(({ name }) => name);
  const ratioOf = (way: Way, name: string) => timeOf(way, name, 'total') / timeOf('byDefault', name, 'total');
  const ratios = (way: Way) => names.map((name) => ratioOf(way, name));
  return {
    title: 'Cold start',
    about:
      "From the start of a Node.js process, which has loaded `http` as Lambda's runtime has, to the first answer of a function. " +
      "A ratio compares a function with the same function as CDK's `NodejsFunction` bundles it if it is given nothing but the entry. " +
      "DynamoDB is this machine's engine behind TLS. While a deployed function starts, it calls DynamoDB once. On Lambda it has a " +
      'whole CPU then, and in a request the share that its memory buys. So a client waits for the first request alone. ' +
      `Medians of ${rounds} interleaved starts, in milliseconds.`,
    table: {
      areAmounts: true,
      columns: [
        'Function',
        'Ratio without the call',
        'Ratio',
        'Total',
        'Loading',
        'First request',
        'by default',
      ],
      rows: names.map((name) => [
        name,
        ratioOf('unprimed', name).toFixed(2),
        ratioOf('deployed', name).toFixed(2),
        ...(['total', 'load', 'request'] as const).map((time) => timeOf('deployed', name, time).toFixed(0)),
        timeOf('byDefault', name, 'request').toFixed(0),
      ]),
    },
    budgets: [
      { what: 'Median ratio without the call', limit: 0.65, measured: median(ratios('unprimed')) },
      { what: 'Median ratio as deployed', limit: 0.7, measured: median(ratios('deployed')) },
    ],
  };
}

/** Functions of the sample and the authorizer, with events that they answer in an organization with 50 leads. */
async function functionsOf(table: EngineTable) {
  const { operations } = await findContracts();
  const organization = await foundOrganizationAt(table);
  const { ledger } = organization.openLedger({ milliseconds: 3_600_000 });
  const records = await fill(organization);
  for (let n = 0; n < 50; n++) await createLead(ledger, { name: `Ann ${n}`, email: `ann${n}@example.org` });
  const authorization = {
    type: 'REQUEST',
    resource: '/v1/leads',
    headers: { Authorization: `Bearer ${organization.token}` },
    requestContext: { identity: { sourceIp: '127.0.0.1' } },
    methodArn: `arn:aws:execute-api:${region}:000000000000:local/local/GET/v1/leads`,
  };
  return [
    ...operations
      .filter(({ operationId }) => sample.includes(operationId))
      .map((operation) => ({
        name: operation.operationId,
        entry: operation.entry,
        eventOf: (n: number): object => eventFor(operation, organization, records, n),
      })),
    { name: 'authorize', entry: authorizer.entry, eventOf: (): object => authorization },
  ];
}
