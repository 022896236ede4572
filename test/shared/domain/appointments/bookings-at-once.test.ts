import { expect, test } from 'vitest';
import { bookAppointment } from '../../../../shared/domain/appointments/book-appointment.ts';
import { appointments } from '../../../../shared/domain/appointments/appointment-record.ts';
import { userIdOf } from '../../../../shared/domain/members/members.ts';
import { Failure } from '../../../../shared/core/failure.ts';
import { simulatedOffice } from './simulated-office.ts';

const start = Date.parse('2031-03-03T00:00:00.000Z');
const minutesAfter = (minutes: number) => new Date(start + minutes * 60_000).toISOString();

test('of 50 callers at once, each is booked or refused, and no two overlap for an attendee', async () => {
  const simulated = await simulatedOffice(['Mia', 'Tom', 'Ann']);
  const people = [1, 2, 3].map((number) => userIdOf(simulated.open(), number));
  // Each item of a transaction is applied at another time, some much later.
  simulated.be({ prepare: [3, 5], apply: [1, 8], lateApplyChance: 0.05, lateApply: 300 });
  const outcomes = await simulated.together(
    Array.from({ length: 50 }, (_, at) => async (ledger) => {
      const times = { start: minutesAfter(25 * (at % 10)), end: minutesAfter(25 * (at % 10) + 60) };
      const attendees = [people[at % 3]!, people[(at + 1) % 3]!].slice(at % 2);
      const body = { title: 'Drain', ...times, attendees, ifFree: true };
      try {
        return (await bookAppointment(ledger, body, { fillsContacts: false, now: start })).appointment;
      } catch (error) {
        if (error instanceof Failure && error.kind === 'conflict') return { ...body, id: '' };
        throw error;
      }
    }),
  );
  const { result: stored } = await simulated.run((ledger) => ledger.all(appointments));
  const booked = outcomes.filter(({ id }) => id !== '');
  expect(booked.map(({ id }) => id).sort()).toEqual(stored.map(({ id }) => id).sort());
  type Taken = Pick<(typeof stored)[number], 'start' | 'end' | 'attendees'>;
  const overlap = (one: Taken, other: Taken) =>
    one.start < other.end &&
    other.start < one.end &&
    one.attendees.some((user) => other.attendees.includes(user));
  expect(stored.filter((one) => stored.some((other) => other !== one && overlap(one, other)))).toEqual([]);
  // Nobody is refused in vain.
  const refused = outcomes.filter(({ id }) => id === '');
  expect(refused.filter((one) => !stored.some((other) => overlap(one, other)))).toEqual([]);
  expect(refused.length).toBeGreaterThan(0);
});
