import { GetItemCommand, type AttributeValue } from '@aws-sdk/client-dynamodb';
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
import * as v from 'valibot';
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
import type { Collection, Ledger, RecordOf } from '../../../shared/ledger/index.ts';
import { grantKey, headKey, recordKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { inviteMember } from '../../../shared/domain/members/members.ts';
import { createProduct, updateProduct } from '../../../shared/domain/products/products.ts';
import { hashToken } from '../../../shared/domain/tokens/token.ts';
import { revokeToken, rotateToken } from '../../../shared/domain/tokens/tokens.ts';
import { admin } from '../../support/admin.ts';
import { fill, type Records } from '../../support/records.ts';
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
async function found(run = verify): Promise<[FindingKind, string][]> {
  const { findings } = await run();
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
/** Gives a list another state, in the head or in the record that keeps it; none: takes it away. */
const restate = (keeper: Key, list: string, state: string | undefined) =>
  edit(keeper, ({ lists, ...rest }) => {
    const { [list]: _, ...others } = lists as Attributes;
    return { ...rest, lists: { ...others, ...(state !== undefined && { [list]: state }) } };
  });
const notesOf = (list: string, sk: string) => inOrganization(`${list}#LIST`, sk);
const firstBucket = '000000000000';
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
      ['rank-missing', `the list EVENT#1 of ${records.leadId}`],
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
    // Leads 2 and 3 were deleted.
    () => edit(notesOf('LEAD', firstBucket), (item) => ({ ...item, 0: 2 })),
    () => [
      ['record-missing', idAt('lead', 3)],
      ['hole-count', `ORG#${organization.code}#LEAD#LIST 000000000000`],
      ['hole-window', `ORG#${organization.code} HEAD`],
    ],
  ],
  [
    'a deleted record is back',
    async () => {
      const lead = await get(at('LEAD', 4));
      await put({
        ...lead,
        ...at('LEAD', 2),
        id: idAt('lead', 2),
        email: '',
        lists: {},
        lastInquiryId: null,
      });
    },
    () => [
      ['record-and-hole', idAt('lead', 2)],
      ['rank-beyond', expect.stringMatching(/^event/) as string],
    ],
  ],
  [
    'a hole is beyond the last number',
    async () => {
      await put({ ...notesOf('POLICY', firstBucket), 0: 2 ** 7 });
      await restate(head(), 'POLICY', '1-1');
    },
    () => [['hole-beyond', 'policy 8']],
  ],
  [
    'the count of deleted numbers is off',
    () => restate(head(), 'LEAD', '4-1~Bg'),
    () => [['hole-count', `ORG#${organization.code}#LEAD#LIST 000000000000`]],
  ],
  [
    'the window of the newest is off',
    () => restate(head(), 'LEAD', '4-2~BQ'),
    () => [['hole-window', `ORG#${organization.code} HEAD`]],
  ],
  [
    'the window is gone',
    () => restate(head(), 'LEAD', '4-2'),
    () => [['hole-window', `ORG#${organization.code} HEAD`]],
  ],
  [
    'a bucket cannot be read',
    () => put({ ...notesOf('POLICY', '000000000001'), '26': 2 ** 51 }),
    () => [['hole-malformed', `ORG#${organization.code}#POLICY#LIST 000000000001`]],
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
      await edit(at('NOTE', 2), (note) => ({ ...note, gsi1sk: 1 }));
      await restate(at('COMPANY', 1), 'NOTE#1', '1');
    },
    () => [['rank-doubled', 'note 2']],
  ],
  [
    'a rank is missing',
    async () => {
      await edit(at('NOTE', 2), (note) => ({ ...note, gsi1sk: 3 }));
      await restate(at('COMPANY', 1), 'NOTE#1', '3');
    },
    () => [['rank-missing', `the list NOTE#1 of ${records.companyId}`]],
  ],
  [
    'a record is in no list any more',
    () => edit(at('NOTE', 2), ({ gsi1pk, gsi1sk, ...note }) => note),
    () => [
      ['place-wrong', 'note 2'],
      ['rank-missing', `the list NOTE#1 of ${records.companyId}`],
    ],
  ],
  [
    'an owner counts one too many',
    () => restate(at('COMPANY', 1), 'NOTE#1', '3'),
    () => [['rank-missing', `the list NOTE#1 of ${records.companyId}`]],
  ],
  [
    'an owner counts one too few',
    () => restate(at('COMPANY', 1), 'NOTE#1', '1'),
    () => [['rank-beyond', 'note 2']],
  ],
  [
    'an owner counts none',
    () => restate(at('LEAD', 1), 'EVENT#1', undefined),
    () => [['rank-beyond', expect.stringMatching(/^event/) as string]],
  ],
  [
    'the head counts one inquiry of a source too many',
    () => restate(head(), 'INQUIRY#1#CALL', '2'),
    () => [['rank-missing', 'the list INQUIRY#1#CALL']],
  ],
  [
    'the head knows nothing of the inquiries of a source',
    () => restate(head(), 'INQUIRY#1#CALL', undefined),
    () => [['rank-beyond', idAt('inquiry', 1)]],
  ],
  [
    'a record is in a list of another collection',
    () => edit(at('POLICY', 1), (policy) => ({ ...policy, gsi1pk: at('NOTE', 1).pk, gsi1sk: 1 })),
    () => [['list-unknown', 'policy 1']],
  ],
  [
    'a record is in a list of another organization',
    () => edit(at('POLICY', 1), (policy) => ({ ...policy, gsi2pk: 'ORG#00000000#POLICY#OPEN', gsi2sk: 1 })),
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
      await put({ ...notesOf('CALL', firstBucket), 0: 1 });
      await restate(head(), 'CALL', '1-1~AQ');
    },
    () => [['reference-broken', idAt('inquiry', 1)]],
  ],
  [
    'an inquiry names a lead that never was',
    () => edit(at('INQUIRY', 1), (inquiry) => ({ ...inquiry, leadId: idAt('lead', 9) })),
    () => [
      // The list of that lead, and its list of calls.
      ['place-wrong', idAt('inquiry', 1)],
      ['place-wrong', idAt('inquiry', 1)],
      ['reference-broken', idAt('inquiry', 1)],
    ],
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
    await restate(head(), 'POLICY', '999999999999');
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
      await restate(at('LEAD', 1), 'EVENT#1', '100');
      await put({ ...head(), sk: 'BACKUP' });
      expect((await found()).sort()).toEqual([
        ['rank-missing', `the list EVENT#1 of ${records.leadId}`],
        ['record-missing', 'policy 1'],
        ['unique-missing', records.leadId],
        ['unknown-item', `ORG#${organization.code} BACKUP`],
      ]);
    } finally {
      await writing.end();
    }
  });
});

/** Teams own lists of jobs, and of events. */
const teams = {
  name: 'TEAM',
  label: 'team',
  schema: v.object({ id: v.number() }),
  eventsAt: 1,
} as const satisfies Collection;

/** Jobs: in a list of their state, in one of their team, and in one of their tag, of which there can be any number. */
const jobs = {
  name: 'JOB',
  label: 'job',
  schema: v.object({ id: v.number(), state: v.string(), team: v.nullable(v.number()), tag: v.string() }),
  lists: {
    state: { of: ({ state }: { state: string }) => ({ name: state }) },
    team: {
      of: ({ team }: { team: number | null }) =>
        team === null ? undefined : { owner: { collection: teams, id: team } },
    },
    tag: {
      of: ({ tag }: { tag: string }) => (tag === '' ? undefined : { name: tag }),
      hasManyNames: true,
    },
  },
  due: ({ state }: { state: string }) =>
    state === 'OPEN' ? { worker: 'remind', at: '2030-01-01T00:00:00.000Z' } : undefined,
} as const satisfies Collection;
type Job = RecordOf<typeof jobs>;

const withJobs = { collections: [teams, jobs, ...collections] };
const team = (number: number) => ({ collection: teams, number });
const job = (number: number) => ({ collection: jobs, number });
const told = { event: 'JOBS_CHANGED', data: 'Jobs were changed.', referenceId: '1' };
const teamsOf = (...ids: (number | null | undefined)[]) =>
  Object.fromEntries(ids.flatMap((id) => (id == null ? [] : [[`team${id}`, team(id)]])));

async function addTeams(ledger: Ledger, count: number): Promise<void> {
  await ledger.write({}, (write) => {
    const added = Array.from({ length: count }, () => write.append(teams, ({ number }) => ({ id: number })));
    for (const { ref } of added) write.event(told, [ref]);
  });
}

async function addJobs(ledger: Ledger, ...all: Omit<Job, 'id'>[]): Promise<void> {
  await ledger.write({ change: teamsOf(...all.map((one) => one.team)) }, (write) => {
    for (const one of all) write.append(jobs, ({ number }) => ({ id: number, ...one }));
    write.event(told);
  });
}

async function changeJob(ledger: Ledger, number: number, change: Partial<Job>): Promise<void> {
  const before = await ledger.get(job(number));
  const isMoved = change.team !== undefined && change.team !== before.team;
  const read = { ...(isMoved && teamsOf(before.team, change.team)), job: job(number) };
  await ledger.write({ change: read }, (write) => {
    write.replace(job(number), { ...before, ...change });
    write.event(told);
  });
}

async function removeJob(ledger: Ledger, number: number): Promise<void> {
  const { team: id } = await ledger.get(job(number));
  await ledger.write({ change: { ...teamsOf(id), job: job(number) } }, (write) => {
    write.remove(job(number));
    write.event(told);
  });
}

/**
 * Of seven jobs, those open are 2, 3, 5 and 6 (ranks 2, 3, 5, 6 of 7); of team 1, 2 and 3 (of 4); tagged with an address,
 * 1, 3 and 4 (ranks 1, 5 and 4 of 5). Team 3 was deleted after job 6 had left it; job 7 is still in its list.
 */
async function fillJobs(ledger: Ledger): Promise<void> {
  await addTeams(ledger, 3);
  const open = { state: 'OPEN', team: 1, tag: 'ann@example.com' };
  await addJobs(ledger, open, open, open, open, { state: 'OPEN', team: 2, tag: '' });
  await addJobs(ledger, { ...open, team: 3, tag: '' }, { ...open, team: 3, tag: '' });
  await changeJob(ledger, 1, { state: 'DONE', team: 2 });
  await changeJob(ledger, 4, { state: 'DONE', team: null });
  await changeJob(ledger, 2, { tag: 'b' });
  await changeJob(ledger, 3, { tag: '' });
  await changeJob(ledger, 3, { tag: 'ann@example.com' });
  await changeJob(ledger, 6, { team: null });
  await changeJob(ledger, 7, { state: 'DONE' });
  await ledger.write({ change: { team: team(3) } }, (write) => {
    write.remove(team(3));
    write.event(told);
  });
}

const foundInJobs = () => found(() => verifyOrganization(access(), organization.code, withJobs));
const partitionOf = (list: string) => `ORG#${organization.code}#${list}`;
const team1 = `TEAM#${'1'.padStart(12, '0')}#JOB#2`;

const notes = (list: string, sk = firstBucket) => `${partitionOf(list)}#LIST ${sk}`;
const tagged = 'the list JOB#3#(not shown)';

describe('lists that records join and leave', () => {
  beforeEach(async () => {
    organization = await newOrganization('AU', tableName);
    await fillJobs(organization.openLedger().ledger);
  });

  test('are whole', async () => {
    expect(await foundInJobs()).toEqual([]);
    expect((await get(head()))['lists']).toMatchObject({ 'JOB#1#OPEN': '7-3~SQ', 'JOB#1#DONE': '3' });
    expect((await get(at('TEAM', 1)))['lists']).toEqual({ 'EVENT#2': '1', 'JOB#2': '4-2~CQ' });
    expect(await get(notesOf('JOB#3#ann@example.com', 'STATE'))).toMatchObject({ state: '5-2~DA' });
  });

  test('are whole too where they were emptied', async () => {
    const { ledger } = organization.openLedger();
    for (let number = 1; number <= 6; number++) await removeJob(ledger, number);
    expect(await foundInJobs()).toEqual([]);
  });

  const open = 'the list JOB#1#OPEN';
  const ofTeam = 'the list JOB#2 of team 1';
  const hidden = (sk: string) => notes('JOB#3#(not shown)', sk);
  const headName = () => `ORG#${organization.code} HEAD`;

  const wrong: Damage[] = [
    [
      'nothing notes that a member left',
      () => edit(notesOf('JOB#1#OPEN', firstBucket), (item) => ({ ...item, 0: 0b1000001 })),
      () => [
        ['hole-count', notes('JOB#1#OPEN')],
        ['hole-window', headName()],
        ['rank-missing', open],
      ],
    ],
    [
      'nothing notes that members left a list of a record',
      () => remove(notesOf(team1, firstBucket)),
      () => [
        ['hole-count', notes(team1)],
        ['hole-window', 'team 1'],
        ['rank-missing', ofTeam],
      ],
    ],
    [
      'nothing notes that a member left a list whose owner was deleted',
      () => remove(notesOf(team1.replace('1#', '3#'), firstBucket)),
      () => [['rank-missing', 'the list JOB#2 of team 3']],
    ],
    [
      'a member has left as well',
      async () => {
        await edit(notesOf('JOB#1#OPEN', firstBucket), (item) => ({ ...item, 0: 0b1001011 }));
        await restate(head(), 'JOB#1#OPEN', '7-4~aQ');
      },
      () => [['rank-and-hole', 'job 2']],
    ],
    [
      'a hole is after the last rank',
      async () => {
        await edit(notesOf(team1, firstBucket), (item) => ({ ...item, 0: 0b11001 }));
        await restate(at('TEAM', 1), 'JOB#2', '4-3~CQ');
      },
      () => [['hole-beyond', notes(team1)]],
    ],
    [
      'holes cannot be read',
      () => edit(notesOf(team1, firstBucket), (item) => ({ ...item, 0: 'ann' })),
      () => [['hole-malformed', notes(team1)]],
    ],
    [
      'holes are noted of a bucket that there is not',
      () => put({ ...notesOf(team1, '000000000001'), 0: 1 }),
      () => [['hole-beyond', notes(team1, '000000000001')]],
    ],
    [
      'too many have left by the state',
      () => restate(at('TEAM', 1), 'JOB#2', '4-3~CQ'),
      () => [['hole-count', notes(team1)]],
    ],
    [
      'nobody has left by the state',
      () => restate(at('TEAM', 1), 'JOB#2', '4'),
      () => [
        ['hole-count', notes(team1)],
        ['hole-window', 'team 1'],
      ],
    ],
    [
      'the window of the newest is off',
      () => restate(at('TEAM', 1), 'JOB#2', '4-2~Cw'),
      () => [['hole-window', 'team 1']],
    ],
    [
      'counts are kept of one bucket',
      () => put({ ...notesOf('JOB#1#OPEN', 'COUNTS'), left: 3 }),
      () => [['hole-count', notes('JOB#1#OPEN', 'COUNTS')]],
    ],
    [
      'a foreign item is among the notes',
      () => put({ ...notesOf('JOB#1#OPEN', 'ann@example.com') }),
      () => [['unknown-item', notes('JOB#1#OPEN', '(not shown)')]],
    ],
    [
      'the head keeps a state, and an item does',
      () => put({ ...notesOf('JOB#1#OPEN', 'STATE'), state: '7-3~SQ' }),
      () => [['unknown-item', notes('JOB#1#OPEN', 'STATE')]],
    ],
    [
      'the item of a state is gone',
      () => remove(notesOf('JOB#3#b', 'STATE')),
      () => [['rank-beyond', 'job 2']],
    ],
    [
      'the item of a state is gone that members have left',
      () => remove(notesOf('JOB#3#ann@example.com', 'STATE')),
      () => [
        ['rank-beyond', 'job 3'],
        ['hole-count', hidden(firstBucket)],
        ['hole-beyond', hidden(firstBucket)],
      ],
    ],
    [
      'the item of a state says too much',
      () => put({ ...notesOf('JOB#3#b', 'STATE'), state: '3' }),
      () => [['rank-missing', tagged]],
    ],
    [
      'the item of a state says that one has left',
      () => put({ ...notesOf('JOB#3#b', 'STATE'), state: '1-1~AQ' }),
      () => [
        ['hole-count', hidden(firstBucket)],
        ['hole-window', hidden('STATE')],
      ],
    ],
    [
      'the item of a state cannot be read',
      () => put({ ...notesOf('JOB#3#b', 'STATE'), state: '1-1~A' }),
      () => [['list-malformed', hidden('STATE')]],
    ],
    [
      'a record has another state than its list',
      () => edit(at('JOB', 5), (item) => ({ ...item, state: 'DONE' })),
      () => [
        ['place-wrong', 'job 5'],
        ['due-wrong', 'job 5'],
      ],
    ],
    [
      'a record is in no list of its team',
      () => edit(at('JOB', 2), ({ gsi2pk, gsi2sk, ...item }) => item),
      () => [
        ['place-wrong', 'job 2'],
        ['rank-missing', ofTeam],
      ],
    ],
    [
      'a record is in a list, and has no rank there',
      () => edit(at('JOB', 2), ({ gsi2sk, ...item }) => item),
      () => [
        ['place-wrong', 'job 2'],
        ['rank-missing', ofTeam],
      ],
    ],
    [
      'a record that has no tag is in the list of one',
      () => edit(at('JOB', 5), (item) => ({ ...item, gsi3pk: partitionOf('JOB#3#b'), gsi3sk: 2 })),
      () => [
        ['place-wrong', 'job 5'],
        ['rank-beyond', 'job 5'],
      ],
    ],
    [
      'a record is where no list is',
      () => edit(at('JOB', 5), (item) => ({ ...item, gsi4pk: partitionOf('JOB#4#X'), gsi4sk: 1 })),
      () => [['list-unknown', 'job 5']],
    ],
    [
      'a record is in the list of another index',
      async () => {
        await edit(at('JOB', 5), (item) => ({ ...item, gsi3pk: partitionOf('JOB#1#DONE'), gsi3sk: 4 }));
        await restate(head(), 'JOB#1#DONE', '4');
      },
      () => [
        ['place-wrong', 'job 5'],
        ['rank-missing', 'the list JOB#1#DONE'],
      ],
    ],
    [
      'a record names what can be no team',
      () => edit(at('JOB', 5), (item) => ({ ...item, team: -1 })),
      () => [['place-wrong', 'job 5']],
    ],
    [
      'a record is of a team that never was',
      () =>
        edit(at('JOB', 6), (item) => ({
          ...item,
          team: 9,
          gsi2pk: partitionOf(team1.replace('1#', '9#')),
          gsi2sk: 1,
        })),
      () => [['list-unknown', 'job 6']],
    ],
    [
      'nobody would find what is due',
      () => edit(at('JOB', 5), ({ gsi9pk, gsi9sk, ...item }) => item),
      () => [['due-wrong', 'job 5']],
    ],
    [
      'a record is due at another time',
      () => edit(at('JOB', 5), (item) => ({ ...item, gsi9sk: '2031-01-01T00:00:00.000Z' })),
      () => [['due-wrong', 'job 5']],
    ],
    [
      'a record is still due',
      async () => {
        const { gsi9pk, gsi9sk } = await get(at('JOB', 5));
        await edit(at('JOB', 1), (item) => ({ ...item, gsi9pk, gsi9sk }));
      },
      () => [['due-wrong', 'job 1']],
    ],
    [
      'a record is due that nobody waits for',
      () => edit(at('TEAM', 2), (item) => ({ ...item, gsi9pk: 'DUE#remind#0', gsi9sk: '2030' })),
      () => [['due-wrong', 'team 2']],
    ],
    [
      'an event is in the list of an index that its owner has none in',
      () =>
        edit(at('EVENT', 1), (item) => ({
          ...item,
          gsi1pk: partitionOf('TEAM#000000000001#EVENT#1'),
          gsi1sk: 1,
        })),
      () => [['list-unknown', 'event 1']],
    ],
    [
      'the head keeps the state of a list that there cannot be',
      () =>
        edit(head(), ({ lists, ...item }) => ({ ...item, lists: { ...(lists as object), 'TEAM#1': '1' } })),
      () => [['list-unknown', headName()]],
    ],
    [
      'a record keeps the state of a list that there cannot be',
      () =>
        edit(at('TEAM', 2), ({ lists, ...item }) => ({
          ...item,
          lists: { ...(lists as object), 'JOB#5#ann': '1' },
        })),
      () => [['list-unknown', 'team 2']],
    ],
    [
      'a record keeps states that cannot be read',
      () => edit(at('TEAM', 2), (item) => ({ ...item, lists: { 'JOB#2': 'ann' } })),
      () => [['record-malformed', 'team 2']],
    ],
    [
      'the head keeps a state that cannot be read',
      () => restate(head(), 'JOB', '7-2~A'),
      () => [['head-malformed', headName()]],
    ],
  ];

  test.each(wrong)('%s', async (_, damage, expected) => {
    await damage();
    expect(await foundInJobs()).toEqual(expected());
  });

  describe('lack no member', () => {
    const stale = clientOf(engine);
    let old: Record<string, AttributeValue>;
    let queries: number;
    let beforeSecondQuery: (() => Promise<void>) | undefined;
    // All queries of jobs show the second one as it once was.
    stale.middlewareStack.add(
      (next) => async (args) => {
        const isOfJobs = JSON.stringify(args.input).includes(`":pk":{"S":"${partitionOf('JOB')}"}`);
        if (isOfJobs && ++queries === 2) await beforeSecondQuery?.();
        const result = await next(args);
        const { output } = result;
        if (isOfJobs && 'Items' in output)
          output.Items = output.Items?.map((item) => (item['sk']?.S === old['sk']?.S ? old : item));
        return result;
      },
      { step: 'initialize' },
    );
    afterAll(() => {
      stale.destroy();
    });
    beforeEach(async () => {
      await changeJob(organization.openLedger().ledger, 2, { state: 'DONE' });
      const { pk, sk } = at('JOB', 2);
      const Key = { pk: { S: pk }, sk: { S: sk } };
      old = (await client.send(new GetItemCommand({ TableName: tableName, Key }))).Item!;
      await changeJob(organization.openLedger().ledger, 2, { state: 'OPEN', team: 2, tag: '' });
      queries = 0;
      beforeSecondQuery = undefined;
    });
    const foundStale = () =>
      found(() => verifyOrganization({ ...access(), client: stale }, organization.code, withJobs));

    test('that queries show where it was before', async () => {
      expect(await foundStale()).toEqual([]);
      await restate(at('TEAM', 2), 'JOB#2', '4');
      expect(await foundStale()).toEqual([['rank-missing', 'the list JOB#2 of team 2']]);
    });

    test('that leaves while it is looked for', async () => {
      beforeSecondQuery = () => changeJob(organization.openLedger().ledger, 2, { state: 'SOLD', team: 1 });
      expect(await foundStale()).toEqual([]);
      expect(queries).toBeGreaterThan(1);
      expect(await foundInJobs()).toEqual([]);
    });
  });
});

describe('a list of more than one bucket', () => {
  const count = 4100;
  let big: TestOrganization;
  beforeAll(async () => {
    big = await newOrganization('AU', tableName);
    const { ledger } = big.openLedger();
    await addTeams(ledger, 1);
    const all = Array.from({ length: count }, () => ({ state: 'OPEN', team: 1, tag: '' }));
    for (let from = 0; from < count; from += 90) await addJobs(ledger, ...all.slice(from, from + 90));
    for (const number of [1, 50, 4097, 4099]) await changeJob(ledger, number, { state: 'DONE', team: null });
    for (const number of [2, 4098]) await removeJob(ledger, number);
  }, 120_000);
  beforeEach(() => {
    organization = big;
  });

  test('is whole', async () => {
    expect(await foundInJobs()).toEqual([]);
    expect(await get(notesOf('JOB#1#OPEN', 'COUNTS'))).toMatchObject({ left: 6, 0: 3 + 3 * 2 ** 13 });
  });

  const lists: [list: string, name: string][] = [
    ['JOB', 'JOB'],
    ['JOB#1#OPEN', 'the list JOB#1#OPEN'],
    [team1, 'the list JOB#2 of team 1'],
  ];
  test.each(lists)('%s: damage to what is noted is found', async (list) => {
    const counts = notesOf(list, 'COUNTS');
    const where = (sk: string) => `ORG#${organization.code}#${list}#LIST ${sk}`;
    const kept = await get(counts);
    const second = await get(notesOf(list, '000000000001'));

    await remove(counts);
    expect(await foundInJobs()).toEqual([['hole-count', where('COUNTS')]]);
    await put({ ...kept, left: (kept['left'] as number) - 1 });
    expect(await foundInJobs()).toEqual([['hole-count', where('COUNTS')]]);
    await put({ ...kept, 0: (kept['0'] as number) + 2 ** 13 });
    expect(await foundInJobs()).toEqual([
      ['hole-count', where('000000000000')],
      ['hole-count', where('000000000001')],
    ]);
    await put({ ...kept, 0: (kept['0'] as number) + 2 ** 26 });
    expect(await foundInJobs()).toEqual([
      ['hole-count', where('000000000000')],
      ['hole-count', where('000000000002')],
    ]);
    await put({ ...kept, 0: 'ann' });
    expect(await foundInJobs()).toEqual([['hole-malformed', where('COUNTS')]]);
    await put(kept);

    await remove(notesOf(list, '000000000001'));
    const kinds = (await foundInJobs()).map(([kind]) => kind);
    expect(new Set(kinds)).toEqual(
      new Set(['hole-count', 'hole-window', list === 'JOB' ? 'record-missing' : 'rank-missing']),
    );
    await put(second);
    expect(await foundInJobs()).toEqual([]);
  });
});

describe('while twenty writers let records join and leave lists', () => {
  const random = (count: number) => Math.floor(Math.random() * count);
  const pick = <T>(...all: readonly T[]) => all[random(all.length)]!;

  async function write(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const { ledger } = organization.openLedger();
      const change = {
        state: pick('OPEN', 'DONE', 'SOLD'),
        team: pick(null, 1, 2, 3),
        tag: pick('', 'a', 'b', 'c'),
      };
      const number = 1 + random(50);
      // It may have been removed.
      if (random(30) === 0) await removeJob(ledger, number).catch(() => undefined);
      else if (random(6) === 0) await addJobs(ledger, change);
      else await changeJob(ledger, number, change).catch(() => undefined);
    }
  }

  async function whileWriting(check: () => Promise<void>): Promise<void> {
    let isOver = false;
    const writing = Promise.all(Array.from({ length: 20 }, () => write(() => isOver)));
    try {
      await check();
    } finally {
      isOver = true;
      await writing;
    }
  }

  beforeEach(async () => {
    organization = await newOrganization('AU', tableName);
    const { ledger } = organization.openLedger();
    await addTeams(ledger, 4);
    const first = { state: 'OPEN', team: 1, tag: 'a' };
    await addJobs(ledger, ...Array.from({ length: 50 }, () => first));
    await addJobs(ledger, { ...first, team: 4 }, { ...first, team: 4 });
    await changeJob(ledger, 52, { state: 'DONE' });
  });

  test('nothing is found where nothing is wrong', async () => {
    const versions = new Set<number>();
    await whileWriting(async () => {
      for (let run = 0; run < 8; run++) {
        const { findings, version } = await verifyOrganization(access(), organization.code, withJobs);
        expect(findings).toEqual([]);
        versions.add(version!);
      }
    });
    expect(versions.size).toBeGreaterThan(5);
    expect(await foundInJobs()).toEqual([]);
  });

  test('damage is found', async () => {
    await whileWriting(async () => {
      await edit(at('JOB', 51), ({ gsi2pk, gsi2sk, ...item }) => item);
      await restate(at('TEAM', 4), 'JOB#2', '3');
      await put({ ...notesOf('JOB#1#OPEN', 'ANY') });
      expect((await foundInJobs()).sort()).toEqual([
        ['place-wrong', 'job 51'],
        ['rank-missing', 'the list JOB#2 of team 4'],
        ['unknown-item', notes('JOB#1#OPEN', 'ANY')],
      ]);
    });
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

  test('notes of lists are found that no state tells of', async () => {
    await fillJobs(organization.openLedger().ledger);
    const whole = await verifyTable(access(), withJobs);
    expect([...whole.strays, ...whole.organizations.flatMap(({ findings }) => findings)]).toEqual([]);
    await put({ ...notesOf('JOB#1#SOLD', firstBucket), 0: 1 });
    await put({ ...notesOf('TEAM#000000000002#JOB#2', firstBucket), 0: 1 });
    await put({ ...notesOf('TEAM#000000000009#JOB#2', firstBucket), 0: 1 });
    await put({ ...notesOf('JOB#4#X', firstBucket), 0: 1 });
    await put({ ...notesOf('OLD', firstBucket), 0: 1 });
    await put({ ...notesOf('JOB#3#c', 'STATE'), state: '1' });
    expect(await foundInJobs()).toEqual([]);
    const { organizations, strays } = await verifyTable(access(), withJobs);
    expect(strays).toEqual([]);
    const report = organizations.find(({ organization: code }) => code === organization.code)!;
    expect(report.findings.map(({ kind, where }) => [kind, where]).sort()).toEqual(
      [
        ['hole-count', notes('JOB#1#SOLD')],
        ['hole-beyond', notes('JOB#1#SOLD')],
        ['hole-count', notes('TEAM#000000000002#JOB#2')],
        ['hole-window', 'team 2'],
        ['rank-and-hole', 'job 5'],
        ['unknown-item', notes('TEAM#000000000009#JOB#2')],
        ['unknown-item', notes('JOB#4#X')],
        ['unknown-item', notes('OLD')],
        ['rank-missing', tagged],
      ].sort(),
    );
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
          `^Test \\(${code}\\) is whole: 1 call, 2 categories, .*, 5 inquiries, .*, 1 message, 2 notes, .*, (\\d+) events at version \\1\\.\n$`,
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
