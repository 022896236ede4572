import {
  DeleteItemCommand,
  PutItemCommand,
  ScanCommand,
  type AttributeValue,
} from '@aws-sdk/client-dynamodb';
import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { clientOf } from '../../../infra/local/engine.ts';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import { storeInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import { createLead, deleteLead } from '../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import { newConsumedCapacity } from '../../../shared/ledger/internal/consumed-capacity.ts';
import { addNumber } from '../../../shared/domain/numbers/numbers.ts';
import { optOut } from '../../../shared/domain/opt-outs/opt-outs.ts';
import { createOrganization } from '../../../shared/domain/organizations/found-organization.ts';
import { updateOrganization } from '../../../shared/domain/organizations/organizations.ts';
import { createProduct } from '../../../shared/domain/products/products.ts';
import { faults } from '../../support/store/faults.ts';
import { faultyStore, inOrder } from '../../support/store/faulty-store.ts';
import { engine, newPlainTable, newStore } from '../../support/test-organization.ts';

/**
 * Items, by their keys, as DynamoDB has them. Stored data depends on every name, width and size here: a change of one
 * of them has to change `storageFormat` too.
 */
let token: string;
let stored: Map<string, Record<string, AttributeValue>>;

beforeAll(async () => {
  const tableName = await newPlainTable();
  let now = Date.parse('2026-11-02T13:00:00.000Z');
  const sleep = (milliseconds: number) => Promise.resolve(void (now += milliseconds));
  const keyBytes = (size: number) => new Uint8Array(size).fill(7);
  const system = { now: () => now, sleep, random: () => 0.5, randomBytes: keyBytes };
  const store = newStore(system, tableName);
  const limits = () => ({ deadline: system.now() + 60_000, capacity: newConsumedCapacity() });
  const { random, randomBytes } = seededRandom(5);
  const owner = { firstName: 'Tess', lastName: 'Owner', email: 'tess@example.com' };
  const input = { name: 'Test', mode: 'test', scopes: ['read'] } as const;
  const founded = await createOrganization(
    store,
    limits(),
    { name: 'Test', country: 'AU', owner, token: input },
    { random, randomBytes },
  );
  token = founded.token;
  const sent = { tokenId: 1, requestId: '5c0f3d0e-6f0c-4b9e-8a51-2f6d6f0b7c11' };
  const principal = { organization: founded.code, userId: founded.ownerId, ...sent };
  const ledgerOf = () => store.ledgerOf({ ...principal, ...limits() });
  const { id } = await createLead(ledgerOf(), {
    name: 'Ann Lee',
    email: 'Ann@Example.com',
    phone: '0491 570 156',
  });
  // A message that is on its way is due for a worker.
  const message = { direction: 'OUTBOUND', text: 'Hi', status: 'SENDING', userId: founded.ownerId } as const;
  await storeInquiry(ledgerOf(), id, { source: 'SMS', summary: 'Hi', data: { messages: [message] } });
  const form = { formName: 'Contact', fields: { topic: 'Gutters' }, submittedAt: '2026-11-02T12:59:00.000Z' };
  await storeInquiry(ledgerOf(), id, {
    source: 'WEBFORM',
    summary: 'Contact form',
    tag: 'Gas',
    externalId: 'form-1',
    data: form,
  });
  await createProduct(ledgerOf(), { name: 'J̌ack', tradeCategoryId: 2, pricingType: 'NONE' });

  await addNumber(ledgerOf(), { number: '+61480000100', arn: 'arn:1' });
  await ledgerOf().write({}, async (write) => {
    await optOut(write, '+61491570158');
    write.event({ event: 'NUMBER_OPTED_OUT', data: 'A number opted out', referenceId: '1' });
  });

  // As if there had been as many leads as a bucket has numbers.
  const client = clientOf(engine);
  const key = { pk: { S: `ORG#${founded.code}` }, sk: { S: 'HEAD' } };
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }));
  const head = Items.find(({ sk }) => sk?.S === 'HEAD')!;
  head['lists']!.M!['L'] = { S: '35R' };
  await client.send(new DeleteItemCommand({ TableName: tableName, Key: key }));
  await client.send(new PutItemCommand({ TableName: tableName, Item: head }));
  const ids: string[] = [];
  for (const name of ['A', 'B', 'C']) ids.push((await createLead(ledgerOf(), { name })).id);
  // Something is left of a lead that has an inquiry.
  await storeInquiry(ledgerOf(), ids[0]!, { source: 'WEBFORM', summary: '', data: form });
  await deleteLead(ledgerOf(), ids[0]!);
  await deleteLead(ledgerOf(), ids[1]!);
  await updateLead(ledgerOf(), id, { status: 'won' });
  await updateOrganization(ledgerOf(), { timeZone: 'Asia/Tokyo' });
  // One writer that meets another.
  const meeting = faultyStore(
    inOrder('TransactWriteItemsCommand', { before: faults.conflict }),
    system,
    undefined,
    tableName,
  );
  await deleteLead(meeting.store.ledgerOf({ ...principal, ...limits() }), ids[2]!);
  const all = await client.send(new ScanCommand({ TableName: tableName }));
  stored = new Map((all.Items ?? []).map(({ pk, sk, ...item }) => [`${pk!.S} ${sk!.S}`, item]));
  client.destroy();
});

const expected = {
  'ORG#P2AHDB00 HEAD': {
    configuration: { N: '16' },
    country: { S: 'AU' },
    epoch: { S: '777777' },
    form: { N: '4' },
    hashKey: { S: 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=' },
    lists: {
      M: {
        G: { S: '2' },
        I: { S: '3' },
        'I#1#SMS': { S: '1' },
        'I#1#WEBFORM': { S: '2' },
        'I#4#unread': { S: '3' },
        L: { S: '35U-3~Bw' },
        M: { S: '1' },
        X: { S: '1' },
        O: { S: '1' },
        Z: { S: '1' },
        D: { S: '1' },
        P: { S: '1' },
        H: { S: '1' },
        Q: { S: '1' },
        W: { S: '2' },
      },
    },
    queue: { M: { pace: { N: '0.8' }, served: { N: '1' }, waiting: { N: '4' } } },
    revisions: { M: { PIPELINE: { N: '17' } } },
    version: { N: '17' },
  },
  'ORG#P2AHDB00#EVENT 000000000015': {
    createdAt: { S: '2026-11-02T13:00:00.000Z' },
    data: { S: 'Status changed from pending to won' },
    event: { S: 'LEAD_STATUS_CHANGED' },
    fields: { L: [{ S: 'status' }] },
    gsi1pk: { S: 'ORG#P2AHDB00#LEAD#000000000001#EVENT#1' },
    gsi1sk: { N: '4' },
    id: { N: '15' },
    referenceId: { S: 'lead_P2AHDB0000000001' },
    requestId: { S: '5c0f3d0e-6f0c-4b9e-8a51-2f6d6f0b7c11' },
    revision: { N: '15' },
    tokenId: { N: '1' },
    touched: { S: 'LEAD#1 PIPELINE#1' },
    userId: { S: 'user_P2AHDB0000000001' },
    values: { M: { from: { S: 'pending' }, to: { S: 'won' } } },
  },
  'ORG#P2AHDB00#INQUIRY 000000000002': {
    createdAt: { S: '2026-11-02T13:00:00.000Z' },
    externalId: { S: 'form-1' },
    givenPhone: { S: '' },
    gsi1pk: { S: 'ORG#P2AHDB00#INQUIRY#1#WEBFORM' },
    gsi1sk: { N: '1' },
    gsi2pk: { S: 'ORG#P2AHDB00#LEAD#000000000001#INQUIRY#2' },
    gsi2sk: { N: '2' },
    gsi3pk: { S: 'ORG#P2AHDB00#LEAD#000000000001#INQUIRY#3#WEBFORM' },
    gsi3sk: { N: '1' },
    gsi4pk: { S: 'ORG#P2AHDB00#INQUIRY#4#unread' },
    gsi4sk: { N: '2' },
    gsi5pk: { S: 'ORG#P2AHDB00#INQUIRY#5#Gas' },
    gsi5sk: { N: '1' },
    id: { S: 'inquiry_P2AHDB0000000002' },
    isFirstInquiry: { BOOL: false },
    isFlagged: { BOOL: false },
    isRead: { BOOL: false },
    leadId: { S: 'lead_P2AHDB0000000001' },
    revision: { N: '5' },
    source: { S: 'WEBFORM' },
    sourceId: { S: 'webform_P2AHDB0000000001' },
    summary: { S: 'Contact form' },
    tag: { S: 'Gas' },
    updatedAt: { S: '2026-11-02T13:00:00.000Z' },
  },
  'ORG#P2AHDB00#INQUIRY#5#Gas#LIST STATE': {
    state: { S: '1' },
  },
  'ORG#P2AHDB00#LEAD 000000000001': {
    address: {
      M: {
        line1: { S: '' },
        line2: { S: '' },
        state: { S: '' },
        postcode: { S: '' },
        country: { S: '' },
        access: { S: '' },
      },
    },
    businessName: { S: '' },
    createdAt: { S: '2026-11-02T13:00:00.000Z' },
    email: { S: 'Ann@Example.com' },
    externalId: { S: '' },
    firstName: { S: 'Ann' },
    flaggedInquiries: { N: '0' },
    gsi1pk: { S: 'ORG#P2AHDB00#PIPELINE#000000000001#LEAD#1#won' },
    gsi1sk: { N: '1' },
    hasFlaggedInquiry: { BOOL: false },
    id: { S: 'lead_P2AHDB0000000001' },
    isOptedOut: { BOOL: false },
    lastInquiryDate: { S: '2026-11-02T13:00:00.000Z' },
    lastInquiryId: { S: 'inquiry_P2AHDB0000000002' },
    newestThreadId: { N: '1' },
    lastName: { S: 'Lee' },
    lists: {
      M: {
        'V#1': { S: '4' },
        'I#2': { S: '2' },
        'I#3#SMS': { S: '1' },
        'I#3#WEBFORM': { S: '1' },
      },
    },
    phone: { S: '+61491570156' },
    read: { BOOL: false },
    revision: { N: '15' },
    socials: { M: {} },
    status: { S: 'won' },
    suburb: { S: '' },
    unreadCalls: { N: '0' },
    unreadChatbotThreads: { N: '0' },
    unreadEmails: { N: '0' },
    unreadSMS: { N: '1' },
    unreadWebformSubmissions: { N: '1' },
    updatedAt: { S: '2026-11-02T13:00:00.000Z' },
  },
  'ORG#P2AHDB00#LEAD#000000004096#LIST STATE': {
    lists: { M: { 'I#2': { S: '1' }, 'I#3#WEBFORM': { S: '1' } } },
    revision: { N: '13' },
  },
  'ORG#P2AHDB00#LEAD#LIST 000000000000': {
    26: { N: '549755813888' },
  },
  'ORG#P2AHDB00#LEAD#LIST 000000000001': {
    0: { N: '3' },
  },
  'ORG#P2AHDB00#LEAD#LIST COUNTS': {
    0: { N: '16385' },
    left: { N: '3' },
  },
  'ORG#P2AHDB00#PIPELINE 000000000001': {
    days: { S: '4,,,,1' },
    id: { N: '1' },
    lists: { M: { 'L#1#pending': { S: '4-4~Dw' }, 'L#1#won': { S: '1' } } },
    // In Tokyo it was morning.
    newest: { S: '2026-11-03' },
    revision: { N: '17' },
    timeZone: { S: 'Asia/Tokyo' },
  },
  'ORG#P2AHDB00#PIPELINE#000000000001#LEAD#1#pending#LIST 000000000000': {
    0: { N: '15' },
  },
  'ORG#P2AHDB00#PRODUCT#1#active#LIST STATE': {
    state: { S: '1' },
  },
  'ORG#P2AHDB00#TURN TURN': { taken: { N: '1' } },
  'ORG#P2AHDB00#UNIQUE LEAD.email#ann@example.com': {
    id: { S: 'lead_P2AHDB0000000001' },
  },
  'ORG#P2AHDB00#UNIQUE LEAD.word#ann lee 000000000001': { id: { S: 'lead_P2AHDB0000000001' } },
  'ORG#P2AHDB00#UNIQUE LEAD.word#lee ann 000000000001': { id: { S: 'lead_P2AHDB0000000001' } },
  'ORG#P2AHDB00#UNIQUE LEAD.phoneEnd#65107519416 000000000001': { id: { S: 'lead_P2AHDB0000000001' } },
  'ORG#P2AHDB00#UNIQUE PRODUCT.name#000000000002#ǰack': {
    id: { N: '1' },
  },
  'NUMBER#+61480000100 NUMBER': {
    organization: { S: 'P2AHDB00' },
  },
  'TOKEN#c8c2e4019bb3c717886eba7962dd63b5ee0ceff49fde0ab89ef359660dd8f2e9 TOKEN': {
    expiresAt: { NULL: true },
    organization: { S: 'P2AHDB00' },
    scopes: { L: [{ S: 'read' }] },
    sites: { L: [] },
    tokenId: { N: '1' },
    userId: { S: 'user_P2AHDB0000000001' },
  },
};

test.each(Object.entries(expected))('%s', (name, item) => {
  expect(stored.get(name)).toEqual(item);
});

test('there are no items of other kinds', () => {
  const others = [...stored.keys()].filter((name) => !(name in expected));
  const kinds = others.map((name) => /^ORG#P2AHDB00#(\w+) [^ ]+$/.exec(name)?.[1] ?? name);
  const known = ['CATEGORY', 'EVENT', 'INQUIRY', 'MEMBER', 'MESSAGE', 'OPTOUT', 'ORGANIZATION', 'PRODUCT'];
  expect([...new Set(kinds)].sort()).toEqual([...known, 'THREAD', 'TOKEN', 'UNIQUE', 'WEBFORM']);
});

test('a grant is found by the hash of its token', () => {
  expect(token).toMatch(/^sk_test_BuZLRytjwD3j3vEhB7z24Hr7Vw0KV\w{7}$/);
  const hash = createHash('sha256').update(token).digest('hex');
  expect(stored.has(`TOKEN#${hash} TOKEN`)).toBe(true);
});
