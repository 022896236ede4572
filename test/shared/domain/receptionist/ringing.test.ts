// Loads it in real time: the simulation's time stands while a module is loaded.
import '../../../../shared/domain/phone/numbering-plans.ts';
import { expect, test } from 'vitest';
import { Variables, type RingingAnswer } from '../../../../shared/contract/receptionist.ts';
import { createFaq, updateFaq } from '../../../../shared/domain/faqs/faqs.ts';
import { storeInquiry } from '../../../../shared/domain/inquiries/inquiries.ts';
import { createLead } from '../../../../shared/domain/leads/leads.ts';
import { answerRinging } from '../../../../shared/domain/receptionist/answer-ringing.ts';
import { getReceptionist } from '../../../../shared/domain/receptionist/get-receptionist.ts';
import type { Ledger } from '../../../../shared/ledger/index.ts';
import { simulatedOffice } from '../appointments/simulated-office.ts';
import { answerRingingEndpoint } from '../../../../shared/contract/receptionist.ts';

const phone = '+61491570156';
const ringing = { call_inbound: { from_number: phone } };
const now = Date.parse('2026-12-07T00:00:00.000Z');
const reach = { access: answerRingingEndpoint.access } as const;

async function office() {
  const simulated = await simulatedOffice(['Mia']);
  const { result: lead } = await simulated.run((ledger) => createLead(ledger, { name: 'Ann Lee', phone }));
  await simulated.run((ledger) => createFaq(ledger, { question: 'Sundays?', answer: 'No' }));
  const reported: unknown[] = [];
  const system = { now: () => now, sleep: (pause: number) => simulated.sleep(pause) };
  const ring = async (ledger: Ledger) =>
    variablesOf(
      await answerRinging(
        ledger,
        ringing,
        { as: 'retell' },
        { system, report: (error) => reported.push(error) },
      ),
    );
  return { simulated, ring, reported, lead };
}

const variablesOf = (answer: RingingAnswer) =>
  'call_inbound' in answer ? answer.call_inbound.dynamic_variables : undefined;

test('a receptionist is told in two round trips what is current, and costs more where it has to be made anew', async () => {
  const { simulated } = await office();
  const ask = () => simulated.run((ledger) => getReceptionist(ledger, { phone }, now), reach);
  const old = await ask();
  // Besides what is read in any case: the six collections, each record once more serializably, and the text is stored.
  expect(old.cost).toMatchObject({ calls: 20, readUnits: 25, writeUnits: 1 });
  const current = await ask();
  expect(current.cost).toMatchObject({ calls: 9, readUnits: 11, writeUnits: 0 });
  // A serializable read takes a little longer than a plain one.
  expect(Math.floor(current.cost.roundTrips)).toBe(2);
  expect(current.result).toEqual(old.result);
});

test('a call that rings is answered in time when DynamoDB is slow: with all variables, and nothing in them', async () => {
  const { simulated, ring } = await office();
  simulated.be({ read: [5000, 5000] });
  const { result, cost } = await simulated.run(ring, reach);
  expect(Object.keys(result ?? {})).toEqual(Object.keys(Variables.entries));
  expect(new Set(Object.values(result ?? {}))).toEqual(new Set(['']));
  // The limit is 700 ms; a round trip is 2.
  expect(cost.roundTrips).toBe(350);
});

test('a call that rings is answered with the old knowledge if there is no time for another', async () => {
  const { simulated, ring } = await office();
  await simulated.run(ring, reach);
  await simulated.run((ledger) => updateFaq(ledger, 1, { answer: 'Yes' }));
  // Two round trips are within the limit, and the third one is not.
  simulated.be({ read: [347, 347] });
  const { result } = await simulated.run(ring, reach);
  expect(result).toMatchObject({ business_name: 'Drains', caller_name: '«Ann Lee»' });
  expect(result?.knowledge).toContain('Sundays? No.');
  simulated.be({ read: [0, 0] });
  expect((await simulated.run(ring, reach)).result?.knowledge).toContain('Sundays? Yes.');
});

test('an error is reported, and the variables that it does not touch are there', async () => {
  const { simulated, ring, reported, lead } = await office();
  const data = { formName: '', fields: {}, submittedAt: '2026-12-01T00:00:00.000Z' };
  await simulated.run((ledger) =>
    storeInquiry(ledger, lead.id, { source: 'WEBFORM', data, summary: 'Help' }),
  );
  simulated.remove({ pk: `ORG#${simulated.code}#ORGANIZATION`, sk: '000000000001' });
  const { result } = await simulated.run(ring, reach);
  // Without the time zone of the business, no time is told.
  expect(result).toMatchObject({
    business_name: '',
    is_open: '',
    caller_name: '«Ann Lee»',
    last_inquiries: '',
  });
  expect(reported).toHaveLength(1);
});
