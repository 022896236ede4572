import { describe, expect, test } from 'vitest';
import { inThirdWeek, join } from '../support/office.ts';
import { newOrganization } from '../support/test-organization.ts';

/* `slots.test.ts` has which times are free. */

const day = 86_400_000;
const dateAfter = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10);
const monday = inThirdWeek(1);
const at = (local: string) => `${monday}T${local}:00+10:00`;
const onMonday = { from: monday, to: monday };

/** An organization that opens on Monday mornings, with two members who do a service, and an owner who does not. */
async function office() {
  const organization = await newOrganization();
  const { api } = organization;
  const [mia, tom] = [await join(organization, 'Mia'), await join(organization, 'Tom')];
  const body = { timeZone: 'Australia/Brisbane', openingHours: { monday: [{ from: '08:00', to: '12:00' }] } };
  await api.call('updateOrganization', { body });
  const schedule = (memberId: number, body: object) =>
    api.call('updateMemberSchedule', { params: { memberId }, body });
  await schedule(1, { workingHours: { sunday: [{ from: '08:00', to: '12:00' }] } });
  const { service } = await api.call('createService', {
    body: { name: 'Hot water', tradeCategoryId: 1, bufferAfter: 30 },
  });
  const ask = (query: Record<string, string | number> = onMonday) =>
    api.call('getAvailability', { query: { serviceId: service.id, ...query } });
  /** Local times of the slots, each with the letters of the members who are free. */
  const times = async (query?: Record<string, string | number>) =>
    (await ask(query)).slots.map(({ start, userIds }) => {
      const local = new Date(Date.parse(start) + 10 * 3_600_000).toISOString().slice(11, 16);
      return `${local} ${userIds.map((id) => (id === mia.user.id ? 'm' : id === tom.user.id ? 't' : '?')).join('')}`;
    });
  const book = (start: string, userId: string) =>
    api.call('createAppointment', {
      body: { title: 'Heater', start, attendees: [userId], tradeServiceId: service.id, ifFree: true },
    });
  return { api, mia, tom, service, schedule, ask, times, book };
}

const refusing = office();

describe('availability', () => {
  test('offers what is free, and whom the service proposes', async () => {
    const { api, mia, tom, service, schedule, ask, times, book } = await office();
    expect(await times()).toEqual(
      ['08:00', '08:30', '09:00', '09:30', '10:00', '10:30', '11:00'].map((time) => `${time} mt`),
    );
    const [slot] = (await ask({ ...onMonday, limit: 1 })).slots;
    expect(slot).toEqual({
      start: new Date(at('08:00')).toISOString(),
      end: new Date(at('09:00')).toISOString(),
      userIds: [mia.user.id, tom.user.id],
      say: expect.stringMatching(
        /^Monday the \d+(st|nd|rd|th) of [A-Z][a-z]+ at 8 in the morning$/,
      ) as string,
    });
    await book(at('09:00'), mia.user.id);
    expect(await times()).toEqual([
      ...['08:00 t', '08:30 t', '09:00 t', '09:30 t', '10:00 t', '10:30 mt', '11:00 mt'],
    ]);
    expect(await times({ ...onMonday, userId: mia.user.id })).toEqual(['10:30 m', '11:00 m']);
    expect(await times({ ...onMonday, userId: 'x' })).toEqual([]);
    const late = { from: at('10:30'), to: at('11:45') };
    expect(await times(late)).toEqual(['10:30 mt']);
    await schedule(mia.id, { priority: 1 });
    expect(await times(late)).toEqual(['10:30 tm']);
    await schedule(tom.id, { priority: 2 });
    const params = { serviceId: service.id };
    await api.call('updateService', { params, body: { teamAssignmentMethod: 'ROUND_ROBIN' } });
    expect(await times(late)).toEqual(['10:30 tm']);
    await schedule(tom.id, { daysOff: [{ from: monday }] });
    expect(await times(late)).toEqual(['10:30 m']);
    const other = { name: 'Gas', tradeCategoryId: 1 };
    const { id } = (await api.call('createService', { body: other })).service;
    await schedule(mia.id, { serviceIds: [id] });
    expect(await times(late)).toEqual([]);
    await schedule(mia.id, { serviceIds: [id, service.id] });
    expect(await times(late)).toEqual(['10:30 m']);
  });

  test('is of seven days from now when nothing else is asked', async () => {
    const { ask } = await office();
    const { slots } = await ask({});
    const dates = new Set(slots.map(({ start }) => start.slice(0, 10)));
    // A Monday may begin within the first day and end within the last.
    expect(dates.size).toBeGreaterThan(0);
    expect(slots.every(({ start }) => Date.parse(start) < Date.now() + 7 * day)).toBe(true);
  });

  test('offers nothing that a booking is then refused, until nothing is left', async () => {
    const { mia, tom, ask, book } = await office();
    const taken: string[] = [];
    for (let { slots } = await ask(); slots.length > 0; { slots } = await ask()) {
      const { start, end, userIds } = slots[Math.floor(slots.length / 2)]!;
      const { appointment, conflicts } = await book(start, userIds[0]!);
      expect({ end: appointment.end, conflicts }).toEqual({ end, conflicts: [] });
      taken.push(userIds[0]!);
    }
    expect(taken).toEqual([mia, tom, mia, tom, mia, tom].map(({ user }) => user.id));
  });

  test('says whether a place is outside the areas served', async () => {
    const { api, ask } = await office();
    const isOutside = async (place: Record<string, string>) =>
      (await ask({ ...onMonday, limit: 1, ...place })).isOutside;
    expect(await isOutside({ suburb: 'Toowong' })).toBe(false);
    await api.call('updateOrganization', { body: { areasServed: ['Toowong', '4067'] } });
    expect(await isOutside({ suburb: 'toowong' })).toBe(false);
    expect(await isOutside({ suburb: 'Kenmore', postcode: '4067' })).toBe(false);
    expect(await isOutside({ suburb: 'Kenmore' })).toBe(true);
    expect(await isOutside({})).toBe(false);
  });

  test('costs the same however much is booked on other days', async () => {
    const { api, service, mia, book } = await office();
    const ask = { query: { serviceId: service.id, ...onMonday } };
    const { cost } = await api.answer('getAvailability', ask);
    expect(cost).toMatchObject({ calls: 4 });
    for (const days of [1, 8, 40, 300]) await book(`${dateAfter(days)}T03:00:00Z`, mia.user.id);
    expect((await api.answer('getAvailability', ask)).cost).toEqual(cost);
  });

  test.each<[string, Record<string, string>]>([
    ['serviceId names no service of the organization', { serviceId: '99' }],
    ['from must be a date such as', { from: 'monday' }],
    ['to must be after from', { from: monday, to: dateAfter(3) }],
    ['to must be at most 31 days after from', { from: monday, to: dateAfter(60) }],
  ])('is refused where %s', async (message, query) => {
    const { api } = await refusing;
    const error = await api.failure('getAvailability', 400, { query: { serviceId: '1', ...query } });
    expect(error.message).toContain(message);
  });
});
