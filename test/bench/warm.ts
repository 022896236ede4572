import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { findContracts } from '../../infra/functions.ts';
import { clientOf } from '../../infra/local/engine.ts';
import { getLeadEndpoint, listLeadsEndpoint } from '../../shared/contract/leads.ts';
import { ok } from '../../shared/contract/endpoint.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { realSystem } from '../../shared/core/system.ts';
import { createLead, getLead } from '../../shared/domain/leads/leads.ts';
import { listLeads } from '../../shared/domain/leads/list-leads.ts';
import { serve } from '../../shared/http/serve.ts';
import { clientConfig, openStore } from '../../shared/ledger/index.ts';
import { headKey, recordKey } from '../../shared/ledger/internal/keys.ts';
import { foundOrganizationAt } from '../support/stored-organization.ts';
import { fill } from '../support/filled-records.ts';
import { eventFor } from '../support/event-for.ts';
import { median, type Chapter, type Run } from './chapter.ts';
import { withTable, type EngineTable } from './functions.ts';

/** Measures CPU time per call without a network, which is all that a warm function can save. */
export const measureWarm = (run: Run): Promise<Chapter> => withTable((table) => measure(run, table));

async function measure({ quick, progress }: Run, table: EngineTable): Promise<Chapter> {
  const cases = await casesOf(table);
  const [rounds, calls] = quick ? [5, 100] : [25, 400];
  const times = cases.map((): number[] => []);
  // Rounds below 1 let the compiler optimize.
  for (let round = -4; round <= rounds; round++) {
    progress(`round ${Math.max(0, round)} of ${rounds}`);
    for (const [at, [, run]] of cases.entries()) {
      const microseconds = await cpuOf(run, calls);
      if (round >= 1) times[at]!.push(microseconds);
    }
  }
  const medians = times.map((all) => median(all));
  const [get = 0, answered = 0, aroundAnswered = 0, list = 0, listHandler = 0] = medians;
  return {
    title: 'CPU time of a warm call',
    about:
      'User and system time of the process, in microseconds per call, with a DynamoDB that answers at once from memory: signing, serializing and parsing are ' +
      'in it, the network is not. The whole handler is everything that a function does for a request, from the event to the answer and its line of log. ' +
      `Medians of ${rounds} interleaved rounds.`,
    table: {
      columns: ['Call', 'Microseconds'],
      rows: cases.map(([name], at) => [name, Math.round(medians[at]!)]),
    },
    budgets: [
      {
        what: "Own code of a read of one record, to the SDK's call",
        limit: 0.1,
        measured: (aroundAnswered - answered) / get,
      },
      {
        what: "A list of 50, the whole handler, to the SDK's calls",
        limit: 0.9,
        measured: listHandler / list,
      },
    ],
  };
}

type Case = readonly [name: string, run: () => Promise<unknown>];

/** Makes the cases in an organization with more than a page of leads. */
async function casesOf(table: EngineTable): Promise<Case[]> {
  const organization = await foundOrganizationAt(table);
  const records = await fill(organization);
  const { ledger } = organization.openLedger();
  for (let n = 0; n < 50; n++)
    await createLead(ledger, { name: `Ann Lee ${n}`, email: `ann${n}@example.org` });
  const { operations } = await findContracts();
  const { tableName: TableName } = table;

  const documents = DynamoDBDocumentClient.from(replayingClient(table));
  const withoutSdk = DynamoDBDocumentClient.from(answeringClient(table));
  const get = {
    TableName,
    Key: recordKey(organization.code, 'LEAD', 1),
    ReturnConsumedCapacity: 'TOTAL',
  } as const;
  const page = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': get.Key.pk },
    ScanIndexForward: false,
    Limit: 50,
    ReturnConsumedCapacity: 'TOTAL',
  } as const;
  const storeOf = (client: DynamoDBClient) => openStore(client, TableName, realSystem);
  const [store, storeWithoutSdk] = [storeOf(replayingClient(table)), storeOf(answeringClient(table))];
  const handlers = {
    getLead: serve(
      getLeadEndpoint,
      async ({ params, principal }) =>
        ok({ lead: await getLead(storeWithoutSdk.ledgerOf(principal), params.leadId) }),
      { readTimeZone: () => Promise.reject(new Error('Nobody asks for the time zone')) },
    ),
    listLeads: serve(listLeadsEndpoint, async ({ query, principal }) =>
      ok(pageOf('leads', await listLeads(store.ledgerOf(principal), query), query)),
    ),
  };
  const handled = (name: keyof typeof handlers) => {
    const event = eventFor(
      operations.find(({ operationId }) => operationId === name)!,
      organization,
      records,
      1,
    );
    return async () => {
      const answer = await handlers[name]({ ...event } as never, context);
      const { statusCode, body } = answer as { statusCode: number; body: string };
      if (statusCode !== 200) throw new Error(`${name} answered ${statusCode}: ${body}`);
    };
  };
  return [
    ['GetItem, document client with its defaults', () => documents.send(new GetCommand(get))],
    ['GetItem that is answered before the SDK does anything', () => withoutSdk.send(new GetCommand(get))],
    ['GET /v1/leads/{leadId}, the whole handler, on such a call', handled('getLead')],
    [
      'GetItem and Query of 50, document client with its defaults',
      async () => {
        await documents.send(new GetCommand({ ...get, Key: headKey(organization.code) }));
        await documents.send(new QueryCommand(page));
      },
    ],
    ['GET /v1/leads, the whole handler', handled('listLeads')],
  ];
}

const context = { getRemainingTimeInMillis: () => 15_000 } as Context;

/** A client that sends each request to the engine once. After that, memory answers. */
function replayingClient(table: EngineTable): DynamoDBClient {
  const { requestHandler: network } = clientOf(table).config;
  const send = async (request: object) => {
    const { response } = (await network.handle(request as never)) as { response: { body: Readable } };
    return buffer(response.body);
  };
  const replies = new Map<string, Buffer>();
  const requestHandler = {
    handle: async (request: { headers: Record<string, string>; body: Uint8Array }) => {
      const key = `${request.headers['x-amz-target']} ${new TextDecoder().decode(request.body)}`;
      const reply = replies.get(key) ?? (await send(request));
      replies.set(key, reply);
      const headers = { 'content-type': 'application/x-amz-json-1.0' };
      return { response: { statusCode: 200, headers, body: Readable.from([reply]) } };
    },
  } as unknown as NonNullable<DynamoDBClientConfig['requestHandler']>;
  return clientOf(table, { ...clientConfig, requestHandler });
}

/** A client that passes each input to the SDK once. After that, memory answers before the SDK does anything. */
function answeringClient(table: EngineTable): DynamoDBClient {
  const client = clientOf(table, clientConfig);
  const results = new Map<string, object>();
  client.middlewareStack.add(
    (next) => async (args) => {
      const key = JSON.stringify(args.input);
      const result = (results.get(key) as Awaited<ReturnType<typeof next>> | undefined) ?? (await next(args));
      results.set(key, result);
      return result;
    },
    { step: 'initialize', priority: 'high' },
  );
  return client;
}

/**
 * Measures the CPU time of a number of calls, one after the other, in microseconds per call. Discards the
 * log.
 */
async function cpuOf(run: () => Promise<unknown>, calls: number): Promise<number> {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => true;
  const before = process.cpuUsage();
  for (let n = 0; n < calls; n++) await run();
  const { user, system } = process.cpuUsage(before);
  process.stdout.write = write;
  return (user + system) / calls;
}
