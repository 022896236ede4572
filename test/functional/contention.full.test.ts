import { expect, test } from 'vitest';
import type { ErrorEnvelope } from '../../shared/contract/errors.ts';
import { numberInId } from '../../shared/core/ids.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import { updateLead } from '../../shared/domain/leads/update-lead.ts';
import { join } from '../support/office.ts';
import { twoOrganizations, verifiedOrganization } from '../support/test-organization.ts';

test('16 concurrent creates of one organization: each stored once or refused, numbers dense, totals exact', async () => {
  const { ours, theirs } = await twoOrganizations();
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, at) =>
      ours.api.attempt('createLead', {
        body: { firstName: `Lead ${at}`, email: `lead${at}@example.com` },
      }),
    ),
  );
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([]);
  const created = answers.filter(({ status }) => status === 201).length;
  expect(created).toBeGreaterThan(0);

  const ids: string[] = [];
  for (let page = 1; page <= Math.ceil(created / 100); page++) {
    const list = await ours.api.call('listLeads', { query: { page, limit: 100 } });
    expect(list.totalCount).toBe(created);
    ids.push(...list.leads.map(({ id }) => id));
  }
  const first = ids.at(-1)!;
  expect(ids.map(numberInId)).toEqual(Array.from({ length: created }, (_, at) => created - at));
  await ours.api.call('listLeadActivities', { params: { leadId: first } });
  expect((await theirs.api.call('listLeads')).totalCount).toBe(0);
});

test('of 10 concurrent creates with one email, one is stored and the others name it', async () => {
  const ours = await verifiedOrganization();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      ours.api.attempt('createLead', { body: { name: 'Ann', email: 'ann@example.com' } }),
    ),
  );
  const list = await ours.api.call('listLeads');
  expect(list.totalCount).toBe(1);
  const outcomes = answers.map(({ status, body }) =>
    status === 201 ? 'created' : (body as { error: object }).error,
  );
  const conflict = {
    status: 409,
    message: 'Another lead has this email',
    details: [{ field: 'email', message: 'is taken' }],
    existingId: list.leads[0]!.id,
  };
  expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome !== 'created')).toEqual(Array(9).fill(conflict));
});

test('of 24 concurrent bookings and moves that must be free, none overlaps another, and none is refused in vain', async () => {
  const ours = await verifiedOrganization();
  const users: string[] = [];
  for (const name of ['Mia', 'Tom', 'Ann']) users.push((await join(ours, name)).user.id);
  const time = (minutes: number) =>
    new Date(Date.parse('2031-03-03T00:00:00Z') + minutes * 60_000).toISOString();
  const hourAt = (minutes: number) => ({ start: time(minutes), end: time(minutes + 60), ifFree: true });
  const book = (minutes: number, attendees: readonly string[]) =>
    ours.api.attempt('createAppointment', { body: { title: 'Drain', ...hourAt(minutes), attendees } });
  const list = async () => (await ours.api.call('listAppointments', { query: { limit: 100 } })).appointments;
  for (const minutes of [0, 60, 120]) await book(minutes, users);
  const moves = await list();
  const attempts = await Promise.all(
    Array.from({ length: 24 }, async (_, at) => {
      const minutes = 240 + 25 * (at % 10);
      const moved = moves[at];
      const attendees = moved ? users : [users[at % 3]!, users[(at + 1) % 3]!].slice(at % 2);
      const params = { appointmentId: moved?.id ?? '' };
      const { status } = moved
        ? await ours.api.attempt('updateAppointment', { params, body: hourAt(minutes) })
        : await book(minutes, attendees);
      return { status, attendees, ...hourAt(minutes) };
    }),
  );
  const all = await list();
  type Booked = Pick<(typeof all)[number], 'start' | 'end' | 'attendees'>;
  const overlap = (one: Booked, other: Booked) =>
    one.start < other.end &&
    other.start < one.end &&
    one.attendees.some((user) => other.attendees.includes(user));
  expect(all.filter((one) => all.some((other) => other !== one && overlap(one, other)))).toEqual([]);
  const statuses = Map.groupBy(attempts, ({ status }) => status);
  expect([...statuses.keys()].filter((status) => ![200, 201, 409, 503].includes(status))).toEqual([]);
  expect(all).toHaveLength(3 + (statuses.get(201)?.length ?? 0));
  // The appointment that stood in the way is still there.
  for (const one of statuses.get(409) ?? []) expect(all.some((other) => overlap(one, other))).toBe(true);
  expect(statuses.has(409)).toBe(true);
});

test('of 16 requests at once for one time with four members, four are booked, and what the others are offered is free', async () => {
  const ours = await verifiedOrganization();
  for (const name of ['Mia', 'Tom', 'Ann']) await join(ours, name);
  const body = { name: 'Drain', tradeCategoryId: 1 };
  const { service } = await ours.api.call('createService', { body });
  const start = new Date(Math.ceil(Date.now() / 86_400_000 + 7) * 86_400_000).toISOString();
  const book = (at: string) =>
    ours.api.attempt('createAppointment', {
      body: { title: 'Drain', tradeServiceId: service.id, start: at, ifOffered: true },
    });
  const answers = await Promise.all(Array.from({ length: 16 }, () => book(start)));
  const counts = Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, some]) => [status, some.length]),
  );
  expect(counts).toEqual({ 201: 4, 409: 12 });
  const { appointments } = await ours.api.call('listAppointments');
  expect(new Set(appointments.flatMap(({ attendees }) => attendees)).size).toBe(4);
  const offered = new Set(
    answers.flatMap(({ status, body: refusal }) =>
      status === 409 ? (refusal as ErrorEnvelope).error.alternatives!.map((slot) => slot.start) : [],
    ),
  );
  expect(offered.size).toBeGreaterThanOrEqual(3);
  for (const other of offered) expect((await book(other)).status).toBe(201);
});

test('a client that polls while 8 others write sees each number once, in order', async () => {
  const organization = await verifiedOrganization();
  const { api } = organization;
  const openLedger = () => organization.openLedger();
  const read = (query: Record<string, number>) => api.call('listEvents', { query });
  const newest = async () => (await read({ limit: 1 })).version;
  const first = await newest();
  const [writers, writes] = [8, 5];
  let isOver = false;
  const seen: number[] = [];
  const poll = async () => {
    for (let after = first; ;) {
      const wasOver: boolean = isOver;
      const { events, nextAfter, version } = await read({ after, limit: 7 });
      seen.push(...events.map(({ id }) => id));
      if (wasOver && nextAfter === version) return;
      after = nextAfter;
    }
  };
  const write = async (name: string) => {
    const { id } = await createLead(openLedger().ledger, { firstName: name });
    for (let at = 1; at < writes; at++)
      await updateLead(openLedger().ledger, id, { suburb: `Suburb ${at}`, status: at % 2 ? 'won' : 'lost' });
  };
  const writing = Promise.all(Array.from({ length: writers }, (_, at) => write(`Writer ${at}`)));
  const all = writing.finally(() => (isOver = true));
  await Promise.all([poll(), all]);
  const length = (await newest()) - first;
  expect(length).toBe(writers * (2 * writes - 1));
  expect(seen).toEqual(Array.from({ length }, (_, at) => first + 1 + at));
});
