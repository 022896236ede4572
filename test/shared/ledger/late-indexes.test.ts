// Loaded before the first test: virtual time does not wait for the import that code makes during a request.
import '../../../shared/domain/phone/numbering-plans.ts';
import { beforeEach, expect, test } from 'vitest';
import type { Inquiry } from '../../../shared/contract/inquiries.ts';
import { Failure } from '../../../shared/core/failure.ts';
import { numberOf, recordId } from '../../../shared/core/ids.ts';
import { listAppointments } from '../../../shared/domain/appointments/appointments.ts';
import { createAppointment } from '../../../shared/domain/appointments/create-appointment.ts';
import { eraseLead } from '../../../shared/domain/erasure/erase-lead.ts';
import { listInquiries, updateInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import { createInquiry } from '../../../shared/domain/inquiries/create-inquiry.ts';
import { createLead, deleteLead } from '../../../shared/domain/leads/leads.ts';
import { listLeads } from '../../../shared/domain/leads/list-leads.ts';
import { pipelineRef } from '../../../shared/domain/leads/pipeline-record.ts';
import { receiveSms } from '../../../shared/domain/sms/receive-sms.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';
import { holesKey, listPartition } from '../../../shared/ledger/internal/keys.ts';
import { never } from '../../support/filled-records.ts';
import { acceptingProvider } from '../../support/sms.ts';
import { simulatedOffice } from '../domain/appointments/simulated-office.ts';
import { addLeads } from './many-leads.ts';
import type { SimulatedLedger } from './simulated-ledger.ts';

/** A DynamoDB with indexes that are always two seconds behind the table. */
let late: SimulatedLedger;
beforeEach(async () => {
  late = await simulatedOffice(['Mia']);
  late.be({ indexLag: [2000, 2000] });
});
const run = async <T>(act: (ledger: Ledger) => Promise<T>): Promise<T> => (await late.run(act)).result;
const indexesFollow = () => run(() => late.sleep(2000));
const newest = { page: 1, limit: 100 };

/** Receives an SMS of one person, with this text. */
const receive = (text: string) =>
  run((ledger) =>
    receiveSms(
      { before: ledger, after: ledger },
      { ...acceptingProvider(), from: 'pool' },
      {
        from: '+61491570156',
        to: '+61480000100',
        at: '2026-11-02T13:00:00.000Z',
        id: text,
        text,
        inReplyTo: undefined,
      },
      { report: never, reportSms: never },
    ),
  );

test('SMS of one person that come in faster than an index follows are one conversation', async () => {
  for (const text of ['one', 'two', 'three']) await receive(text);
  const { items } = await run((ledger) => listInquiries(ledger, newest));
  expect(items.map(({ source, summary }) => [source, summary])).toEqual([['SMS', 'three']]);
});

test('a change of a conversation is not refused as outdated because an index has not all of its messages', async () => {
  for (const text of ['one', 'two']) await receive(text);
  const [{ id } = { id: '' }] = (await run((ledger) => listInquiries(ledger, newest))).items;
  const refuseOutdated = (shown: Inquiry) => {
    if (shown.source === 'SMS' && shown.data.messages.length < 2)
      throw new Failure('outdated', 'It has changed');
  };
  const exact = late.open({ isSerializable: true });
  const change = () =>
    run((ledger) => updateInquiry(ledger, id, { isRead: true }, { refuseOutdated }, exact));
  await expect(change()).rejects.toMatchObject({ kind: 'unavailable' });
  await indexesFollow();
  expect(await change()).toMatchObject({ isRead: true });
});

const userIdIn = ({ organization }: Ledger) => recordId('user', organization, 1);

/** Creates a lead with an inquiry and an appointment, and returns its id. */
async function leadWithAll(ledger: Ledger, name: string, hour: number): Promise<string> {
  const { id: leadId } = await createLead(ledger, { name });
  await createInquiry(ledger, { leadId, source: 'CALL', summary: 'No water', tag: 'Gas', data: {} });
  const [start, end] = [hour, hour + 1].map((at) => `2030-01-01T0${at}:00:00.000Z`);
  const booking = { title: 'Drain', leadId, start: start!, end: end!, attendees: [userIdIn(ledger)] };
  await createAppointment(ledger, booking, { fillsContacts: false, now: Date.parse('2029-01-01') });
  return leadId;
}

type ListOf = (
  ledger: Ledger,
  leadId: string,
) => Promise<{ items: { id: string; leadId?: string | null }[] }>;
const lists: Record<string, ListOf> = {
  'leads of a status': (ledger) => listLeads(ledger, { ...newest, status: 'pending' }),
  inquiries: (ledger) => listInquiries(ledger, newest),
  'inquiries of the lead': (ledger, leadId) => listInquiries(ledger, { ...newest, leadId }),
  'calls of the lead': (ledger, leadId) => listInquiries(ledger, { ...newest, leadId, source: 'CALL' }),
  calls: (ledger) => listInquiries(ledger, { ...newest, source: 'CALL' }),
  'unread inquiries': (ledger) => listInquiries(ledger, { ...newest, isRead: false }),
  'inquiries with a tag': (ledger) => listInquiries(ledger, { ...newest, tag: 'Gas' }),
  'appointments of the lead': (ledger, leadId) => listAppointments(ledger, { ...newest, leadId }),
  'appointments of a member': (ledger) => listAppointments(ledger, { ...newest, userId: userIdIn(ledger) }),
};

test.each(Object.entries(lists))(
  '%s: nothing is shown of a lead once its erasure is done',
  async (_, listOf) => {
    const ann = await run((ledger) => leadWithAll(ledger, 'Ann', 1));
    await run((ledger) => leadWithAll(ledger, 'Bo', 2));
    await indexesFollow();
    const shown = async () => {
      const { items } = await run((ledger) => listOf(ledger, ann));
      return items.filter(({ id, leadId = id }) => leadId === ann).length;
    };
    expect(await shown()).toBe(1);
    expect(await run((ledger) => eraseLead(ledger, ann))).toBe(true);
    expect(await shown()).toBe(0);
  },
);

test('a page that never fits the state of its list shows no lead that is gone', async () => {
  const some = Array.from({ length: 20 }, () => ({ firstName: 'Ann' }));
  for (let count = 0; count < 7; count++) await run((ledger) => addLeads(ledger, some));
  const idOf = (number: number) => recordId('lead', late.code, number);
  await run((ledger) => deleteLead(ledger, idOf(1)));
  await indexesFollow();
  // The bucket alone tells who left, except for the newest 128.
  const owner = { collection: pipelineRef.collection.name, number: pipelineRef.number };
  const pending = listPartition(late.code, { collection: 'LEAD', index: 'gsi1', owner, name: 'pending' });
  late.remove(holesKey(pending, 0));
  await run((ledger) => eraseLead(ledger, idOf(20)));
  const { items } = await run((ledger) => listLeads(ledger, { status: 'pending', page: 2, limit: 100 }));
  const numbers = items.map(({ id }) => numberOf('lead', late.code, id));
  expect(numbers).toEqual(Array.from({ length: 38 }, (_, at) => 40 - at).filter((number) => number !== 20));
});
