import { DynamoDBClient, type AttributeValue, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { Readable } from 'node:stream';
import * as endpoints from '../../shared/contract/leads.ts';
import { created, ok } from '../../shared/contract/endpoint.ts';
import { pageOf } from '../../shared/contract/pagination.ts';
import { once } from '../../shared/http/idempotency.ts';
import { serve } from '../../shared/http/serve.ts';
import * as leads from '../../shared/domain/leads/leads.ts';
import { operator } from '../../shared/ledger/index.ts';
import { clientConfig } from '../../shared/ledger/internal/client-config.ts';
import { realSystem } from '../../shared/core/system.ts';
import { toItem } from '../../shared/ledger/internal/attributes.ts';
import { recordKey } from '../../shared/ledger/internal/keys.ts';
import { openStore, type Store } from '../../shared/ledger/internal/store.ts';
import { Lock, TableClient } from '../../shared/ledger/internal/table-client.ts';
import { limits } from '../support/organizations.ts';

/** DynamoDB's answers as JSON, and the events that lead to them. */
export interface Canned {
  head: string;
  lead: string;
  pipeline: string;
  page: string;
  events: Record<'getLead' | 'listLeads' | 'createLead', APIGatewayProxyEvent>;
}

/** A case to measure: one call. */
export type Case = () => Promise<unknown>;

export const caseNames = {
  getItem: 'GetItem, document client with its defaults',
  getItemQuiet: 'GetItem, as the ledger calls the SDK',
  getLead: 'GET /v1/leads/{leadId}, the whole handler',
  answeredGet: 'GetItem that is answered before the SDK does anything',
  answeredGetLead: 'GET /v1/leads/{leadId}, the whole handler, on such a call',
  query: 'Query of 50, document client with its defaults',
  ledgerQuery: 'Query of 50, as the ledger reads it',
  list: 'GetItem and Query of 50, document client with its defaults',
  page: 'A page of 50 leads of the ledger: the same two calls, and every record checked',
  listLeads: 'GET /v1/leads, the whole handler',
  createLead: 'POST /v1/leads, the whole handler',
} as const;
export type CaseName = keyof typeof caseNames;

const key = { TableName: 'Table', Key: { pk: 'A', sk: 'A' }, ReturnConsumedCapacity: 'TOTAL' } as const;
const partition = {
  TableName: 'Table',
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': 'A' },
  ReturnConsumedCapacity: 'TOTAL',
} as const;

/**
 * Makes the cases, with a DynamoDB that answers at once and without a network, so that only CPU time is
 * measured.
 */
export function casesOf({ head, lead, pipeline, page, events }: Canned): Record<CaseName, Case> {
  const answerTo = (target: string, body: string) => {
    if (target.endsWith('.Query')) return page;
    if (target.endsWith('.GetItem'))
      return body.includes('"HEAD"') ? head : body.includes('#PIPELINE"') ? pipeline : lead;
    return '{}';
  };
  const requestHandler = {
    handle: (request: { headers: Record<string, string>; body: Uint8Array }) => {
      const body = answerTo(request.headers['x-amz-target']!, new TextDecoder().decode(request.body));
      const headers = { 'content-type': 'application/x-amz-json-1.0' };
      return Promise.resolve({
        response: { statusCode: 200, headers, body: Readable.from([Buffer.from(body)]) },
      });
    },
  } as unknown as NonNullable<DynamoDBClientConfig['requestHandler']>;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = () =>
    new DynamoDBClient({ region: 'us-east-1', credentials, ...clientConfig, requestHandler });
  const byDefault = DynamoDBDocumentClient.from(client());
  const quietClient = client();
  quietClient.middlewareStack.remove('loggerMiddleware');
  const quiet = DynamoDBDocumentClient.from(quietClient);
  const store = openStore(client(), 'Table', realSystem);
  const { ledgerOf } = store;
  const answering = client();
  const output = {
    Item: toItem((JSON.parse(lead) as { Item: Record<string, AttributeValue> }).Item),
    $metadata: {},
  };
  answering.middlewareStack.add(() => () => Promise.resolve({ output, response: {} }), {
    step: 'initialize',
    priority: 'high',
  });
  const answered = openStore(answering, 'Table', realSystem);
  const answeredDocuments = DynamoDBDocumentClient.from(answering);

  const context = { getRemainingTimeInMillis: () => 15_000 } as Context;
  const getLeadOn = (store: Store) =>
    serve(endpoints.getLeadEndpoint, async ({ params, caller }) =>
      ok({ lead: await leads.getLead(store.ledgerOf(caller), params.leadId) }),
    );
  const handlers = {
    getLead: getLeadOn(store),
    answeredGetLead: getLeadOn(answered),
    listLeads: serve(endpoints.listLeadsEndpoint, async ({ query, caller }) =>
      ok(pageOf('leads', await leads.listLeads(ledgerOf(caller), query), query)),
    ),
    createLead: serve(
      endpoints.createLeadEndpoint,
      async ({ body, caller }) => created({ lead: await leads.createLead(ledgerOf(caller), body) }),
      once(ledgerOf, ({ goOn }) => goOn()),
    ),
  };
  const handled = (name: keyof typeof handlers) => async () => {
    const event = events[name === 'answeredGetLead' ? 'getLead' : name];
    const { statusCode, body } = (await handlers[name]({ ...event } as never, context)) as {
      statusCode: number;
      body: string;
    };
    if (statusCode >= 300) throw new Error(`${name} answered ${statusCode}: ${body}`);
  };
  const { organization, userId } = events.listLeads.requestContext.authorizer as Record<string, string>;
  const quick = new TableClient(
    { plain: quietClient, documents: quiet },
    'Table',
    realSystem,
    limits(3_600_000),
    new Lock(operator, organization as never),
  );
  const { pk } = recordKey(organization as never, 'LEAD', 1);
  const allLeads = { pkName: 'pk', pk, skName: 'sk' };
  const ledger = () =>
    ledgerOf({
      organization: organization as never,
      userId: userId!,
      ...limits(15_000),
    });
  return {
    getItem: () => byDefault.send(new GetCommand(key)),
    getItemQuiet: () =>
      quiet.send(new GetCommand({ ...key, ConsistentRead: true }), {
        abortSignal: new AbortController().signal,
      }),
    getLead: handled('getLead'),
    answeredGet: () => answeredDocuments.send(new GetCommand(key)),
    answeredGetLead: handled('answeredGetLead'),
    query: () => byDefault.send(new QueryCommand(partition)),
    ledgerQuery: () => quick.newestFirst(allLeads, { from: 'Z' }, { limit: 50, pkOfItems: pk }),
    list: async () => {
      await byDefault.send(new GetCommand({ ...key, Key: { pk: 'A', sk: 'HEAD' } }));
      return byDefault.send(new QueryCommand(partition));
    },
    page: () => leads.listLeads(ledger(), { page: 1, limit: 50 }),
    listLeads: handled('listLeads'),
    createLead: handled('createLead'),
  };
}

/**
 * Measures the CPU time of a number of calls, one after the other, in microseconds per call. Discards the
 * log.
 */
export async function cpuOf(run: Case, calls: number): Promise<number> {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => true;
  const before = process.cpuUsage();
  for (let n = 0; n < calls; n++) await run();
  const { user, system } = process.cpuUsage(before);
  process.stdout.write = write;
  return (user + system) / calls;
}
