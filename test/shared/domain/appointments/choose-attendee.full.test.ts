import { expect, test } from 'vitest';
import type { NewAppointment } from '../../../../shared/contract/appointments.ts';
import { recordId } from '../../../../shared/core/ids.ts';
import { appointments } from '../../../../shared/domain/appointments/appointment-record.ts';
import { createAppointment } from '../../../../shared/domain/appointments/create-appointment.ts';
import { updateService } from '../../../../shared/domain/services/services.ts';
import type { Ledger } from '../../../../shared/ledger/index.ts';
import { simulatedOffice } from './simulated-office.ts';

const hour = 3_600_000;
const now = Date.parse('2030-01-01T00:00:00.000Z');
const book = (ledger: Ledger, hours: number, given: Partial<NewAppointment> = {}) => {
  const start = new Date(now + hours * hour).toISOString();
  const body = { title: 'Drain', tradeServiceId: 1, start, ...given };
  return createAppointment(ledger, body, { fillsContacts: false, now });
};

test('ROUND_ROBIN stays fair within one over 400 bookings, five at a time, in a table whose items are late', async () => {
  const people = ['Mia', 'Tom', 'Ann', 'Zoe'];
  const office = await simulatedOffice(people);
  await office.run((ledger) =>
    updateService(ledger, 1, { teamAssignmentMethod: 'ROUND_ROBIN', furthestDay: 365 }),
  );
  office.be({ lateApplyChance: 0.3, lateApply: 400 });
  for (let done = 0; done < 400; done += 5)
    await office.together(
      [0, 1, 2, 3, 4].map((one) => (ledger) => book(ledger, done + one, { ifOffered: true })),
    );
  const counts = new Map<string, number>();
  for (let number = 1; number <= 400; number++) {
    const { result } = await office.run((ledger) => ledger.getSettled({ collection: appointments, number }));
    const [userId = ''] = result.attendees;
    counts.set(userId, (counts.get(userId) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const least = counts.size < people.length ? 0 : Math.min(...counts.values());
    expect(most - least).toBeLessThanOrEqual(1);
  }
});

test.each<[string, Partial<NewAppointment>, [roundTrips: number, calls: number, readUnits: number]]>([
  ['without a condition', { attendees: ['Mia'] }, [0, 0, 0]],
  ['with ifFree', { attendees: ['Mia'], ifFree: true }, [0, 0, 0]],
  ['with ifOffered', { attendees: ['Mia'], ifOffered: true }, [0, 0, 0]],
  ['of anyone', { ifOffered: true }, [1, 1, 1]],
])('a booking %s costs at most two round trips more', async (_, { attendees, ...given }, more) => {
  const office = await simulatedOffice(['Mia']);
  const userIds = [recordId('user', office.code, 1)];
  const cost = async (hours: number, body: Partial<NewAppointment>) => {
    const { cost: spent } = await office.run((ledger) => book(ledger, hours, body));
    return [Math.round(spent.roundTrips), spent.calls, spent.readUnits];
  };
  const usual = await cost(1, { attendees: userIds });
  const spent = await cost(100, { ...(attendees && { attendees: userIds }), ...given });
  expect(spent.map((each, at) => each - usual[at]!)).toEqual(more);
});
