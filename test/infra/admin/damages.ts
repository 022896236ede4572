import type { FindingKind } from '../../../infra/admin/verify/finding.ts';
import { addNumber } from '../../../shared/domain/numbers/numbers.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import { updateProduct } from '../../../shared/domain/products/products.ts';
import {
  duePartition,
  grantKey,
  phoneNumberKey,
  shardOf,
  type Key,
} from '../../../shared/ledger/internal/keys.ts';
import type { StoredOrganization } from '../../support/stored-organization.ts';
import { ownPhone, type FilledOrganization } from './filled-organization.ts';
import { removeJobOfRemovedTeam, team1 } from './jobs.ts';
import type { Attributes, StoredItems } from './stored-items.ts';

/** Kind and place of each finding. */
export type Found = [FindingKind, string][];
/** Kind and place of each finding, as `wordsOf` writes them. */
type Words = string | string[];

type Step = () => Promise<unknown>;

/**
 * Damage past the ledger, and its findings. Then the findings that a repair must leave: by default none, `all`
 * if nothing can be repaired.
 */
export type Damage = [damage: Step | Step[], found: Words, left?: Words];

/** Findings in words, with short ids and without the organization's code. */
export const wordsOf = (found: Found, code: string): string[] =>
  found.map(([kind, where]) => {
    const short = where
      .replace(new RegExp(`_${code}0*`), ' ')
      .replaceAll(`#${code}`, '')
      .trim();
    return `${kind} ${short.replace(/^event \d+$/, 'event')}`;
  });

/** Steps of damage. The place of an item is `HEAD`, or its partition in the organization and its sort key. */
function stepsOn({ edit, get, head, inOrganization, ...items }: StoredItems) {
  const keyOf = (place: string | Key): Key => {
    if (typeof place !== 'string') return place;
    const [, suffix = '', sk = ''] = /^(\S+) (.*)$/.exec(place) ?? [];
    if (suffix === '') return head();
    return inOrganization(suffix, /^\d+$/.test(sk) ? sk.padStart(12, '0') : sk);
  };
  const change =
    (place: string | Key, act: (item: Attributes) => Attributes): Step =>
    () =>
      edit(keyOf(place), act);
  return {
    change,
    set: (place: string | Key, values: Attributes) => change(place, (item) => ({ ...item, ...values })),
    drop: (place: string, ...names: string[]) =>
      change(place, (item) =>
        Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name))),
      ),
    put:
      (place: string | Key, values: Attributes = {}): Step =>
      () =>
        items.put({ ...keyOf(place), ...values }),
    remove:
      (place: string | Key): Step =>
      () =>
        items.remove(keyOf(place)),
    copy:
      (from: string, to: string, values: Attributes = {}): Step =>
      async () =>
        items.put({ ...(await get(keyOf(from))), ...keyOf(to), ...values }),
    restate:
      (place: string, list: string, state: string | undefined): Step =>
      () =>
        items.restate(keyOf(place), list, state),
  };
}

const notName = 'ann@example.com';
const former = 'TEAM#000000000003#LIST STATE';
const annsEmail = 'UNIQUE LEAD.email#ann@example.com';

/** Damages with findings of one kind. A row has the places. */
const ofKind = (kind: FindingKind, damages: Record<string, Damage>): Record<string, Damage> =>
  Object.fromEntries(
    Object.entries(damages).map(([name, [damage, places]]) => [
      name,
      [damage, [places].flat().map((place) => `${kind} ${place}`)],
    ]),
  );

/** Damages with the same findings. */
const alike = (found: Words, damages: Record<string, Damage[0]>): Record<string, Damage> =>
  Object.fromEntries(Object.entries(damages).map(([name, damage]) => [name, [damage, found]]));

/** Damages that nothing repairs. */
const lost = (damages: Record<string, Damage>): Record<string, Damage> =>
  Object.fromEntries(
    Object.entries(damages).map(([name, [damage, found]]) => [name, [damage, found, 'all']]),
  );

/** Kinds of damage to an organization of `fillOrganization` and `fillJobs`. */
export async function damagesOf(
  items: StoredItems,
  { organization, hashes }: FilledOrganization,
): Promise<Record<string, Damage>> {
  const { at, eventsOf, get, head, idAt, partitionOf } = items;
  const { change, copy, drop, put, remove, restate, set } = stepsOn(items);
  const { code } = organization;
  const ledger = () => organization.openLedger().ledger;
  const first = async (event: string) => `EVENT ${(await eventsOf(event))[0]}`;
  const [companyAdded, leadAdded] = [await first('COMPANY_CREATED'), await first('LEAD_CREATED')];
  const inquiryAdded = await first('INQUIRY_CREATED');
  const [, laterLead = 0] = await eventsOf('LEAD_CREATED');
  const policyAdded = `EVENT ${String((await get(at('POLICY', 1)))['revision'])}`;
  const version = (await get(head()))['version'] as number;
  const grant = grantKey(hashes[0]!);
  const [ann, di] = [idAt('lead', 1), idAt('lead', 4)];
  const optOut = String((await get(at('OPTOUT', 1)))['numberHash']);
  /** Adds records to those that the last event says its write touched. */
  const saysToo = (more: string) =>
    change(`EVENT ${version}`, (event) => ({ ...event, touched: `${String(event['touched'])} ${more}` }));
  return {
    'an event of a lead is gone, and its list has a gap': [
      remove(inquiryAdded),
      ['event-missing event', 'list-wrong the list EVENT#1 of lead 1'],
      'event-missing event',
    ],
    ...alike('event-beyond event', {
      'an event is beyond the version': copy(`EVENT ${version}`, `EVENT ${version + 1}`, {
        id: version + 1,
        revision: version + 1,
        touched: '',
      }),
      'the head is behind': set('HEAD', { version: version - 1 }),
    }),
    ...alike('pipeline-days pipeline 1', {
      'an event happened at another time': set(leadAdded, { createdAt: '2020-01-01T00:00:00.000Z' }),
      'the pipeline has other counts than the events': set('PIPELINE 1', { days: ',1' }),
      'the days of the pipeline are malformed': set('PIPELINE 1', { days: '!', newest: '2999-01-01' }),
      'a version of the code that knows no pipeline created a lead': () =>
        ledger().write({}, (write) => {
          write.event({ event: 'LEAD_CREATED', data: 'The lead was created', referenceId: ann });
        }),
    }),
    'an event stands in the place of another, too': [
      copy(leadAdded, `EVENT ${laterLead}`),
      ['record-id event', 'event-order event', 'rank-wrong event'],
      ['record-id event', 'event-order event'],
    ],
    'an activity is in the list of another lead': [
      set(inquiryAdded, { gsi1pk: partitionOf('LEAD#000000000004#EVENT#1'), gsi1sk: 2 }),
      ['list-wrong the list EVENT#1 of lead 1', 'list-wrong the list EVENT#1 of lead 4'],
    ],
    'a record is beyond the last number': [
      copy('EMAIL 1', 'EMAIL 2', { id: idAt('email', 2) }),
      ['record-beyond email 2', 'list-wrong the list EMAIL'],
    ],
    // Leads 2 and 3 were deleted.
    'a hole is missing in its bucket': [
      set('LEAD#LIST 0', { 0: 2 }),
      ['record-missing lead 3', 'list-wrong the list LEAD'],
    ],
    'the holes of all deleted leads are gone': [
      remove('LEAD#LIST 0'),
      ['record-missing lead 2', 'record-missing lead 3', 'list-wrong the list LEAD'],
    ],
    'a deleted lead is no hole any more, and the count says so, too': [
      [restate('HEAD', 'LEAD', '4-1~BA'), put('LEAD#LIST 0', { 0: 4 })],
      ['record-missing lead 2', 'list-wrong the list LEAD'],
    ],
    'a deleted record is back': [
      copy('LEAD 4', 'LEAD 2', {
        id: idAt('lead', 2),
        email: '',
        phone: '',
        isOptedOut: false,
        lists: {},
        gsi1sk: 2,
        firstName: '',
        lastName: '',
        businessName: '',
      }),
      [
        'record-and-hole lead 2',
        'list-wrong the list LEAD#1#(not shown) of pipeline 1',
        'list-wrong the list EVENT#1 of lead 2',
      ],
      'record-and-hole lead 2',
    ],
    ...alike(['record-and-hole lead 4', 'list-wrong the list LEAD'], {
      'a record is also a hole': set('LEAD#LIST 0', { 0: 0b1110 }),
      'a record is also a hole, and the count says so too, but not the window': [
        set('LEAD#LIST 0', { 0: 0b1110 }),
        restate('HEAD', 'LEAD', '4-3~Bg'),
      ],
    }),
    'a record is a hole instead of another': [
      set('LEAD#LIST 0', { 0: 0b1010 }),
      ['record-missing lead 3', 'record-and-hole lead 4', 'list-wrong the list LEAD'],
    ],
    'a hole is beyond the last number': [
      [put('POLICY#LIST 0', { 0: 2 ** 7 }), restate('HEAD', 'POLICY', '1-1')],
      'list-wrong the list POLICY',
    ],
    'the count of deleted numbers is off': [restate('HEAD', 'LEAD', '4-1~Bg'), 'list-wrong the list LEAD'],
    'the window of the newest is off': [restate('HEAD', 'LEAD', '4-2~BQ'), 'list-wrong the list LEAD'],
    'the window is gone': [restate('HEAD', 'LEAD', '4-2'), 'list-wrong the list LEAD'],
    'the head counts one lead too few': [
      restate('HEAD', 'LEAD', '3-2~Aw'),
      ['record-beyond lead 4', 'list-wrong the list LEAD', 'touched-records-wrong event'],
    ],
    'a list has a hole that nobody left': [
      put('INQUIRY#4#unread#LIST 0', { 0: 1 }),
      'list-wrong the list INQUIRY#4#(not shown)',
    ],
    'a list of the pipeline has a hole that nobody left': [
      [
        () => createLead(ledger(), { name: 'Flo', status: 'won' }),
        put('PIPELINE#000000000001#LEAD#1#won#LIST 0', { 0: 1 }),
      ],
      'list-wrong the list LEAD#1#(not shown) of pipeline 1',
    ],
    'a bucket is malformed': [put('POLICY#LIST 1', { 26: 2 ** 51 }), 'list-wrong the list POLICY'],
    'a bucket has a number that is no bits': [
      put('JOB#1#OPEN#LIST 0', { 0: -1 }),
      'list-wrong the list JOB#1#OPEN',
    ],
    ...ofKind('unique-not-held', {
      'a unique value is not held': [remove(annsEmail), 'lead 1'],
      'a unique value is held for another': [put(annsEmail, { id: di }), 'lead 1'],
      'a unique value is held for what is no record': [put(annsEmail, { id: 'ann' }), 'lead 1'],
      'the hash of an opt-out is not held': [remove(`UNIQUE OPTOUT.numberHash#${optOut}`), 'opt-out 1'],
      "a provider's id of a message is not held": [remove('UNIQUE MESSAGE.providerId#sms-1'), 'message 2'],
      'an external id is not held': [remove('UNIQUE INQUIRY.externalInquiryId#mail-1'), 'inquiry 2'],
    }),
    'a unique value is held for nobody': [
      put('UNIQUE LEAD.email#eve@example.com', { id: idAt('lead', 2) }),
      'unique-without-record LEAD.email of lead 2',
    ],
    'a unique value is held for something else': [
      put('UNIQUE TRANSFER.label#x', { id: 'one' }),
      'unique-without-record TRANSFER.label',
    ],
    'a value is held as it was typed, not folded': [
      put('UNIQUE LEAD.email#Ann@example.com', { id: ann }),
      'unique-without-record LEAD.email of lead 1',
    ],
    'a record has another email address than it holds': [
      set('LEAD 1', { email: 'ada@example.com' }),
      ['unique-not-held lead 1', 'unique-without-record LEAD.email of lead 1'],
    ],
    'an operator gave two leads one email address': [
      set('LEAD 4', { email: 'ann@example.com' }),
      ['unique-not-held lead 4', 'unique-without-record LEAD.email of lead 4'],
      'unique-not-held lead 4',
    ],
    // Its lists are those of the other category.
    'a product is in another category than the one its name is held in': [
      set('PRODUCT 1', { tradeCategoryId: 1 }),
      [
        'position-wrong product 1',
        'position-wrong product 1',
        'unique-not-held product 1',
        'unique-without-record PRODUCT.name of product 1',
      ],
    ],
    'a revision is newer than the head': [set('POLICY 1', { revision: 1000 }), 'revision-ahead policy 1'],
    // Sending an SMS and founding append several events each.
    'a revision is not that of the last event of a write': [
      set('POLICY 1', { revision: 1 }),
      'revision-without-event policy 1',
    ],
    'an event does not name a record that its write stored': [
      set(policyAdded, { touched: '' }),
      'touched-records-wrong policy 1',
    ],
    'an event names a number that was never given out': [
      saysToo('POLICY#2 OFFER#1'),
      ['touched-records-wrong event', 'touched-records-wrong event'],
    ],
    ...alike('touched-records-wrong event', {
      'an event does not name the records of its write at all': drop(policyAdded, 'touched'),
      'an event names records in a malformed way': set(policyAdded, { touched: notName }),
      'an event names records by a number': set(policyAdded, { touched: 7 }),
      'an event names records that show others in a malformed way': set(policyAdded, { shown: 'ann' }),
    }),
    'a record has no revision': [drop('POLICY 1', 'revision'), 'record-malformed policy 1'],
    'a revision is a fraction': [set('FAQ 1', { revision: 1.5 }), 'record-malformed FAQ 1'],
    'a revision is a text': [set('FAQ 1', { revision: '7' }), 'record-malformed FAQ 1'],
    'a revision is 0': [set('FAQ 1', { revision: 0 }), 'record-malformed FAQ 1'],
    // Verify cannot tell the values of a malformed record, either.
    ...Object.fromEntries(
      [{ read: notName, socials: { ann: 1 } }, { claimed: 'ann' }, { unreadCalls: -1 }].map(
        (wrong): [string, Damage] => [
          `a record is malformed: ${Object.keys(wrong).join()}`,
          [
            set('LEAD 4', wrong),
            [
              'record-malformed lead 4',
              'unique-without-record LEAD.email of lead 4',
              'unique-without-record LEAD.phone of lead 4',
              'unique-without-record LEAD.phoneEnd of lead 4',
              'unique-without-record LEAD.word of lead 4',
            ],
            'all',
          ],
        ],
      ),
    ),
    'two members have one rank': [
      [set('NOTE 2', { gsi1sk: 1 }), restate('COMPANY 1', 'NOTE#1', '1')],
      'rank-wrong note 2',
    ],
    ...alike('list-wrong the list NOTE#1 of company 1', {
      'a rank is missing': [set('NOTE 2', { gsi1sk: 3 }), restate('COMPANY 1', 'NOTE#1', '3')],
      'an owner counts one too many': restate('COMPANY 1', 'NOTE#1', '3'),
      'an owner counts one too few': restate('COMPANY 1', 'NOTE#1', '1'),
    }),
    'a rank is a fraction': [set('INQUIRY 1', { gsi2sk: 1.5 }), 'position-wrong inquiry 1'],
    'a record lost its position': [drop('NOTE 2', 'gsi1pk', 'gsi1sk'), 'position-wrong note 2'],
    'a record lost its position, and its list lost its holes': [
      [drop('JOB 2', 'gsi1pk', 'gsi1sk'), remove('JOB#1#OPEN#LIST 0')],
      ['position-wrong job 2', 'list-wrong the list JOB#1#OPEN'],
    ],
    'an owner lost the state of its list': [
      restate('LEAD 1', 'EVENT#1', undefined),
      'list-wrong the list EVENT#1 of lead 1',
    ],
    'the states of a record are a list': [
      set('COMPANY 1', { lists: ['1'] }),
      ['list-unknown company 1', 'list-wrong the list NOTE#1 of company 1'],
      'list-unknown company 1',
    ],
    ...alike('list-wrong the list INQUIRY#1#CALL', {
      'the head counts one inquiry of a source too many': restate('HEAD', 'INQUIRY#1#CALL', '2'),
      'the head lost the state of the inquiries of a source': restate('HEAD', 'INQUIRY#1#CALL', undefined),
    }),
    'a record is in a list of another collection': [
      set('INVITATION 1', { gsi1pk: at('NOTE', 1).pk, gsi1sk: 1 }),
      'list-unknown invitation 1',
    ],
    'a record is in a list of another organization': [
      set('POLICY 1', { gsi2pk: 'ORG#00000000#POLICY#OPEN', gsi2sk: 1 }),
      'list-unknown policy 1',
    ],
    'a record is in a search index of another organization': [
      set('POLICY 1', { gsi6pk: 'ORG#00000000#LEAD#6', gsi6sk: 'x' }),
      'index-wrong policy 1',
    ],
    'a record waits in the shard of another organization': [
      set('POLICY 1', { gsi9pk: 'DUE#remind#9', gsi9sk: 'x' }),
      'index-wrong policy 1',
    ],
    'a record with other damage is in a list of another organization': [
      [drop('LEAD 1', 'revision'), set('LEAD 1', { gsi2pk: 'ORG#00000000#LEAD#2', gsi2sk: 1 })],
      ['record-malformed lead 1', 'list-unknown lead 1'],
    ],
    'a grant is gone': [remove(grant), 'grant-wrong token 1'],
    'a revoked token has its grant again': [
      async () => {
        const { hash, userId, scopes } = await get(at('TOKEN', 7));
        const again = { organization: code, tokenId: 5, userId, scopes, sites: [], expiresAt: null };
        await items.put({ ...again, ...grantKey(String(hash)) });
      },
      'grant-wrong token 7',
    ],
    'a grant allows more': [set('TOKEN 1', { scopes: ['read'] }), 'grant-wrong token 1'],
    'a grant is malformed': [set(grant, { scopes: 'all' }), 'grant-wrong token 1'],
    // Tokens 2 and 3 are of the invitation and of a platform. Token 4 has expired. Token 7 is revoked.
    'a grant allows more than the role of its member': [
      set('MEMBER 1', { role: 'USER' }),
      ['grant-wrong token 1', 'grant-wrong token 5'],
    ],
    'a grant expires later': [set(grantKey(hashes[2]!), { expiresAt: null }), 'grant-wrong token 5'],
    'a grant is of another organization': [set(grant, { organization: '00000000' }), 'grant-wrong token 1'],
    'a phone number is held for no organization': [remove(phoneNumberKey(ownPhone)), 'number-not-held org'],
    'the item of a phone number names nobody': [put(phoneNumberKey(ownPhone)), 'number-not-held org'],
    ...ofKind('lead-opted-out', {
      'a lead does not say that its number has opted out': [set('LEAD 4', { isOptedOut: false }), 'lead 4'],
      'a lead says wrongly that its number has opted out': [set('LEAD 1', { isOptedOut: true }), 'lead 1'],
    }),
    'an opt-out is stored twice': [
      copy('OPTOUT 1', 'OPTOUT 2', { id: 2 }),
      ['record-beyond opt-out 2', 'list-wrong the list OPTOUT', 'unique-not-held opt-out 2'],
      'unique-not-held opt-out 2',
    ],
    // The lead's list of inquiries, and its list of calls.
    'an inquiry names a lead that never existed': [
      set('INQUIRY 1', { leadId: idAt('lead', 9) }),
      [
        'position-wrong inquiry 1',
        'position-wrong inquiry 1',
        'reference-broken inquiry 1',
        'lead-counts lead 1',
      ],
      ['position-wrong inquiry 1', 'position-wrong inquiry 1', 'reference-broken inquiry 1'],
    ],
    'an operator gave an inquiry to another lead': [
      set('INQUIRY 1', { leadId: di }),
      ['position-wrong inquiry 1', 'position-wrong inquiry 1', 'lead-counts lead 1', 'lead-counts lead 4'],
    ],
    'an appointment is in the search index by another time': [
      set('APPOINTMENT 1', { gsi6sk: '2030\t000000000001' }),
      'index-wrong appointment 1',
    ],
    'an appointment is in a search index that it lacks': [
      change('APPOINTMENT 1', (one) => ({ ...one, gsi8pk: one['gsi6pk'], gsi8sk: one['gsi6sk'] })),
      'index-wrong appointment 1',
    ],
    'a lead has no index attributes': [
      drop('LEAD 4', ...[1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((index) => [`gsi${index}pk`, `gsi${index}sk`])),
      'position-wrong lead 4',
    ],
    'a lead has another status than its list': [set('LEAD 1', { status: 'won' }), 'position-wrong lead 1'],
    'a read inquiry is in the list of unread ones': [
      set('INQUIRY 1', { isRead: true, isFlagged: true }),
      ['position-wrong inquiry 1', 'lead-counts lead 1'],
    ],
    ...alike('lead-counts lead 1', {
      'a lead has wrong counts of its inquiries': set('LEAD 1', {
        unreadCalls: 7,
        unreadWebformSubmissions: 0,
        flaggedInquiries: 3,
        hasFlaggedInquiry: false,
      }),
      'a lead lacks its last inquiry': set('LEAD 1', { lastInquiryId: null }),
    }),
    'a lead lacks its newest thread, and another has none': [
      [drop('LEAD 1', 'newestThreadId'), set('LEAD 4', { newestThreadId: 1 })],
      ['lead-counts lead 1', 'lead-counts lead 4'],
    ],
    'an event that moves a lead is malformed': [
      [set(leadAdded, { event: 'LEAD_STATUS_CHANGED', data: '' }), remove('PIPELINE 1')],
      ['record-missing pipeline 1', 'record-malformed event'],
      'record-malformed event',
    ],
    'the pipeline is malformed': [drop('PIPELINE 1', 'days'), 'record-malformed pipeline 1'],
    'the pipeline is gone': [remove('PIPELINE 1'), 'record-missing pipeline 1'],
    'a member counts too many open appointments': [
      set('MEMBER 1', { openAppointments: 9 }),
      'member-counts member 1',
    ],
    ...alike('revision-in-head ORG HEAD', {
      'the head has an old revision of the pipeline': set('HEAD', { revisions: { PIPELINE: 1 } }),
      'the head has an old version of the configuration': set('HEAD', { configuration: 1 }),
    }),
    ...alike('booked-wrong ORG#BOOKED 2031-12-08', {
      'a day says another time of an appointment': set('BOOKED 2031-12-08', { booked: '1/540/90/0/0/1' }),
      'a day is missing': remove('BOOKED 2031-12-08'),
      'a day has an appointment that is not there': change('BOOKED 2031-12-08', (day) => ({
        ...day,
        booked: `${String(day['booked'])} 3/0/1/0/0/1`,
      })),
      'a day cannot be read': set('BOOKED 2031-12-08', { booked: 5 }),
      'a day has no revision': drop('BOOKED 2031-12-08', 'revision'),
    }),
    'a day has what nobody booked': [
      put('BOOKED 2031-12-10', { booked: '3/540/60/0/0/1', revision: 2 }),
      'booked-wrong ORG#BOOKED 2031-12-10',
    ],
    'a day without appointments has an item': [
      put('BOOKED 2031-12-11', { booked: '', revision: 2 }),
      'booked-wrong ORG#BOOKED 2031-12-11',
    ],
    'a day is left while a record that may book it is gone': [
      remove('APPOINTMENT 1'),
      [
        ...[
          'record-missing appointment 1',
          'reference-broken attendance 1',
          'booked-wrong ORG#BOOKED 2031-12-08',
          'member-counts member 1',
        ],
        'list-wrong the list APPOINTMENT#1 of lead 1',
      ],
      [
        'record-missing appointment 1',
        'reference-broken attendance 1',
        'booked-wrong ORG#BOOKED 2031-12-08',
        'member-counts member 1',
      ],
    ],
    'the head names a webhook that is not there': [
      set('HEAD', { named: { WEBHOOK: '1 2' } }),
      'names-in-head ORG HEAD',
    ],
    'the head does not name a webhook that is enabled': [drop('HEAD', 'named'), 'names-in-head ORG HEAD'],
    'the queue counter is behind the head': [
      set('HEAD', { queue: { served: 3, waiting: 0, pace: 1 } }),
      'queue-counter-behind ORG#TURN TURN',
    ],
    ...listDamages(),
    ...lost({
      'an event is gone': [remove(companyAdded), 'event-missing event'],
      'an event has the revision of another write': [
        change(companyAdded, (event) => ({ ...event, revision: Number(event['id']) + 3 })),
        'event-order event',
      ],
      'a record is gone': [remove('POLICY 1'), 'record-missing policy 1'],
      'a record is far beyond the last number': [
        copy('INVITATION 1', 'INVITATION 999999999999', { id: 999_999_999_999 }),
        ['record-beyond', 'unique-not-held'].map((kind) => `${kind} invitation 999999999999`),
      ],
      'the head counts one lead too many': [restate('HEAD', 'LEAD', '5-2~DA'), 'record-missing lead 5'],
      ...alike('touched-records-wrong policy 1', {
        'an event names a record that its write did not store': saysToo('POLICY#1'),
        'an event says that an existing record was removed': saysToo('-POLICY#1'),
      }),
      'a record is as it was before its last change': [
        async () => {
          const before = await get(at('PRODUCT', 1));
          await updateProduct(ledger(), 1, { response: 'Yes' });
          await items.put(before);
        },
        'touched-records-wrong product 1',
      ],
      'a record has the id of another': [set('POLICY 1', { id: 2 }), 'record-id policy 1'],
      'a member has the id of another user': [
        set('MEMBER 1', { userId: idAt('user', 2) }),
        'record-id member 1',
      ],
      'an item of another organization is in an index partition of a list': [
        put({ pk: 'ORG#00000000#POLICY', sk: '1' }, { gsi4pk: partitionOf('INQUIRY#4#unread'), gsi4sk: 2 }),
        'index-foreign ORG#00000000#POLICY 1',
      ],
      'an item of another organization is in an index partition of a search': [
        put(
          { pk: 'ORG#00000000#POLICY', sk: '1' },
          { gsi6pk: partitionOf('APPOINTMENT#6'), gsi6sk: '2031\t000000000001' },
        ),
        'index-foreign ORG#00000000#POLICY 1',
      ],
      'a unique value is in a list of another organization': [
        set(annsEmail, { gsi1pk: 'ORG#00000000#LEAD#1', gsi1sk: 1 }),
        'list-unknown ORG#UNIQUE (not shown)#(not shown)',
      ],
      'a malformed record is in a list of another organization': [
        set('POLICY 1', { title: 1, gsi1pk: 'ORG#00000000#POLICY#1', gsi1sk: 1 }),
        ['record-malformed policy 1', 'list-unknown ORG#POLICY 000000000001'],
      ],
      'a role lost a change, so the grants cannot be judged': [
        [saysToo('MEMBER#1'), set('MEMBER 1', { role: 'USER' })],
        'touched-records-wrong member 1',
      ],
      'a phone number is held for another organization': [
        put(phoneNumberKey(ownPhone), { organization: '00000000' }),
        'number-not-held org',
      ],
      'an opt-out is gone': [
        remove('OPTOUT 1'),
        [
          'record-missing opt-out 1',
          'unique-without-record OPTOUT.numberHash of opt-out 1',
          'lead-opted-out lead 4',
        ],
      ],
      'an opt-out is malformed': [
        drop('OPTOUT 1', 'createdAt'),
        [
          'record-malformed opt-out 1',
          'unique-without-record OPTOUT.numberHash of opt-out 1',
          'lead-opted-out lead 4',
        ],
      ],
      'the head lost the hash key': [drop('HEAD', 'hashKey'), 'head-malformed ORG HEAD'],
      'the head has another hash key than the opt-outs': [
        set('HEAD', { hashKey: Buffer.alloc(32).toString('base64') }),
        'lead-opted-out lead 4',
      ],
      'a source of an inquiry was deleted': [
        [remove('CALL 1'), put('CALL#LIST 0', { 0: 1 }), restate('HEAD', 'CALL', '1-1~AQ')],
        'reference-broken inquiry 1',
      ],
      'an operator deleted a company that has notes': [remove('COMPANY 1'), 'record-missing company 1'],
      'an operator deleted the member for whom the tokens act': [
        remove('MEMBER 1'),
        ['record-missing member 1', 'unique-without-record MEMBER.email of member 1'],
      ],
      'a message is of a thread that never was': [
        set('MESSAGE 1', { threadId: 7 }),
        ['position-wrong message 1', 'reference-broken message 1'],
      ],
      'a record without searchable texts is in a search index': [
        set('POLICY 1', { gsi6pk: at('POLICY', 1).pk, gsi6sk: 'x' }),
        'index-wrong policy 1',
      ],
      'a lead that lost a change has wrong counts': [
        set('LEAD 1', { revision: 2, unreadCalls: 7 }),
        ['touched-records-wrong lead 1', 'lead-counts lead 1'],
      ],
      'the pipeline has an unknown time zone': [
        set('PIPELINE 1', { timeZone: '' }),
        'pipeline-days pipeline 1',
      ],
      'a service names no scenario': [set('SERVICE 1', { scenarioId: 5 }), 'reference-broken service 1'],
      'a member was given an appointment that never existed': [
        set('MEMBER 1', { newestAppointment: 9 }),
        'reference-broken member 1',
      ],
      'a token acts for a user of another organization': [
        ['TOKEN 1', grant].map((place) => set(place, { userId: 'user_0000000000000001' })),
        'reference-broken token 1',
      ],
      ...ofKind('unknown-item', {
        'an unknown item is among the leads': [put(`LEAD ${notName}`), 'ORG#LEAD (not shown)'],
        'an unknown item is beside the head': [put({ ...head(), sk: 'BACKUP' }), 'ORG BACKUP'],
        'an unknown item is among the counts of days': [put('DAY BACKUP'), 'ORG#DAY BACKUP'],
        'an unknown item is among the unique values': [put(`UNIQUE ${notName}`), 'ORG#UNIQUE (not shown)'],
        'a record has the number 0': [copy('FAQ 1', 'FAQ 0'), 'ORG#FAQ 000000000000'],
        'a sort key has a digit too many': [copy('LEAD 1', 'LEAD 0000000000001'), 'ORG#LEAD 0000000000001'],
        'a booked item is of no day': [
          put('BOOKED 2026-12', { booked: '', revision: 2 }),
          'ORG#BOOKED 2026-12',
        ],
      }),
      'the head is of another form': [drop('HEAD', 'form'), 'head-form ORG HEAD'],
      'the head is malformed': [set('HEAD', { version: notName }), 'head-malformed ORG HEAD'],
      'an import has not put the head yet': [
        [remove('HEAD'), put({ ...head(), sk: 'IMPORT' }, { digest: 'x', by: 'y' })],
        'import-unfinished ORG IMPORT',
      ],
      'the head is gone': [remove('HEAD'), 'head-missing ORG HEAD'],
      'the version of the head is ahead of the events': [
        set('HEAD', { version: version + 2 }),
        ['event-missing event', 'event-missing event'],
      ],
      // A repair would take the number of the lost event.
      'the head is two writes behind, the event between is gone, and so are the holes of the leads': [
        [set('HEAD', { version: version - 2 }), remove(`EVENT ${version - 1}`), remove('LEAD#LIST 0')],
        [
          'event-beyond event',
          'revision-ahead job 7',
          'record-missing lead 2',
          'record-missing lead 3',
          'list-wrong the list LEAD',
        ],
      ],
    }),
  };

  function listDamages(): Record<string, Damage> {
    /** Due partition of the organization's shard, of the worker that reminds. */
    const ownShard = duePartition('remind', shardOf(code));
    const open = 'list-wrong the list JOB#1#OPEN';
    const ofTeam = 'list-wrong the list JOB#2 of team 1';
    const ofTeam3 = 'list-wrong the list JOB#2 of team 3';
    const tagged = 'list-wrong the list JOB#3#(not shown)';
    const holesOf1 = `${team1}#LIST 0`;
    const holesOf3 = 'TEAM#000000000003#JOB#2#LIST 0';
    const oneMore = (item: Attributes, list: string) => ({
      ...item,
      lists: { ...(item['lists'] as object), [list]: '1' },
    });
    return {
      'the hole of a member that left is missing': [set('JOB#1#OPEN#LIST 0', { 0: 0b1000001 }), open],
      'the holes of members that left the list of a record are missing': [remove(holesOf1), ofTeam],
      'the hole of a member that left the list of a deleted owner is missing': [remove(holesOf3), ofTeam3],
      'a former item is missing': [remove(former), ofTeam3],
      'a former item is missing, and the holes of its list too': [
        [remove(former), remove(holesOf3)],
        ofTeam3,
      ],
      'a member of a list of a removed record lost its position': [
        drop('JOB 7', 'gsi2pk', 'gsi2sk'),
        'position-wrong job 7',
      ],
      'the list of a removed record counts one too many': [restate(former, 'JOB#2', '3-1~BA'), ofTeam3],
      'the list of a removed record counts one too few': [restate(former, 'JOB#2', '1-1~AQ'), ofTeam3],
      'the list of a removed record counts no hole': [restate(former, 'JOB#2', '2'), ofTeam3],
      'a former item lacks the state of its list': [restate(former, 'JOB#2', undefined), ofTeam3],
      ...alike('former-item-malformed ORG#TEAM#000000000003#LIST STATE', {
        'a former item has no states': set(former, { lists: 'ann' }),
        'a former item has a malformed state': set(former, { lists: { 'JOB#2': 'ann' } }),
        'a former item has a malformed revision': set(former, { revision: 'ann' }),
      }),
      'a former item has the revision of no event': [
        set(former, { revision: 1000 }),
        'revision-ahead ORG#TEAM#000000000003#LIST STATE',
      ],
      'a member is also a hole': [
        [set('JOB#1#OPEN#LIST 0', { 0: 0b1001011 }), restate('HEAD', 'JOB#1#OPEN', '7-4~aQ')],
        open,
      ],
      'a hole is beyond the last rank': [
        [set(holesOf1, { 0: 0b11001 }), restate('TEAM 1', 'JOB#2', '4-3~CQ')],
        ofTeam,
      ],
      'the holes of a list are malformed': [set(holesOf1, { 0: 'ann' }), ofTeam],
      'a bucket beyond the last one has holes': [put(`${team1}#LIST 1`, { 0: 1 }), ofTeam],
      'the state counts too many holes': [restate('TEAM 1', 'JOB#2', '4-3~CQ'), ofTeam],
      'the state counts no hole': [restate('TEAM 1', 'JOB#2', '4'), ofTeam],
      'the window of the state is off': [restate('TEAM 1', 'JOB#2', '4-2~Cw'), ofTeam],
      'a list of one bucket has an item of counts': [put('JOB#1#OPEN#LIST COUNTS', { left: 3 }), open],
      'the item of a state is gone': [remove('JOB#3#b#LIST STATE'), tagged],
      'the item of a state with holes is gone': [remove(`JOB#3#${notName}#LIST STATE`), tagged],
      'the item of a state has a rank too many': [put('JOB#3#b#LIST STATE', { state: '3' }), tagged],
      'the item of a state counts a hole too many': [put('JOB#3#b#LIST STATE', { state: '1-1~AQ' }), tagged],
      'the item of a state is malformed': [put('JOB#3#b#LIST STATE', { state: '1-1~A' }), tagged],
      'a record has another state than its list': [
        set('JOB 5', { state: 'DONE' }),
        ['position-wrong job 5', 'index-wrong job 5'],
      ],
      'a record of a team has no rank': [drop('JOB 2', 'gsi2sk'), 'position-wrong job 2'],
      'a record of a team has no place': [drop('JOB 2', 'gsi2pk', 'gsi2sk'), 'position-wrong job 2'],
      'a record without a tag is in the list of a tag': [
        set('JOB 5', { gsi3pk: partitionOf('JOB#3#b'), gsi3sk: 2 }),
        'position-wrong job 5',
      ],
      'a record is in the list of another index': [
        [set('JOB 5', { gsi3pk: partitionOf('JOB#1#DONE'), gsi3sk: 4 }), restate('HEAD', 'JOB#1#DONE', '4')],
        ['position-wrong job 5', 'list-wrong the list JOB#1#DONE'],
      ],
      'a due record lacks its due attributes': [drop('JOB 5', 'gsi9pk', 'gsi9sk'), 'index-wrong job 5'],
      'a record is due at another time': [
        set('JOB 5', { gsi9sk: '2031-01-01T00:00:00.000Z' }),
        'index-wrong job 5',
      ],
      'a record has due attributes that it must not have': [
        set('JOB 1', { gsi9pk: ownShard, gsi9sk: '2030-01-01T00:00:00.000Z' }),
        'index-wrong job 1',
      ],
      'a record has malformed list states': [
        set('TEAM 2', { lists: { 'JOB#2': 'ann' } }),
        'record-malformed team 2',
      ],
      ...lost({
        // The holes stay: they alone tell which ranks of the list were given out.
        'a removed record lost its former item, and the last member of its list its position': [
          [remove(former), drop('JOB 7', 'gsi2pk', 'gsi2sk')],
          'position-wrong job 7',
        ],
        'a former item has the state of an impossible list': [
          change(former, (item) => oneMore(item, 'TEAM#1')),
          'list-unknown team 3',
        ],
        'an unknown item is among the hole items': [
          put(`JOB#1#OPEN#LIST ${notName}`),
          'unknown-item ORG#JOB#1#OPEN#LIST (not shown)',
        ],
        'the head has a state that an item has': [
          put('JOB#1#OPEN#LIST STATE', { state: '7-3~SQ' }),
          'unknown-item ORG#JOB#1#OPEN#LIST STATE',
        ],
        'a record is in an impossible partition': [
          set('JOB 5', { gsi4pk: partitionOf('JOB#4#X'), gsi4sk: 1 }),
          'list-unknown job 5',
        ],
        'a record names an impossible team': [set('JOB 5', { team: -1 }), 'position-wrong job 5'],
        'a record is of a team that never existed': [
          set('JOB 6', { team: 9, gsi2pk: partitionOf('TEAM#000000000009#JOB#2'), gsi2sk: 1 }),
          'list-unknown job 6',
        ],
        'a record that never waits has due attributes': [
          set('TEAM 2', { gsi9pk: ownShard, gsi9sk: '2030' }),
          'index-wrong team 2',
        ],
        'an event is in an index where its owner has no list': [
          set('EVENT 1', { gsi1pk: partitionOf('TEAM#000000000001#EVENT#1'), gsi1sk: 1 }),
          'list-unknown event',
        ],
        'the head has the state of an impossible list': [
          change('HEAD', (item) => oneMore(item, 'TEAM#1')),
          'list-unknown ORG HEAD',
        ],
        'a record has the state of an impossible list': [
          change('TEAM 2', (item) => oneMore(item, 'JOB#5#ann')),
          'list-unknown team 2',
        ],
        'the head has a malformed list state': [restate('HEAD', 'JOB', '7-2~A'), 'head-malformed ORG HEAD'],
      }),
    };
  }
}

/** Kinds of damage that only a scan of the table finds. */
export async function scannedDamagesOf(
  items: StoredItems,
  { organization, hashes }: FilledOrganization,
  theirs: StoredOrganization,
): Promise<Record<string, Damage>> {
  const { drop, put, remove, set } = stepsOn(items);
  const { holeItemKey, get } = items;
  const removeLast = () => removeJobOfRemovedTeam(organization.openLedger().ledger, 7);
  const formerItem = await get(holeItemKey('TEAM#000000000003', 'STATE'));
  const holes = await get(holeItemKey('TEAM#000000000003#JOB#2', '000000000000'));
  const kept = { lists: { 'JOB#2': '2' }, revision: 1 };
  const own = phoneNumberKey(ownPhone);
  const ofNobody = 'number-without-organization NUMBER#…0100';
  const grant = { tokenId: 1, userId: 'u', scopes: [], sites: [], expiresAt: null };
  return {
    ...alike('list-wrong the list JOB#2 of team 3', {
      'holes of a list that has ended': [removeLast, () => items.put(holes)],
      'a former item though all members have left, with a state that says otherwise': [
        removeLast,
        () => items.put(formerItem),
      ],
    }),
    'a former item though all members have left': [
      [
        removeLast,
        () => items.put({ ...formerItem, lists: { 'JOB#2': '2-2~Aw' } }),
        () => items.put({ ...holes, 0: 0b11 }),
      ],
      'former-item-unneeded ORG#TEAM#000000000003#LIST STATE',
    ],
    'a former item of a record that is not removed': [
      put('TEAM#000000000002#LIST STATE', kept),
      'former-item-unneeded ORG#TEAM#000000000002#LIST STATE',
    ],
    'a list without members has a state item with holes, and no bucket': [
      put('JOB#3#zz#LIST STATE', { state: '2-2~Aw' }),
      'list-wrong the list JOB#3#(not shown)',
    ],
    'hole items that no list state announces': [
      [
        ...['JOB#1#SOLD', 'TEAM#000000000002#JOB#2', 'TEAM#000000000009#JOB#2', 'JOB#4#X', 'OLD'].map(
          (list) => put(`${list}#LIST 0`, { 0: 1 }),
        ),
        put('JOB#3#c#LIST STATE', { state: '1' }),
      ],
      [
        ...['JOB#1#SOLD', 'JOB#2 of team 2', 'JOB#3#(not shown)'].map(
          (list) => `list-wrong the list ${list}`,
        ),
        'unknown-item ORG#TEAM#000000000009#JOB#2#LIST 000000000000',
        'unknown-item ORG#JOB#4#X#LIST 000000000000',
        'unknown-item ORG#OLD#LIST 000000000000',
      ],
      [
        'unknown-item ORG#TEAM#000000000009#JOB#2#LIST 000000000000',
        'unknown-item ORG#JOB#4#X#LIST 000000000000',
        'unknown-item ORG#OLD#LIST 000000000000',
      ],
    ],
    'a grant of no token': [
      put(grantKey('0123456789abcdef'), { ...grant, organization: theirs.code }),
      'grant-without-record TOKEN#01234567…',
    ],
    'an operator took a phone number out of the record alone': [
      set('ORGANIZATION 1', { numbers: [] }),
      ofNobody,
    ],
    'a phone number is held for an organization that does not have it': [
      put(phoneNumberKey('+61480000199'), { organization: theirs.code }),
      'number-without-organization NUMBER#…0199',
    ],
    ...alike(['number-not-held org', ofNobody], {
      'a phone number is held for the wrong organization': put(own, { organization: theirs.code }),
      'a phone number is held for an invalid code': put(own, { organization: notName }),
    }),
    ...lost({
      'a former item of a number that was never given out': [
        put('TEAM#000000000009#LIST STATE', kept),
        'unknown-item ORG#TEAM#000000000009#LIST STATE',
      ],
      'a former item of an unknown collection': [
        put('OFFER#000000000001#LIST STATE', kept),
        'unknown-item ORG#OFFER#000000000001#LIST STATE',
      ],
      'an unknown item beside a former item': [
        put('TEAM#000000000003#LIST ANY'),
        'unknown-item ORG#TEAM#000000000003#LIST ANY',
      ],
      'items of no organization': [
        [
          put({ pk: notName, sk: 'X' }),
          put('OLD 1'),
          put({ pk: 'ORG#00000000#LEAD', sk: '000000000001' }),
          put({ pk: 'ORG#0#LEAD', sk: '000000000001' }),
        ],
        [
          'head-missing ORG#00000000 HEAD',
          'unknown-item (not shown) X',
          'unknown-item ORG#0#LEAD 000000000001',
          'unknown-item ORG#OLD 000000000001',
        ],
      ],
      'a token is gone, and another lost its hash: their grants are all that is left of them': [
        [remove('TOKEN 1'), drop('TOKEN 4', 'hash')],
        [
          ...['record-missing token 1', 'record-malformed token 4', 'reference-broken webhook 1'],
          ...hashes.slice(0, 2).map((hash) => `grant-without-record TOKEN#${hash.slice(0, 8)}…`),
        ],
      ],
      'grants of no organization': [
        [
          put(grantKey('fedcba9876543210'), { ...grant, organization: '00000000' }),
          put(grantKey('aaaaaaaaaaaaaaaa')),
        ],
        ['grant-without-record TOKEN#aaaaaaaa…', 'grant-without-record TOKEN#fedcba98…'],
      ],
      'a phone number of two organizations is left to a person': [
        [remove(own), () => addNumber(theirs.openLedger().ledger, { number: ownPhone, arn: 'arn:1' })],
        'number-not-held org',
      ],
      'a phone number stays held for an organization whose own record is invalid': [
        drop('ORGANIZATION 1', 'name'),
        ['record-malformed org', ofNobody],
      ],
      'a phone number stays held for an organization whose own record is gone': [
        remove('ORGANIZATION 1'),
        ['record-missing org', ofNobody],
      ],
      'a phone number is held for an invalid code, and no organization has it': [
        [put(own, { organization: notName }), set('ORGANIZATION 1', { numbers: [] })],
        ofNobody,
      ],
    }),
  };
}
