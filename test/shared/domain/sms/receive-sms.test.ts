import { describe, expect, test } from 'vitest';
import type { Lead } from '../../../../shared/contract/leads.ts';
import { storeInquiry } from '../../../../shared/domain/inquiries/inquiries.ts';
import { createLead, deleteLead } from '../../../../shared/domain/leads/leads.ts';
import type { Store } from '../../../../shared/ledger/index.ts';
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
import { newStore } from '../../../support/test-organization.ts';

useOrganizationWithNumber();

const incoming = (text: string, more: Partial<IncomingSms> = {}) =>
  smsNotification({ from: ann, to: number, text, ...more });

const receive = (body: string, store: Store = newStore()) => deliver(body, { store });

describe('an incoming SMS', () => {
  test('goes on with the newest thread of its lead', async () => {
    const { id } = await newLead();
    await seen.send(id, 'First');
    await seen.send(id, 'Second');
    const data = { formName: '', fields: {}, submittedAt: '2026-11-22T10:00:00.000Z' };
    await storeInquiry(ledger(), id, { source: 'WEBFORM', summary: '', isRead: true, data });
    await receive(incoming('Yes'));
    expect(await seen.textsOf(id)).toEqual([['Second', 'Yes'], ['First']]);
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
