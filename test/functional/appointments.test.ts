import { describe, expect, test } from 'vitest';
import { noAddress } from '../../shared/contract/address.ts';
import { join } from '../support/office.ts';
import { newOrganization, twoOrganizations } from '../support/test-organization.ts';

/* `slots.test.ts` has what times are offered, `every-endpoint.test.ts` what appointments share with other records. */

const { ours, theirs } = await twoOrganizations();

/** A client of an organization with two members who have nothing to do yet. */
async function office(of = ours) {
  const [mia, tom] = [await join(of, 'Mia'), await join(of, 'Tom')];
  const { api } = of;
  const book = (body: object) => api.call('createAppointment', { body: { title: 'Drain', ...body } });
  const refused = (body: object, status = 409) =>
    api.failure('createAppointment', status, { body: { title: 'Drain', ...body } });
  const change = (appointmentId: string, body: object) =>
    api.call('updateAppointment', { params: { appointmentId }, body });
  const cancel = async (appointmentId: string) =>
    (await api.call('cancelAppointment', { params: { appointmentId } })).appointment;
  const read = async (appointmentId: string) =>
    (await api.call('getAppointment', { params: { appointmentId } })).appointment;
  const list = async (query: Record<string, string | number>) => {
    const { appointments, ...page } = await api.call('listAppointments', { query });
    return { ...page, ids: appointments.map(({ id }) => id) };
  };
  return { mia, tom, api, book, refused, change, cancel, read, list };
}

/** A Monday in summer: Sydney is eleven hours ahead of UTC. */
const at = (local: string, date = '2031-03-03') => `${date}T${local}:00+11:00`;
const utc = (local: string) => new Date(at(local)).toISOString();
const hour = (from: string, to: string) => ({ start: at(from), end: at(to) });

const nothingGiven = { givenName: '', givenPhone: '', givenEmail: '' };

describe('an appointment', () => {
  test('is made of what is given, with a lead that is found or made, and is an activity of that', async () => {
    const { mia, api, book, read } = await office();
    const lead = {
      name: 'Sofia',
      email: 'sofia@example.com',
      suburb: 'Glebe',
    };
    const given = { description: 'Slow', notes: 'Ladder', customerNotes: 'We call', status: 'CONFIRMED' };
    const { appointment, ...outcome } = await book({
      ...given,
      ...hour('09:00', '10:00'),
      attendees: [mia.user.id],
      lead,
    });
    const { id, leadId, createdAt } = appointment;
    expect(outcome).toEqual({ conflicts: [], isOutside: false });
    expect(appointment).toEqual({
      id,
      leadId,
      ...nothingGiven,
      title: 'Drain',
      ...given,
      start: utc('09:00'),
      end: utc('10:00'),
      attendees: [mia.user.id],
      tradeServiceId: null,
      isRescheduled: false,
      address: { ...noAddress, suburb: 'Glebe' },
      createdAt,
      updatedAt: createdAt,
    });
    expect(await read(id)).toEqual(appointment);
    const again = await book({
      ...hour('12:00', '13:00'),
      lead: { name: 'Sofia Rossi', email: 'sofia@example.com' },
      address: { suburb: 'Ultimo' },
    });
    expect(again.appointment).toMatchObject({
      leadId,
      address: { ...noAddress, suburb: 'Ultimo' },
      attendees: [],
    });
    const { activities } = await api.call('listLeadActivities', { params: { leadId: leadId! } });
    expect(activities.map(({ event, referenceId }) => `${event} ${referenceId}`)).toEqual([
      `APPOINTMENT_CREATED ${again.appointment.id}`,
      `LEAD_UPDATED ${leadId}`,
      `APPOINTMENT_CREATED ${id}`,
      `LEAD_CREATED ${leadId}`,
    ]);
  });

  test('is as long as its service takes, and keeps its buffers free', async () => {
    const { mia, api, book, cancel } = await office();
    const service = {
      name: 'Hot water',
      tradeCategoryId: 1,
      duration: 2,
      durationUnit: 'HOURS',
      bufferBefore: 15,
      bufferAfter: 30,
    };
    const { service: stored } = await api.call('createService', { body: service });
    const first = await book({ start: at('09:00'), tradeServiceId: stored.id, attendees: [mia.user.id] });
    expect(first.appointment).toMatchObject({ end: utc('11:00'), tradeServiceId: stored.id });
    const conflict = [{ userId: mia.user.id, appointmentId: first.appointment.id }];
    for (const [from, to, conflicts] of [
      ['08:00', '08:45', []],
      ['08:00', '08:46', conflict],
      ['11:29', '12:00', conflict],
      ['11:30', '12:00', []],
    ] as const) {
      const other = await book({ ...hour(from, to), attendees: [mia.user.id] });
      expect(other.conflicts).toEqual(conflicts);
      await cancel(other.appointment.id);
    }
  });

  test('that must be free is refused with the next free times of all attendees, and stores nothing', async () => {
    const { mia, tom, book, refused, list } = await office();
    const both = [mia.user.id, tom.user.id];
    await book({ ...hour('09:00', '10:00'), attendees: [mia.user.id], ifFree: true });
    await book({ ...hour('10:30', '11:30'), attendees: [tom.user.id], ifFree: true });
    const before = await list({});
    expect(await refused({ ...hour('09:30', '10:30'), attendees: both, ifFree: true })).toEqual({
      status: 409,
      message: 'An attendee is not free at that time',
      details: [{ field: 'attendees', message: 'must all be free' }],
      alternatives: [
        ['11:30', '12:30'],
        ['12:00', '13:00'],
        ['12:30', '13:30'],
      ].map(([from, to]) => ({
        start: utc(from!),
        end: utc(to!),
        userIds: both,
        say: expect.stringMatching(/^Monday the 3rd of March at /) as string,
      })),
    });
    expect(await list({})).toEqual(before);
  });

  test('on a day off is told, or refused if it must be free', async () => {
    const { mia, api, book, refused } = await office();
    const daysOff = [{ from: '2031-03-04', to: '2031-03-05', reason: 'Course' }];
    await api.call('updateMemberSchedule', { params: { memberId: mia.id }, body: { daysOff } });
    const booking = (from: string, to: string) => ({ start: from, end: to, attendees: [mia.user.id] });
    const conflicts = [{ userId: mia.user.id, appointmentId: null }];
    for (const [from, to, told] of [
      [at('23:00'), at('00:00', '2031-03-04'), []],
      [at('23:00'), at('00:01', '2031-03-04'), conflicts],
      [at('23:00', '2031-03-05'), at('01:00', '2031-03-06'), conflicts],
      [at('00:00', '2031-03-06'), at('01:00', '2031-03-06'), []],
    ] as const)
      expect(
        (await book(booking(from, to))).conflicts.filter(({ appointmentId }) => appointmentId === null),
      ).toEqual(told);
    await refused({ ...booking(at('09:00', '2031-03-04'), at('10:00', '2031-03-04')), ifFree: true });
  });

  test.each([
    ['end is required where there is no tradeServiceId', { end: undefined }],
    ['end must be after start', { end: at('09:00') }],
    ['end must be at most 14 days after start', { end: at('09:01', '2031-03-17') }],
    ['start must be a whole minute', { start: '2031-03-03T09:00:01+11:00' }],
    ['start must be in the years 2000 to 2999', { start: '1999-03-03T09:00:00Z' }],
    ['tradeServiceId names no service of the organization', { tradeServiceId: 999 }],
    ['attendees.0 names no user of the organization', { attendees: ['user_0000000000000000'] }],
    ['lead cannot be combined with leadId', { leadId: 'lead_0000000000000000', lead: { name: 'Ann' } }],
  ])('with a mistake is refused: %s', async (message, mistake) => {
    const { refused } = await office();
    const error = await refused({ ...hour('09:00', '10:00'), ...mistake }, 400);
    expect(error.message).toContain(message);
  });

  test('with an unknown lead, or one of another organization, is a 404', async () => {
    const { refused } = await office();
    const { lead } = await theirs.api.call('createLead', { body: { name: 'Zoe' } });
    for (const leadId of [lead.id, 'lead_1']) await refused({ ...hour('09:00', '10:00'), leadId }, 404);
  });

  test('that is sent again with its key is answered again, conflicts included, and booked once', async () => {
    const { mia, api, book, list } = await office();
    await book({ ...hour('09:00', '10:00'), attendees: [mia.user.id] });
    const headers = { 'Idempotency-Key': '"once"' };
    const body = { title: 'Drain', ...hour('09:30', '10:30'), attendees: [mia.user.id] };
    const first = await api.answer('createAppointment', { headers, body });
    const second = await api.answer('createAppointment', { headers, body });
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(first.body.conflicts).toHaveLength(1);
    expect((await list({ userId: mia.user.id })).totalCount).toBe(2);
  });
});

describe('a change', () => {
  test('moves the appointment with its length, and frees its former time', async () => {
    const { api, mia, book, change, refused, read } = await office();
    const booking = { ...hour('09:00', '10:00'), attendees: [mia.user.id], ifFree: true };
    const { appointment } = await book(booking);
    const moved = await change(appointment.id, { start: at('09:30'), ifFree: true });
    expect(moved).toEqual({
      conflicts: [],
      isOutside: false,
      appointment: {
        ...appointment,
        start: utc('09:30'),
        end: utc('10:30'),
        isRescheduled: true,
        updatedAt: moved.appointment.updatedAt,
      },
    });
    expect(await read(appointment.id)).toEqual(moved.appointment);
    const other = await book({ ...hour('08:30', '09:30'), attendees: [mia.user.id], ifFree: true });
    await refused(booking);
    const taken = { params: { appointmentId: appointment.id }, body: { start: at('08:00'), ifFree: true } };
    const conflicts = [{ userId: mia.user.id, appointmentId: other.appointment.id }];
    expect(await api.failure('updateAppointment', 409, taken)).toMatchObject({
      message: 'An attendee is not free at that time',
      alternatives: [{ userIds: [mia.user.id] }, {}, {}],
    });
    expect((await change(appointment.id, { start: at('08:00') })).conflicts).toEqual(conflicts);
  });

  test('of other fields merges, and one that changes nothing costs no write', async () => {
    const { api, book, change } = await office();
    const { appointment } = await book({
      ...hour('09:00', '10:00'),
      address: { suburb: 'Glebe', access: 'Gate' },
    });
    const after = await change(appointment.id, { title: 'Pipe', address: { access: '' } });
    expect(after.appointment).toEqual({
      ...appointment,
      title: 'Pipe',
      updatedAt: after.appointment.updatedAt,
      address: { ...noAddress, suburb: 'Glebe' },
    });
    const parts = { params: { appointmentId: appointment.id }, body: after.appointment };
    const { body, cost } = await api.answer('updateAppointment', parts);
    expect(body.appointment).toEqual(after.appointment);
    expect(cost.writeUnits).toBe(0);
  });

  test('of the attendees moves it between their lists, and takes the time of those alone', async () => {
    const { mia, tom, book, change, list, refused } = await office();
    const { appointment } = await book({ ...hour('09:00', '10:00'), attendees: [mia.user.id] });
    const { id } = appointment;
    await change(id, { attendees: [tom.user.id, mia.user.id] });
    await change(id, { attendees: [tom.user.id], start: at('11:00') });
    expect(await list({ userId: mia.user.id })).toMatchObject({ ids: [], totalCount: 0 });
    expect(await list({ userId: tom.user.id })).toMatchObject({ ids: [id], totalCount: 1 });
    expect(await list({ userId: tom.user.id, from: at('11:00'), to: at('11:01') })).toMatchObject({
      ids: [id],
    });
    await book({ ...hour('11:00', '12:00'), attendees: [mia.user.id], ifFree: true });
    await refused({ ...hour('11:00', '12:00'), attendees: [tom.user.id], ifFree: true });
  });

  test('of the longest one with the most attendees to ten others fits into a transaction', async () => {
    const { api, ...org } = await newOrganization();
    const { book, change, cancel, list } = await office({ ...org, api });
    const users: string[] = [];
    for (let count = 0; count < 20; count++) users.push((await join(org, 'Bo')).user.id);
    const service = { name: 'Roof', tradeCategoryId: 1, bufferBefore: 1440, bufferAfter: 1440 };
    const { service: stored } = await api.call('createService', { body: service });
    const fortnight = (from: string, to: string) => ({
      start: at('12:00', `2031-${from}`),
      end: at('12:00', `2031-${to}`),
      ifFree: true,
    });
    const [before, after] = [users.slice(0, 10), users.slice(10)];
    const { appointment } = await book({
      ...fortnight('03-03', '03-17'),
      attendees: before,
      tradeServiceId: stored.id,
      lead: { name: 'Ann', email: 'ann@example.com', phone: '+61491570156' },
    });
    const { id } = (await change(appointment.id, { ...fortnight('03-20', '04-03'), attendees: after }))
      .appointment;
    expect(await list({ userId: before[9]! })).toMatchObject({ ids: [] });
    expect(await list({ userId: after[9]! })).toMatchObject({ ids: [id] });
    expect((await cancel(id)).status).toBe('CANCELLED');
  });

  test.each(['COMPLETED', 'NO_SHOW', 'CANCELLED'] as const)(
    'to %s is final, and frees the time',
    async (status) => {
      const { mia, api, book, change, read } = await office();
      const booking = { ...hour('09:00', '10:00'), attendees: [mia.user.id], ifFree: true };
      const { appointment } = await book(booking);
      expect((await change(appointment.id, { status: 'CONFIRMED' })).appointment.status).toBe('CONFIRMED');
      expect((await change(appointment.id, { status })).appointment).toMatchObject({
        status,
        isRescheduled: false,
      });
      await book(booking);
      const params = { appointmentId: appointment.id };
      for (const body of [{ status: 'PENDING' }, { start: at('11:00') }, { title: 'Pipe' }])
        expect(await api.failure('updateAppointment', 409, { params, body })).toMatchObject({
          message: `The appointment is ${status}, which is final`,
        });
      await api.failure('cancelAppointment', 409, { params });
      expect(await read(appointment.id)).toMatchObject({ status, start: utc('09:00') });
    },
  );

  test('that cancels is an activity of its own', async () => {
    const { api, book, cancel } = await office();
    const { appointment } = await book({ ...hour('09:00', '10:00'), lead: { name: 'Ann' } });
    const cancelled = await cancel(appointment.id);
    expect(cancelled).toEqual({ ...appointment, status: 'CANCELLED', updatedAt: cancelled.updatedAt });
    const { activities } = await api.call('listLeadActivities', {
      params: { leadId: appointment.leadId! },
    });
    expect(activities.map(({ event }) => event)).toEqual([
      'APPOINTMENT_CANCELLED',
      'APPOINTMENT_CREATED',
      'LEAD_CREATED',
    ]);
  });
});

describe('a list', () => {
  test('is newest first with exact totals, of all, of a lead or of an attendee; a range is in the order of time', async () => {
    const { api, ...org } = await newOrganization();
    const { mia, tom, book, cancel, list } = await office({ ...org, api });
    const { lead } = await api.call('createLead', { body: { name: 'Ann' } });
    const make = async (from: string, to: string, date: string, of: object) =>
      (await book({ start: at(from, date), end: at(to, date), ...of })).appointment.id;
    const a = await make('15:00', '16:00', '2031-03-04', { leadId: lead.id, attendees: [mia.user.id] });
    const b = await make('09:00', '10:00', '2031-03-04', { attendees: [tom.user.id, mia.user.id] });
    const c = await make('00:00', '01:00', '2031-03-05', { leadId: lead.id });
    const d = await make('23:59', '23:59', '2031-03-03', {
      end: at('01:00', '2031-03-04'),
      attendees: [mia.user.id],
    });
    await cancel(b);
    const whole = { totalPages: 1, currentPage: 1 };
    const all = { ...whole, nextAfter: null };
    expect(await list({})).toEqual({ ...all, ids: [d, c, b, a], totalCount: 4 });
    expect(await list({ page: 2, limit: 3 })).toEqual({
      ids: [a],
      totalPages: 2,
      currentPage: 2,
      totalCount: 4,
      nextAfter: null,
    });
    expect(await list({ leadId: lead.id })).toEqual({ ...all, ids: [c, a], totalCount: 2 });
    expect(await list({ userId: mia.user.id, limit: 2 })).toMatchObject({ ids: [d, b], totalCount: 3 });
    const day = { from: '2031-03-04', to: '2031-03-04' };
    expect(await list(day)).toEqual({ ...whole, ids: [b, a], totalCount: 2 });
    expect(await list({ ...day, limit: 1 })).toEqual({ ...whole, ids: [b, a], totalCount: 2 });
    expect(await list({ ...day, page: 2 })).toMatchObject({ ids: [], totalCount: 2 });
    expect(await list({ from: '2031-03-03', to: at('00:00', '2031-03-05') })).toMatchObject({
      ids: [d, b, a],
    });
    expect(await list({ ...day, leadId: lead.id })).toMatchObject({ ids: [a] });
    expect(await list({ ...day, userId: tom.user.id })).toMatchObject({ ids: [b] });
    for (const unknown of [{ leadId: 'x' }, { userId: 'x' }])
      for (const range of [{}, day])
        expect(await list({ ...unknown, ...range })).toMatchObject({ ids: [], totalCount: 0 });
  });

  test('names people where the token may read them', async () => {
    const { mia, book } = await office();
    const { appointment } = await book({
      ...hour('09:00', '10:00'),
      attendees: [mia.user.id],
      lead: { name: 'Zoe Hart' },
    });
    const day = { from: '2031-03-03', to: '2031-03-03' };
    for (const [scopes, names] of [
      [
        ['leads:read', 'members:read'],
        ['Zoe Hart', ['Mia Tran']],
      ],
      [[], ['', ['']]],
    ] as const)
      for (const query of [{}, day]) {
        const narrow = await ours.apiFor('appointments:read', ...scopes);
        const expanded = { query: { ...query, userId: mia.user.id, expand: 'names' } };
        const { appointments } = await narrow.call('listAppointments', expanded);
        const [leadName, attendeeNames] = names;
        expect(appointments).toEqual([{ ...appointment, leadName, attendeeNames }]);
      }
  });

  test.each([
    ['from must come with to, and to with from', { from: '2031-03-04' }],
    ['to must be after from', { from: '2031-03-04', to: '2031-03-03' }],
    ['from must be a date such as', { from: 'monday', to: '2031-03-03' }],
    ['leadId cannot be combined with userId', { leadId: 'x', userId: 'x' }],
  ])('is refused where %s', async (message, query) => {
    const error = await ours.api.failure('listAppointments', 400, {
      query: query,
    });
    expect(error.message).toContain(message);
  });
});
