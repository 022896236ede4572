import { describe, expect, test } from 'vitest';
import { inThirdWeek, join } from '../support/office.ts';
import { newOrganization } from '../support/test-organization.ts';

/* What a booking promises: who it is for, that its time is offered, and that somebody comes. */

const day = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();
/** Brisbane is ten hours ahead of UTC. */
const monday = inThirdWeek(1);
const at = (local: string, date = monday) => new Date(`${date}T${local}:00+10:00`).toISOString();
const tuesday = new Date(Date.parse(monday) + day).toISOString().slice(0, 10);
const workday = [{ from: '08:00', to: '17:00' }];

/** A business in Toowong that works from Monday to Friday, and services of it. Each of some people does everything. */
async function office(...names: string[]) {
  const organization = await newOrganization();
  const { api } = organization;
  const users: string[] = [organization.userId];
  for (const firstName of names) users.push((await join(organization, firstName)).user.id);
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];
  await api.call('updateOrganization', {
    body: {
      timeZone: 'Australia/Brisbane',
      areasServed: ['Toowong'],
      openingHours: Object.fromEntries(days.map((each) => [each, workday])),
    },
  });
  const serve = async (body: object) =>
    (await api.call('createService', { body: { name: 'Hot water', tradeCategoryId: 1, ...body } })).service
      .id;
  const tradeServiceId = await serve({});
  const schedule = (memberId: number, body: object) =>
    api.call('updateMemberSchedule', { params: { memberId }, body });
  const bodyOf = (body: object) => ({ title: 'Heater', tradeServiceId, ifOffered: true, ...body });
  const book = async (body: object) =>
    (await api.call('createAppointment', { body: bodyOf(body) })).appointment;
  const refused = (body: object, status: 400 | 409 = 409) =>
    api.failure('createAppointment', status, { body: bodyOf(body) });
  const change = (appointmentId: string, body: object) =>
    api.call('updateAppointment', { params: { appointmentId }, body });
  const ask = (query: Record<string, string | number> = {}) =>
    api.call('getAvailability', { query: { serviceId: tradeServiceId, ...query } });
  return { organization, api, users, serve, tradeServiceId, schedule, book, refused, change, ask };
}

const shared = office('Mia');

describe('who a booking is for', () => {
  const ann = { name: 'Ann Lee', phone: '0491 570 156', email: 'ann@example.com', suburb: 'Toowong' };
  const known = (async () => {
    const { organization, api } = await shared;
    const { lead } = await api.call('createLead', { body: ann });
    const mail = { name: 'Bo Lee', email: 'bo@example.com' };
    const { lead: byMail } = await api.call('createLead', { body: mail });
    return { api, ann: lead.id, bo: byMail.id, narrow: await organization.apiFor('appointments:create') };
  })();
  let hour = 0;
  const free = () => ({
    start: at('08:00', `2031-03-${String(10 + hour++)}`),
    end: at('09:00', '2031-03-31'),
  });
  const hourOf = () => {
    const { start } = free();
    return { start, end: new Date(Date.parse(start) + 3_600_000).toISOString() };
  };

  test.each([
    ['the same person', { name: 'ann lee', phone: '+61491570156' }, 'ann', {}],
    ['another last name', { name: 'Ann Hart', phone: '0491570156' }, 'ann', { givenName: 'Ann Hart' }],
    ['a part of the name', { name: 'Ann', phone: '+61491570156' }, 'ann', {}],
    [
      'another name with the number',
      { name: 'Zoe Hart', phone: '0491570156' },
      'ann',
      { givenName: 'Zoe Hart' },
    ],
    [
      ...([
        'a new number and note of a known email',
        { email: 'BO@example.com', phone: '0491 570 157 (work)' },
      ] as const),
      ...(['bo', { givenPhone: '0491 570 157 (work)' }] as const),
    ],
    [
      'another email',
      { phone: '0491570156', email: 'ann@work.example' },
      'ann',
      { givenEmail: 'ann@work.example' },
    ],
    ['another place', { phone: '0491570156', suburb: 'Kenmore' }, 'ann', { address: { suburb: 'Kenmore' } }],
    ['the place of the lead', { phone: '0491570156' }, 'ann', { address: { suburb: 'Toowong' } }],
  ] as const)('is kept as it was given: %s', async (_, lead, of, given) => {
    const { narrow, api, ...leads } = await known;
    const body = { title: 'Tap', ...hourOf(), lead };
    const { appointment } = await narrow.call('createAppointment', { body });
    const params = { appointmentId: appointment.id };
    expect((await api.call('getAppointment', { params })).appointment).toMatchObject({
      ...{ leadId: leads[of], givenName: '', givenPhone: '', givenEmail: '' },
      ...given,
    });
  });

  test('is told with another name, and without the name of the lead', async () => {
    const { narrow } = await known;
    const body = { title: 'Tap', ...hourOf(), lead: { name: 'Zoe Hart', phone: '0491570156' } };
    const { say } = await narrow.say('createAppointment', { body });
    expect(say).toMatch(/^You are booked for \S.*\. We know .* under another name, .* «Zoe Hart»\.$/);
    expect(say).not.toContain('Ann');
  });

  test.each(['0491 570 15', 'my wife has it', 'anonymous'])(
    'must be called at a number: %j is refused',
    async (phone) => {
      const { refused } = await shared;
      const error = await refused({ start: at('09:00'), lead: { name: 'Cy', phone } }, 400);
      expect(error.message).toMatch(
        /^lead\.phone must be a phone number: national .* Ask for the number again$/,
      );
    },
  );
});

describe('a time that is to be offered', () => {
  const local = (time: string) => expect.stringContaining(time) as string;

  test.each<[string, object, string, string]>([
    ['at 3 in the morning', { start: at('03:00') }, 'start', 'is outside the hours of the business'],
    ['at noon in UTC', { start: `${monday}T12:00:00Z` }, 'start', 'at 10 in the evening, local time'],
    ['on Sunday', { start: at('09:00', inDays(-7).slice(0, 10)) }, 'start', 'is in the past: it is '],
    [
      'after a month that has passed',
      { start: at('09:00', '2020-11-02') },
      'start',
      'is in the past: it is ',
    ],
    [
      'that is too short',
      { start: at('09:00'), end: at('09:30') },
      'end',
      'is too early: the service takes 60 minutes',
    ],
    ['that ends too late', { start: at('16:30') }, 'start', 'is outside the hours of the business'],
    ['too far ahead', { start: at('09:00', '2031-03-03') }, 'start', 'is too far ahead'],
    [
      'elsewhere',
      { start: at('09:00'), address: { suburb: 'Kenmore' } },
      'address',
      'is outside the areas served',
    ],
  ])('%s is refused, with the reason and with offers', async (_, given, field, message) => {
    const { users, refused, ask } = await shared;
    for (const attendees of [[], users.slice(1)]) {
      const { details, alternatives = [], ...error } = await refused({ ...given, attendees });
      expect(error.message).toContain(message);
      expect(details).toContainEqual({ field, message: local(message) });
      expect(alternatives).toHaveLength(field === 'address' ? 0 : 3);
      const [first] = alternatives;
      if (first) expect((await ask({ from: first.start, limit: 1 })).slots[0]?.start).toBe(first.start);
    }
  });

  test('is refused by what its service and its attendees allow', async () => {
    const { api, users, tradeServiceId, schedule, book, refused } = await office('Mia', 'Tom');
    const [owner, mia, tom] = users as [string, string, string];
    const start = at('10:00');
    const reasons = async (body: object) => {
      const { details = [], alternatives = [] } = await refused({ start, ...body });
      return [...details.map(({ field, message }) => `${field} ${message}`), alternatives.length];
    };
    await schedule(2, { workingHours: { monday: [{ from: '08:00', to: '09:00' }] } });
    await schedule(3, { serviceIds: [tradeServiceId], daysOff: [{ from: monday }] });
    expect(await reasons({ attendees: [mia] })).toEqual([
      `attendees.0 names ${mia}, who does not work then`,
      3,
    ]);
    expect(await reasons({ attendees: [tom] })).toEqual(['attendees must all be free', 3]);
    const { id: other } = (await api.call('createService', { body: { name: 'Gas', tradeCategoryId: 1 } }))
      .service;
    const reason = `attendees.1 names ${tom}, who does not do the service`;
    expect(await reasons({ attendees: [owner, tom], tradeServiceId: other })).toEqual([reason, 3]);
    await schedule(1, { serviceIds: [other] });
    await schedule(3, { workingHours: { tuesday: workday } });
    expect(await reasons({})).toEqual(['start is when nobody works who does the service', 3]);
    await schedule(2, { serviceIds: [other] });
    await schedule(3, { serviceIds: [other] });
    expect(await reasons({})).toEqual(['tradeServiceId names a service that nobody does', 0]);
    const params = { serviceId: tradeServiceId };
    await schedule(1, { serviceIds: [] });
    await api.call('updateService', { params, body: { leastNotice: 43_200 } });
    expect(await reasons({})).toEqual([local('start is too soon: the first time is '), 3]);
    await api.call('updateService', { params, body: { isActive: false, leastNotice: 0 } });
    const unused = 'tradeServiceId names a service that is not in use; take another service';
    expect(await reasons({})).toEqual([unused, 0]);
    await book({ start, ifOffered: false, attendees: [owner] });
  });

  test('of ten days is found, booked and moved', async () => {
    const { users, serve, book, ask, change, refused } = await office();
    const tradeServiceId = await serve({ name: 'Roof', duration: 10, durationUnit: 'DAYS' });
    const { slots } = await ask({ serviceId: tradeServiceId });
    expect(slots.length).toBeGreaterThan(2);
    const [one, other] = [slots[0]!, slots[2]!];
    const { id, end } = await book({ tradeServiceId, start: one.start });
    expect(end).toBe(one.end);
    const moved = await change(id, { start: other.start, ifOffered: true });
    expect(moved.appointment).toMatchObject({ start: other.start, end: other.end });
    await refused({ tradeServiceId, start: other.start });
    const back = await change(id, { start: one.start, attendees: [], ifOffered: true });
    expect(back.appointment).toMatchObject({ start: one.start, end: one.end, attendees: users });
    await change(id, { start: other.start, ifOffered: true });
    const noon = new Date(Date.parse(one.start) + 4 * 3_600_000).toISOString();
    expect((await refused({ tradeServiceId, start: noon })).alternatives).not.toHaveLength(0);
  });

  test('of two days ends with the hours of the member who attends', async () => {
    const { users, serve, schedule, book, ask, change, refused } = await office('Mia');
    const short = [{ from: '08:00', to: '16:00' }];
    await schedule(2, { workingHours: { monday: short, tuesday: short } });
    const tradeServiceId = await serve({ name: 'Roof', duration: 2, durationUnit: 'DAYS' });
    const range = { serviceId: tradeServiceId, from: monday, to: tuesday, userId: users[1]! };
    const [slot] = (await ask(range)).slots;
    expect(slot!.end).toBe(at('16:00', tuesday));
    await schedule(1, { serviceIds: [1] });
    const { id, end } = await book({ tradeServiceId, start: slot!.start, end: slot!.end });
    expect(end).toBe(slot!.end);
    const half = await refused({ tradeServiceId, start: slot!.start, end: at('12:00') });
    expect(half.message).toBe('start is when nobody works who does the service');
    await schedule(1, { serviceIds: [] });
    const moved = await change(id, { attendees: [users[0]], ifOffered: true });
    expect(moved.appointment.end).toBe(at('17:00', tuesday));
    const long = await serve({ name: 'House', duration: 12, durationUnit: 'DAYS' });
    expect((await refused({ tradeServiceId: long, start: slot!.start })).alternatives).toEqual([]);
  });

  test('of no service is judged by the hours, and a new service sets the end', async () => {
    const { api, users, serve, tradeServiceId, book, change } = await office('Mia');
    const plain = { tradeServiceId: null, ifOffered: false, attendees: [users[1]] };
    const { id } = await book({ ...plain, start: at('09:00'), end: at('09:30') });
    const params = { appointmentId: id };
    const late = { params, body: { start: at('18:00'), ifOffered: true } };
    expect((await api.failure('updateAppointment', 409, late)).message).toMatch(/^start is outside/);
    const body = { start: at('10:00'), ifOffered: true };
    expect((await change(id, body)).appointment.end).toBe(at('10:30'));
    expect((await change(id, { tradeServiceId, ifOffered: true })).appointment.end).toBe(at('11:00'));
    const quick = await book({
      start: at('13:00'),
      end: at('13:30'),
      ifOffered: false,
      attendees: [users[1]],
    });
    expect((await change(quick.id, { start: at('15:00'), ifOffered: true })).appointment.end).toBe(
      at('15:30'),
    );
    const long = await serve({ name: 'Gas', duration: 4, durationUnit: 'HOURS' });
    expect((await change(id, { tradeServiceId: long, ifOffered: true })).appointment).toMatchObject({
      end: at('14:00'),
      isRescheduled: true,
    });
    await change(id, { status: 'CANCELLED' });
    const final = { params, body: { start: '2020-03-02T00:00:00Z', ifOffered: true } };
    await api.failure('updateAppointment', 409, final);
  });

  test('may stay as it is, and is a condition of every other', async () => {
    const { api, users, book, change } = await office('Mia');
    const night = { start: at('03:00'), attendees: [users[1]], ifOffered: false };
    const { id } = await book(night);
    const parts = { params: { appointmentId: id }, body: { start: night.start, ifOffered: true } };
    const { body, cost } = await api.answer('updateAppointment', parts);
    expect([body.appointment.isRescheduled, cost.writeUnits]).toEqual([false, 0]);
    const moving = { params: { appointmentId: id }, body: { start: at('04:00'), ifOffered: true } };
    expect((await api.failure('updateAppointment', 409, moving)).message).toMatch(/^start is outside/);
    await change(id, { start: at('09:00'), ifOffered: true });
    const past = {
      params: { appointmentId: id },
      body: { start: inDays(-2).replace(/:\d\d\.\d+/, ':00.000') },
    };
    expect((await api.failure('updateAppointment', 400, past)).message).toMatch(
      /^start must not be more than a day in the past: it is .* now, in 20\d\d$/,
    );
  });

  test.each([
    ['tradeServiceId is required with ifOffered', { tradeServiceId: null, end: at('10:00') }],
    [
      'attendees must have who is to be free',
      { tradeServiceId: null, end: at('10:00'), ifFree: true, ifOffered: false },
    ],
    ['start must not be more than a day in the past', { start: at('09:00', '2020-11-02'), ifOffered: false }],
  ])('is a 400 where %s', async (message, body) => {
    const { refused } = await shared;
    expect((await refused({ start: at('09:00'), ...body }, 400)).message).toContain(message);
  });
});

test('a start without its zone is refused with the same time and its offset', async () => {
  const { api } = await office();
  await api.call('updateOrganization', { body: { timeZone: 'America/St_Johns' } });
  const body = { title: 'Tap', start: '2031-01-07T09:00', end: '2031-01-07T10:00' };
  const { message, details } = await api.failure('createAppointment', 400, { body });
  expect(message).toMatch(/^start has no zone; .* America\/St_Johns, so send 2031-01-07T09:00-03:30$/);
  expect(details).toHaveLength(2);
});

test('anyone who is free is chosen as the service says, until nobody is left', async () => {
  const { api, users, tradeServiceId, schedule, book, refused, change } = await office('Mia', 'Tom', 'Ann');
  for (const [at, priority] of [3, 2, 1, 0].entries()) await schedule(at + 1, { priority });
  const both = { start: at('08:00'), ifFree: true, ifOffered: false };
  const chosen = [];
  for (let browser = 0; browser < 4; browser++) chosen.push((await book(both)).attendees[0]);
  expect(chosen).toEqual(users.toReversed());
  const { message, alternatives = [] } = await refused(both);
  expect(message).toBe('Nobody who does the service is free at that time');
  expect(alternatives.map(({ start }) => start)).toEqual(['09:00', '09:30', '10:00'].map((time) => at(time)));
  const params = { serviceId: tradeServiceId };
  await api.call('updateService', { params, body: { teamAssignmentMethod: 'ROUND_ROBIN' } });
  expect((await book({ start: at('10:00') })).attendees).toEqual([users[3]]);
  const free = await book({ start: at('11:00'), end: at('12:00'), ifOffered: false });
  expect(free.attendees).toEqual([]);
  expect((await change(free.id, { ifOffered: true })).appointment.attendees).toEqual([users[2]]);
  const again = { attendees: [], ifFree: true };
  expect((await change(free.id, again)).appointment.attendees).toEqual([users[2]]);
  await schedule(3, { daysOff: [{ from: monday }] });
  expect((await change(free.id, again)).appointment.attendees).toEqual([users[1]]);
  const none = {
    params: { appointmentId: free.id },
    body: { tradeServiceId: null, attendees: [], ifFree: true },
  };
  expect((await api.failure('updateAppointment', 400, none)).message).toMatch(/^attendees must have/);
});

describe('availability', () => {
  test.each<[string, Record<string, string>, boolean]>([
    ['PAST', { from: '2020-03-02', to: '2020-03-03' }, true],
    ['TOO_FAR', { from: '2031-03-03', to: '2031-03-04' }, false],
    ['OUTSIDE_AREA', { suburb: 'Kenmore' }, false],
    ['NOBODY', { userId: 'user_0000000000000000' }, false],
    ['CLOSED', { from: at('00:00'), to: at('08:30') }, true],
  ])('says %s of %j, and when the next time is', async (reason, query, hasNext) => {
    const { ask } = await shared;
    const answer = await ask(query);
    expect([answer.slots, answer.reason, answer.nextOffer !== undefined]).toEqual([[], reason, hasNext]);
  });

  test('says TOO_SOON, BOOKED and NOT_OFFERED, and looks beyond the range', async () => {
    const { api, tradeServiceId, book, ask } = await office();
    const range = { from: at('08:00'), to: at('09:00') };
    await book({ start: at('08:00') });
    const next = { reason: 'BOOKED', nextOffer: { start: at('09:00') } };
    expect(await ask(range)).toMatchObject(next);
    const params = { serviceId: tradeServiceId };
    await api.call('updateService', { params, body: { leastNotice: 43_200 } });
    expect((await ask({ from: tuesday, to: tuesday })).reason).toBe('TOO_SOON');
    await api.call('updateService', { params, body: { isActive: false } });
    expect(await ask()).toEqual({ slots: [], isOutside: false, reason: 'NOT_OFFERED' });
  });
});
