import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { collections } from '../../../infra/admin/verify/collections.ts';
import type { FindingKind } from '../../../infra/admin/verify/finding.ts';
import { verifyOrganization } from '../../../infra/admin/verify/verify-organization.ts';
import { verifyTable } from '../../../infra/admin/verify/verify-table.ts';
import { takeFolder, type DataFolder } from '../../../infra/local/data-folder.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import { addNote } from '../../../shared/domain/companies/companies.ts';
import { createFaq } from '../../../shared/domain/faqs/faqs.ts';
import { createLead, deleteLead } from '../../../shared/domain/leads/leads.ts';
import { grantKey, headKey, recordKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { inviteMember } from '../../../shared/domain/members/members.ts';
import { createProduct, updateProduct } from '../../../shared/domain/products/products.ts';
import { hashToken } from '../../../shared/domain/tokens/token.ts';
import { revokeToken, rotateToken } from '../../../shared/domain/tokens/tokens.ts';
import { admin } from '../../support/admin.ts';
import { fill, type Records } from '../../support/every-operation.ts';
import { engine, newOrganization, newPlainTable, type TestOrganization } from '../../support/world.ts';

type Attributes = Record<string, unknown>;

const client = clientOf(engine);
const documents = DynamoDBDocumentClient.from(client);
let tableName: string;
beforeAll(async () => {
  tableName = await newPlainTable();
});
afterAll(() => {
  client.destroy();
});

let organization: TestOrganization;
let records: Records;
let hashes: string[];
/** An organization with a record of every kind, leads that were deleted, and tokens in every state. */
beforeEach(async () => {
  organization = await newOrganization('AU', tableName);
  const { ledger } = organization.openLedger();
  records = await fill(ledger);
  for (const name of ['Bo', 'Cy', 'Di']) {
    const { id } = await createLead(ledger, { name, email: `${name}@example.com` });
    if (name !== 'Di') await deleteLead(ledger, id);
  }
  await createFaq(ledger, { question: 'Open today?', answer: 'Yes' });
  await inviteMember(ledger, { email: 'new@example.com' });
  await addNote(ledger, records.companyId, { value: 'Shut on Sundays', userId: records.userId });
  const ended = await organization.issueToken({ expiresAt: '2020-01-01T00:00:00.000Z' });
  const rotated = await organization.issueToken({});
  hashes = [organization.token, ended, rotated].map(hashToken);
  await rotateToken(ledger, 3, { overlap: 3_600_000 }, randomBytes);
  await rotateToken(ledger, 4, { overlap: 0 }, randomBytes);
  await revokeToken(ledger, 5);
});

const access = () => ({ client, tableName, system: realSystem });
const verify = () => verifyOrganization(access(), organization.code);

/** What is found, each as its kind and where it is. */
async function found(): Promise<[FindingKind, string][]> {
  const { findings } = await verify();
  for (const { sentence } of findings) {
    expect(sentence).toMatch(/^\S.*\.$/);
    expect(sentence).not.toMatch(/@|\bann\b|example|Corner/i);
  }
  return findings.map(({ kind, where }) => [kind, where]);
}

const at = (collection: string, number: number): Key => recordKey(organization.code, collection, number);
const inOrganization = (suffix: string, sk: string): Key => ({
  pk: `ORG#${organization.code}#${suffix}`,
  sk,
});
const head = (): Key => headKey(organization.code);
const idAt = (prefix: string, number: number) =>
  `${prefix}_${organization.code}${String(number).padStart(8, '0')}`;

async function get(Key: Key): Promise<Attributes> {
  const { Item } = await documents.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true }));
  return Item!;
}
const put = (Item: Attributes) => documents.send(new PutCommand({ TableName: tableName, Item }));
const remove = (Key: Key) => documents.send(new DeleteCommand({ TableName: tableName, Key }));
/** Writes an item past the ledger. */
async function edit(key: Key, change: (item: Attributes) => Attributes): Promise<void> {
  await put(change(await get(key)));
}
const renumber = (name: string, change: (numbering: Attributes) => Attributes) =>
  edit(head(), ({ collections: all, ...rest }) => {
    const numberings = all as Record<string, Attributes>;
    return { ...rest, collections: { ...numberings, [name]: change(numberings[name]!) } };
  });
/** The numbers of the events of this kind. */
async function eventsOf(event: string): Promise<number[]> {
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: 'pk = :pk',
      FilterExpression: '#event = :event',
      ExpressionAttributeNames: { '#event': 'event' },
      ExpressionAttributeValues: { ':pk': at('EVENT', 1).pk, ':event': event },
    }),
  );
  return Items.map(({ id }) => id as number);
}

describe('an organization with a record of every kind', () => {
  test('is whole, and so is one that was just founded', async () => {
    const { findings, counts, version, name, items } = await verify();
    expect(findings).toEqual([]);
    expect({ name, version }).toEqual({ name: 'Test', version: counts['EVENT'] });
    expect(counts).toMatchObject({ LEAD: 2, INQUIRY: 5, NOTE: 2, TOKEN: 5, MEMBER: 1, PRODUCT: 1 });
    expect(items).toBeGreaterThan(50);
    const other = await newOrganization('NZ', tableName);
    expect((await verifyOrganization(access(), other.code)).findings).toEqual([]);
  });

  test('has one of every collection', async () => {
    const { counts } = await verify();
    expect(collections.map(({ name }) => name).filter((name) => !counts[name])).toEqual([]);
  });

  test('may have collections, attributes and holes by the hundred that are right', async () => {
    const { ledger } = organization.openLedger();
    const ids: string[] = [];
    for (let count = 0; count < 140; count++) ids.push((await createLead(ledger, { name: `L${count}` })).id);
    for (const id of ids.filter((_, index) => index % 3 > 0)) await deleteLead(ledger, id);
    await edit(at('FAQ', 1), (faq) => ({ ...faq, ofALaterVersion: true }));
    expect(await found()).toEqual([]);
  });
});

type Damage = [name: string, damage: () => Promise<unknown>, expected: () => [FindingKind, string][]];

const unique = (kind: string, value: string) => inOrganization('UNIQUE', `${kind}#${value}`);

const damages: Damage[] = [
  [
    'an event is gone',
    async () => remove(at('EVENT', (await eventsOf('COMPANY_CREATED'))[0]!)),
    () => [['event-missing', expect.stringMatching(/^event \d+$/) as string]],
  ],
  [
    'an event of a lead is gone, and its list has a gap',
    async () => remove(at('EVENT', (await eventsOf('INQUIRY_CREATED'))[0]!)),
    () => [
      ['event-missing', expect.stringMatching(/^event \d+$/) as string],
      ['rank-missing', `the list EVENT of ${records.leadId} (view1)`],
    ],
  ],
  [
    'an event is beyond the version',
    async () => {
      const { version } = await get(head());
      const id = (version as number) + 1;
      await edit(at('EVENT', version as number), (event) => ({
        ...event,
        ...at('EVENT', id),
        id,
        revision: id,
      }));
    },
    () => [['event-beyond', expect.stringMatching(/^event \d+$/) as string]],
  ],
  [
    'an event has the revision of another write',
    async () => {
      const [number] = await eventsOf('COMPANY_CREATED');
      await edit(at('EVENT', number!), (event) => ({ ...event, revision: number! + 3 }));
    },
    () => [['event-order', expect.stringMatching(/^event \d+$/) as string]],
  ],
  ['a record is gone', () => remove(at('POLICY', 1)), () => [['record-missing', 'policy 1']]],
  [
    'a record is beyond the last number',
    async () => edit(at('POLICY', 1), (policy) => ({ ...policy, ...at('POLICY', 2), id: 2 })),
    () => [['record-beyond', 'policy 2']],
  ],
  [
    'a record is far beyond the last number',
    async () =>
      edit(at('POLICY', 1), (policy) => ({
        ...policy,
        ...at('POLICY', 999_999_999_999),
        id: 999_999_999_999,
      })),
    () => [['record-beyond', 'policy 999999999999']],
  ],
  [
    'an offset is not among the holes',
    () =>
      edit(inOrganization('LEAD#DELETED', '000000000000'), (item) => ({ ...item, offsets: new Set([1]) })),
    () => [
      ['record-missing', idAt('lead', 3)],
      ['hole-count', `ORG#${organization.code}#LEAD#DELETED 000000000000`],
      ['hole-window', `ORG#${organization.code} HEAD`],
    ],
  ],
  [
    'a deleted record is back',
    async () => {
      const lead = await get(at('LEAD', 4));
      const lists = { activityCount: 0, inquiryCounts: {}, lastInquiryId: null };
      await put({ ...lead, ...at('LEAD', 2), id: idAt('lead', 2), email: '', ...lists });
    },
    () => [
      ['record-and-hole', idAt('lead', 2)],
      ['rank-beyond', expect.stringMatching(/^event/) as string],
    ],
  ],
  [
    'a hole is beyond the last number',
    async () => {
      await put({ ...inOrganization('POLICY#DELETED', '000000000000'), offsets: new Set([7]) });
      await renumber('POLICY', (numbering) => ({ ...numbering, deleted: [1] }));
    },
    () => [['hole-beyond', 'policy 8']],
  ],
  [
    'the count of deleted numbers is off',
    () => renumber('LEAD', (numbering) => ({ ...numbering, deleted: [1] })),
    () => [['hole-count', `ORG#${organization.code}#LEAD#DELETED 000000000000`]],
  ],
  [
    'the window of the newest is off',
    () => renumber('LEAD', (numbering) => ({ ...numbering, newest: '5' })),
    () => [['hole-window', `ORG#${organization.code} HEAD`]],
  ],
  [
    'the window is gone',
    () => renumber('LEAD', ({ newest, ...numbering }) => numbering),
    () => [['hole-window', `ORG#${organization.code} HEAD`]],
  ],
  [
    'a bucket cannot be read',
    () => put({ ...inOrganization('POLICY#DELETED', '000000000001'), offsets: new Set([4096]) }),
    () => [['hole-malformed', `ORG#${organization.code}#POLICY#DELETED 000000000001`]],
  ],
  [
    'a unique value is not held',
    () => remove(unique('LEAD.email', 'ann@example.com')),
    () => [['unique-missing', idAt('lead', 1)]],
  ],
  [
    'a unique value is held for nobody',
    () => put({ ...unique('LEAD.email', 'eve@example.com'), id: idAt('lead', 2) }),
    () => [['unique-of-nobody', `LEAD.email of ${idAt('lead', 2)}`]],
  ],
  [
    'a unique value is held for something else',
    () => put({ ...unique('TRANSFER.label', 'x'), id: 'one' }),
    () => [['unique-of-nobody', 'TRANSFER.label']],
  ],
  [
    'a unique value is held for another',
    () => put({ ...unique('LEAD.email', 'ann@example.com'), id: idAt('lead', 4) }),
    () => [['unique-other-holder', idAt('lead', 1)]],
  ],
  [
    'a record has another email address than it holds',
    () => edit(at('LEAD', 1), (lead) => ({ ...lead, email: 'ada@example.com' })),
    () => [
      ['unique-missing', idAt('lead', 1)],
      ['unique-of-nobody', `LEAD.email of ${idAt('lead', 1)}`],
    ],
  ],
  [
    'a product is in another category than its name is held in',
    () => edit(at('PRODUCT', 1), (product) => ({ ...product, tradeCategoryId: 1 })),
    () => [
      ['unique-missing', 'product 1'],
      ['unique-of-nobody', 'PRODUCT.name of product 1'],
    ],
  ],
  [
    'a revision is newer than the head',
    () => edit(at('POLICY', 1), (policy) => ({ ...policy, revision: 1000 })),
    () => [['revision-ahead', 'policy 1']],
  ],
  [
    'a revision is that of no last event',
    // Sending an SMS and founding append several events each.
    () => edit(at('POLICY', 1), (policy) => ({ ...policy, revision: 1 })),
    () => [['revision-without-event', 'policy 1']],
  ],
  [
    'a record has no revision',
    () => edit(at('POLICY', 1), ({ revision, ...policy }) => policy),
    () => [['record-malformed', 'policy 1']],
  ],
  [
    'a record cannot be read',
    () => edit(at('LEAD', 4), (lead) => ({ ...lead, read: 'ann@example.com', socials: { ann: 1 } })),
    () => [
      ['record-malformed', idAt('lead', 4)],
      // Nor can what it has.
      ['unique-of-nobody', `LEAD.email of ${idAt('lead', 4)}`],
    ],
  ],
  [
    'a record has the id of another',
    () => edit(at('POLICY', 1), (policy) => ({ ...policy, id: 2 })),
    () => [['record-id', 'policy 1']],
  ],
  [
    'a member has the id of another user',
    () => edit(at('MEMBER', 1), (member) => ({ ...member, userId: idAt('user', 2) })),
    () => [['record-id', 'member 1']],
  ],
  [
    'a rank is there twice',
    async () => {
      await edit(at('NOTE', 2), (note) => ({ ...note, view1Rank: 1 }));
      await edit(at('COMPANY', 1), (company) => ({ ...company, noteCount: 1 }));
    },
    () => [['rank-doubled', 'note 2']],
  ],
  [
    'a rank is missing',
    async () => {
      await edit(at('NOTE', 2), (note) => ({ ...note, view1Rank: 3 }));
      await edit(at('COMPANY', 1), (company) => ({ ...company, noteCount: 3 }));
    },
    () => [['rank-missing', `the list NOTE of ${records.companyId} (view1)`]],
  ],
  [
    'a record is in no list any more',
    () => edit(at('NOTE', 2), ({ view1, view1Rank, ...note }) => note),
    () => [['rank-missing', `the list NOTE of ${records.companyId} (view1)`]],
  ],
  [
    'an owner counts one too many',
    () => edit(at('COMPANY', 1), (company) => ({ ...company, noteCount: 3 })),
    () => [['rank-missing', `the list NOTE of ${records.companyId} (view1)`]],
  ],
  [
    'an owner counts one too few',
    () => edit(at('COMPANY', 1), (company) => ({ ...company, noteCount: 1 })),
    () => [['rank-beyond', 'note 2']],
  ],
  [
    'an owner counts none',
    () => edit(at('LEAD', 1), (lead) => ({ ...lead, activityCount: 0 })),
    () => [['rank-beyond', expect.stringMatching(/^event/) as string]],
  ],
  [
    'the head counts one inquiry of a source too many',
    () => renumber('INQUIRY#CALL', (numbering) => ({ ...numbering, last: 2 })),
    () => [['rank-missing', 'the list INQUIRY#CALL (view1)']],
  ],
  [
    'the head knows nothing of the inquiries of a source',
    () =>
      edit(head(), ({ collections: all, ...rest }) => {
        const { ['INQUIRY#CALL']: call, ...others } = all as Attributes;
        return { ...rest, collections: others };
      }),
    () => [['list-unknown', idAt('inquiry', 1)]],
  ],
  [
    'a record is in a list of another collection',
    () => edit(at('POLICY', 1), (policy) => ({ ...policy, view1: at('NOTE', 1).pk, view1Rank: 1 })),
    () => [['list-unknown', 'policy 1']],
  ],
  [
    'a record is in a list of another organization',
    () => edit(at('POLICY', 1), (policy) => ({ ...policy, view2: 'ORG#00000000#POLICY#OPEN', view2Rank: 1 })),
    () => [['list-unknown', 'policy 1']],
  ],
  ['a grant is gone', () => remove(grantKey(hashes[0]!)), () => [['grant-missing', 'token 1']]],
  [
    'a revoked token has its grant again',
    async () => {
      const { hash, userId, scopes } = await get(at('TOKEN', 5));
      const grant = { organization: organization.code, tokenId: 5, userId, scopes, expiresAt: null };
      await put({ ...grant, ...grantKey(hash as string) });
    },
    () => [['grant-of-revoked', 'token 5']],
  ],
  [
    'a grant allows more',
    async () => {
      await edit(at('TOKEN', 1), (token) => ({ ...token, scopes: ['read'] }));
    },
    () => [['grant-differs', 'token 1']],
  ],
  [
    'a grant lives longer',
    async () => {
      const [hash] = [(await get(at('TOKEN', 3)))['hash']];
      await edit(grantKey(hash as string), (grant) => ({ ...grant, expiresAt: null }));
    },
    () => [['grant-differs', 'token 3']],
  ],
  [
    'a grant is of another organization',
    () => edit(grantKey(hashes[0]!), (grant) => ({ ...grant, organization: '00000000' })),
    () => [['grant-differs', 'token 1']],
  ],
  [
    'a source of an inquiry was deleted',
    async () => {
      await remove(at('CALL', 1));
      await put({ ...inOrganization('CALL#DELETED', '000000000000'), offsets: new Set([0]) });
      await renumber('CALL', (numbering) => ({ ...numbering, deleted: [1], newest: '1' }));
    },
    () => [['reference-broken', idAt('inquiry', 1)]],
  ],
  [
    'an inquiry names a lead that never was',
    () => edit(at('INQUIRY', 1), (inquiry) => ({ ...inquiry, leadId: idAt('lead', 9) })),
    () => [['reference-broken', idAt('inquiry', 1)]],
  ],
  [
    'a service names no scenario',
    () => edit(at('SERVICE', 1), (service) => ({ ...service, scenarioId: 5 })),
    () => [['reference-broken', 'service 1']],
  ],
  [
    'a token acts for a user of another organization',
    async () => {
      const userId = 'user_0000000000000001';
      await edit(at('TOKEN', 1), (token) => ({ ...token, userId }));
      await edit(grantKey(hashes[0]!), (grant) => ({ ...grant, userId }));
    },
    () => [['reference-broken', 'token 1']],
  ],
  [
    'a foreign item is among the leads',
    () => put({ ...at('LEAD', 1), sk: 'ann@example.com' }),
    () => [['unknown-item', `ORG#${organization.code}#LEAD (not shown)`]],
  ],
  [
    'a foreign item is beside the head',
    () => put({ ...head(), sk: 'BACKUP' }),
    () => [['unknown-item', `ORG#${organization.code} BACKUP`]],
  ],
  [
    'a foreign item is among the unique values',
    () => put({ ...inOrganization('UNIQUE', 'ann@example.com') }),
    () => [['unknown-item', `ORG#${organization.code}#UNIQUE`]],
  ],
  [
    'the counter of turns is behind the head',
    () => edit(head(), (item) => ({ ...item, queue: { served: 3, waiting: 0, pace: 1 } })),
    () => [['turn-behind', `ORG#${organization.code}#TURN TURN`]],
  ],
  [
    'the head is of another form',
    () => edit(head(), ({ form, ...item }) => item),
    () => [['head-form', `ORG#${organization.code} HEAD`]],
  ],
  [
    'the head cannot be read',
    () => edit(head(), (item) => ({ ...item, version: 'ann@example.com' })),
    () => [['head-malformed', `ORG#${organization.code} HEAD`]],
  ],
  ['the head is gone', () => remove(head()), () => [['head-missing', `ORG#${organization.code} HEAD`]]],
  [
    'the head is behind',
    async () => {
      const { version } = await get(head());
      await edit(head(), (item) => ({ ...item, version: (version as number) - 1 }));
      await edit(at('TOKEN', 5), (token) => ({ ...token, revision: (version as number) - 1 }));
    },
    () => [['event-beyond', expect.stringMatching(/^event/) as string]],
  ],
];

describe('damage is found, and nothing else', () => {
  test.each(damages)('%s', async (_, damage, expected) => {
    await damage();
    expect(await found()).toEqual(expected());
  });

  test('a number that the head gave out a trillion times is not waited for', async () => {
    await renumber('POLICY', (numbering) => ({ ...numbering, last: 999_999_999_999 }));
    const kinds = (await verify()).findings.map(({ kind }) => kind);
    expect(kinds).toHaveLength(1001);
    expect(new Set(kinds)).toEqual(new Set(['more', 'record-missing']));
  });
});

/** Writes without pause, as twenty, until it is ended. */
function writers(count = 20): { stored: () => number; end: () => Promise<unknown> } {
  let isOver = false;
  let stored = 0;
  const write = async (writer: number) => {
    const { ledger } = organization.openLedger();
    const product = await createProduct(ledger, {
      name: `P${writer}`,
      tradeCategoryId: 2,
      pricingType: 'NONE',
    });
    const ids: string[] = [];
    for (let turn = 0; !isOver; turn++, stored++) {
      const { ledger: mine } = organization.openLedger();
      const [id] = ids;
      if (turn % 4 === 0) {
        const lead = { name: 'W', email: `w${writer}-${turn}@example.com` };
        ids.push((await createLead(mine, lead)).id);
      } else if (turn % 4 === 1) {
        await addNote(mine, records.companyId, { value: 'N', userId: records.userId });
      } else if (turn % 4 === 2) {
        await updateProduct(mine, product.id, { name: `P${writer}-${turn}` });
      } else if (id !== undefined) {
        await deleteLead(mine, id);
        ids.shift();
      }
    }
  };
  const all = Promise.all(Array.from({ length: count }, (_, writer) => write(writer)));
  return {
    stored: () => stored,
    end: () => {
      isOver = true;
      return all;
    },
  };
}

describe('while twenty writers write without pause', () => {
  test('nothing is found where nothing is wrong', async () => {
    const writing = writers();
    const versions: number[] = [];
    try {
      while (writing.stored() < 200) {
        const { findings, version } = await verify();
        expect(findings).toEqual([]);
        versions.push(version!);
      }
    } finally {
      await writing.end();
    }
    expect(new Set(versions).size).toBeGreaterThan(5);
    expect(await found()).toEqual([]);
  });

  test('damage is found', async () => {
    const writing = writers();
    try {
      await remove(at('POLICY', 1));
      await remove(unique('LEAD.email', 'ann@example.com'));
      await edit(at('LEAD', 1), (lead) => ({ ...lead, activityCount: 100 }));
      await put({ ...head(), sk: 'BACKUP' });
      expect((await found()).sort()).toEqual([
        ['rank-missing', `the list EVENT of ${records.leadId} (view1)`],
        ['record-missing', 'policy 1'],
        ['unique-missing', records.leadId],
        ['unknown-item', `ORG#${organization.code} BACKUP`],
      ]);
    } finally {
      await writing.end();
    }
  });
});

describe('a whole table', () => {
  beforeEach(async () => {
    tableName = await newPlainTable();
    organization = await newOrganization('AU', tableName);
    await newOrganization('NZ', tableName);
  });

  const strays = async () => {
    const { organizations, strays: all } = await verifyTable(access());
    expect(organizations.flatMap(({ findings }) => findings)).toEqual([]);
    return all.map(({ kind, where }) => [kind, where]);
  };

  test('is whole', async () => {
    expect(await strays()).toEqual([]);
    expect((await verifyTable(access())).organizations).toHaveLength(2);
  });

  test('what belongs to no organization is found', async () => {
    await put({ pk: 'ann@example.com', sk: 'X' });
    await put({ pk: `ORG#${organization.code}#OLD`, sk: '000000000001' });
    await put({ pk: 'ORG#00000000#LEAD', sk: '000000000001' });
    await put({ pk: 'ORG#0#LEAD', sk: '000000000001' });
    const grant = { organization: organization.code, tokenId: 1, userId: 'u', scopes: [], expiresAt: null };
    await put({ ...grantKey('0123456789abcdef'), ...grant });
    await put({ ...grantKey('fedcba9876543210'), ...grant, organization: '00000000' });
    await put({ ...grantKey('aaaaaaaaaaaaaaaa') });
    expect((await strays()).sort()).toEqual([
      ['grant-of-nobody', 'TOKEN#01234567…'],
      ['grant-of-nobody', 'TOKEN#aaaaaaaa…'],
      ['grant-of-nobody', 'TOKEN#fedcba98…'],
      ['head-missing', 'ORG#00000000 HEAD'],
      ['unknown-item', '(not shown) X'],
      ['unknown-item', 'ORG#0#LEAD 000000000001'],
      ['unknown-item', `ORG#${organization.code}#OLD 000000000001`],
    ]);
  });
});

describe('the command', () => {
  let data: string;
  let folder: DataFolder;
  beforeAll(() => {
    data = mkdtempSync(join(tmpdir(), 'verify-'));
    folder = takeFolder(data);
  });
  afterAll(() => {
    folder.release();
    rmSync(data, { recursive: true });
  });
  /** As `npm start` would announce that it runs on the table of this test. */
  const announce = () => {
    folder.announce({ ...engine, tableName });
  };
  const local = (...args: string[]) => admin(['organization', 'verify', '--local', '--data', data, ...args]);

  test('says what is whole, what is not, and what is not there', async () => {
    announce();
    const { code } = organization;
    const whole = await local('--organization', code);
    expect(whole).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(
        new RegExp(
          `^Test \\(${code}\\) is whole: 5 inquiries, 1 message, 2 notes, .*2 categories, .*, (\\d+) events at version \\1\\.\n$`,
        ),
      ) as string,
    });
    await remove(at('POLICY', 1));
    expect(await local('--organization', `org_${code}`)).toEqual({
      code: 1,
      stderr: '',
      stdout: `${code}: policy 1 is missing, and is not noted as deleted.\n1 finding\n`,
    });
    await remove(at('FAQ', 1));
    const listed = await local('--organization', code, '--json');
    expect(listed).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(listed.stdout)).toMatchObject({
      findings: 2,
      organizations: [{ organization: code, findings: [{ kind: 'record-missing' }, {}] }],
      strays: [],
    });
    expect(await local('--organization', '00000001')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'There is no organization 00000001 on the local machine: check the code, and that it is from there.\n',
    });
  });

  test('verifies all', async () => {
    tableName = await newPlainTable();
    announce();
    expect(await local('--all')).toEqual({
      code: 0,
      stderr: '',
      stdout: 'There is no organization on the local machine.\n',
    });
    organization = await newOrganization('AU', tableName);
    expect(await local('--all')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ is whole: /) as string,
    });
    await put({ pk: 'X', sk: 'Y' });
    const { code, stdout } = await local('--all');
    expect(code).toBe(1);
    expect(stdout).toMatch(/ is whole: .*\nX Y is no item that the ledger would write\.\n1 finding\n$/);
    expect(JSON.parse((await local('--all', '--json')).stdout)).toMatchObject({ findings: 1, strays: [{}] });
  });

  test('tells data of another form in a sentence', async () => {
    announce();
    await edit(head(), (item) => ({ ...item, form: 1 }));
    const sentence = /^\S+: ORG#\S+ HEAD: The data is stored in form 1, .*\n1 finding\n$/;
    expect(await local('--organization', organization.code)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(sentence) as string,
    });
    const issue = ['token', 'issue', '--local', '--data', data, '--organization', organization.code];
    expect(await admin([...issue, '--name', 'Website'])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The data is stored in form 1, [^\n]*\.\n$/) as string,
    });
  });

  test.each([
    [[], 'Say which organization: --organization CODE, or --all for every one.'],
    [['--all', '--organization', '6H8EV880'], '--organization and --all cannot be combined.'],
  ])('%j is refused in a sentence', async (args, sentence) => {
    for (const more of [[], ['--json']]) {
      expect(await local(...args, ...more)).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` });
    }
  });
});
