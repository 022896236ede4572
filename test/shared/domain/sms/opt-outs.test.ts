import { describe, expect, test } from 'vitest';
import { createLead, deleteLead, getLead, leadRef } from '../../../../shared/domain/leads/leads.ts';
import { updateLead } from '../../../../shared/domain/leads/update-lead.ts';
import { createInquiry } from '../../../../shared/domain/inquiries/create-inquiry.ts';
import { answerTo } from '../../../../shared/domain/sms/keywords.ts';
import type { SendSms } from '../../../../shared/domain/sms/sms-provider.ts';
import { newestEvents } from '../../../support/leave-sending.ts';
import { deliver, acceptingProvider, smsNotification, type IncomingSms } from '../../../support/sms.ts';
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
import { newStore, twoOrganizations } from '../../../support/test-organization.ts';

useOrganizationWithNumber();

const isOptedOut = async (id: string) => (await getLead(ledger(), id)).isOptedOut;

/** Delivers an SMS from Ann. Returns the texts of the answers, which go back to her from the same number. */
async function receive(text: string, more: Partial<IncomingSms> = {}, store = newStore()): Promise<string[]> {
  const { send, handed } = acceptingProvider();
  await deliver(smsNotification({ from: ann, to: number, text, ...more }), { store, send });
  expect(handed.every(({ to, from }) => to === ann && from === arn)).toBe(true);
  return handed.map((each) => each.text);
}

const activityNames = async (id: string) => (await seen.activities(id)).map(([event]) => event);
const [stop, start, help] = (['STOP', 'START', 'HELP'] as const).map((word) => answerTo(word, 'Test'));
const refusal = { extras: { smsReason: 'OPTED_OUT' }, kind: 'invalid' };
const inSeconds = (seconds: number, now = Date.now()) => new Date(now + seconds * 1000).toISOString();

describe('STOP', () => {
  test('prevents messages even to a lead whose own mark is wrong', async () => {
    await receive('STOP');
    const { id } = await newLead();
    const lead = leadRef(ledger(), id);
    await ledger().write({ change: { lead } }, (write, read) => {
      write.replace(lead, { ...read.lead, isOptedOut: false });
      write.event({ event: 'TEST', data: 'A test', referenceId: id });
    });
    const provider = acceptingProvider();
    await expect(seen.send(id, 'Never', { provider })).rejects.toMatchObject(refusal);
    expect(provider.handed).toEqual([]);
    await deleteLead(ledger(), id);
  });

  test('of a number without a lead creates none, but counts; the first one is answered', async () => {
    expect(await receive('STOP')).toEqual([stop]);
    expect(await newestEvents(organization, 1)).toMatchObject([
      { event: 'NUMBER_OPTED_OUT', userId: 'system' },
    ]);
    expect(await receive('STOP')).toEqual([]);
    await expect(seen.leadOf(ann)).rejects.toThrow();
    const { id } = await newLead();
    expect(await isOptedOut(id)).toBe(true);
    await deleteLead(ledger(), id);
    expect(await receive('START')).toEqual([start]);
    expect(await newestEvents(organization, 1)).toMatchObject([{ event: 'NUMBER_OPTED_IN' }]);
    expect(await receive('START')).toEqual([]);
    await expect(seen.leadOf(ann)).rejects.toThrow();
    expect(await isOptedOut((await newLead()).id)).toBe(false);
  });

  test('that a text of a number without a lead asks for among other words is stored with a new lead', async () => {
    expect(await receive('The tap drips again. Please stop texting me and call.\nStop texting me.')).toEqual([
      stop,
    ]);
    const { id, isOptedOut: isOut } = await seen.leadOf(ann);
    expect([isOut, (await seen.textsOf(id)).length]).toEqual([true, 1]);
  });

  test('and START without effect are ordinary SMS, without an answer', async () => {
    const { id } = await newLead();
    expect(await receive('START')).toEqual([]);
    await receive('STOP');
    expect(await receive('STOP')).toEqual([]);
    expect((await seen.textsOf(id))[0]).toEqual(['START', 'STOP', stop, 'STOP']);
    expect((await activityNames(id)).filter((event) => event === 'LEAD_OPTED_OUT')).toHaveLength(1);
  });

  test('is not ended by an earlier START that is processed later', async () => {
    const { id } = await newLead();
    const now = Date.now();
    await receive('STOP', { at: inSeconds(-30, now) });
    await receive('START', { at: inSeconds(-40, now) });
    expect(await isOptedOut(id)).toBe(true);
    // The last SMS was a STOP, though both came before the START.
    await receive('STOP', { at: inSeconds(-10, now) });
    await receive('START', { at: inSeconds(-20, now) });
    expect(await isOptedOut(id)).toBe(true);
    await receive('START', { at: inSeconds(0, now) });
    expect(await isOptedOut(id)).toBe(false);
  });

  test('of a number without a lead is not ended by an earlier START either', async () => {
    const now = Date.now();
    await receive('STOP', { at: inSeconds(-30, now) });
    await receive('STOP', { at: inSeconds(-10, now) });
    expect(await receive('START', { at: inSeconds(-20, now) })).toEqual([]);
    expect(await isOptedOut((await newLead()).id)).toBe(true);
  });

  test('counts in its organization only', async () => {
    const { theirs } = await twoOrganizations();
    await receive('STOP');
    const lead = await createLead(theirs.openLedger().ledger, { firstName: 'Ann', phone: ann });
    expect(lead.isOptedOut).toBe(false);
  });
});

describe('answers to keywords', () => {
  /** The answers to a number that sends these words, one after the other. */
  async function answersTo(words: readonly string[]): Promise<string[]> {
    const answers: string[] = [];
    const now = Date.now();
    // All in one day, whenever the test runs.
    const store = newStore({ now: () => now });
    for (const [at, word] of words.entries())
      answers.push(...(await receive(word, { at: inSeconds(at + 1) }, store)));
    return answers;
  }

  test('HELP is answered once a day, also for a number without a lead', async () => {
    expect(await answersTo(['Help', 'Info', 'HELP', 'HELP'])).toEqual([help]);
    const { id, isOptedOut: wasOut } = await seen.leadOf(ann);
    expect(wasOut).toBe(false);
    expect((await seen.textsOf(id)).flat().toSorted()).toEqual(['HELP', 'HELP', 'Help', 'Info', help]);
  });

  test('a number gets three a day; all keywords are stored and carried out', async () => {
    const { id } = await newLead();
    const words = ['HELP', 'STOP', 'START', 'STOP', 'START', 'STOP'];
    expect(await answersTo(words)).toEqual([help, stop, start]);
    expect(await isOptedOut(id)).toBe(true);
    const texts = [...words, help, stop, start];
    expect((await seen.textsOf(id)).flat().toSorted()).toEqual(texts.toSorted());
  });

  test('a number without a lead gets three a day, too', async () => {
    expect(await answersTo(['STOP', 'START', 'STOP', 'START', 'HELP'])).toEqual([stop, start, stop]);
    expect(await seen.leadOf(ann)).toMatchObject({ isOptedOut: false });
  });

  test('a satellite phone gets none; its STOP is carried out', async () => {
    const from = '+8816123456789';
    const { send, handed } = acceptingProvider();
    for (const text of ['HELP', 'STOP'])
      await deliver(smsNotification({ from, to: number, text }), { store: newStore(), send });
    expect(handed).toEqual([]);
    expect(await seen.leadOf(from)).toMatchObject({ phone: from, isOptedOut: true });
  });

  test('HELP of a number that has opted out is answered once, whatever the day', async () => {
    const daysAgo = (days: number) => newStore({ now: () => Date.now() - days * 86_400_000 });
    await receive('STOP');
    expect(await receive('HELP', {}, daysAgo(3))).toEqual([help]);
    expect(await receive('HELP', {}, daysAgo(2))).toEqual([]);
    await receive('START', { at: inSeconds(1) });
    expect(await receive('HELP', {}, daysAgo(2))).toEqual([help]);
    expect(await receive('HELP', {}, daysAgo(1))).toEqual([help]);
  });
});

test.each([
  ['of Mexico, with a 1', '+525512345678', '+5215512345678'],
  ['of Argentina, with a 9', '+541123456789', '+5491123456789'],
  ['of Argentina, without it', '+5493435551212', '+543435551212'],
  ['of Brazil, without the ninth digit', '+5511981234567', '+551181234567'],
])(
  'STOP of a number %s opts out the lead that has the number in another notation',
  async (_, phone, from) => {
    const { id } = await createLead(ledger(), { firstName: 'Ann', phone });
    const { send, handed } = acceptingProvider();
    await deliver(smsNotification({ from, to: number, text: 'STOP' }), { store: newStore(), send });
    expect(handed).toMatchObject([{ to: from, text: stop }]);
    expect(await getLead(ledger(), id)).toMatchObject({ phone, isOptedOut: true });
    expect(await seen.textsOf(id)).toEqual([['STOP', stop]]);
    await expect(seen.send(id, 'Never')).rejects.toMatchObject(refusal);
    const other = createLead(ledger(), { firstName: 'Bo', phone: phone.replace('+5411', '+54911') });
    await expect(other).rejects.toThrow('Another lead has this phone');
    await deleteLead(ledger(), id);
    // Compares the number alone, however it is written.
    await deliver(smsNotification({ from: phone, to: number, text: 'Hello' }), { store: newStore() });
    expect(await seen.leadOf(phone)).toMatchObject({ phone, isOptedOut: true });
  },
);

describe('a lead that gets a number which has opted out', () => {
  test('shows the opt-out, however it gets the number, until it has another', async () => {
    await receive('STOP');
    const phone = ann;
    const email = `bo${phone.slice(1)}@example.com`;
    const { id } = await createLead(ledger(), { firstName: 'Bo', email });
    expect(await isOptedOut(id)).toBe(false);
    expect((await updateLead(ledger(), id, { phone })).isOptedOut).toBe(true);
    expect((await updateLead(ledger(), id, { lastName: 'Lee' })).isOptedOut).toBe(true);
    expect((await updateLead(ledger(), id, { phone: '' })).isOptedOut).toBe(false);

    const input = { source: 'CALL', data: {}, lead: { email, phone } } as const;
    const filled = await createInquiry(ledger(), input, { fillsContacts: true });
    expect(filled.lead).toMatchObject({ id, phone, isOptedOut: true });
    await deleteLead(ledger(), id);
    const made = await createInquiry(ledger(), { source: 'CALL', data: {}, lead: { phone } });
    expect(made.lead).toMatchObject({ phone, isOptedOut: true });
  });
});

describe('a refusal of the provider because the number has opted out', () => {
  const refusing: SendSms = () =>
    Promise.resolve({ status: 'FAILED', reason: 'OPTED_OUT', cause: new Error('Opted out') });

  test('opts the number out even if the lead was deleted', async () => {
    const { id } = await newLead();
    const provider = acceptingProvider(async (text) => {
      await deleteLead(ledger(), id);
      return refusing(text);
    });
    await expect(seen.send(id, 'Hi', { provider })).rejects.toMatchObject(refusal);
    expect(await newestEvents(organization, 1)).toMatchObject([{ event: 'NUMBER_OPTED_OUT' }]);
    expect(await isOptedOut((await newLead()).id)).toBe(true);
  });
});

test('the outcome of an answer is reported, with or without a lead, and fails nothing', async () => {
  const cause = new Error('AccessDenied');
  const { send } = acceptingProvider(() => Promise.resolve({ status: 'FAILED', reason: 'REFUSED', cause }));
  const noted: unknown[] = [];
  const reportSms = (...text: unknown[]) => void noted.push(text);
  const body = (text: string) => smsNotification({ from: ann, to: number, text });
  for (const text of ['STOP', 'HELP'])
    expect(await deliver(body(text), { store: newStore(), send, reportSms })).toEqual([]);
  expect(noted).toEqual([
    ['REFUSED', cause],
    ['REFUSED', cause],
  ]);
  await deliver(body('START'), { store: newStore(), reportSms });
  expect(noted.slice(2)).toEqual([['SENT']]);
});
