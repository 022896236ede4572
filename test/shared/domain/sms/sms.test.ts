import { beforeEach, describe, expect, test } from 'vitest';
import { sentences } from '../../../../shared/contract/errors.ts';
import type { SmsData } from '../../../../shared/contract/inquiries.ts';
import { listInquiries } from '../../../../shared/domain/inquiries/inquiries.ts';
import { createLead, deleteLead } from '../../../../shared/domain/leads/leads.ts';
import type { OutgoingSms, SendSms, SmsOutcome } from '../../../../shared/domain/sms/sms-provider.ts';
import { sendSms } from '../../../../shared/domain/sms/sms.ts';
import { faults } from '../../../support/store/faults.ts';
import { faultyStore, inOrder, type Fault } from '../../../support/store/faulty-store.ts';
import { stored, acceptingProvider } from '../../../support/sms.ts';
import { newOrganization, newStore, type TestOrganization } from '../../../support/test-organization.ts';
import { events, type Store } from '../../../../shared/ledger/index.ts';

const store = 'TransactWriteItemsCommand';

let organization: TestOrganization;
let leadId: string;
beforeEach(async () => {
  organization = await newOrganization();
  const lead = { firstName: 'Ann', phone: '0491 570 156' };
  leadId = (await createLead(organization.openLedger().ledger, lead)).id;
});

const newest = { page: 1, limit: 100 };

/** Messages of the lead's only inquiry; none if the lead has no inquiry. */
async function messages(): Promise<SmsData['messages']> {
  const [conversation, ...others] = await stored(organization).conversations(leadId);
  expect(others).toEqual([]);
  return conversation?.messages ?? [];
}
const statuses = async () => (await messages()).map(({ status }) => status);

/** Events of the organization since the lead came, in order. */
async function history(): Promise<string[]> {
  const { items } = await organization.openLedger().ledger.page(events, newest);
  const names = items.map(({ event }) => event).reverse();
  return names.slice(names.indexOf('LEAD_CREATED') + 1);
}

const sent: SmsOutcome = { status: 'SENT', providerId: 'provider-1' };
const refused: SmsOutcome = { status: 'FAILED', reason: 'REFUSED', cause: faults.denied };
const unanswered: SmsOutcome = { status: 'UNKNOWN', reason: 'UNKNOWN', cause: faults.reset };

/** Sends an SMS to the lead. Returns the outcome and the reported errors. */
async function attempt(
  send: SendSms,
  {
    before = newStore(),
    after = before,
    changes = {},
  }: { before?: Store; after?: Store; changes?: object } = {},
) {
  const ledgers = {
    before: organization.openLedger({ store: before }).ledger,
    after: organization.openLedger({ store: after }).ledger,
  };
  const input = { userId: organization.userId, leadId, message: 'Hi Ann', ...changes };
  const reported: unknown[] = [];
  const report = (error: unknown) => void reported.push(error);
  const error = await sendSms(ledgers, { send, from: pool }, input, report).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { error, reported };
}

/** The stack's own sender. */
const pool = 'arn:aws:sms-voice:us-east-1:000000000000:pool/pool-1';

/** A message to Ann, as the provider gets it. */
const toAnn = (text: string, number: number): OutgoingSms => ({
  to: '+61491570156',
  text,
  from: pool,
  context: { organization: organization.code, message: String(number) },
});

describe('an SMS', () => {
  test('is handed over after it is stored, and before its outcome is', async () => {
    const { store: faulty, commands } = faultyStore(() => 'pass');
    let whileSending: unknown;
    const { send, handed } = acceptingProvider(async () => {
      commands.push('send');
      whileSending = { messages: await statuses(), history: await history() };
      return sent;
    });
    expect(await attempt(send, { before: faulty })).toEqual({ error: undefined, reported: [] });
    // Reads at once the lead, which is changed, and, with the head, the user and the organization, which are
    // only checked. Then stores the head, the message and the lead.
    expect(commands.slice(0, 2).sort()).toEqual(['GetItemCommand', 'TransactGetItemsCommand']);
    const get = 'GetItemCommand';
    expect(commands.slice(2)).toEqual([store, 'send', get, get, get, store]);
    expect(handed).toEqual([toAnn('Hi Ann', 1)]);
    expect(whileSending).toEqual({ messages: ['SENDING'], history: ['INQUIRY_CREATED', 'SMS_CREATED'] });
    expect(await statuses()).toEqual(['SENT']);
    expect(await history()).toEqual(['INQUIRY_CREATED', 'SMS_CREATED', 'SMS_SENT', 'SMS_ACCEPTED']);
  });

  test.each([
    [refused, 'SMS_FAILED'],
    [unanswered, 'SMS_UNKNOWN'],
  ])('that ends as %j fails with its cause, which is not reported', async (outcome, event) => {
    const { send } = acceptingProvider(() => Promise.resolve(outcome));
    const { error, reported } = await attempt(send);
    expect(error).toMatchObject({ kind: 'undelivered', cause: 'cause' in outcome && outcome.cause });
    expect(reported).toEqual([]);
    expect(await history()).toEqual(['INQUIRY_CREATED', 'SMS_CREATED', event]);
  });
});

test.each([
  ['premium rate', '+19005551234'],
  ['shared cost', '+611300123456'],
  ['a personal number', '+447012345678'],
  ['shared cost of no country', '+80812345678'],
  ['Inmarsat', '+870773111632'],
  ['Iridium', '+8816123456789'],
  ['a network of no country', '+883510012345678'],
  ['an Australian satellite', '+61147123456'],
])('to a number of %s, which a lead may have, nothing is stored or handed over', async (_, phone) => {
  const other = await createLead(organization.openLedger().ledger, { firstName: 'Bo', phone });
  const { send, handed } = acceptingProvider();
  const { error } = await attempt(send, { changes: { leadId: other.id } });
  const extras = { smsReason: 'NO_PHONE' };
  expect(error).toMatchObject({ kind: 'invalid', message: sentences.costlyPhone, extras });
  expect(handed).toEqual([]);
  expect(await history()).toEqual(['LEAD_CREATED']);
});

describe('until the provider has answered', () => {
  test('the process may end: the message stays SENDING, and is not sent again', async () => {
    const crash = new Error('The process ended');
    const { send, handed } = acceptingProvider(() => Promise.reject(crash));
    expect(await attempt(send)).toEqual({ error: crash, reported: [] });
    expect(handed).toHaveLength(1);
    expect(await messages()).toMatchObject([{ text: 'Hi Ann', direction: 'OUTBOUND', status: 'SENDING' }]);

    // The thread goes on, and the first message stays UNKNOWN.
    const inquiry = await listInquiries(organization.openLedger().ledger, { ...newest, leadId });
    const next = acceptingProvider();
    const changes = { message: 'Again', messageThreadId: Number(inquiry.items[0]!.sourceId) };
    expect(await attempt(next.send, { changes })).toEqual({ error: undefined, reported: [] });
    expect(next.handed).toEqual([toAnn('Again', 2)]);
    expect(await statuses()).toEqual(['SENDING', 'SENT']);
  });

  test('the lead may be deleted: the outcome is stored all the same', async () => {
    const { send } = acceptingProvider(async () => {
      await deleteLead(organization.openLedger().ledger, leadId);
      return sent;
    });
    expect(await attempt(send)).toEqual({ error: undefined, reported: [] });
    expect(await history()).toEqual(['INQUIRY_CREATED', 'SMS_CREATED', 'LEAD_DELETED', 'SMS_ACCEPTED']);
    expect(await statuses()).toEqual(['SENT']);
  });
});

describe('when the outcome', () => {
  const never = () =>
    faultyStore((command) => (command === store ? { before: faults.denied } : 'pass')).store;

  test('cannot be stored, one that was not sent is answered as failed, and the error is reported', async () => {
    const { send } = acceptingProvider(() => Promise.resolve(refused));
    const { error, reported } = await attempt(send, { after: never() });
    expect(error).toMatchObject({
      kind: 'undelivered',
      cause: faults.denied,
      extras: { smsReason: 'REFUSED' },
    });
    expect(reported).toEqual([faults.denied]);
    expect(await statuses()).toEqual(['SENDING']);
  });

  test('is stored and the reply is lost, the outcome is stored once', async () => {
    const { store: faulty, commands } = faultyStore(inOrder(store, { after: faults.reset }), {
      sleep: () => Promise.resolve(),
    });
    const { send, handed } = acceptingProvider();
    expect(await attempt(send, { before: newStore(), after: faulty })).toEqual({
      error: undefined,
      reported: [],
    });
    expect(commands.filter((command) => command === store)).toHaveLength(2);
    expect(handed).toHaveLength(1);
    expect(await history()).toEqual(['INQUIRY_CREATED', 'SMS_CREATED', 'SMS_SENT', 'SMS_ACCEPTED']);
  });
});

describe('when the message cannot be stored', () => {
  /** A store on which time passes only by waits, and fast, and each write meets this fault. */
  function failing(fate: (command: string) => Fault): Store {
    let now = Date.now();
    const sleep = (milliseconds: number) => {
      now += 10 * milliseconds;
      return Promise.resolve();
    };
    return faultyStore(fate, { now: () => now, sleep }).store;
  }
  const writes = (fate: Fault) => (command: string) => (command === store ? fate : 'pass');

  test.each<[string, (command: string) => Fault, object, string[]]>([
    ['a write that is not allowed', writes({ before: faults.denied }), faults.denied, []],
    ['a write that is throttled', writes({ before: faults.throttled }), { kind: 'unavailable' }, []],
    ['a read that is not allowed', () => ({ before: faults.denied }), faults.denied, []],
    [
      'a write of which no reply comes',
      writes({ after: faults.reset }),
      { kind: 'internal', message: sentences.unknownOutcome },
      ['SENDING'],
    ],
  ])('because of %s, it is never handed over', async (_, fate, error, after) => {
    const { send, handed } = acceptingProvider();
    const attempted = await attempt(send, { before: failing(fate) });
    expect(attempted.error).toMatchObject(error);
    expect(handed).toEqual([]);
    expect(await statuses()).toEqual(after);
  });

  test('at first, but on a later try, it is handed over once', async () => {
    const fate = inOrder(
      store,
      { before: faults.conflict },
      { before: faults.reset },
      { after: faults.reset },
    );
    const { send, handed } = acceptingProvider();
    expect(await attempt(send, { before: failing(fate), after: newStore() })).toEqual({
      error: undefined,
      reported: [],
    });
    expect(handed).toHaveLength(1);
    expect(await history()).toEqual(['INQUIRY_CREATED', 'SMS_CREATED', 'SMS_SENT', 'SMS_ACCEPTED']);
  });
});
