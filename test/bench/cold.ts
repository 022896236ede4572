import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { authorizer, findContracts } from '../../infra/functions.ts';
import { region } from '../../infra/local/intrinsics.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import { fill } from '../support/records.ts';
import { foundOrganizationAt } from '../support/organizations.ts';
import { eventFor } from '../support/requests.ts';
import { buildFunctions, buildText, cdkDefault, cdkWithRuntime, steps } from './cold-builds.ts';
import { coldStarter, type ColdStart } from './cold-process.ts';
import { withTable, type EngineTable } from './database.ts';
import { deployedFiles, withFunctionPlace, type FunctionPlace } from './function-place.ts';
import type { Budget, Measure, Run, Section } from './section.ts';
import { median } from './statistics.ts';

/** Handler that makes one call alone, bundled by CDK's defaults. */
const bareHandler = `
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
export const handler = async () => {
  const { Item } = await client.send(new GetCommand({ TableName: process.env.TABLE_NAME, Key: { pk: 'A', sk: 'A' } }));
  return { statusCode: 200, body: JSON.stringify(Item ?? null) };
};`;

/** Same call without the SDK, and so without a valid signature, which the engine does not check. */
const floorHandler = `
import { request } from 'node:https';
const headers = {
  'Content-Type': 'application/x-amz-json-1.0',
  'X-Amz-Target': 'DynamoDB_20120810.GetItem',
  'X-Amz-Date': '20260101T000000Z',
  Authorization: 'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};
export const handler = () =>
  new Promise((resolve, reject) => {
    const call = request(process.env.AWS_ENDPOINT_URL_DYNAMODB, { method: 'POST', headers }, (reply) => {
      let body = '';
      reply.on('data', (chunk) => (body += chunk));
      reply.on('end', () => resolve({ statusCode: reply.statusCode, body }));
    });
    call.on('error', reject);
    call.end(JSON.stringify({ TableName: process.env.TABLE_NAME, Key: { pk: { S: 'A' }, sk: { S: 'A' } } }));
  });`;

/** A function to start cold, with a new event for each start. */
interface Candidate {
  name: string;
  file: string;
  event: () => Promise<object> | object;
}

/** Function of the service, by its operationId, or `authorize`. */
interface ServiceFunction {
  name: string;
  entry: string;
  event: Candidate['event'];
}

/** Function of which every step is measured. */
const stepwise = 'getLead';
const inQuickRuns = [stepwise, 'listLeads', 'createLead', 'authorize'];

/**
 * Measures cold starts: from the start of a process to the function's first answer, with DynamoDB behind TLS.
 */
export const measureCold: Measure = (run) =>
  withTable((table) => withFunctionPlace(table, (place) => measure(run, table, place)));

async function measure(
  { quick, progress }: Run,
  table: EngineTable,
  { folder, environment }: FunctionPlace,
): Promise<Section> {
  progress('bundling the functions in each way');
  const all = await serviceFunctions(table);
  const functions = quick ? all.filter(({ name }) => inQuickRuns.includes(name)) : all;
  const entries = functions.map(({ entry }) => entry);
  const fileOf = await deployedFiles(
    all.map(({ entry }) => entry),
    folder,
  );
  const byDefault = await buildFunctions(entries, cdkDefault, folder);
  const one = functions.find(({ name }) => name === stepwise)!;
  const ways = [cdkDefault, cdkWithRuntime, ...steps];
  const ladder: Candidate[] = [
    ...(await Promise.all(
      ways.map(async (way) => {
        const files = await buildFunctions([one.entry], way, join(folder, 'steps'));
        return { name: way.name, file: files.get(one.entry)!, event: one.event };
      }),
    )),
    { name: primed, file: fileOf(one.entry), event: one.event },
    {
      name: 'One SDK call and nothing else, NodejsFunction',
      file: await buildText('bare', bareHandler, folder),
      event: () => ({}),
    },
    {
      name: floor,
      file: await buildText('floor', floorHandler, folder),
      event: () => ({}),
    },
  ];

  const start = coldStarter(folder, environment);
  const rounds = quick ? 3 : 15;
  const pairs = functions.flatMap(({ name, entry, event }): Candidate[] => [
    { name: `${name} deployed`, file: fileOf(entry), event },
    { name: `${name} by default`, file: byDefault.get(entry)!, event },
  ]);
  const results = await interleaved([...ladder, ...pairs], start, rounds, progress);
  const compared = functions.map(({ name, entry }) => ({
    name,
    ours: mediansOf(results.get(`${name} deployed`)!),
    theirs: mediansOf(results.get(`${name} by default`)!),
    size: sizeOf(fileOf(entry)),
  }));
  return sectionOf(
    rounds,
    ladder.map(({ name }) => ({ name, ...mediansOf(results.get(name)!) })),
    compared,
  );
}

/** Lists every function, with events that it answers successfully in an organization with 50 leads. */
async function serviceFunctions(table: EngineTable): Promise<ServiceFunction[]> {
  const { operations } = await findContracts();
  const newFilled = async () => {
    const organization = await foundOrganizationAt(table);
    const { ledger } = organization.openLedger({ milliseconds: 3_600_000 });
    return { organization, ledger, records: await fill(organization) };
  };
  const { organization, ledger, records } = await newFilled();
  for (let n = 0; n < 50; n++) await createLead(ledger, { name: `Ann ${n}`, email: `ann${n}@example.org` });
  let count = 0;
  return [
    ...operations.map((operation) => ({
      name: operation.operationId,
      entry: operation.entry,
      event: async () => {
        // What is removed must be there at each start.
        const { endpoint, operationId } = operation;
        const removes = endpoint.method === 'DELETE' || operationId === 'eraseLead';
        const of = removes ? await newFilled() : { organization, records };
        return eventFor(operation, of.organization, of.records, count++);
      },
    })),
    {
      name: 'authorize',
      entry: authorizer.entry,
      event: () => ({
        type: 'REQUEST',
        resource: '/v1/leads',
        headers: { Authorization: `Bearer ${organization.token}` },
        requestContext: { identity: { sourceIp: '127.0.0.1' } },
        methodArn: `arn:aws:execute-api:${region}:000000000000:local/local/GET/v1/leads`,
      }),
    },
  ];
}

/**
 * Starts every candidate once a round. Drops the first round, in which the system reads the files into its
 * disk cache.
 */
async function interleaved(
  candidates: readonly Candidate[],
  start: (file: string, event: object) => Promise<ColdStart>,
  rounds: number,
  progress: Run['progress'],
): Promise<Map<string, ColdStart[]>> {
  const results = new Map<string, ColdStart[]>(candidates.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}: ${candidates.length} cold starts`);
    for (const { name, file, event } of candidates) {
      const result = await start(file, await event());
      if (round > 0) results.get(name)!.push(result);
    }
  }
  return results;
}

type Times = Pick<ColdStart, 'init' | 'request' | 'total'>;

const mediansOf = (starts: readonly ColdStart[]): Times => ({
  init: median(starts.map(({ init }) => init)),
  request: median(starts.map(({ request }) => request)),
  total: median(starts.map(({ total }) => total)),
});

/**
 * Bytes of the code that a start loads, and of the function's folder, and the number of files that a start
 * loads.
 */
function sizeOf(file: string): { atStart: number; files: number; all: number } {
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    const code = readFileSync(path, 'utf8');
    for (const [, imported = ''] of code.matchAll(/(?:from|import)"(\.[^"]+)"/g))
      visit(join(dirname(path), imported));
  };
  visit(file);
  const bytes = (paths: Iterable<string>) => [...paths].reduce((sum, path) => sum + statSync(path).size, 0);
  const folder = dirname(file);
  const all = globSync('**/*.mjs', { cwd: folder }).map((path) => join(folder, path));
  return { atStart: bytes(found), files: found.size, all: bytes(all) };
}

const primed = '+ a first call while it starts: as deployed';
const floor = 'The same call without the SDK';
const most = 0.7;
/** Functions without the SDK, which start as fast however they are bundled. */
const withoutDatabase = ['getOpenApi'];

function sectionOf(
  rounds: number,
  ladder: ({ name: string } & Times)[],
  compared: { name: string; ours: Times; theirs: Times; size: ReturnType<typeof sizeOf> }[],
): Section {
  const [reference] = ladder;
  const ratios = compared
    .filter(({ name }) => !withoutDatabase.includes(name))
    .map(({ ours, theirs }) => ours.total / theirs.total);
  const budget: Budget = {
    what: 'Cold start to first answer, every function that calls DynamoDB',
    limit: `at most ${most.toFixed(2)} of NodejsFunction's defaults`,
    measured: `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}, median ${median(ratios).toFixed(2)}`,
    met: Math.max(...ratios) <= most,
  };
  return {
    title: 'Cold start',
    about: [
      `From the start of a Node.js process, which has loaded \`http\` as Lambda's runtime has, to the function's first answer: medians of ${rounds} interleaved rounds. DynamoDB is this machine's engine behind TLS. Every function is compared with itself as CDK's \`NodejsFunction\` bundles it when given nothing but the entry.`,
      'Loading includes the call that a function makes while it starts: on Lambda it has a whole CPU then, and in a request the share that its memory buys. So what matters to a client is more than the total: how little is left for the first request.',
      `The last table has the ${compared.length} functions that there were on the day of the run: one that was added later has no row.`,
    ],
    budgets: [budget],
    tables: [
      {
        caption: `Step by step: ${stepwise}, milliseconds`,
        columns: ['Way', 'Ratio', 'Total', 'Loading', 'First request'],
        rows: ladder.map(({ name, ...times }) => [
          name,
          (times.total / reference!.total).toFixed(2),
          ...cells(times),
        ]),
      },
      {
        caption:
          'Every function as deployed, and as NodejsFunction bundles it by default; milliseconds and KB of code',
        columns: [
          'Function',
          'Ratio',
          'Total',
          'Loading',
          'First request',
          'Default: total',
          'loading',
          'request',
          'KB at start',
          'Files',
          'KB in all',
        ],
        rows: compared.map(({ name, ours, theirs, size }) => [
          name,
          (ours.total / theirs.total).toFixed(2),
          ...cells(ours),
          ...cells(theirs),
          Math.round(size.atStart / 1024),
          size.files,
          Math.round(size.all / 1024),
        ]),
      },
    ],
  };
}

const cells = ({ total, init, request }: Times) => [total, init, request].map((time) => time.toFixed(0));
