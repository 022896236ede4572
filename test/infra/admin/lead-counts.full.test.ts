import { afterEach, expect, test } from 'vitest';
import { repairAll } from '../../../infra/admin/repair/repair-all.ts';
import { verifyOrganization } from '../../support/verify-organization.ts';
import { addInquiry, storeInquiry, updateInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import { LeadChange } from '../../../shared/domain/leads/lead-change.ts';
import { createLead, getLead, leadRef } from '../../../shared/domain/leads/leads.ts';
import { foundIn } from './found-in.ts';
import { itemsOf } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';
import { aroundCalls } from '../../support/store/around-calls.ts';

const table = new TableInMemory();
/** Called before each transaction. */
let beforeWrite: () => Promise<unknown> = () => Promise.resolve();
const disturbed = table.newAccess();
aroundCalls(disturbed.client, async (operation, send) => {
  if (operation === 'TransactWriteItems') await beforeWrite();
  return send();
});
const organization = await table.found();
const { at, edit, get, idAt, put, remove } = itemsOf(() => ({ items: table.items, code: organization.code }));
const ledger = () => organization.openLedger().ledger;
const form = { formName: 'F', fields: {}, submittedAt: '2026-11-02T13:00:00.000Z' };
const input = { source: 'WEBFORM', summary: 'F', data: form } as const;
/** More inquiries than one serializable read takes. */
const count = 120;

const { id: leadId } = await table.run(() => createLead(ledger(), { name: 'Ann' }));
await table.run(async () => {
  const ref = leadRef(ledger(), leadId);
  for (let added = 0; added < count; added += 20)
    await ledger().write({ change: { lead: ref } }, (write, { lead }) => {
      const change = new LeadChange(write, ref, lead);
      for (let one = 0; one < 20; one++) addInquiry(write, change, input);
    });
});
const image = table.image();
afterEach(() => {
  image.restore();
});

/** Test with calls that run on the table's virtual time. */
const testInTable = (name: string, act: () => Promise<void>) => {
  test(name, () => table.run(act));
};
const verify = () => verifyOrganization(disturbed, organization.code);
const repair = () => repairAll(disturbed, organization.code);
const damaged = () =>
  edit(at('LEAD', 1), (lead) => ({ ...lead, unreadWebformSubmissions: 7, unreadCalls: 1 }));

testInTable('inquiries that come in or change before the repair is stored stay counted', async () => {
  await damaged();
  expect(foundIn(await verify())).toEqual([['lead-counts', leadId]]);
  const changes = [
    () => storeInquiry(ledger(), leadId, input),
    () => storeInquiry(ledger(), leadId, { ...input, isRead: true }),
    () => updateInquiry(ledger(), idAt('inquiry', 20), { isRead: true, isFlagged: true }),
  ];
  beforeWrite = async () => changes.shift()?.();
  const { repaired, remaining } = await repair();
  expect([repaired.length, remaining.organizations[0]!.findings]).toEqual([1, []]);
  expect(await getLead(ledger(), leadId)).toMatchObject({
    unreadCalls: 0,
    unreadWebformSubmissions: count,
    hasFlaggedInquiry: true,
  });
});

testInTable('the last inquiry of a lead is the one with the latest call, message or submission', async () => {
  const lead = await getLead(ledger(), leadId);
  const moment = '2099-01-01T00:00:00.000Z';
  const noteText = (number: number) => edit(at('INQUIRY', number), (it) => ({ ...it, lastTextAt: moment }));
  await noteText(3);
  const { findings } = await verify();
  expect(foundIn({ findings })).toEqual([['lead-counts', leadId]]);
  // Of two inquiries of one instant, the newer one is the last.
  await noteText(9);
  await repair();
  expect((await verify()).findings).toEqual([]);
  const last = { lastInquiryId: idAt('inquiry', 9), lastInquiryDate: moment };
  expect(await getLead(ledger(), leadId)).toEqual({ ...lead, ...last });
});

testInTable('a lead is not repaired while one of its inquiries is missing', async () => {
  const inquiry = await get(at('INQUIRY', 30));
  await remove(at('INQUIRY', 30));
  const { findings } = await verify();
  const counts = findings.find(({ kind }) => kind === 'lead-counts');
  expect(counts).toMatchObject({ where: leadId });
  expect(counts?.repair).toBeUndefined();
  await put(inquiry);
  expect((await verify()).findings).toEqual([]);
});
