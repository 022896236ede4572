import { expect, test } from 'vitest';
import { repairAll } from '../../../infra/admin/repair/repair-all.ts';
import { verifyOrganization } from '../../support/verify-organization.ts';
import type { LeadStatus } from '../../../shared/contract/leads.ts';
import { listInquiries, updateInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import { createLead, deleteLead } from '../../../shared/domain/leads/leads.ts';
import { listLeads } from '../../../shared/domain/leads/list-leads.ts';
import { getPipeline } from '../../../shared/domain/leads/pipeline.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import { page } from '../../support/filled-records.ts';
import { fillOrganization } from './filled-organization.ts';
import { foundIn } from './found-in.ts';
import { removeAddedLists } from './remove-added-lists.ts';
import { itemsOf } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';

const table = new TableInMemory();
const organization = await table.found();
const filled = await table.run(() => fillOrganization(organization));
const items = itemsOf(() => ({ items: table.items, code: filled.organization.code }));
const ledger = () => filled.organization.openLedger().ledger;
/** Lead ids in the order of their numbers. */
const ids: string[] = [];

await table.run(async () => {
  for (let count = 0; count < 12; count++) {
    const status = count % 3 === 0 ? 'won' : 'pending';
    ids.push((await createLead(ledger(), { name: `Old ${count}`, status })).id);
  }
  await deleteLead(ledger(), ids[11]!);
});

const verify = () => verifyOrganization(table.access, filled.organization.code);
const repair = () => repairAll(table.access, filled.organization.code);
const namesIn = async (status: LeadStatus) =>
  (await listLeads(ledger(), { ...page, status })).items.map(({ lastName }) => lastName);
const pipeline = () => getPipeline(ledger(), table.access.system.now());

async function repairAfterAddition(): Promise<void> {
  const before = await Promise.all([items.head(), items.at('LEAD', 1)].map(items.get));
  const days = await pipeline();
  expect(days).toMatchObject({ total: 13, statuses: { won: 4, pending: 9 } });
  await removeAddedLists(table.items, filled.organization.code);

  const { findings } = await verify();
  expect(foundIn({ findings })).toEqual([
    ...[1, 1, 2, 3, 4, 5].map((number) => ['position-wrong', items.idAt('inquiry', number)]),
    ['unique-not-held', items.idAt('inquiry', 2)],
    ['unique-not-held', items.idAt('inquiry', 5)],
    ['unique-not-held', 'message 2'],
  ]);
  expect(findings.filter(({ repair }) => !repair)).toEqual([]);
  // The organization is in use before it is repaired.
  await updateLead(ledger(), ids[0]!, { read: true });
  await updateInquiry(ledger(), items.idAt('inquiry', 1), { isFlagged: true });
  expect(await pipeline()).toEqual(days);

  const { repaired, remaining: left } = await repair();
  expect(repaired.length).toBeGreaterThan(0);
  expect(foundIn(left.organizations[0]!)).toEqual([]);
  expect(await namesIn('won')).toEqual(['9', '6', '3', '0']);
  expect(await namesIn('pending')).toEqual(['10', '8', '7', '5', '4', '2', '1', '', 'Lee']);
  expect(await pipeline()).toEqual(days);
  expect((await listLeads(ledger(), { ...page, q: 'old' })).totalCount).toBe(11);
  expect((await listInquiries(ledger(), { ...page, isRead: false })).totalCount).toBe(5);
  expect((await listInquiries(ledger(), { ...page, tag: 'Hot water' })).totalCount).toBe(1);
  const after = await Promise.all([items.head(), items.at('LEAD', 1)].map(items.get));
  expect(after.map(({ lists }) => lists)).toEqual(before.map(({ lists }) => lists));
  expect(await repair()).toMatchObject({ repaired: [] });
}

test('one repair adds records to lists that the code has added, in the order of their numbers', () =>
  table.run(repairAfterAddition));
