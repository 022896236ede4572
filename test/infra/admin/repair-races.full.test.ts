import { beforeEach, expect, test } from 'vitest';
import { repairAll } from '../../../infra/admin/repair/repair-all.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import type { StoredOrganization } from '../../support/stored-organization.ts';
import { faults } from '../../support/store/faults.ts';
import type { Found } from './damages.ts';
import { foundIn } from './found-in.ts';
import { itemsOf } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';
import { aroundCalls } from '../../support/store/around-calls.ts';

/** Callbacks before and after each transaction that the repair sends. */
let around: { before?: () => Promise<unknown>; after?: () => void };
/** Number of serializable reads that meet a transaction which holds their items. */
let heldReads: number;

let table: TableInMemory;
let organization: StoredOrganization;
const { at, edit, eventsOf, get, head, remove, unique } = itemsOf(() => ({
  items: table.items,
  code: organization.code,
}));
const ann = () => unique('LEAD.email', 'ann@example.com');
const addLead = (email: string) => createLead(organization.openLedger().ledger, { name: 'Ann', email });
const version = async () => (await get(head()))['version'] as number;
beforeEach(async () => {
  table = new TableInMemory();
  organization = await table.found();
  await table.run(() => addLead('ann@example.com'));
  await remove(ann());
  around = {};
  heldReads = 0;
});

/** Access to the table by a client that calls the callbacks of `around`. */
function disturbed() {
  const access = table.newAccess();
  aroundCalls(access.client, async (_, send, input) => {
    const isWrite = JSON.stringify(input).includes('"Put":');
    if (!isWrite && 'TransactItems' in input && heldReads-- > 0) throw faults.conflict;
    if (isWrite) await around.before?.();
    const result = await send();
    if (isWrite) around.after?.();
    return result;
  });
  return access;
}

/** Test with calls that run on the table's virtual time. */
const testInTable = (name: string, act: () => Promise<void>) => {
  test(name, () => table.run(act));
};

/**
 * Number of transactions that the repair sent, number of findings that it repaired, and the findings left.
 */
async function repair(): Promise<{ sent: number; repaired: number; left: Found }> {
  let sent = 0;
  const { before } = around;
  around.before = async () => {
    sent++;
    await before?.();
  };
  const access = disturbed();
  const { repaired, remaining: left } = await repairAll(access, organization.code);
  return { sent, repaired: repaired.length, left: foundIn(left.organizations[0]!) };
}

testInTable(
  'what another writes just before a repair is stored is kept, and the repair tries again',
  async () => {
    const before = await version();
    let count = 0;
    around.before = async () => {
      if (count++ === 0) await addLead('bo@example.com');
    };
    expect(await repair()).toEqual({ sent: 2, repaired: 1, left: [] });
    expect(await version()).toBe(before + 2);
    expect(await eventsOf('LEAD_CREATED')).toEqual([before, before + 1]);
    expect(await eventsOf('ORGANIZATION_REPAIRED')).toEqual([before + 2]);
  },
);

testInTable('a value that another takes just before a repair stays with the other', async () => {
  let count = 0;
  around.before = async () => {
    if (count++ === 0) await addLead('ann@example.com');
  };
  const [first, second] = [1, 2].map((number) => `lead_${organization.code}0000000${number}`);
  // Repaired by the transaction that is planned after the other's write.
  await edit(at('LEAD', 1), (lead) => ({ ...lead, unreadCalls: 9 }));
  expect(await repair()).toEqual({ sent: 2, repaired: 1, left: [['unique-not-held', first]] });
  expect((await get(ann()))['id']).toBe(second);
});

testInTable('a repair whose reply is lost is stored once', async () => {
  const before = await version();
  let count = 0;
  around.after = () => {
    if (count++ === 0) throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
  };
  expect(await repair()).toEqual({ sent: 2, repaired: 1, left: [] });
  expect(await version()).toBe(before + 1);
});

testInTable('what another operator repairs just before is not repaired again', async () => {
  let count = 0;
  const other = table.access;
  const before = await version();
  around.before = async () => {
    if (count++ > 0) return;
    await repairAll(other, organization.code);
  };
  expect(await repair()).toEqual({ sent: 1, repaired: 0, left: [] });
  expect(await version()).toBe(before + 1);
});

test.each([
  ['in one round', 300, 1, { sent: 2, repaired: 1, kinds: [] }],
  ['in each round', 300, 9, { sent: 5, repaired: 0, kinds: ['unique-not-held', 'unsettled'] }],
  ['all the time', Infinity, 1, { sent: 1, repaired: 0, kinds: ['unsettled'] }],
])('a repair whose items are held %s says what is left', async (_, held, times, expected) => {
  await table.run(async () => {
    let count = 0;
    around.before = async () => {
      if (count++ >= times) return;
      await addLead(`${count}@example.com`);
      heldReads = held;
    };
    const { left, ...result } = await repair();
    expect({ ...result, kinds: left.map(([kind]) => kind) }).toEqual(expected);
  });
});

test('repairs of one judgement take a second transaction without reading again', async () => {
  const emails = Array.from({ length: 100 }, (_, at) => `${at}@example.com`);
  await table.run(async () => {
    for (const email of emails) await addLead(email);
  });
  const callsWith = async (count: number) => {
    for (const email of emails.slice(0, count)) await remove(unique('LEAD.email', email));
    return table.callsOf(repair);
  };
  const { Query } = await callsWith(10);
  expect(await callsWith(100)).toMatchObject({ TransactWriteItems: 2, Query });
});
