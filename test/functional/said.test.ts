import { describe, expect, test } from 'vitest';
import { inThirdWeek } from '../support/office.ts';
import { newOrganization } from '../support/test-organization.ts';

/* Answers to be read out. The tests of each subject have what the whole answers say. */

const ours = await newOrganization();
const { api, userId } = ours;
/** A day on which nobody has been booked yet. */
const monday = inThirdWeek(1);
const sunday = new Date(Date.parse(monday) - 86_400_000).toISOString().slice(0, 10);
const at = (local: string) => new Date(`${monday}T${local}:00+10:00`).toISOString();
const time = (of: string) => expect.stringMatching(new RegExp(of)) as string;
await api.call('updateOrganization', {
  body: {
    timeZone: 'Australia/Brisbane',
    areasServed: ['Toowong'],
    openingHours: { monday: [{ from: '08:00', to: '12:00' }] },
  },
});
const { service } = await api.call('createService', {
  body: { name: 'Hot water', tradeCategoryId: 1 },
});
const booking = { title: 'Heater', attendees: [userId], tradeServiceId: service.id, ifFree: true };
const outside = ' The place is outside the area that we serve.';

describe('free times', () => {
  const query = { serviceId: service.id, from: monday, to: monday };
  const ask = (given: object) => api.say('getAvailability', { query: { ...query, ...given } });
  const [day, morning] = ['Monday the \\d+\\w\\w of \\w+ at', 'in the morning'];

  test('are three at most', async () => {
    const { say, slots } = await ask({});
    expect(say).toMatch(
      new RegExp(`^I can offer ${day} 8 ${morning}, ${day} 8:30 ${morning}, or ${day} 9 ${morning}\\.$`),
    );
    expect(slots.map(({ start, userIds }) => [start, userIds])).toEqual(
      ['08:00', '08:30', '09:00'].map((local) => [at(local), [userId]]),
    );
  });

  test.each([
    [
      'fewer',
      { limit: 2, suburb: 'Toowong' },
      `^I can offer ${day} 8 ${morning} or ${day} 8:30 ${morning}\\.$`,
    ],
    ['none elsewhere', { suburb: 'Kenmore' }, `^${outside.trim()}$`],
    ['none of nobody', { userId: 'x' }, '^Nobody can do that at present\\.$'],
    [
      'the next one after the range',
      { from: sunday, to: sunday },
      `^Nobody works then for long enough\\. The next free time is ${day} 8 ${morning}\\.$`,
    ],
  ])('can be %s', async (_, given, say) => {
    expect((await ask(given)).say).toMatch(new RegExp(say));
  });
});

describe('a booking', () => {
  test('is told as it is stored, once for a key, and to a token that may not read it', async () => {
    const narrow = await ours.apiFor('appointments:create');
    const parts = {
      headers: { 'Idempotency-Key': 'call-1' },
      body: { ...booking, start: at('10:00'), address: { suburb: 'Kenmore' } },
    };
    const told = await narrow.say('createAppointment', parts);
    const say = time(`^You are booked for Monday the \\d+\\w\\w of \\w+ at 10 in the morning\\.${outside}$`);
    expect(told).toEqual({ say, appointmentId: told.appointmentId, start: at('10:00') });
    expect(await narrow.say('createAppointment', parts)).toEqual(told);
    const params = { appointmentId: told.appointmentId };
    await api.call('cancelAppointment', { params });
    const { body } = await narrow.attempt('createAppointment', { ...parts, query: { format: 'say' } });
    expect(body).toEqual({ appointment: { id: told.appointmentId } });
  });

  test('that is refused has the next free times, as without a sentence', async () => {
    const body = { ...booking, start: at('08:00') };
    await api.say('createAppointment', { body });
    const parts = { body, query: { format: 'say' } };
    const { alternatives = [] } = await api.failure('createAppointment', 409, parts);
    expect(alternatives[0]).toMatchObject({ start: at('09:00'), say: time('at 9 in the morning$') });
  });
});

test('a message is told as noted, and nothing of its lead', async () => {
  const narrow = await ours.apiFor('inquiries:create');
  const lead = { name: 'Sofia Rossi', phone: '+61491570159' };
  const body = { source: 'CALL', externalInquiryId: 'call-1', summary: 'Call back', lead, data: {} };
  const whole = await api.call('createInquiry', { body });
  const { inquiry } = whole;
  const told = { say: 'Thank you, your message is noted.', inquiryId: inquiry.id, leadId: inquiry.leadId };
  expect(await narrow.say('createInquiry', { body })).toEqual(told);
  const other = { ...body, externalInquiryId: 'call-2' };
  const headers = { 'Idempotency-Key': 'call-2' };
  const answers = [1, 2].map(() => narrow.say('createInquiry', { body: other, headers }));
  const [one, again] = await Promise.all(answers);
  expect(one).toEqual(again);
  expect(one).toMatchObject({ say: told.say, leadId: told.leadId });
  expect(one?.inquiryId).not.toBe(told.inquiryId);
});

test('a route is told with the number to dial', async () => {
  const body = {
    label: 'Invoices',
    method: 'COLD',
    conditions: 'A bill is wrong',
    destinationType: 'PHONE_NUMBER',
    destination: '(02) 5550 1234',
  };
  const { transfer } = await api.call('createTransfer', { body });
  const ask = (query: Record<string, string>) => api.say('getRoute', { query });
  expect(await ask({ topic: 'my bill', at: at('09:00') })).toEqual({
    say: 'I can put you through now.',
    isReachable: true,
    transferId: transfer.id,
    number: '+61255501234',
  });
  expect(await ask({ topic: 'rhubarb' })).toEqual({
    say: 'There is nobody to put you through to. I can take a message.',
    isReachable: false,
    transferId: null,
    number: '',
  });
});

describe('FAQs', () => {
  const made = (async () => {
    const make = async (question: string, answer: string, isActive = true) =>
      (await api.call('createFaq', { body: { question, answer, isActive } })).faq;
    const gone = await make('Weekends?', 'Once, we did.');
    await api.call('deleteFaq', { params: { faqId: gone.id } });
    await make('Weekends', 'Out of use.', false);
    return [
      await make('Do you work on weekends?', 'Emergencies only.'),
      await make('Do you work on Sundays?', 'No.'),
      await make('What does a visit cost?', '99 dollars, and more at weekends.'),
      await make('Who works here?', 'Mia.'),
    ] as const;
  })();

  test.each([
    ['do you work at the WEEKEND', [0, 3, 1, 2]],
    ['prices, costs', [2]],
    ['work', [3, 1, 0]],
    ['rhubarb', []],
  ])('that have a word of %j are there, the best first', async (q, order) => {
    const faqs = await made;
    const expected = order.map((each) => faqs[each]);
    const list = (query: object) => api.call('listFaqs', { query: { q, ...query } });
    const page = { totalPages: Math.min(1, order.length), currentPage: 1, totalCount: order.length };
    expect(await list({})).toEqual({ faqs: expected, ...page });
    const second = await list({ limit: 1, page: 2 });
    expect(second).toMatchObject({ faqs: expected.slice(1, 2), totalPages: order.length, currentPage: 2 });
    expect(await api.say('listFaqs', { query: { q } })).toEqual({
      say: expected[0]?.answer ?? 'I do not know that. I can take a message.',
      faqs: expected.slice(0, 3),
    });
  });

  test.each([
    ['q must not be empty', { q: '' }],
    ['format must come with q', { format: 'say' }],
    ['q cannot be combined with isActive', { q: 'work', isActive: 'true' }],
  ])('are refused where %s', async (problem, query) => {
    expect(await api.failure('listFaqs', 400, { query })).toMatchObject({ message: problem });
  });
});
