import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { OrganizationRepair } from '../../../infra/admin/repair/organization-repair.ts';
import { isRepairable } from '../../../infra/admin/repair/repair-all.ts';
import type { Finding } from '../../../infra/admin/verify/finding.ts';
import { verifyOrganization } from '../../../infra/admin/verify/verify-organization.ts';
import { addInquiry, createInquiry, updateInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import { LeadChange } from '../../../shared/domain/leads/lead-change.ts';
import { createLead, getLead, leadRef } from '../../../shared/domain/leads/leads.ts';
import type { StoredOrganization } from '../../support/organizations.ts';
import { foundIn } from './found-in.ts';
import { itemsOf } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';

const table = new TableInMemory();
/** Called before each serializable read. */
let beforeSnapshot: (keys: string) => Promise<unknown> = () => Promise.resolve();
const disturbed = table.newAccess();
disturbed.client.middlewareStack.add(
  (next, { commandName }) =>
    async (args) => {
      if (commandName === 'TransactGetItemsCommand') await beforeSnapshot(JSON.stringify(args.input));
      return next(args);
    },
  { step: 'initialize' },
);
/** Sort key of an item that queries do not show, as can happen while its transaction is applied. */
let hidden: string | undefined;
disturbed.client.middlewareStack.add(
  (next) => async (args) => {
    const result = await next(args);
    const { output } = result;
    if ('Items' in output) output.Items = output.Items?.filter(({ sk }) => sk?.S !== hidden);
    return result;
  },
  { step: 'initialize' },
);
let organization: StoredOrganization;
let image: { restore: () => void };
let leadId: string;
const { at, edit, get, idAt, put, remove } = itemsOf(
  () => table.items,
  () => organization.code,
);
const ledger = () => organization.openLedger().ledger;
const form = { formName: 'F', fields: {}, submittedAt: '2026-11-02T13:00:00.000Z' };
const input = { source: 'WEBFORM', summary: 'F', data: form } as const;
/** More inquiries than one serializable read takes. */
const count = 120;

async function fill(): Promise<void> {
  ({ id: leadId } = await createLead(ledger(), { name: 'Ann' }));
  const ref = leadRef(ledger(), leadId);
  for (let added = 0; added < count; added += 20)
    await ledger().write({ change: { lead: ref } }, (write, { lead }) => {
      const change = new LeadChange(write, ref, lead);
      for (let one = 0; one < 20; one++) addInquiry(write, change, input);
    });
}
beforeAll(async () => {
  organization = await table.found();
  await table.run(fill);
  image = table.image();
});
beforeEach(() => {
  beforeSnapshot = () => Promise.resolve();
  hidden = undefined;
});
afterEach(() => {
  image.restore();
});

/** Test whose calls run on the table's virtual time. */
const testInTable = (name: string, act: () => Promise<void>) => {
  test(name, () => table.run(act));
};
const verify = () => verifyOrganization(disturbed, organization.code);
const repair = (findings: readonly Finding[]) =>
  new OrganizationRepair(disturbed, organization.code).repair(findings.filter(isRepairable));
const damaged = () =>
  edit(at('LEAD', 1), (lead) => ({ ...lead, unreadWebformSubmissions: 7, unreadCalls: 1 }));

testInTable('an inquiry that changes while the inquiries of its lead are read is no damage', async () => {
  let reads = 0;
  beforeSnapshot = async (keys) => {
    // An inquiry changes before the first, the third and the fifth read of inquiries.
    if (reads < 6 && keys.includes('#INQUIRY"') && ++reads % 2 === 1)
      await updateInquiry(ledger(), idAt('inquiry', reads), { isRead: true, isFlagged: true });
  };
  // As a query shows the lead that read it before the last change.
  await updateInquiry(ledger(), idAt('inquiry', 9), { isFlagged: true });
  await edit(at('LEAD', 1), (lead) => ({ ...lead, flaggedInquiries: 0, hasFlaggedInquiry: false }));
  const { findings } = await verify();
  expect(foundIn({ findings })).toEqual([['lead-counts', leadId]]);
  expect(reads).toBeGreaterThan(4);
  await repair(findings);
  expect((await verify()).findings).toEqual([]);
  expect(await getLead(ledger(), leadId)).toMatchObject({
    unreadWebformSubmissions: count - 3,
    hasFlaggedInquiry: true,
  });
});

testInTable('an inquiry that comes in meanwhile is counted even if queries do not show it yet', async () => {
  await damaged();
  beforeSnapshot = async (keys) => {
    const isOfLead = keys.includes('#LEAD"') && keys.includes('"HEAD"') && keys.split('"Get"').length === 3;
    if (!isOfLead || hidden !== undefined) return;
    const next = at('INQUIRY', count + 1);
    hidden = next.sk;
    await createInquiry(ledger(), leadId, input);
    expect(await get(next)).toBeDefined();
  };
  const { findings } = await verify();
  expect(hidden).toBeDefined();
  await repair(findings);
  hidden = undefined;
  beforeSnapshot = () => Promise.resolve();
  expect((await verify()).findings).toEqual([]);
});

testInTable('inquiries counted between verify and the repair stay counted', async () => {
  await damaged();
  const { findings } = await verify();
  expect(foundIn({ findings })).toEqual([['lead-counts', leadId]]);
  await createInquiry(ledger(), leadId, input);
  await createInquiry(ledger(), leadId, input);
  await createInquiry(ledger(), leadId, { ...input, isRead: true });
  await updateInquiry(ledger(), idAt('inquiry', 20), { isRead: true });
  await repair(findings);
  expect((await verify()).findings).toEqual([]);
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
  await repair((await verify()).findings);
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
