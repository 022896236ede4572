import { beforeAll, expect, test } from 'vitest';
import { grantKey, phoneNumberKey } from '../../../shared/ledger/internal/keys.ts';
import type { Damage, Found } from './damages.ts';
import { fillOrganization, ownPhone, type FilledOrganization } from './filled-organization.ts';
import { foundIn } from './found-in.ts';
import { fillJobs, withJobs } from './jobs.ts';
import { repairedInMemory } from './repaired-in-memory.ts';
import { firstBucket, itemsOf } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';

let table: TableInMemory;
let filled: FilledOrganization;
let image: { restore: () => void };
beforeAll(async () => {
  table = new TableInMemory();
  const organization = await table.found();
  await table.run(async () => {
    filled = await fillOrganization(organization);
    await fillJobs(organization.openLedger().ledger);
  });
  image = table.image();
});

const code = () => filled.organization.code;
const { at, edit, eventsOf, get, head, holeItemKey, idAt, put, remove, restate, unique } = itemsOf(
  () => table.items,
  code,
);
const [ann, di] = [() => idAt('lead', 1), () => idAt('lead', 4)];
const firstOf = async (event: string) => at('EVENT', (await eventsOf(event))[0]!);
const versionOf = async () => (await get(head()))['version'] as number;
const anEvent = expect.stringMatching(/^event \d+$/) as string;

/** Damage that a careless operator, a bug or a fault could store. Repairs must leave exactly `left`. */
const damages: Damage[] = [
  [
    'a value is held as it was typed, not folded',
    () => put({ ...unique('LEAD.email', 'Ann@example.com'), id: ann() }),
    () => [['unique-without-record', `LEAD.email of ${ann()}`]],
  ],
  [
    'a value is held for what is no record, and not for the record that has it',
    () => put({ ...unique('LEAD.email', 'ann@example.com'), id: 'ann' }),
    () => [['unique-not-held', ann()]],
  ],
  [
    'an operator typed a phone number in its national form',
    () => edit(at('LEAD', 1), (lead) => ({ ...lead, phone: '0491 570 156' })),
    () => [
      ['unique-not-held', ann()],
      ['unique-without-record', `LEAD.phone of ${ann()}`],
    ],
  ],
  [
    'an operator gave two leads one email address',
    () => edit(at('LEAD', 4), (lead) => ({ ...lead, email: 'ann@example.com' })),
    () => [
      ['unique-not-held', di()],
      ['unique-without-record', `LEAD.email of ${di()}`],
    ],
    () => [['unique-not-held', di()]],
  ],
  [
    'an operator gave an inquiry to another lead',
    () => edit(at('INQUIRY', 1), (inquiry) => ({ ...inquiry, leadId: di() })),
    () => [
      ['position-wrong', idAt('inquiry', 1)],
      ['position-wrong', idAt('inquiry', 1)],
      ['lead-counts', ann()],
      ['lead-counts', di()],
    ],
  ],
  [
    'an operator deleted a company that has notes',
    () => remove(at('COMPANY', 1)),
    () => [['record-missing', filled.records.companyId]],
    'all',
  ],
  [
    'an operator deleted the member for whom the tokens act',
    () => remove(at('MEMBER', 1)),
    () => [
      ['record-missing', 'member 1'],
      ['reference-broken', `appointment_${code()}00000001`],
      ['reference-broken', 'attendance 1'],
      ...[1, 2, 3, 4, 5].map((number): Found[number] => ['reference-broken', `token ${number}`]),
      ['reference-broken', 'webhook 1'],
    ],
    'all',
  ],
  [
    'an operator took back the revocation of a token in its record alone',
    () => edit(at('TOKEN', 5), (token) => ({ ...token, revokedAt: null })),
    () => [['grant-wrong', 'token 5']],
  ],
  [
    'an operator took a phone number out of the record alone',
    () => edit(at('ORGANIZATION', 1), (own) => ({ ...own, numbers: [] })),
    () => [['number-without-organization', 'NUMBER#…0100']],
  ],
  [
    'the item of a phone number names nobody',
    () => put({ ...phoneNumberKey(ownPhone) }),
    () => [['number-not-held', `org_${code()}`]],
  ],
  [
    'a grant is malformed',
    () => edit(grantKey(filled.hashes[0]!), (grant) => ({ ...grant, scopes: 'all' })),
    () => [['grant-wrong', 'token 1']],
  ],
  [
    'an event happened at another time',
    async () =>
      edit(await firstOf('LEAD_CREATED'), (event) => ({ ...event, createdAt: '2020-01-01T00:00:00.000Z' })),
    () => [['pipeline-days', 'pipeline 1']],
  ],
  [
    'an event stands in the place of another, too',
    async () => {
      const [one, other] = await eventsOf('LEAD_CREATED');
      await put({ ...(await get(at('EVENT', one!))), ...at('EVENT', other!) });
    },
    () => [
      ['record-id', anEvent],
      ['event-order', anEvent],
      ['rank-wrong', anEvent],
    ],
    () => [
      ['record-id', anEvent],
      ['event-order', anEvent],
    ],
  ],
  [
    'an activity is in the list of another lead',
    async () =>
      edit(await firstOf('INQUIRY_CREATED'), (event) => ({
        ...event,
        gsi1pk: String(event['gsi1pk']).replace('LEAD#000000000001', 'LEAD#000000000004'),
        gsi1sk: 2,
      })),
    () => [
      ['list-wrong', `the list EVENT#1 of ${ann()}`],
      ['list-wrong', `the list EVENT#1 of ${di()}`],
    ],
  ],
  [
    'the head counts one lead too few',
    () => restate(head(), 'LEAD', '3-2~Aw'),
    () => [
      ['record-beyond', di()],
      ['list-wrong', 'the list LEAD'],
      ['touched-records-wrong', anEvent],
    ],
  ],
  [
    'the head counts one lead too many',
    () => restate(head(), 'LEAD', '5-2~DA'),
    () => [['record-missing', idAt('lead', 5)]],
    'all',
  ],
  [
    'the version of the head is ahead of the events',
    () => edit(head(), (item) => ({ ...item, version: (item['version'] as number) + 2 })),
    () => [
      ['event-missing', anEvent],
      ['event-missing', anEvent],
    ],
    'all',
  ],
  [
    'the head is two writes behind, the event between is gone, and so are the holes of the leads',
    async () => {
      const version = await versionOf();
      await edit(head(), (item) => ({ ...item, version: version - 2 }));
      await remove(at('EVENT', version - 1));
      await remove(holeItemKey('LEAD', firstBucket));
    },
    // A repair would take the number of the lost event.
    () => [
      ['event-beyond', anEvent],
      ['revision-ahead', 'job 7'],
      ['record-missing', idAt('lead', 2)],
      ['record-missing', idAt('lead', 3)],
      ['list-wrong', 'the list LEAD'],
    ],
    'all',
  ],
  [
    'the holes of all deleted leads are gone',
    () => remove(holeItemKey('LEAD', firstBucket)),
    () => [
      ['record-missing', idAt('lead', 2)],
      ['record-missing', idAt('lead', 3)],
      ['list-wrong', 'the list LEAD'],
    ],
  ],
  [
    'a deleted lead is no hole any more, and the count says so, too',
    async () => {
      await restate(head(), 'LEAD', '4-1~BA');
      await put({ ...holeItemKey('LEAD', firstBucket), 0: 4 });
    },
    () => [
      ['record-missing', idAt('lead', 2)],
      ['list-wrong', 'the list LEAD'],
    ],
  ],
  [
    'a bucket has a number that is no bits',
    () => put({ ...holeItemKey('JOB#1#OPEN', firstBucket), 0: -1 }),
    () => [['list-wrong', 'the list JOB#1#OPEN']],
  ],
  [
    'a rank is a fraction',
    () => edit(at('INQUIRY', 1), (inquiry) => ({ ...inquiry, gsi2sk: 1.5 })),
    () => [['position-wrong', idAt('inquiry', 1)]],
  ],
  [
    'a record lost its position, and its list lost its holes',
    async () => {
      await edit(at('JOB', 2), ({ gsi1pk, gsi1sk, ...job }) => job);
      await remove(holeItemKey('JOB#1#OPEN', firstBucket));
    },
    () => [
      ['position-wrong', 'job 2'],
      ['list-wrong', 'the list JOB#1#OPEN'],
    ],
  ],
  [
    // The holes stay: they alone tell which ranks of the list were given out.
    'a removed record lost its former item, and the last member of its list its position',
    async () => {
      await remove(holeItemKey('TEAM#000000000003', 'STATE'));
      await edit(at('JOB', 7), ({ gsi2pk, gsi2sk, ...job }) => job);
    },
    () => [['position-wrong', 'job 7']],
    'all',
  ],
  [
    'a list without members has a state item with holes, and no bucket',
    () => put({ ...holeItemKey('JOB#3#zz', 'STATE'), state: '2-2~Aw' }),
    () => [['list-wrong', 'the list JOB#3#(not shown)']],
  ],
  [
    'the states of a record are a list',
    () => edit(at('COMPANY', 1), (company) => ({ ...company, lists: ['1'] })),
    () => [
      ['list-unknown', filled.records.companyId],
      ['list-wrong', `the list NOTE#1 of ${filled.records.companyId}`],
    ],
    () => [['list-unknown', filled.records.companyId]],
  ],
  [
    'the stored forms of the values of a lead are malformed',
    () => edit(at('LEAD', 1), (lead) => ({ ...lead, claimed: 'ann' })),
    () => [
      ['record-malformed', ann()],
      ['unique-without-record', `LEAD.email of ${ann()}`],
      ['unique-without-record', `LEAD.phone of ${ann()}`],
    ],
    'all',
  ],
  [
    'a lead counts fewer inquiries than none',
    () => edit(at('LEAD', 1), (lead) => ({ ...lead, unreadCalls: -1 })),
    () => [
      ['record-malformed', ann()],
      ['unique-without-record', `LEAD.email of ${ann()}`],
      ['unique-without-record', `LEAD.phone of ${ann()}`],
    ],
    'all',
  ],
  ...[1.5, '7', 0].map((revision): Damage => [
    `a record has the revision ${JSON.stringify(revision)}`,
    () => edit(at('FAQ', 1), (faq) => ({ ...faq, revision })),
    () => [['record-malformed', 'FAQ 1']],
  ]),
  [
    'an opt-out is stored twice',
    async () => put({ ...(await get(at('OPTOUT', 1))), ...at('OPTOUT', 2), id: 2 }),
    () => [
      ['record-beyond', 'opt-out 2'],
      ['list-wrong', 'the list OPTOUT'],
      ['unique-not-held', 'opt-out 2'],
    ],
    () => [['unique-not-held', 'opt-out 2']],
  ],
  [
    'a message is of a thread that never was',
    () => edit(at('MESSAGE', 1), (message) => ({ ...message, threadId: 7 })),
    () => [
      ['position-wrong', 'message 1'],
      ['reference-broken', 'message 1'],
    ],
    'all',
  ],
  [
    'an inquiry stands among the leads',
    async () => put({ ...(await get(at('INQUIRY', 1))), ...at('LEAD', 4) }),
    () => [
      ['record-malformed', di()],
      ['touched-records-wrong', di()],
      ['list-wrong', 'the list LEAD#1#(not shown) of pipeline 1'],
      ['list-wrong', `the list EVENT#1 of ${di()}`],
      ['unique-without-record', `LEAD.email of ${di()}`],
      ['unique-without-record', `LEAD.phone of ${di()}`],
    ],
    () => [
      ['record-malformed', di()],
      ['touched-records-wrong', di()],
      ['list-wrong', `the list EVENT#1 of ${di()}`],
      ['unique-without-record', `LEAD.email of ${di()}`],
      ['unique-without-record', `LEAD.phone of ${di()}`],
    ],
  ],
  [
    'a record has the number 0',
    async () => put({ ...(await get(at('FAQ', 1))), ...at('FAQ', 0) }),
    () => [['unknown-item', `ORG#${code()}#FAQ 000000000000`]],
    'all',
  ],
  [
    'a sort key has a digit too many',
    async () => put({ ...(await get(at('LEAD', 1))), sk: '0000000000001' }),
    () => [['unknown-item', `ORG#${code()}#LEAD 0000000000001`]],
    'all',
  ],
  [
    'a lead is found by the name of another, and lost its phone number to nobody',
    async () => {
      await edit(at('LEAD', 1), (lead) => ({ ...lead, gsi6sk: 'di\t000000000004' }));
      await remove(unique('LEAD.phone', '+61491570156'));
    },
    () => [
      ['index-wrong', ann()],
      ['unique-not-held', ann()],
    ],
  ],
];

const sorted = (found: Found) => found.map((one) => one.map(String).join(' ')).toSorted();
/** Findings in any order; an expected place may be a pattern. */
function expectFound(found: Found, expected: Found, all: Found): void {
  const byKind = (some: Found) => some.toSorted(([one], [other]) => (one < other ? -1 : Number(one > other)));
  expect(byKind(found), sorted(all).join(', ')).toEqual(byKind(expected));
}

test.each(damages)('%s', async (_, damage, expected, left) => {
  await table.run(damage);
  const all = await table.items.all();
  const [found, remaining] = [expected(), left === 'all' ? expected() : (left?.() ?? [])];
  image.restore();
  const options = { collections: withJobs.collections, now: table.access.system.now() };
  const repaired = repairedInMemory(code(), all, options);
  const before = foundIn({ findings: repaired.found });
  expectFound(before, found, before);
  expectFound(foundIn({ findings: repaired.left }), remaining, before);
});
