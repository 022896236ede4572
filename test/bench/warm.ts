import { DynamoDBClient, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findContracts } from '../../infra/functions.ts';
import { clientOf } from '../../infra/local/engine.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import { headKey, recordKey, type Key } from '../../shared/ledger/internal/keys.ts';
import { fill } from '../support/records.ts';
import { foundOrganizationAt } from '../support/organizations.ts';
import { eventFor } from '../support/requests.ts';
import { withTable, type EngineTable } from './database.ts';
import type { Measure, Run, Section } from './section.ts';
import { median } from './statistics.ts';
import { caseNames, casesOf, cpuOf, type Canned, type CaseName } from './warm-cases.ts';

/** Measures CPU time per call without a network, which is all that a warm function can save. */
export const measureWarm: Measure = async (run) => measure(run, await withTable(cannedAnswers));

const names = Object.keys(caseNames) as CaseName[];

async function measure({ quick, progress }: Run, canned: Canned): Promise<Section> {
  const cases = casesOf(canned);
  const [rounds, calls] = quick ? [5, 100] : [25, 400];
  const steady = new Map<CaseName, number[]>(names.map((name) => [name, []]));
  // Rounds below 1 let the compiler optimize.
  for (let round = -4; round < rounds; round++) {
    if (round <= 0 || round % 5 === 0) progress(`round ${Math.max(0, round)} of ${rounds}`);
    for (const name of names) {
      const microseconds = await cpuOf(cases[name], calls);
      if (round >= 0) steady.get(name)!.push(microseconds);
    }
  }
  const first = await firstHundreds(canned, quick ? 1 : 7, progress);
  return sectionOf(
    (name) => median(steady.get(name)!),
    (name) => median(first.get(name)!),
  );
}

/** Measures the first hundred calls of each case, each in a process of its own, a number of times. */
async function firstHundreds(
  canned: Canned,
  times: number,
  progress: Run['progress'],
): Promise<Map<CaseName, number[]>> {
  const results = new Map<CaseName, number[]>(names.map((name) => [name, []]));
  const folder = mkdtempSync(join(tmpdir(), 'bench-warm-'));
  const file = join(folder, 'canned.json');
  writeFileSync(file, JSON.stringify(canned));
  const script = join(import.meta.dirname, 'warm-process.ts');
  try {
    for (let time = 1; time <= times; time++) {
      progress(`the first hundred calls of a process, ${time} of ${times}`);
      for (const name of names) {
        const { stdout } = await promisify(execFile)(process.execPath, [script, file, name]);
        results.get(name)!.push(Number(stdout));
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return results;
}

/** Reads the engine's answers about an organization with a page of leads. */
async function cannedAnswers(table: EngineTable): Promise<Canned> {
  const organization = await foundOrganizationAt(table);
  const { ledger } = organization.openLedger();
  const records = await fill(organization);
  for (let n = 0; n < 50; n++)
    await createLead(ledger, { name: `Ann Lee ${n}`, email: `ann${n}@example.org` });
  const client: DynamoDBClient = clientOf(table);
  const get = async ({ pk, sk }: Key) => {
    const input = { TableName: table.tableName, Key: { pk: { S: pk }, sk: { S: sk } } };
    const { Item, ConsumedCapacity } = await client.send(
      new GetItemCommand({ ...input, ReturnConsumedCapacity: 'TOTAL' }),
    );
    return JSON.stringify({ Item, ConsumedCapacity });
  };
  const { pk } = recordKey(organization.code, 'LEAD', 1);
  const { $metadata, ...page } = await client.send(
    new QueryCommand({
      TableName: table.tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: pk } },
      ScanIndexForward: false,
      Limit: 50,
      ReturnConsumedCapacity: 'TOTAL',
    }),
  );
  if (page.Items?.length !== 50) throw new Error(`A page of ${page.Items?.length} (${$metadata.requestId})`);
  const { operations } = await findContracts();
  const eventOf = (name: string) =>
    eventFor(
      operations.find(({ operationId }) => operationId === name)!,
      organization,
      records,
      1,
    );
  const canned = {
    head: await get(headKey(organization.code)),
    lead: await get(recordKey(organization.code, 'LEAD', 2)),
    pipeline: await get(recordKey(organization.code, 'PIPELINE', 1)),
    page: JSON.stringify(page),
    events: {
      getLead: eventOf('getLead'),
      listLeads: eventOf('listLeads'),
      createLead: eventOf('createLead'),
    },
  };
  client.destroy();
  return canned;
}

function sectionOf(steady: (name: CaseName) => number, first: (name: CaseName) => number): Section {
  const ownCode = steady('answeredGetLead') - steady('answeredGet');
  const ratio = steady('ledgerQuery') / steady('query');
  const pageRatio = steady('page') / steady('list');
  const handlerRatio = steady('listLeads') / steady('list');
  return {
    title: 'Warm: CPU time of a call',
    about: [
      'User and system time of the process, in microseconds per call, with a DynamoDB that answers at once from memory: signing, serializing and parsing are in it, the network is not. Medians of interleaved rounds.',
      'The whole handler is everything that a function does for a request, from the event to the answer and its line of log.',
    ],
    budgets: [
      {
        what: 'CPU time around the SDK call, a single record',
        limit: 'at most 40 µs',
        measured: `${ownCode.toFixed(0)} µs`,
        met: ownCode <= 40,
      },
      {
        what: 'CPU time of reading a list of 50',
        limit: 'at most 0.80 of the document client with its defaults',
        measured: `${ratio.toFixed(2)}; with the head, and every record checked ${pageRatio.toFixed(2)}; the whole handler ${handlerRatio.toFixed(2)}`,
        met: ratio <= 0.8,
      },
    ],
    tables: [
      {
        caption: 'Microseconds of CPU time per call',
        columns: ['Call', 'Steady', 'First hundred of a process'],
        rows: names.map((name) => [caseNames[name], Math.round(steady(name)), Math.round(first(name))]),
      },
    ],
  };
}
