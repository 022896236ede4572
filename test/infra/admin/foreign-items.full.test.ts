import { afterEach, describe, expect, test } from 'vitest';
import { ImportClaim } from '../../../infra/admin/copy/import-claim.ts';
import { repairAll } from '../../../infra/admin/repair/repair-all.ts';
import { verifyOrganization } from '../../support/verify-organization.ts';
import { verifyTable } from '../../../infra/admin/verify/verify-table.ts';
import { listInquiries, updateInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import { listAppointments } from '../../../shared/domain/appointments/appointments.ts';
import { createLead, listLeadActivities } from '../../../shared/domain/leads/leads.ts';
import { listLeads } from '../../../shared/domain/leads/list-leads.ts';
import { messages } from '../../../shared/domain/threads/threads.ts';
import { newConsumedCapacity, openStore } from '../../../shared/ledger/index.ts';
import { dueShards, duePartition, shardOf } from '../../../shared/ledger/internal/keys.ts';
import { updateLead } from '../../../shared/domain/leads/update-lead.ts';
import { page } from '../../support/filled-records.ts';
import { fillOrganization } from './filled-organization.ts';
import { foundIn } from './found-in.ts';
import { itemsOf, type Attributes } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';

const table = new TableInMemory();
const [one, attacker] = [await table.found(), await table.found()];
const victim = await table.run(() => fillOrganization(one));
const items = itemsOf(() => ({ items: table.items, code: attacker.code }));
const ledger = () => victim.organization.openLedger().ledger;
/** Partition of the victim, from the part after its code. */
const of = (list: string) => `ORG#${victim.organization.code}#${list}`;

await table.run(async () => {
  for (let count = 0; count < 30; count++) await createLead(ledger(), { name: `Zed ${count}` });
  await fillOrganization(attacker, '+61480000101');
});
const image = table.image();
afterEach(() => {
  image.restore();
});

/** Puts items of the attacker past the ledger, with these attributes and unused numbers. */
const put = async (count: number, attributes: (at: number) => Attributes) => {
  for (let at = 1; at <= count; at++)
    await items.put({ ...items.at('POLICY', 1000 + at), ...attributes(at) });
};

/** Answers of the victim's lists and of ranges of time, with the number of calls and the time they took. */
async function shown() {
  const { system } = table.access;
  const began = system.now();
  const pages: unknown[] = [];
  const calls = await table.callsOf(async () => {
    for (let at = 1; at <= 3; at++) {
      const query = { page: at, limit: 2 };
      pages.push(await listInquiries(ledger(), { ...query, isRead: false }));
      pages.push(await listInquiries(ledger(), { ...query, tag: 'Hot water' }));
      pages.push(await listInquiries(ledger(), { ...query, leadId: victim.records.leadId }));
      pages.push(await listLeads(ledger(), { ...query, status: 'pending' }));
      pages.push(await listLeadActivities(ledger(), victim.records.leadId, query));
    }
    const range = { from: '2000-01-01', to: '2099-01-01' };
    for (const by of [{}, { leadId: victim.records.leadId }])
      pages.push(await listAppointments(ledger(), { ...page, ...range, ...by }));
  });
  return { pages, calls: calls['Query']!, milliseconds: system.now() - began };
}

const lists = (victim: (list: string) => string): [list: string, index: number][] => [
  [victim('INQUIRY#4#unread'), 4],
  [victim('INQUIRY#5#Hot water'), 5],
  [victim('LEAD#000000000001#INQUIRY#2'), 2],
  [victim('PIPELINE#000000000001#LEAD#1#pending'), 1],
  [victim('LEAD#000000000001#EVENT#1'), 1],
];

describe("items of another organization in an organization's partitions of indexes", () => {
  test.each([0, 1, 2, 3, 4])('are on no page of a list, and do not slow it down (%i)', async (which) => {
    const before = await shown();
    expect(before.pages.slice(0, 2)).toMatchObject([{ totalCount: 5 }, { totalCount: 1 }]);
    const [partition, index] = lists(of)[which]!;
    // At ranks of members and beyond them. Every second item is a record, the others are malformed.
    const { pk, sk, ...inquiry } = await items.get(items.at('INQUIRY', 1));
    await put(7, (at) => ({
      ...(at % 2 === 0 && inquiry),
      [`gsi${index}pk`]: partition,
      [`gsi${index}sk`]: at % 3 === 0 ? at : 1000 + at,
    }));
    const after = await shown();
    expect(after.pages).toEqual(before.pages);
    // The read goes on past the foreign items. The read neither waits nor starts again.
    expect(after.milliseconds).toBe(0);
    expect(after.calls).toBeLessThanOrEqual(before.calls + 5);
  });

  test.each(['gsi6', 'gsi7'])('are in no range of a field (%s)', async (index) => {
    const before = await shown();
    await put(130, (at) => ({
      [`${index}pk`]: of(`APPOINTMENT#${index[3]}`),
      [`${index}sk`]: `2031\t${at}`,
    }));
    expect((await shown()).pages).toEqual(before.pages);
  });

  test('are found by verify in the lists that it knows, and left by a repair', async () => {
    const [partition, index] = lists(of)[0]!;
    await put(1, () => ({ [`gsi${index}pk`]: partition, [`gsi${index}sk`]: 7 }));
    await put(2, (at) => (at === 1 ? {} : { gsi6pk: of('APPOINTMENT#6'), gsi6sk: '2031\t000000000001' }));
    await items.put({ ...items.at('POLICY', 1003), gsi4pk: partition, gsi4sk: 8 });
    const where = (number: number) => `ORG#${attacker.code}#POLICY 00000000${number}`;
    const expected = [
      ['index-foreign', where(1002)],
      ['index-foreign', where(1003)],
    ];
    const verify = () => verifyOrganization(table.access, victim.organization.code);
    expect(foundIn(await table.run(verify)).sort()).toEqual(expected);
    // A scan of the table sees every partition.
    await items.put({ ...items.at('POLICY', 1004), gsi5pk: of('INQUIRY#5#New'), gsi5sk: 1 });
    const all = await table.run(() => verifyTable(table.access));
    const report = all.organizations.find(({ organization }) => organization === victim.organization.code)!;
    expect(foundIn(report).sort()).toEqual([...expected, ['index-foreign', where(1004)]]);
    expect(report.findings[0]!.sentence).toMatch(
      /^ORG#.*, an item of another organization, is in .*gsi\d\)?\. No read returns it there\.$/,
    );
    const repairing = () => repairAll(table.access, victim.organization.code);
    expect(await table.run(repairing)).toMatchObject({ repaired: [] });
  });

  test('are due for no worker in the shard of another organization, nor without an organization', async () => {
    const at = '2020-01-01T00:00:00.000Z';
    const { client, tableName, system } = table.access;
    const dueNow = async () => {
      const limits = { deadline: system.now() + 60_000, capacity: newConsumedCapacity() };
      const found: string[] = [];
      const store = openStore(client, tableName, system);
      for await (const due of store.dueRecords(messages, 'resolve-sending', at, limits))
        found.push(due.organization);
      return found;
    };
    const place = (shard: number) => ({ gsi9pk: duePartition('resolve-sending', shard), gsi9sk: at });
    const own = shardOf(attacker.code);
    await items.put({ ...items.at('MESSAGE', 90), ...place((own + 1) % dueShards) });
    await items.put({ pk: 'ORG#lower#MESSAGE', sk: '000000000001', ...place(own) });
    await items.put({ ...items.at('MESSAGE', 91), ...place(own) });
    expect(await table.run(dueNow)).toEqual([attacker.code]);
  });
});

describe('a write that reaches into another organization sends nothing', () => {
  /** Expects that no transaction is sent, and that nothing of the victim changes. */
  async function expectNothingSent(act: () => Promise<unknown>): Promise<void> {
    const before = await table.items.all();
    const calls = await table.callsOf(() =>
      expect(act()).rejects.toThrow(/was not sent: it may not reach|is no list of the organization/),
    );
    expect(calls['TransactWriteItems'] ?? 0).toBe(0);
    expect(await table.items.all()).toEqual(before);
  }

  test.each([2, 3, 4, 5, 6, 9])("of a lead with another organization's gsi%i", async (index) => {
    const [partition, sk] = { 9: ['DUE#resolve-sending#9', 'x'], 6: [of('APPOINTMENT#6'), 'x'] }[index] ?? [
      of('INQUIRY#4#unread'),
      1,
    ];
    const place = { [`gsi${index}pk`]: partition, [`gsi${index}sk`]: sk };
    await items.edit(items.at('LEAD', 1), (lead) => ({ ...lead, ...place }));
    const update = () =>
      updateLead(attacker.openLedger().ledger, items.idAt('lead', 1), { suburb: 'Fremantle' });
    await expectNothingSent(update);
  });

  test("of an inquiry that leaves another organization's tag", async () => {
    await items.edit(items.at('INQUIRY', 1), (inquiry) => ({
      ...inquiry,
      gsi5pk: of('INQUIRY#5#Hot water'),
    }));
    const id = items.idAt('inquiry', 1);
    await expectNothingSent(() => updateInquiry(attacker.openLedger().ledger, id, { tag: '' }));
  });

  test.each([
    ['an item of another', { pk: 'ORG#00000000#POLICY', sk: '1' }],
    ['a code that begins alike', { pk: 'CODEX#POLICY', sk: '1' }],
    ['an index partition of another', { pk: 'CODE#POLICY', sk: '1', gsi8pk: 'ORG#00000000#LEAD#8' }],
    ['an index partition that begins alike', { pk: 'CODE#POLICY', sk: '1', gsi1pk: 'CODEX#POLICY#1' }],
    ['an index partition that is no text', { pk: 'CODE#POLICY', sk: '1', gsi1pk: 1 }],
    ['a grant of another', { pk: 'TOKEN#x', sk: 'TOKEN', organization: '00000000' }],
    ['a grant that is in an index', { pk: 'TOKEN#x', sk: 'TOKEN', gsi1pk: 'CODE#LEAD#1' }],
    ['nobody', { pk: 'NOWHERE', sk: 'NOWHERE' }],
  ])('by an import: %s', async (_, item) => {
    const own = Object.entries(item).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace('CODE', `ORG#${attacker.code}`) : value,
    ]);
    const claim = new ImportClaim(table.access, attacker.code);
    await expectNothingSent(async () => {
      await claim.put(Object.fromEntries(own) as Attributes);
      await claim.flush();
    });
  });
});
