import { expect } from 'vitest';
import type { FindingKind } from '../../../infra/admin/verify/finding.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import { updateProduct } from '../../../shared/domain/products/products.ts';
import { grantKey, phoneNumberKey } from '../../../shared/ledger/internal/keys.ts';
import { ownPhone, type FilledOrganization } from './filled-organization.ts';
import { firstBucket, type Attributes, type StoredItems } from './stored-items.ts';

/** Kind and place of each finding. */
export type Found = [FindingKind, string][];

/**
 * Change of an organization past the ledger, and the findings about it. `left` are the findings after a
 * repair: by default none; `all` if nothing can be repaired.
 */
export type Damage = [
  name: string,
  damage: () => Promise<unknown>,
  found: () => Found,
  left?: 'all' | (() => Found),
];

/** Item without its index attributes. */
export const withoutIndexes = (item: Attributes): Attributes =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !/^gsi\d[ps]k$/.test(name)));

/** Kinds of damage to a filled organization. */
export function damagesOf(items: StoredItems, filled: () => FilledOrganization): Damage[] {
  const { at, edit, eventsOf, get, head, idAt, inOrganization, holeItemKey, put, remove, restate, unique } =
    items;
  const code = () => filled().organization.code;
  const revisionOf = async (name: string, number: number) =>
    (await get(at(name, number)))['revision'] as number;
  /** Adds records to those that the last event says its write touched. */
  const saysToo = async (more: string) =>
    edit(at('EVENT', (await get(head()))['version'] as number), (event) => ({
      ...event,
      touched: `${event['touched'] as string} ${more}`,
    }));
  return [
    [
      'an event is gone',
      async () => remove(at('EVENT', (await eventsOf('COMPANY_CREATED'))[0]!)),
      () => [['event-missing', expect.stringMatching(/^event \d+$/) as string]],
      'all',
    ],
    [
      'an event of a lead is gone, and its list has a gap',
      async () => remove(at('EVENT', (await eventsOf('INQUIRY_CREATED'))[0]!)),
      () => [
        ['event-missing', expect.stringMatching(/^event \d+$/) as string],
        ['list-wrong', `the list EVENT#1 of ${filled().records.leadId}`],
      ],
      () => [['event-missing', expect.stringMatching(/^event \d+$/) as string]],
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
          touched: '',
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
      'all',
    ],
    ['a record is gone', () => remove(at('POLICY', 1)), () => [['record-missing', 'policy 1']], 'all'],
    [
      'a record is beyond the last number',
      async () =>
        edit(at('INVITATION', 1), (invitation) => ({ ...invitation, ...at('INVITATION', 2), id: 2 })),
      () => [
        ['record-beyond', 'invitation 2'],
        ['list-wrong', 'the list INVITATION'],
      ],
    ],
    [
      'a record is far beyond the last number',
      async () =>
        edit(at('INVITATION', 1), (invitation) => ({
          ...invitation,
          ...at('INVITATION', 999_999_999_999),
          id: 999_999_999_999,
        })),
      () => [['record-beyond', 'invitation 999999999999']],
      'all',
    ],
    [
      'a hole is missing in its bucket',
      // Leads 2 and 3 were deleted.
      () => edit(holeItemKey('LEAD', firstBucket), (item) => ({ ...item, 0: 2 })),
      () => [
        ['record-missing', idAt('lead', 3)],
        ['list-wrong', 'the list LEAD'],
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
          phone: '',
          isOptedOut: false,
          lists: {},
          gsi1sk: 2,
          gsi6sk: 'di\t000000000002',
        });
      },
      () => [
        ['record-and-hole', idAt('lead', 2)],
        ['list-wrong', 'the list LEAD#1#(not shown) of pipeline 1'],
        ['list-wrong', `the list EVENT#1 of ${idAt('lead', 2)}`],
      ],
      () => [['record-and-hole', idAt('lead', 2)]],
    ],
    [
      'a record is also a hole',
      () => edit(holeItemKey('LEAD', firstBucket), (item) => ({ ...item, 0: 0b1110 })),
      () => [
        ['record-and-hole', idAt('lead', 4)],
        ['list-wrong', 'the list LEAD'],
      ],
    ],
    [
      'a record is also a hole, and the count says so too, but not the window',
      async () => {
        await edit(holeItemKey('LEAD', firstBucket), (item) => ({ ...item, 0: 0b1110 }));
        await restate(head(), 'LEAD', '4-3~Bg');
      },
      () => [
        ['record-and-hole', idAt('lead', 4)],
        ['list-wrong', 'the list LEAD'],
      ],
    ],
    [
      'a record is a hole instead of another',
      () => edit(holeItemKey('LEAD', firstBucket), (item) => ({ ...item, 0: 0b1010 })),
      () => [
        ['record-missing', idAt('lead', 3)],
        ['record-and-hole', idAt('lead', 4)],
        ['list-wrong', 'the list LEAD'],
      ],
    ],
    [
      'a hole is beyond the last number',
      async () => {
        await put({ ...holeItemKey('POLICY', firstBucket), 0: 2 ** 7 });
        await restate(head(), 'POLICY', '1-1');
      },
      () => [['list-wrong', 'the list POLICY']],
    ],
    [
      'the count of deleted numbers is off',
      () => restate(head(), 'LEAD', '4-1~Bg'),
      () => [['list-wrong', 'the list LEAD']],
    ],
    [
      'the window of the newest is off',
      () => restate(head(), 'LEAD', '4-2~BQ'),
      () => [['list-wrong', 'the list LEAD']],
    ],
    ['the window is gone', () => restate(head(), 'LEAD', '4-2'), () => [['list-wrong', 'the list LEAD']]],
    [
      'a list has a hole that nobody left',
      () => put({ ...holeItemKey('INQUIRY#4#unread', firstBucket), 0: 1 }),
      () => [['list-wrong', 'the list INQUIRY#4#(not shown)']],
    ],
    [
      'a list of the pipeline has a hole that nobody left',
      async () => {
        await createLead(filled().organization.openLedger().ledger, { name: 'Flo', status: 'won' });
        await put({ ...holeItemKey('PIPELINE#000000000001#LEAD#1#won', firstBucket), 0: 1 });
      },
      () => [['list-wrong', 'the list LEAD#1#(not shown) of pipeline 1']],
    ],
    [
      'a bucket is malformed',
      () => put({ ...holeItemKey('POLICY', '000000000001'), '26': 2 ** 51 }),
      () => [['list-wrong', 'the list POLICY']],
    ],
    [
      'a unique value is not held',
      () => remove(unique('LEAD.email', 'ann@example.com')),
      () => [['unique-not-held', idAt('lead', 1)]],
    ],
    [
      'a unique value is held for nobody',
      () => put({ ...unique('LEAD.email', 'eve@example.com'), id: idAt('lead', 2) }),
      () => [['unique-without-record', `LEAD.email of ${idAt('lead', 2)}`]],
    ],
    [
      'a unique value is held for something else',
      () => put({ ...unique('TRANSFER.label', 'x'), id: 'one' }),
      () => [['unique-without-record', 'TRANSFER.label']],
    ],
    [
      'a unique value is held for another',
      () => put({ ...unique('LEAD.email', 'ann@example.com'), id: idAt('lead', 4) }),
      () => [['unique-not-held', idAt('lead', 1)]],
    ],
    [
      'a record has another email address than it holds',
      () => edit(at('LEAD', 1), (lead) => ({ ...lead, email: 'ada@example.com' })),
      () => [
        ['unique-not-held', idAt('lead', 1)],
        ['unique-without-record', `LEAD.email of ${idAt('lead', 1)}`],
      ],
    ],
    [
      'a product is in another category than the one its name is held in',
      () => edit(at('PRODUCT', 1), (product) => ({ ...product, tradeCategoryId: 1 })),
      () => [
        // Its lists are those of the other category.
        ['position-wrong', 'product 1'],
        ['position-wrong', 'product 1'],
        ['unique-not-held', 'product 1'],
        ['unique-without-record', 'PRODUCT.name of product 1'],
      ],
    ],
    [
      'a revision is newer than the head',
      () => edit(at('POLICY', 1), (policy) => ({ ...policy, revision: 1000 })),
      () => [['revision-ahead', 'policy 1']],
    ],
    [
      'a revision is not that of the last event of a write',
      // Sending an SMS and founding append several events each.
      () => edit(at('POLICY', 1), (policy) => ({ ...policy, revision: 1 })),
      () => [['revision-without-event', 'policy 1']],
    ],
    [
      'an event names a record that its write did not store',
      () => saysToo('POLICY#1'),
      () => [['touched-records-wrong', 'policy 1']],
      'all',
    ],
    [
      'an event says that an existing record was removed',
      () => saysToo('-POLICY#1'),
      () => [['touched-records-wrong', 'policy 1']],
      'all',
    ],
    [
      'an event does not name a record that its write stored',
      async () => edit(at('EVENT', await revisionOf('POLICY', 1)), (event) => ({ ...event, touched: '' })),
      () => [['touched-records-wrong', 'policy 1']],
    ],
    [
      'a record is as it was before its last change',
      async () => {
        const before = await get(at('PRODUCT', 1));
        await updateProduct(filled().organization.openLedger().ledger, 1, { response: 'Yes' });
        await put(before);
      },
      () => [['touched-records-wrong', 'product 1']],
      'all',
    ],
    [
      'an event names a number that was never given out',
      () => saysToo('POLICY#2 OFFER#1'),
      () => [
        ['touched-records-wrong', expect.stringMatching(/^event \d+$/) as string],
        ['touched-records-wrong', expect.stringMatching(/^event \d+$/) as string],
      ],
    ],
    [
      'an event does not name the records of its write at all',
      async () => edit(at('EVENT', await revisionOf('POLICY', 1)), ({ touched, ...event }) => event),
      () => [['touched-records-wrong', expect.stringMatching(/^event \d+$/) as string]],
    ],
    ...['ann@example.com', 7].map((touched): Damage => [
      `an event names records in a malformed way: ${touched}`,
      async () => edit(at('EVENT', await revisionOf('POLICY', 1)), (event) => ({ ...event, touched })),
      () => [['touched-records-wrong', expect.stringMatching(/^event \d+$/) as string]],
    ]),
    [
      'an event names records that show others in a malformed way',
      async () => edit(at('EVENT', await revisionOf('POLICY', 1)), (event) => ({ ...event, shown: 'ann' })),
      () => [['touched-records-wrong', expect.stringMatching(/^event \d+$/) as string]],
    ],
    [
      'a record has no revision',
      () => edit(at('POLICY', 1), ({ revision, ...policy }) => policy),
      () => [['record-malformed', 'policy 1']],
    ],
    [
      'a record is malformed',
      () => edit(at('LEAD', 4), (lead) => ({ ...lead, read: 'ann@example.com', socials: { ann: 1 } })),
      () => [
        ['record-malformed', idAt('lead', 4)],
        // Verify cannot tell the values of a malformed record, either.
        ['unique-without-record', `LEAD.email of ${idAt('lead', 4)}`],
        ['unique-without-record', `LEAD.phone of ${idAt('lead', 4)}`],
      ],
      'all',
    ],
    [
      'a record has the id of another',
      () => edit(at('POLICY', 1), (policy) => ({ ...policy, id: 2 })),
      () => [['record-id', 'policy 1']],
      'all',
    ],
    [
      'a member has the id of another user',
      () => edit(at('MEMBER', 1), (member) => ({ ...member, userId: idAt('user', 2) })),
      () => [['record-id', 'member 1']],
      'all',
    ],
    [
      'two members have one rank',
      async () => {
        await edit(at('NOTE', 2), (note) => ({ ...note, gsi1sk: 1 }));
        await restate(at('COMPANY', 1), 'NOTE#1', '1');
      },
      () => [['rank-wrong', 'note 2']],
    ],
    [
      'a rank is missing',
      async () => {
        await edit(at('NOTE', 2), (note) => ({ ...note, gsi1sk: 3 }));
        await restate(at('COMPANY', 1), 'NOTE#1', '3');
      },
      () => [['list-wrong', `the list NOTE#1 of ${filled().records.companyId}`]],
    ],
    [
      'a record lost its position',
      () => edit(at('NOTE', 2), ({ gsi1pk, gsi1sk, ...note }) => note),
      () => [['position-wrong', 'note 2']],
    ],
    [
      'an owner counts one too many',
      () => restate(at('COMPANY', 1), 'NOTE#1', '3'),
      () => [['list-wrong', `the list NOTE#1 of ${filled().records.companyId}`]],
    ],
    [
      'an owner counts one too few',
      () => restate(at('COMPANY', 1), 'NOTE#1', '1'),
      () => [['list-wrong', `the list NOTE#1 of ${filled().records.companyId}`]],
    ],
    [
      'an owner lost the state of its list',
      () => restate(at('LEAD', 1), 'EVENT#1', undefined),
      () => [['list-wrong', `the list EVENT#1 of ${idAt('lead', 1)}`]],
    ],
    [
      'the head counts one inquiry of a source too many',
      () => restate(head(), 'INQUIRY#1#CALL', '2'),
      () => [['list-wrong', 'the list INQUIRY#1#CALL']],
    ],
    [
      'the head lost the state of the inquiries of a source',
      () => restate(head(), 'INQUIRY#1#CALL', undefined),
      () => [['list-wrong', 'the list INQUIRY#1#CALL']],
    ],
    [
      'a record is in a list of another collection',
      () =>
        edit(at('INVITATION', 1), (invitation) => ({ ...invitation, gsi1pk: at('NOTE', 1).pk, gsi1sk: 1 })),
      () => [['list-unknown', 'invitation 1']],
    ],
    [
      'a record is in a list of another organization',
      () => edit(at('POLICY', 1), (policy) => ({ ...policy, gsi2pk: 'ORG#00000000#POLICY#OPEN', gsi2sk: 1 })),
      () => [['list-unknown', 'policy 1']],
    ],
    ...(['gsi4', 'gsi6'] as const).map((index): Damage => [
      `an item of another organization is in an index partition (${index})`,
      () => {
        const [list, sk] = index === 'gsi4' ? ['INQUIRY#4#unread', 2] : ['LEAD#6', 'ann\t000000000001'];
        const partition = items.partitionOf(list);
        return put({
          pk: 'ORG#00000000#POLICY',
          sk: '000000000001',
          [`${index}pk`]: partition,
          [`${index}sk`]: sk,
        });
      },
      () => [['index-foreign', 'ORG#00000000#POLICY 000000000001']],
      'all',
    ]),
    [
      'a record is in a search index of another organization',
      () => edit(at('POLICY', 1), (policy) => ({ ...policy, gsi6pk: 'ORG#00000000#LEAD#6', gsi6sk: 'x' })),
      () => [['index-wrong', 'policy 1']],
    ],
    [
      'a record waits in the shard of another organization',
      () => edit(at('POLICY', 1), (policy) => ({ ...policy, gsi9pk: 'DUE#remind#9', gsi9sk: 'x' })),
      () => [['index-wrong', 'policy 1']],
    ],
    [
      'a record with other damage is in a list of another organization',
      () =>
        edit(at('LEAD', 1), ({ revision, ...lead }) => ({
          ...lead,
          gsi2pk: 'ORG#00000000#LEAD#2',
          gsi2sk: 1,
        })),
      () => [
        ['record-malformed', idAt('lead', 1)],
        ['list-unknown', idAt('lead', 1)],
      ],
    ],
    [
      'a unique value is in a list of another organization',
      () =>
        edit(unique('LEAD.email', 'ann@example.com'), (item) => ({
          ...item,
          gsi1pk: 'ORG#00000000#LEAD#1',
          gsi1sk: 1,
        })),
      () => [['list-unknown', `ORG#${code()}#UNIQUE (not shown)#(not shown)`]],
      'all',
    ],
    [
      'a malformed record is in a list of another organization',
      () =>
        edit(at('POLICY', 1), (policy) => ({
          ...policy,
          title: 1,
          gsi1pk: 'ORG#00000000#POLICY#1',
          gsi1sk: 1,
        })),
      () => [
        ['record-malformed', 'policy 1'],
        ['list-unknown', `ORG#${code()}#POLICY 000000000001`],
      ],
      'all',
    ],
    ['a grant is gone', () => remove(grantKey(filled().hashes[0]!)), () => [['grant-wrong', 'token 1']]],
    [
      'a revoked token has its grant again',
      async () => {
        const { hash, userId, scopes } = await get(at('TOKEN', 5));
        const grant = { organization: code(), tokenId: 5, userId, scopes, sites: [], expiresAt: null };
        await put({ ...grant, ...grantKey(hash as string) });
      },
      () => [['grant-wrong', 'token 5']],
    ],
    [
      'a grant allows more',
      async () => {
        await edit(at('TOKEN', 1), (token) => ({ ...token, scopes: ['read'] }));
      },
      () => [['grant-wrong', 'token 1']],
    ],
    [
      'a grant allows more than the role of its member',
      () => edit(at('MEMBER', 1), (member) => ({ ...member, role: 'USER' })),
      // Token 2 has expired, so its grant allows nothing. Token 5 is revoked.
      () => [
        ['grant-wrong', 'token 1'],
        ['grant-wrong', 'token 3'],
      ],
    ],
    [
      'a role lost a change, so the grants cannot be judged',
      async () => {
        await saysToo('MEMBER#1');
        await edit(at('MEMBER', 1), (member) => ({ ...member, role: 'USER' }));
      },
      () => [['touched-records-wrong', 'member 1']],
      'all',
    ],
    [
      'a grant expires later',
      async () => {
        const [hash] = [(await get(at('TOKEN', 3)))['hash']];
        await edit(grantKey(hash as string), (grant) => ({ ...grant, expiresAt: null }));
      },
      () => [['grant-wrong', 'token 3']],
    ],
    [
      'a grant is of another organization',
      () => edit(grantKey(filled().hashes[0]!), (grant) => ({ ...grant, organization: '00000000' })),
      () => [['grant-wrong', 'token 1']],
    ],
    [
      'a phone number is held for no organization',
      () => remove(phoneNumberKey(ownPhone)),
      () => [['number-not-held', `org_${code()}`]],
    ],
    [
      'a phone number is held for another organization',
      () => put({ ...phoneNumberKey(ownPhone), organization: '00000000' }),
      () => [['number-not-held', `org_${code()}`]],
      'all',
    ],
    [
      'a lead does not say that its number has opted out',
      () => edit(at('LEAD', 4), (lead) => ({ ...lead, isOptedOut: false })),
      () => [['lead-opted-out', idAt('lead', 4)]],
    ],
    [
      'a lead says wrongly that its number has opted out',
      () => edit(at('LEAD', 1), (lead) => ({ ...lead, isOptedOut: true })),
      () => [['lead-opted-out', idAt('lead', 1)]],
    ],
    [
      'the hash of an opt-out is not held',
      async () => {
        const { numberHash } = await get(at('OPTOUT', 1));
        await remove(unique('OPTOUT.numberHash', numberHash as string));
      },
      () => [['unique-not-held', 'opt-out 1']],
    ],
    [
      'an opt-out is gone',
      () => remove(at('OPTOUT', 1)),
      () => [
        ['record-missing', 'opt-out 1'],
        ['unique-without-record', 'OPTOUT.numberHash of opt-out 1'],
        ['lead-opted-out', idAt('lead', 4)],
      ],
      'all',
    ],
    [
      'an opt-out is malformed',
      () => edit(at('OPTOUT', 1), ({ createdAt, ...optOut }) => optOut),
      () => [
        ['record-malformed', 'opt-out 1'],
        ['unique-without-record', 'OPTOUT.numberHash of opt-out 1'],
        ['lead-opted-out', idAt('lead', 4)],
      ],
      'all',
    ],
    [
      'the head lost the hash key',
      () => edit(head(), ({ hashKey, ...item }) => item),
      () => [['head-malformed', `ORG#${code()} HEAD`]],
      'all',
    ],
    [
      'the head has another hash key than the opt-outs',
      () => edit(head(), (item) => ({ ...item, hashKey: Buffer.alloc(32).toString('base64') })),
      () => [['lead-opted-out', idAt('lead', 4)]],
      'all',
    ],
    [
      "a provider's id of a message is not held",
      () => remove(unique('MESSAGE.providerId', 'sms-1')),
      () => [['unique-not-held', 'message 2']],
    ],
    [
      'a source of an inquiry was deleted',
      async () => {
        await remove(at('CALL', 1));
        await put({ ...holeItemKey('CALL', firstBucket), 0: 1 });
        await restate(head(), 'CALL', '1-1~AQ');
      },
      () => [['reference-broken', idAt('inquiry', 1)]],
      'all',
    ],
    [
      'an inquiry names a lead that never existed',
      () => edit(at('INQUIRY', 1), (inquiry) => ({ ...inquiry, leadId: idAt('lead', 9) })),
      () => [
        // The lead's list of inquiries, and its list of calls.
        ['position-wrong', idAt('inquiry', 1)],
        ['position-wrong', idAt('inquiry', 1)],
        ['reference-broken', idAt('inquiry', 1)],
        ['lead-counts', idAt('lead', 1)],
      ],
      () => [
        ['position-wrong', idAt('inquiry', 1)],
        ['position-wrong', idAt('inquiry', 1)],
        ['reference-broken', idAt('inquiry', 1)],
      ],
    ],
    [
      'a lead is in the search index by another name',
      () => edit(at('LEAD', 1), (lead) => ({ ...lead, gsi6sk: 'ada\t000000000001' })),
      () => [['index-wrong', idAt('lead', 1)]],
    ],
    [
      'a lead is in the search index by a name that it lacks',
      () => edit(at('LEAD', 1), (lead) => ({ ...lead, gsi8pk: lead['gsi6pk'], gsi8sk: lead['gsi6sk'] })),
      () => [['index-wrong', idAt('lead', 1)]],
    ],
    [
      'a lead has no index attributes',
      () => edit(at('LEAD', 4), withoutIndexes),
      () => [
        ['position-wrong', idAt('lead', 4)],
        ['index-wrong', idAt('lead', 4)],
      ],
    ],
    [
      'a record without searchable texts is in a search index',
      () => edit(at('POLICY', 1), (policy) => ({ ...policy, gsi6pk: at('POLICY', 1).pk, gsi6sk: 'x' })),
      () => [['index-wrong', 'policy 1']],
      'all',
    ],
    [
      'a lead has another status than its list',
      () => edit(at('LEAD', 1), (lead) => ({ ...lead, status: 'won' })),
      () => [['position-wrong', idAt('lead', 1)]],
    ],
    [
      'a read inquiry is in the list of unread ones',
      () => edit(at('INQUIRY', 1), (inquiry) => ({ ...inquiry, isRead: true, isFlagged: true })),
      () => [
        ['position-wrong', idAt('inquiry', 1)],
        ['lead-counts', idAt('lead', 1)],
      ],
    ],
    [
      'a lead has wrong counts of its inquiries',
      () =>
        edit(at('LEAD', 1), (lead) => ({
          ...lead,
          unreadCalls: 7,
          unreadWebformSubmissions: 0,
          flaggedInquiries: 3,
          hasFlaggedInquiry: false,
        })),
      () => [['lead-counts', idAt('lead', 1)]],
    ],
    [
      'a lead lacks its last inquiry',
      () => edit(at('LEAD', 1), (lead) => ({ ...lead, lastInquiryId: null })),
      () => [['lead-counts', idAt('lead', 1)]],
    ],
    [
      'a lead that lost a change has wrong counts, and stands in the search index by another name',
      () =>
        edit(at('LEAD', 1), (lead) => ({ ...lead, revision: 2, unreadCalls: 7, gsi6sk: 'bo\t000000000001' })),
      () => [
        ['touched-records-wrong', idAt('lead', 1)],
        ['lead-counts', idAt('lead', 1)],
        ['index-wrong', idAt('lead', 1)],
      ],
      'all',
    ],
    [
      'a lead lacks its newest thread, and another has none',
      async () => {
        await edit(at('LEAD', 1), ({ newestThreadId, ...lead }) => lead);
        await edit(at('LEAD', 4), (lead) => ({ ...lead, newestThreadId: 1 }));
      },
      () => [
        ['lead-counts', idAt('lead', 1)],
        ['lead-counts', idAt('lead', 4)],
      ],
    ],
    [
      'an external id is not held',
      () => remove(unique('INQUIRY.externalInquiryId', 'mail-1')),
      () => [['unique-not-held', idAt('inquiry', 2)]],
    ],
    [
      'the pipeline has other counts than the events',
      () => edit(at('PIPELINE', 1), (pipeline) => ({ ...pipeline, days: ',1' })),
      () => [['pipeline-days', 'pipeline 1']],
    ],
    [
      'the days of the pipeline are malformed',
      () =>
        edit(at('PIPELINE', 1), (pipeline) => ({
          ...pipeline,
          days: '!',
          newest: '2999-01-01',
        })),
      () => [['pipeline-days', 'pipeline 1']],
    ],
    [
      'the pipeline has an unknown time zone',
      () => edit(at('PIPELINE', 1), (pipeline) => ({ ...pipeline, timeZone: '' })),
      () => [['pipeline-days', 'pipeline 1']],
      'all',
    ],
    [
      'a version of the code that knows no pipeline created a lead',
      () => {
        const referenceId = idAt('lead', 1);
        return filled()
          .organization.openLedger()
          .ledger.write({}, (write) => {
            write.event({ event: 'LEAD_CREATED', data: 'The lead was created', referenceId });
          });
      },
      () => [['pipeline-days', 'pipeline 1']],
    ],
    [
      'an event that moves a lead is malformed',
      async () => {
        const [number] = await eventsOf('LEAD_CREATED');
        await edit(at('EVENT', number!), (item) => ({ ...item, event: 'LEAD_STATUS_CHANGED', data: '' }));
        await remove(at('PIPELINE', 1));
      },
      () => [
        ['record-missing', 'pipeline 1'],
        ['record-malformed', expect.stringMatching(/^event \d+$/) as string],
      ],
      () => [['record-malformed', expect.stringMatching(/^event \d+$/) as string]],
    ],
    [
      'the pipeline is malformed',
      () => edit(at('PIPELINE', 1), ({ days, ...pipeline }) => pipeline),
      () => [['record-malformed', 'pipeline 1']],
    ],
    ['the pipeline is gone', () => remove(at('PIPELINE', 1)), () => [['record-missing', 'pipeline 1']]],
    [
      'a service names no scenario',
      () => edit(at('SERVICE', 1), (service) => ({ ...service, scenarioId: 5 })),
      () => [['reference-broken', 'service 1']],
      'all',
    ],
    [
      'a member was given an appointment that never existed',
      () => edit(at('MEMBER', 1), (member) => ({ ...member, newestAppointment: 9 })),
      () => [['reference-broken', 'member 1']],
      'all',
    ],
    [
      'a token acts for a user of another organization',
      async () => {
        const userId = 'user_0000000000000001';
        await edit(at('TOKEN', 1), (token) => ({ ...token, userId }));
        await edit(grantKey(filled().hashes[0]!), (grant) => ({ ...grant, userId }));
      },
      () => [['reference-broken', 'token 1']],
      'all',
    ],
    [
      'an unknown item is among the leads',
      () => put({ ...at('LEAD', 1), sk: 'ann@example.com' }),
      () => [['unknown-item', `ORG#${code()}#LEAD (not shown)`]],
      'all',
    ],
    [
      'an unknown item is beside the head',
      () => put({ ...head(), sk: 'BACKUP' }),
      () => [['unknown-item', `ORG#${code()} BACKUP`]],
      'all',
    ],
    [
      'an unknown item is among the counts of days',
      () => put({ ...inOrganization('DAY', 'BACKUP') }),
      () => [['unknown-item', `ORG#${code()}#DAY BACKUP`]],
      'all',
    ],
    [
      'an unknown item is among the unique values',
      () => put({ ...inOrganization('UNIQUE', 'ann@example.com') }),
      () => [['unknown-item', `ORG#${code()}#UNIQUE (not shown)`]],
      'all',
    ],
    [
      'the head has an old revision of the pipeline',
      () => edit(head(), (item) => ({ ...item, revisions: { PIPELINE: 1 } })),
      () => [['revision-in-head', `ORG#${code()} HEAD`]],
    ],
    [
      'the head has an old version of the configuration',
      () => edit(head(), (item) => ({ ...item, configuration: 1 })),
      () => [['revision-in-head', `ORG#${code()} HEAD`]],
    ],
    [
      'a day says another time of an appointment',
      () => edit(inOrganization('BOOKED', '2026-12-08'), (item) => ({ ...item, booked: '1/540/90/0/0/1' })),
      () => [['booked-wrong', `ORG#${code()}#BOOKED 2026-12-08`]],
    ],
    [
      'the head names a webhook that is not there',
      () => edit(head(), (item) => ({ ...item, named: { WEBHOOK: '1 2' } })),
      () => [['names-in-head', `ORG#${code()} HEAD`]],
    ],
    [
      'the head does not name a webhook that is enabled',
      () => edit(head(), ({ named, ...item }) => item),
      () => [['names-in-head', `ORG#${code()} HEAD`]],
    ],
    [
      'the queue counter is behind the head',
      () => edit(head(), (item) => ({ ...item, queue: { served: 3, waiting: 0, pace: 1 } })),
      () => [['queue-counter-behind', `ORG#${code()}#TURN TURN`]],
    ],
    [
      'the head is of another form',
      () => edit(head(), ({ form, ...item }) => item),
      () => [['head-form', `ORG#${code()} HEAD`]],
      'all',
    ],
    [
      'the head is malformed',
      () => edit(head(), (item) => ({ ...item, version: 'ann@example.com' })),
      () => [['head-malformed', `ORG#${code()} HEAD`]],
      'all',
    ],
    [
      'an import has not put the head yet',
      async () => {
        await remove(head());
        await put({ ...head(), sk: 'IMPORT', digest: 'x', by: 'y' });
      },
      () => [['import-unfinished', `ORG#${code()} IMPORT`]],
      'all',
    ],
    ['the head is gone', () => remove(head()), () => [['head-missing', `ORG#${code()} HEAD`]], 'all'],
    [
      'the head is behind',
      async () => {
        const { version } = await get(head());
        await edit(head(), (item) => ({ ...item, version: (version as number) - 1 }));
      },
      () => [['event-beyond', expect.stringMatching(/^event/) as string]],
    ],
  ];
}
