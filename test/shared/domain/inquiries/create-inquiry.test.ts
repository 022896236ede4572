import { beforeAll, expect, test } from 'vitest';
import { updateInquiry } from '../../../../shared/domain/inquiries/inquiries.ts';
import { createInquiry } from '../../../../shared/domain/inquiries/create-inquiry.ts';
import { createLead, deleteLead, getLead, leadRef } from '../../../../shared/domain/leads/leads.ts';
import { listLeads } from '../../../../shared/domain/leads/list-leads.ts';
import { recordKey } from '../../../../shared/ledger/internal/keys.ts';
import { TableInMemory } from '../../../infra/admin/table-in-memory.ts';
import { page } from '../../../support/filled-records.ts';
import { recordedStore } from '../../../support/store/recorded-store.ts';
import { twoOrganizations, tableAt, type TestOrganization } from '../../../support/test-organization.ts';

let ours: TestOrganization;
beforeAll(async () => {
  ({ ours } = await twoOrganizations());
});

const ledger = () => ours.openLedger().ledger;
const call = { source: 'CALL', data: {} } as const;

/** A ledger that loses a race: another writer stores something before its first transaction. */
function overtakenBy(other: () => Promise<unknown>) {
  let isFirst = true;
  const { store } = recordedStore(tableAt(), {}, async (command, _input, send) => {
    if (command === 'TransactWriteItemsCommand' && isFirst) {
      isFirst = false;
      await other();
    }
    return send();
  });
  return ours.openLedger({ store }).ledger;
}

test.each([
  ['email', { email: 'meanwhile@example.com' }],
  ['phone number', { phone: '+61491570156' }],
])('a lead that another inquiry creates meanwhile is found by its %s', async (_, lead) => {
  const { totalCount: before } = await listLeads(ledger(), page);
  let faster = '';
  const overtaken = overtakenBy(async () => {
    faster = (await createInquiry(ledger(), { ...call, lead })).lead!.id;
  });
  const received = await createInquiry(overtaken, { ...call, lead: { ...lead, suburb: 'Manly' } });
  expect(received).toMatchObject({
    isNew: true,
    inquiry: { leadId: faster, isFirstInquiry: false },
    lead: { id: faster, suburb: 'Manly', unreadCalls: 2 },
  });
  expect((await listLeads(ledger(), page)).totalCount).toBe(before + 1);
});

test('a lead that gets the email meanwhile is preferred to the one with the phone number', async () => {
  const [phone, email] = ['+61491570157', 'taken@example.com'];
  await createLead(ledger(), { name: 'Ann', phone });
  let faster = '';
  const overtaken = overtakenBy(async () => {
    faster = (await createLead(ledger(), { name: 'Bo', email })).id;
  });
  expect(await createInquiry(overtaken, { ...call, lead: { phone, email } })).toMatchObject({
    inquiry: { leadId: faster, givenPhone: phone },
    lead: { id: faster, phone: '' },
  });
});

test('a lead that is deleted meanwhile is created again', async () => {
  const lead = { email: 'gone@example.com' };
  const { id } = await createLead(ledger(), { name: 'Ann', ...lead });
  const received = await createInquiry(
    overtakenBy(() => deleteLead(ledger(), id)),
    { ...call, lead },
  );
  expect(received.lead).toMatchObject({ ...lead, firstName: '', unreadCalls: 1 });
  expect(received.lead!.id).not.toBe(id);
});

test('an externalInquiryId that is stored meanwhile answers with that inquiry', async () => {
  const input = { ...call, externalInquiryId: 'call-1', lead: { phone: 'anonymous' } };
  let faster = '';
  const overtaken = overtakenBy(async () => {
    faster = (await createInquiry(ledger(), input)).inquiry.id;
  });
  expect(await createInquiry(overtaken, input)).toMatchObject({ isNew: false, inquiry: { id: faster } });
});

test('an externalInquiryId whose inquiry is lost is looked up twice, and answers that there is none', async () => {
  const table = new TableInMemory();
  const damaged = await table.found();
  const input = { ...call, externalInquiryId: 'call-1', lead: { name: 'Ann' } };
  const receive = () => createInquiry(damaged.openLedger().ledger, input);
  await table.run(receive);
  await table.items.remove(recordKey(damaged.code, 'INQUIRY', 1));
  // Each call takes time, so that endless repeats would run into the deadline.
  table.beReal();
  await expect(table.run(receive)).rejects.toMatchObject({
    kind: 'notFound',
    message: 'There is no such inquiry',
  });
});

test('takes two round trips for a new lead or an id, three for a found one, one more for a national number', async () => {
  // Uses a new organization: no writer has met another there.
  const { ours: fresh } = await twoOrganizations();
  const { id: leadId } = await createLead(fresh.openLedger().ledger, {
    name: 'Ann',
    email: 'trips@example.com',
  });
  const tripsOf = async (input: Parameters<typeof createInquiry>[1]) => {
    const { store, roundTrips } = recordedStore(tableAt());
    await createInquiry(fresh.openLedger({ store }).ledger, input);
    return roundTrips();
  };
  expect(await tripsOf({ ...call, leadId, externalInquiryId: 'trip-1' })).toBe(2);
  expect(await tripsOf({ ...call, lead: { phone: '+61491570158', email: 'new@example.com' } })).toBe(2);
  expect(await tripsOf({ ...call, lead: { phone: 'anonymous' } })).toBe(2);
  expect(await tripsOf({ ...call, lead: { email: 'trips@example.com', phone: '+61491570159' } })).toBe(3);
  expect(await tripsOf({ ...call, lead: { phone: '0491 570 110' } })).toBe(3);
});

test('a count of unread inquiries that is too low does not fall below 0', async () => {
  const { inquiry, lead } = await createInquiry(ledger(), { ...call, lead: { email: 'low@example.com' } });
  const ref = leadRef(ledger(), lead!.id);
  await ledger().write({ change: { lead: ref } }, (write, { lead: record }) => {
    write.replace(ref, { ...record, unreadCalls: 0 });
    write.event({ event: 'TEST', data: 'A test', referenceId: lead!.id });
  });
  await updateInquiry(ledger(), inquiry.id, { isRead: true });
  expect((await getLead(ledger(), lead!.id)).unreadCalls).toBe(0);
});
