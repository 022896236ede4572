import { DynamoDBClient, GetItemCommand, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { ok } from '../../../shared/contract/endpoint.ts';
import { eraseLeadEndpoint } from '../../../shared/contract/lead-erasure.ts';
import { getLeadEndpoint, type Lead } from '../../../shared/contract/leads.ts';
import { OrganizationCode } from '../../../shared/core/ids.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { getLead } from '../../../shared/domain/leads/leads.ts';
import { listLeads } from '../../../shared/domain/leads/list-leads.ts';
import {
  newConsumedCapacity,
  openStore,
  operator,
  type Ledger,
  type Reach,
} from '../../../shared/ledger/index.ts';
import {
  dueIndex,
  keyNamesOf,
  type SearchIndex,
  type ListIndex,
} from '../../../shared/ledger/internal/keys.ts';
import {
  clientsOf,
  Lock,
  TableClient,
  type TransactOperation,
} from '../../../shared/ledger/internal/table-client.ts';
import { served } from '../http/invocation.ts';
import { patience } from '../../support/patience.ts';
import { sendWebhooksWorker } from '../../../shared/contract/webhook-workers.ts';
import { receiveTextsWorker } from '../../../shared/contract/sms.ts';

const ours = v.parse(OrganizationCode, '6H8EV880');
const theirs = v.parse(OrganizationCode, '7J9FW991');
const own = `ORG#${ours}#LEAD`;
const deliveries = `ORG#${ours}#DELIVERY#000000000001`;

/** A client that answers every command itself, and the commands that it was given. */
function answering(): { client: DynamoDBClient; sent: string[] } {
  const sent: string[] = [];
  const client = new DynamoDBClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  client.middlewareStack.add(
    (_, { commandName = '' }) =>
      () => {
        sent.push(commandName);
        return Promise.resolve({ output: { $metadata: {}, Attributes: {} }, response: {} });
      },
    { step: 'initialize', priority: 'high' },
  );
  return { client, sent };
}

const limits = () => ({ deadline: Date.now() + patience, capacity: newConsumedCapacity() });

/**
 * Lets a locked client do something. Returns the number of calls that were sent, and the message of a
 * refusal.
 */
async function attempt(act: (table: TableClient) => unknown, reach: Reach, organization?: OrganizationCode) {
  const { client, sent } = answering();
  const lock = new Lock(reach, organization);
  const capacity = newConsumedCapacity();
  const table = new TableClient(clientsOf(client), 'Table', realSystem, { ...limits(), capacity }, lock);
  let refusal: string | undefined;
  try {
    await act(table);
  } catch (error) {
    refusal = (error as Error).message;
  }
  expect(capacity.calls).toBe(sent.length);
  return { sent: sent.length, refusal };
}

type Call = (table: TableClient, pk: string) => unknown;

const TableName = 'Table';
const keyAt = (pk: string) => ({ pk, sk: 'KEY' });
const ownKey = keyAt(own);
const newest = (index: ListIndex | SearchIndex) => (table: TableClient, pk: string) =>
  table.newestFirst({ index, ...keyNamesOf(index), pk }, { from: 1 }, { limit: 1, pkOfItems: own });
const prefixed = (index: ListIndex | SearchIndex) => (table: TableClient, pk: string) =>
  table.between({ index, ...keyNamesOf(index), pk }, { from: 'a', to: 'b' }, { limit: 1, pkOfItems: own });
const inTransaction = (operation: (pk: string) => TransactOperation) => (table: TableClient, pk: string) =>
  table.transact([operation(own), operation(pk)], 'token');
const put = (attributes: object) =>
  inTransaction((pk) => ({ Put: { TableName, Item: { ...keyAt(pk), ...attributes } } }));

/** Every kind of call, by the method that sends it, with an access that allows it. */
const calls: Record<string, { access: Reach['access']; call: Call; ownPk?: string }> = {
  get: { access: 'get', call: (table, pk) => table.get(keyAt(pk)) },
  snapshot: { access: 'get', call: (table, pk) => table.snapshot([ownKey, keyAt(pk)]) },
  settledSnapshot: { access: 'get', call: (table, pk) => table.settledSnapshot([ownKey, keyAt(pk)]) },
  settledMany: { access: 'get', call: (table, pk) => table.settledMany([ownKey, keyAt(pk)]) },
  getMany: {
    access: ['GetItem', 'Query', 'Query list', 'BatchGetItem'],
    call: (table, pk) => table.getMany([ownKey, keyAt(pk)]),
  },
  partition: { access: 'readPage', call: (table, pk) => table.partition(pk) },
  newestFirst: {
    access: 'readPage',
    call: (table, pk) =>
      table.newestFirst({ pkName: 'pk', pk, skName: 'sk' }, { from: '9' }, { limit: 1, pkOfItems: own }),
  },
  'newestFirst of an index': { access: ['GetItem', 'Query list'], call: newest('gsi5') },
  between: {
    access: 'readPage',
    call: (table, pk) =>
      table.between({ pkName: 'pk', pk, skName: 'sk' }, { from: '1', to: '9' }, { pkOfItems: own }),
  },
  'between of an index': {
    access: ['GetItem', 'Query', 'Query list', 'Query search'],
    call: prefixed('gsi6'),
  },
  'transact: Put': { access: 'put', call: put({}) },
  'transact: Update': {
    access: 'putAndUpdate',
    call: inTransaction((pk) => ({ Update: { TableName, Key: keyAt(pk), UpdateExpression: 'SET a = b' } })),
  },
  'transact: Delete': {
    access: ['GetItem', 'PutItem', 'DeleteItem'],
    call: inTransaction((pk) => ({ Delete: { TableName, Key: keyAt(pk) } })),
  },
  'transact: ConditionCheck': {
    access: operator.access,
    call: inTransaction((pk) => ({
      ConditionCheck: { TableName, Key: keyAt(pk), ConditionExpression: 'attribute_exists(pk)' },
    })),
  },
  'queueCounterAt: take': {
    access: 'put',
    call: (table, pk) => table.queueCounterAt(keyAt(pk)).take(1, 1),
    ownPk: `ORG#${ours}#TURN`,
  },
  'queueCounterAt: giveUp': {
    access: 'put',
    call: (table, pk) => table.queueCounterAt(keyAt(pk)).giveUp(1),
    ownPk: `ORG#${ours}#TURN`,
  },
  update: {
    access: sendWebhooksWorker.access,
    call: (table, pk) => table.update(keyAt(pk), { set: { after: 1 } }),
    ownPk: `ORG#${ours}#CURSOR`,
  },
  delete: {
    access: sendWebhooksWorker.access,
    call: (table, pk) => table.delete(keyAt(pk)),
    ownPk: `ORG#${ours}#CURSOR`,
  },
  'queueCounterAt: read': {
    access: 'put',
    call: (table, pk) => table.queueCounterAt(keyAt(pk)).read(),
  },
};

const keysUpTo: Call = async (table, pk) => {
  for await (const page of table.keysUpTo({ index: dueIndex, ...keyNamesOf(dueIndex), pk }, '9'))
    expect(page).toEqual([]);
};

test('the table below has every method of the client', () => {
  const methods = Object.getOwnPropertyNames(TableClient.prototype).filter((name) => name !== 'constructor');
  const tried = Object.keys(calls).map((name) => /^\w+/.exec(name)![0]);
  expect([...new Set(tried), 'keysUpTo'].sort()).toEqual(methods.sort());
});

describe.each(Object.entries(calls))('%s', (_, { access, call, ownPk = own }) => {
  test('is sent with a key of the own organization', async () => {
    expect(await attempt((table) => call(table, ownPk), { access }, ours)).toEqual({
      sent: 1,
      refusal: undefined,
    });
  });

  test.each([
    [`ORG#${theirs}#LEAD`, 'ORG#'],
    [`ORG#${theirs}`, 'ORG#'],
    [`ORG#${theirs}#TURN`, 'ORG#'],
    [`ORG#${theirs}#CURSOR`, 'ORG#'],
    [`ORG#${theirs}#ANSWER#000000000001`, 'ORG#'],
    ['ORG#', 'ORG#'],
    ['DUE#resolve-sending#1', 'DUE#'],
    ['ann@example.com', 'a key of no known kind'],
  ])('is not sent with %s', async (pk, kind) => {
    const { sent, refusal } = await attempt((table) => call(table, pk), { access }, ours);
    expect(sent).toBe(0);
    expect(refusal).toMatch(new RegExp(`^A \\w+Command in ${ours} was not sent: it may not reach ${kind}$`));
  });
});

describe('a lock allows what the access says', () => {
  const callOf = (name: string) => calls[name]!.call;
  const [getOther, deleteOther] = [callOf('get'), callOf('transact: Delete')];
  const [snapshot, update] = [callOf('snapshot'), callOf('update')];
  const [ofOurs, ofTheirs] = [put({ organization: ours }), put({ organization: theirs })];
  const theirIndex = put({ gsi2pk: `ORG#${theirs}#LEAD#2` });
  const [readsOne, puts]: [Reach, Reach] = [{ access: 'get' }, { access: 'put' }];
  const issuer: Reach = { access: ['GetItem', 'PutItem', 'PutItem grant'] };
  const deletes: Reach = { access: ['GetItem', 'PutItem', 'DeleteItem'] };
  const lists: Reach = { access: ['GetItem', 'Query list'] };
  const listsAndWrites: Reach = { access: ['GetItem', 'Query list', 'PutItem', 'UpdateItem', 'DeleteItem'] };
  const worker: Reach = { access: ['GetItem', 'Query due', 'PutItem'], worker: 'a' };
  const texts: Reach = { access: receiveTextsWorker.access };
  const sender: Reach = { access: sendWebhooksWorker.access };
  const eraser: Reach = { access: eraseLeadEndpoint.access };

  test.each<[string, number, Reach, Call, string, OrganizationCode?]>([
    ['a token to the authorizer', 1, { access: ['GetItem grant'] }, getOther, 'TOKEN#a'],
    ['a phone number to the worker', 1, texts, getOther, 'NUMBER#+61'],
    ['what is due to its worker', 1, worker, keysUpTo, 'DUE#a#1'],
    ['the first call of a process', 1, readsOne, getOther, 'NOWHERE'],
    ['grants to who issues them', 1, issuer, ofOurs, 'TOKEN#a', ours],
    ['grants to the operator', 1, operator, ofOurs, 'TOKEN#a', ours],
    ['phone numbers to the operator', 1, operator, deleteOther, 'NUMBER#+61', ours],
    ['a number to the operator, in a transaction that reads', 1, operator, snapshot, 'NUMBER#+61', ours],
    ['no token to others', 0, readsOne, getOther, 'TOKEN#a', ours],
    ['no phone number to others', 0, readsOne, getOther, 'NUMBER#+61', ours],
    ['nothing that is due for another', 0, worker, keysUpTo, 'DUE#b#1'],
    ['no record to who has no organization', 0, texts, getOther, own],
    ['no grant to a write of others', 0, deletes, deleteOther, 'TOKEN#a', ours],
    ["no other organization's grant", 0, operator, ofTheirs, 'TOKEN#a', ours],
    [
      'no grant in an index',
      0,
      issuer,
      put({ organization: ours, gsi2pk: `ORG#${ours}#LEAD#2` }),
      'TOKEN#a',
      ours,
    ],
    ["no place in another's index", 0, puts, theirIndex, own, ours],
    ['no action of another access', 0, puts, deleteOther, own, ours],
    ['no index of another access', 0, lists, prefixed('gsi6'), own, ours],
    ['no table to who reads lists', 0, lists, callOf('partition'), own, ours],
    ['no write outside a transaction', 0, listsAndWrites, callOf('queueCounterAt: take'), own, ours],
    ['no phone number to others in a transaction that reads', 0, texts, snapshot, 'NUMBER#+61', ours],
    ['deliveries to the sender', 1, sender, update, deliveries, ours],
    ['no record to the sender but in a transaction', 0, sender, update, own, ours],
    ['no delivery to delete', 0, sender, callOf('delete'), deliveries, ours],
    ['no delivery to who erases', 0, eraser, update, deliveries, ours],
    ['no delivery to write for others', 0, puts, update, deliveries, ours],
    ['no write without an organization', 0, issuer, put({}), 'TOKEN#a'],
  ])('%s: %i', async (_, sent, reach, call, pk, organization) => {
    expect(await attempt((table) => call(table, pk), reach, organization)).toMatchObject({ sent });
  });

  const query = (KeyConditionExpression: string, IndexName?: string) =>
    new QueryCommand({
      TableName,
      KeyConditionExpression,
      ...(IndexName && { IndexName }),
      ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
      ExpressionAttributeValues: { ':pk': { S: own } },
    });
  test.each<[string, object]>([
    ['another kind of GetItem', new GetItemCommand({ TableName, Key: { pk: { S: own }, sk: { S: 'KEY' } } })],
    ['a scan', new ScanCommand({ TableName })],
    ['a query by a plain name', query('pk = :pk')],
    ['a query by another value', query('#pk = :a')],
    ['a query by a longer name of a value', query('#pk = :pkey')],
    ['a query by two keys', query('#sk = :sk AND #pk = :pk')],
    ['a query whose index has another key', query('#pk = :pk', 'gsi1')],
  ])('nothing that it does not know: %s', (_, command) => {
    expect(() => new Lock(operator, ours).pass(command)).toThrow(/was not sent/);
  });
});

test.each<[string, string, OrganizationCode, (ledger: Ledger) => Promise<Lead>]>([
  [
    'a record of another organization',
    'GetItemCommand',
    theirs,
    (ledger) => getLead(ledger, `lead_${theirs}00000001`),
  ],
  [
    'a list, which its access does not name',
    'QueryCommand',
    ours,
    async (ledger) => (await listLeads(ledger, { page: 1, limit: 1, status: 'won' })).items[0]!,
  ],
])(
  'an endpoint that asks for %s answers 500, and logs only the kind of key',
  async (_, command, code, ask) => {
    const { client, sent } = answering();
    const { answer, line } = await served(getLeadEndpoint, async ({ principal }) => {
      const ledger = openStore(client, TableName, realSystem).ledgerOf(principal);
      principal.organization = code;
      return ok({ lead: await ask(ledger) });
    })();
    expect(sent).not.toContain(command);
    expect(JSON.parse(answer.body)).toMatchObject({ success: false, error: { status: 500 } });
    const message = expect.stringMatching(
      /^A \w+ in 6H8EV880 was not sent: it may not reach ORG#$/,
    ) as string;
    expect(line).toMatchObject({ status: 500, error: { message } });
    expect(JSON.stringify([answer, line])).not.toContain(theirs);
  },
);
