import { beforeAll, expect, test } from 'vitest';
import type { AppointmentQuery } from '../../../../shared/contract/appointments.ts';
import { noAddress } from '../../../../shared/contract/address.ts';
import { appointments, attendances } from '../../../../shared/domain/appointments/appointment-record.ts';
import { listAppointments } from '../../../../shared/domain/appointments/appointments.ts';
import { leads } from '../../../../shared/domain/leads/lead-record.ts';
import { createLead } from '../../../../shared/domain/leads/leads.ts';
import { addPipeline } from '../../../../shared/domain/leads/pipeline-record.ts';
import { createMember, members } from '../../../../shared/domain/members/members.ts';
import { SimulatedLedger } from '../../ledger/simulated-ledger.ts';

const total = 1000;
const perWrite = 25;
const first = Date.parse('2026-01-01T00:00:00.000Z');
const hour = 3_600_000;
const timeAt = (hours: number) => new Date(first + hours * hour).toISOString();

let simulated: SimulatedLedger;
let leadId: string;
let userId: string;

/** A thousand appointments of one lead and one member, each in a different hour. */
beforeAll(async () => {
  simulated = await SimulatedLedger.found();
  const event = { event: 'TEST', data: 'A test', referenceId: '1' };
  await simulated.run(async (ledger) => {
    await ledger.write({}, (write) => {
      addPipeline(write);
      write.event(event);
    });
    leadId = (await createLead(ledger, { name: 'Ann' })).id;
    userId = (await createMember(ledger, { firstName: 'Mia', lastName: '', email: 'mia@example.com' })).user
      .id;
    const change = {
      lead: { collection: leads, number: 1 },
      member: { collection: members, number: 1 },
    };
    for (let done = 0; done < total; done += perWrite)
      await ledger.write({ change }, (write, { lead, member }) => {
        for (let at = done; at < done + perWrite; at++) {
          const [start, end] = [timeAt(at), timeAt(at + 1)];
          const { record } = write.append(appointments, ({ id, number }) => ({
            id,
            leadId,
            givenName: '',
            givenPhone: '',
            givenEmail: '',
            title: String(number),
            description: '',
            start,
            end,
            status: 'PENDING' as const,
            attendees: [userId],
            attendances: [number],
            tradeServiceId: null,
            address: noAddress,
            notes: '',
            customerNotes: '',
            isRescheduled: false,
            bufferBefore: 0,
            bufferAfter: 0,
            createdAt: write.now,
            updatedAt: write.now,
          }));
          write.append(attendances, ({ number: id }) => ({ id, appointmentId: record.id, userId, start }));
        }
        write.replace(change.lead, lead);
        write.replace(change.member, member);
        write.event(event);
      });
  });
});

async function list(query: Partial<AppointmentQuery>) {
  const { result, cost } = await simulated.run((ledger) =>
    listAppointments(ledger, { page: 1, limit: 50, ...query }),
  );
  const { calls, readUnits, itemsQueried } = cost;
  return { titles: result.items.map(({ title }) => Number(title)), cost: { calls, readUnits, itemsQueried } };
}

const countDown = (from: number) => Array.from({ length: 50 }, (_, at) => from - at);
const countUp = (from: number) => Array.from({ length: 24 }, (_, at) => from + at);

test.each([
  ['all', () => ({})],
  ['those of a lead', () => ({ leadId })],
  ['those of an attendee', () => ({ userId })],
])('of %s, a page costs the same anywhere, and a range reads what it returns', async (_, of) => {
  const { cost } = await list(of());
  expect(cost.itemsQueried).toBe(50);
  for (const page of [2, 11, 20])
    expect(await list({ ...of(), page })).toEqual({ titles: countDown(total - (page - 1) * 50), cost });
  const rangeFrom = (hours: number) => list({ ...of(), from: timeAt(hours), to: timeAt(hours + 24) });
  const { cost: ofRange } = await rangeFrom(0);
  expect(ofRange.itemsQueried).toBe(24);
  for (const hours of [300, 976])
    expect(await rangeFrom(hours)).toEqual({ titles: countUp(hours + 1), cost: ofRange });
});
