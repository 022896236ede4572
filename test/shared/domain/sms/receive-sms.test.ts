import { describe, expect, test } from 'vitest';
import type { Lead } from '../../../../shared/contract/leads.ts';
import { createInquiry, updateInquiry } from '../../../../shared/domain/inquiries/inquiries.ts';
import { createLead, deleteLead, getLead } from '../../../../shared/domain/leads/leads.ts';
import { addNumber } from '../../../../shared/domain/numbers/numbers.ts';
import type { Store } from '../../../../shared/ledger/index.ts';
import { dyingStore } from '../../../support/faulty-store.ts';
import {
  deliver,
  envelope,
  newNumber,
  acceptingProvider,
  smsNotification,
  type IncomingSms,
} from '../../../support/sms.ts';
import {
  ann,
  arn,
  ledger,
  newLead,
  number,
  organization,
  seen,
  useOrganizationWithNumber,
} from '../../../support/organization-with-number.ts';
import { newStore } from '../../../support/world.ts';

useOrganizationWithNumber();

const incoming = (text: string, more: Partial<IncomingSms> = {}) =>
  smsNotification({ from: ann, to: number, text, ...more });

const receive = (body: string, store: Store = newStore()) => deliver(body, { store });

describe('an incoming SMS', () => {
  test('makes a lead with only a number, an inquiry and its thread', async () => {
    await receive(incoming('Can you come today?', { at: '2026-11-22T10:00:00.123Z' }));
    const lead = await seen.leadOf(ann);
    const [inquiry, ...others] = await seen.conversations(lead.id);
    expect(others).toEqual([]);
    expect(lead).toMatchObject({
      ...{ firstName: '', lastName: '', email: '', status: 'pending', read: false },
      ...{ unreadSMS: 1, isOptedOut: false, lastInquiryId: inquiry!.id },
    });
    expect(inquiry).toMatchObject({ summary: 'Can you come today?', isRead: false, isFirstInquiry: true });
    expect(inquiry!.messages).toEqual([
      {
        id: inquiry!.messages[0]!.id,
        direction: 'INBOUND',
        text: 'Can you come today?',
        status: 'RECEIVED',
        createdAt: '2026-11-22T10:00:00.123Z',
      },
    ]);
    expect(await seen.activities(lead.id)).toEqual([
      ['LEAD_CREATED', 'system', lead.id],
      ['INQUIRY_CREATED', 'system', inquiry!.id],
      ['SMS_RECEIVED', 'system', inquiry!.id],
    ]);
  });

  test('goes on with the newest thread of its lead, and makes the inquiry unread again', async () => {
    const { id } = await newLead();
    const first = await seen.send(id, 'First');
    const second = await seen.send(id, 'Second');
    const data = { formName: '', fields: {}, submittedAt: '2026-11-22T10:00:00.000Z' };
    await createInquiry(ledger(), id, { source: 'WEBFORM', summary: '', isRead: true, data });
    expect((await getLead(ledger(), id)).unreadSMS).toBe(0);

    await receive(incoming('Yes'));
    await receive(incoming('At 3'));
    const [newest, oldest] = await seen.conversations(id);
    expect([newest, oldest]).toMatchObject([
      { id: second.inquiryId, isRead: false },
      { id: first.inquiryId, isRead: true },
    ]);
    expect(newest!.updatedAt > newest!.createdAt).toBe(true);
    expect(await seen.textsOf(id)).toEqual([['Second', 'Yes', 'At 3'], ['First']]);
    expect((await getLead(ledger(), id)).unreadSMS).toBe(1);

    await updateInquiry(ledger(), second.inquiryId, { isRead: true });
    expect((await getLead(ledger(), id)).unreadSMS).toBe(0);
    await receive(incoming('Thanks'));
    expect((await getLead(ledger(), id)).unreadSMS).toBe(1);
  });

  test('goes to the thread of the message that it answers, in whatever order messages come', async () => {
    const { id } = await newLead();
    const first = await seen.send(id, 'First');
    const second = await seen.send(id, 'Second');
    const now = Date.now();
    const inSeconds = (seconds: number) => new Date(now + seconds * 1000).toISOString();
    await receive(incoming('Thereupon this', { answers: first.providerId, at: inSeconds(2) }));
    await receive(incoming('This', { answers: first.providerId, at: inSeconds(1) }));
    await receive(incoming('That', { answers: second.providerId, at: inSeconds(1) }));
    // An id that is unknown, or of another lead's message, has no effect.
    const bo = await createLead(ledger(), { firstName: 'Bo', phone: '+61491571099' });
    const other = await seen.send(bo.id, 'To Bo');
    await receive(incoming('Unknown', { answers: 'nothing', at: inSeconds(2) }));
    await receive(incoming('Of another', { answers: other.providerId, at: inSeconds(3) }));
    expect(await seen.textsOf(id)).toEqual([
      ['Second', 'That', 'Unknown', 'Of another'],
      ['First', 'This', 'Thereupon this'],
    ]);
    expect(await seen.textsOf(bo.id)).toEqual([['To Bo']]);
  });

  test('twice with one id is stored once, also at the same time', async () => {
    const body = incoming('Once', { id: 'one' });
    await Promise.all([receive(body), receive(body), receive(body)]);
    const before = await seen.eventCount();
    await receive(body);
    await receive(incoming('Another text with the id', { id: 'one' }));
    expect(await seen.eventCount()).toBe(before);
    const { id } = await seen.leadOf(ann);
    expect(await seen.textsOf(id)).toEqual([['Once']]);
    const activityNames = (await seen.activities(id)).map(([event]) => event);
    expect(activityNames).toEqual(['LEAD_CREATED', 'INQUIRY_CREATED', 'SMS_RECEIVED']);
  });

  test('among several at once of an unknown number makes one lead and one thread', async () => {
    await Promise.all(['One', 'Two', 'Three'].map((text) => receive(incoming(text))));
    const lead = await seen.leadOf(ann);
    expect(lead.unreadSMS).toBe(1);
    const [texts, ...others] = await seen.textsOf(lead.id);
    expect([texts!.toSorted(), others]).toEqual([['One', 'Three', 'Two'], []]);
    const activityNames = (await seen.activities(lead.id)).map(([event]) => event);
    expect(activityNames.filter((event) => event === 'SMS_RECEIVED')).toHaveLength(3);
    expect(activityNames.filter((event) => event === 'LEAD_CREATED')).toHaveLength(1);
  });

  test('is kept as it came but for control characters, however long or damaged it is', async () => {
    const long = `${'🦊'.repeat(3000)}\ufffd\n the end`;
    for (const text of [`\u0000${long}`, '', 'half \ud83e']) await receive(incoming(text));
    const { id } = await seen.leadOf(ann);
    expect((await seen.conversations(id))[0]!.summary).toBe('half ');
    expect(await seen.textsOf(id)).toEqual([[long, '', 'half \ufffd']]);
  });

  test('from a sender without a phone number makes a lead each time; the inquiry has the sender', async () => {
    await receive(incoming('Your parcel is here', { from: 'Post' }));
    await receive(incoming('STOP', { from: '62754' }));
    const [second, first] = await seen.leads(2);
    expect([first!.phone, second!.phone]).toEqual(['', '']);
    expect(await seen.conversations(first!.id)).toMatchObject([{ givenPhone: 'Post' }]);
    expect(await seen.conversations(second!.id)).toMatchObject([{ givenPhone: '62754' }]);
  });

  test('from a sender with control characters leaves those out', async () => {
    await receive(incoming('Hi', { from: `Par\u0000cels\n\uFFFD${'🦊'.repeat(300)}` }));
    const [{ id }] = (await seen.leads(1)) as [Lead];
    const [inquiry] = await seen.conversations(id);
    expect(inquiry!.givenPhone).toBe(`Parcels ${'🦊'.repeat(192)}`);
  });

  test('of a number that the numbering plans do not know belongs to the lead with that number', async () => {
    const unknown = '+61000043210';
    await receive(incoming('One', { from: unknown }));
    await receive(incoming('Two', { from: unknown }));
    const [lead] = await seen.leads(1);
    expect(lead!.phone).toBe(unknown);
    expect(await seen.textsOf(lead!.id)).toEqual([['One', 'Two']]);
  });

  test('of a lead that was deleted makes a new lead and a new thread', async () => {
    await receive(incoming('Before'));
    const before = await seen.leadOf(ann);
    await deleteLead(ledger(), before.id);
    await receive(incoming('After'));
    const after = await seen.leadOf(ann);
    expect(after.id).not.toBe(before.id);
    expect(await seen.textsOf(after.id)).toEqual([['After']]);
    expect(await seen.textsOf(before.id)).toEqual([['Before']]);
  });

  test('to a number of no organization fails, until one has it', async () => {
    const to = `${number}0`;
    const body = incoming('Hello?', { to });
    await expect(receive(body)).rejects.toThrow(
      `No organization has the number that ends in ${to.slice(-4)}`,
    );
    await addNumber(ledger(), { number: to, arn: `${arn}0` });
    await receive(body);
    expect(await seen.textsOf((await seen.leadOf(ann)).id)).toEqual([['Hello?']]);
  });

  test('must be readable: anything else fails', async () => {
    const before = await seen.eventCount();
    const neither = envelope({ eventType: 'VOICE_ANSWERED', isFinal: true, messageId: '1' });
    for (const body of ['Ann', '{}', neither, envelope({ originationNumber: 'Ann' })]) {
      const error = await receive(body).catch((thrown: unknown) => String(thrown));
      expect(error).toMatch(/^Error: The topic tells neither of a text nor of a report/);
      // The error is logged.
      expect(error).not.toContain('Ann');
    }
    expect(await seen.eventCount()).toBe(before);
  });
});

test("a message is sent from the number of its thread, otherwise from the organization's first", async () => {
  const second = await newNumber(organization);
  const { id } = await newLead();
  const provider = acceptingProvider();
  const { messageThreadId } = await seen.send(id, 'One', { provider });
  await seen.send(id, 'Two', { provider, messageThreadId });
  await receive(incoming('Yes', { to: second.number }));
  await seen.send(id, 'Three', { provider, messageThreadId });
  expect(provider.handed.map(({ from }) => from)).toEqual([arn, arn, second.arn]);
});

describe('killed after any call, and delivered again,', () => {
  /**
   * Kills the worker after each call in turn, each time with another SMS. Returns the number of SMS. Before the
   * next call, the table is the same, and nothing was sent.
   */
  async function killAtEach(id: string, forget: () => Promise<void>): Promise<number> {
    const body = (more: string) => incoming('Hello', { id: `${id}-${more}` });
    const whole = dyingStore(Infinity, 'before');
    await receive(body('whole'), whole.store);
    for (let at = 1; at <= whole.calls(); at++) {
      await forget();
      await expect(receive(body(String(at)), dyingStore(at, 'after').store)).rejects.toThrow();
      await receive(body(String(at)));
    }
    return 1 + whole.calls();
  }

  test('an SMS in a thread arrives once', async () => {
    const { id } = await newLead();
    await seen.send(id, 'Hi Ann');
    const texts = await killAtEach('known', () => Promise.resolve());
    expect(texts).toBeGreaterThan(4);
    expect((await seen.textsOf(id)).map((each) => each.length)).toEqual([1 + texts]);
    const activityNames = (await seen.activities(id)).map(([event]) => event);
    expect(activityNames.filter((event) => event === 'SMS_RECEIVED')).toHaveLength(texts);
  });

  test('an SMS of an unknown number arrives once', async () => {
    const forget = async () => {
      const { id } = await seen.leadOf(ann);
      expect(await seen.textsOf(id)).toEqual([['Hello']]);
      await deleteLead(ledger(), id);
    };
    expect(await killAtEach('unknown', forget)).toBeGreaterThan(3);
    await forget();
  });
});
