import { expect, test } from 'vitest';
import { getAvailability } from '../../../../shared/domain/appointments/availability.ts';
import { bookedKey } from '../../../../shared/ledger/internal/keys.ts';
import { simulatedOffice } from './simulated-office.ts';

test('seven days of a calendar with ten thousand appointments cost what those days hold', async () => {
  const simulated = await simulatedOffice(['Mia']);
  const dateOf = (day: number) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
  const ask = () =>
    simulated.run((ledger) => {
      const query = { serviceId: 1, from: dateOf(180), to: dateOf(186), limit: 1000 };
      return getAvailability(ledger, query, Date.parse(dateOf(170)));
    });
  const { cost: empty } = await ask();
  const perDay = 28;
  for (let day = 0; day < 360; day++) {
    const booked = Array.from({ length: perDay }, (_, one) => {
      return `${day * perDay + one + 1}/${30 * one}/30/0/0/1`;
    }).join(' ');
    simulated.put({ ...bookedKey(simulated.code, dateOf(day)), booked, revision: 2 });
  }
  const { result, cost } = await ask();
  // Free from 14:00 to 24:00 in UTC, which is from 23:30 to 9:30: the hour at 23:30 before the first day is not asked for.
  expect(result.slots).toHaveLength(7 * 19 - 1);
  expect(cost).toMatchObject({ calls: 4 });
  // A day and 14 hours more at each end, before the time zone and the buffers are known.
  expect(cost.itemsQueried - empty.itemsQueried).toBe(11);
  expect(cost.readUnits - empty.readUnits).toBeLessThan(3);
});
