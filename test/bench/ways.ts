import {
  QueryCommand as PlainQueryCommand,
  type ConsumedCapacity as ReportedCapacity,
  type DynamoDBClient,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  anyOf,
  boolean,
  Entity as ToolboxEntity,
  item,
  nul,
  number,
  PutItemCommand,
  QueryCommand as ToolboxQueryCommand,
  record,
  string,
  Table,
} from 'dynamodb-toolbox';
import { Entity as ElectroEntity } from 'electrodb';
import type { Lead } from '../../shared/contract/leads.ts';
import { recordKey } from '../../shared/ledger/internal/keys.ts';
import {
  newConsumedCapacity,
  type ConsumedCapacity,
} from '../../shared/ledger/internal/consumed-capacity.ts';
import { limit, type LeadList } from './lead-list.ts';

/**
 * A way to page through leads that reaches a page only through those before it. Each way asks for ids alone:
 * this costs the same units as whole leads, and takes much less time.
 */
export interface Way {
  name: string;
  /** Table of its leads. */
  table: string;
  /** Reads every page of the list from the first on, as the ids of its leads, newest first. */
  pages: (list: LeadList) => AsyncGenerator<string[]>;
  /** Counts the leads. */
  count: (list: LeadList) => Promise<number>;
}

/** A library's way, with leads in the library's own form. */
export interface LibraryWay extends Way {
  create: (list: LeadList, lead: Lead) => Promise<unknown>;
}

/**
 * More leads than fit into the 1 MB that a query reads. The limit changes no reply. Without it, the engine
 * reads to the end of the partition for each query.
 */
const limitOfCount = 10_000;

/** Table of the ledger's leads. */
export const ledgerTable = 'Ledger';

/** Counts the capacity of every call of a client, whoever makes the call. */
export function metered(client: DynamoDBClient): ConsumedCapacity {
  const capacity = newConsumedCapacity();
  client.middlewareStack.add(
    (next) => async (call) => {
      const asked = { ...call, input: { ...call.input, ReturnConsumedCapacity: 'TOTAL' as const } };
      const reply = await next(asked);
      capacity.calls++;
      const { ConsumedCapacity } = reply.output as { ConsumedCapacity?: ReportedCapacity };
      capacity.readUnits += ConsumedCapacity?.CapacityUnits ?? 0;
      return reply;
    },
    { step: 'initialize' },
  );
  return capacity;
}

type StartKey = QueryCommandInput['ExclusiveStartKey'];

/** Our own queries on the ledger's items: each starts where the last one ended. Another query counts. */
export function byHand(client: DynamoDBClient): Way {
  const partition = (list: LeadList) => ({
    TableName: ledgerTable,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: recordKey(list.code, 'LEAD', 1).pk } },
  });
  return {
    name: 'Query by hand',
    table: ledgerTable,
    pages: (list) =>
      paged<StartKey>(async (start) => {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new PlainQueryCommand({
            ...partition(list),
            Limit: limit,
            ScanIndexForward: false,
            ProjectionExpression: 'id',
            ExclusiveStartKey: start,
          }),
        );
        return { ids: Items.map(({ id }) => id?.S ?? ''), next: LastEvaluatedKey };
      }),
    count: (list) =>
      counted<StartKey>(async (start) => {
        const { Count = 0, LastEvaluatedKey } = await client.send(
          new PlainQueryCommand({
            ...partition(list),
            Select: 'COUNT',
            Limit: limitOfCount,
            ExclusiveStartKey: start,
          }),
        );
        return { count: Count, next: LastEvaluatedKey };
      }),
  };
}

type Cursor = string | null;

/** ElectroDB, as its pages "Pagination" and "Strategies for counting items" (on read) say. */
export function byElectro(client: DynamoDBClient): LibraryWay {
  const table = 'Electro';
  const leads = new ElectroEntity(
    {
      model: { entity: 'lead', version: '1', service: 'sales' },
      attributes: {
        organizationId: { type: 'string', required: true },
        id: { type: 'string', required: true },
        firstName: { type: 'string' },
        lastName: { type: 'string' },
        email: { type: 'string' },
        phone: { type: 'string' },
        suburb: { type: 'string' },
        businessName: { type: 'string' },
        socials: { type: 'any' },
        status: { type: 'string' },
        createdAt: { type: 'string' },
        read: { type: 'boolean' },
        lastInquiryId: { type: 'any' },
        lastInquiryDate: { type: 'any' },
        unreadEmails: { type: 'number' },
        unreadCalls: { type: 'number' },
        unreadChatbotThreads: { type: 'number' },
        unreadSMS: { type: 'number' },
        unreadWebformSubmissions: { type: 'number' },
        hasFlaggedInquiry: { type: 'boolean' },
      },
      indexes: {
        byOrganization: {
          pk: { field: 'pk', composite: ['organizationId'] },
          sk: { field: 'sk', composite: ['id'] },
        },
      },
    },
    { client: DynamoDBDocumentClient.from(client), table },
  );
  const query = (list: LeadList) => leads.query.byOrganization({ organizationId: list.code });
  return {
    name: 'ElectroDB',
    table,
    create: (list, lead) => leads.put({ organizationId: list.code, ...lead }).go(),
    pages: (list) =>
      paged<Cursor>(async (cursor) => {
        const { data, cursor: next } = await query(list).go({
          cursor: cursor ?? null,
          limit,
          order: 'desc',
          consistent: true,
          attributes: ['id'],
        });
        return { ids: data.map(({ id }) => id), next };
      }),
    count: (list) =>
      counted<Cursor>(async (cursor) => {
        const { data, cursor: next } = await query(list).go({
          cursor: cursor ?? null,
          limit: limitOfCount,
          consistent: true,
          // ElectroDB has no option for `Select`, so the parameter is given as it is.
          data: 'raw',
          params: { Select: 'COUNT' },
        });
        return { count: 'Count' in data ? Number(data.Count) : NaN, next };
      }),
  };
}

type ToolboxStart = Record<string, unknown> | undefined;

/** DynamoDB-Toolbox, as the examples "Paginated" and "Count" of its QueryCommand say. */
export function byToolbox(client: DynamoDBClient): LibraryWay {
  const table = new Table({
    documentClient: DynamoDBDocumentClient.from(client),
    name: 'Toolbox',
    partitionKey: { name: 'pk', type: 'string' },
    sortKey: { name: 'sk', type: 'string' },
  });
  const partitionOf = (organizationId: string) => `ORGANIZATION#${organizationId}`;
  const leads = new ToolboxEntity({
    name: 'LEAD',
    table,
    schema: item({
      organizationId: string().key(),
      id: string().key(),
      firstName: string(),
      lastName: string(),
      email: string(),
      phone: string(),
      suburb: string(),
      businessName: string(),
      socials: record(string(), string()),
      status: string(),
      createdAt: string(),
      read: boolean(),
      lastInquiryId: anyOf(string(), nul()),
      lastInquiryDate: anyOf(string(), nul()),
      unreadEmails: number(),
      unreadCalls: number(),
      unreadChatbotThreads: number(),
      unreadSMS: number(),
      unreadWebformSubmissions: number(),
      hasFlaggedInquiry: boolean(),
    }),
    computeKey: ({ organizationId, id }) => ({ pk: partitionOf(organizationId), sk: id }),
  });
  const query = (list: LeadList) =>
    table
      .build(ToolboxQueryCommand)
      .entities(leads)
      .query({ partition: partitionOf(list.code) });
  return {
    name: 'DynamoDB-Toolbox',
    table: 'Toolbox',
    create: (list, lead) =>
      leads
        .build(PutItemCommand)
        .item({ organizationId: list.code, ...lead })
        .send(),
    pages: (list) =>
      paged<ToolboxStart>(async (start) => {
        const { Items = [], LastEvaluatedKey } = await query(list)
          .options({
            limit,
            reverse: true,
            consistent: true,
            attributes: ['id'],
            ...(start && { exclusiveStartKey: start }),
          })
          .send();
        return { ids: Items.map(({ id }) => id), next: LastEvaluatedKey };
      }),
    count: async (list) => {
      const { Count = NaN } = await query(list)
        .options({ select: 'COUNT', limit: limitOfCount, consistent: true, maxPages: Infinity })
        .send();
      return Count;
    },
  };
}

/** Reads pages one after the other, each from where the last one ended. */
async function* paged<Start>(
  read: (start?: Start) => Promise<{ ids: string[]; next: Start }>,
): AsyncGenerator<string[]> {
  let page = await read();
  for (;;) {
    yield page.ids;
    if (!page.next) return;
    page = await read(page.next);
  }
}

/** Sums the counts of queries, each from where the last one ended: a query reads 1 MB. */
async function counted<Start>(
  read: (start?: Start) => Promise<{ count: number; next: Start }>,
): Promise<number> {
  let { count: sum, next } = await read();
  while (next) {
    const more = await read(next);
    sum += more.count;
    next = more.next;
  }
  return sum;
}
