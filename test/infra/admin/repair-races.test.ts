import { afterAll, beforeEach, expect, test } from 'vitest';
import { repairAll } from '../../../infra/admin/repair/repair-table.ts';
import { verifyOrganization } from '../../../infra/admin/verify/verify-organization.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import { engine, newOrganization, newPlainTable, type TestOrganization } from '../../support/world.ts';
import { foundIn } from './found-in.ts';
import { storedItems } from './stored-items.ts';

const client = clientOf(engine);
/** What happens around each transaction that the repair sends: before it is carried out, and after. */
let around: { before?: () => Promise<unknown>; after?: () => void };
const disturbed = clientOf(engine);
disturbed.middlewareStack.add(
  (next) => async (args) => {
    const isWrite = JSON.stringify(args.input).includes('"Put":');
    if (isWrite) await around.before?.();
    const result = await next(args);
    if (isWrite) around.after?.();
    return result;
  },
  { step: 'initialize' },
);
afterAll(() => {
  client.destroy();
  disturbed.destroy();
});

let tableName: string;
let organization: TestOrganization;
const { eventsOf, get, head, remove, unique } = storedItems(client, () => ({
  tableName,
  code: organization.code,
}));
const ann = () => unique('LEAD.email', 'ann@example.com');
const addLead = (email: string) => createLead(organization.openLedger().ledger, { name: 'Ann', email });
const version = async () => (await get(head()))['version'] as number;
beforeEach(async () => {
  tableName = await newPlainTable();
  organization = await newOrganization('AU', tableName);
  await addLead('ann@example.com');
  await remove(ann());
  around = {};
});

/** How many times the repair sent its transaction, how much it repaired, and what is found after it. */
async function repair(): Promise<{ sent: number; repaired: number; left: unknown }> {
  let sent = 0;
  const { before } = around;
  around.before = async () => {
    sent++;
    await before?.();
  };
  const access = { client: disturbed, tableName, system: realSystem };
  const { repaired, left } = await repairAll(access, async () => ({
    organizations: [await verifyOrganization(access, organization.code)],
    strays: [],
  }));
  return { sent, repaired: repaired.length, left: foundIn(left.organizations[0]!) };
}

test('what another writes just before a repair is stored is kept, and the repair tries again', async () => {
  const before = await version();
  let count = 0;
  around.before = async () => {
    if (count++ === 0) await addLead('bo@example.com');
  };
  expect(await repair()).toEqual({ sent: 2, repaired: 1, left: [] });
  expect(await version()).toBe(before + 2);
  expect(await eventsOf('LEAD_CREATED')).toEqual([before, before + 1]);
  expect(await eventsOf('ORGANIZATION_REPAIRED')).toEqual([before + 2]);
});

test('a value that another takes just before a repair stays with the other', async () => {
  let count = 0;
  around.before = async () => {
    if (count++ === 0) await addLead('ann@example.com');
  };
  const [first, second] = [1, 2].map((number) => `lead_${organization.code}0000000${number}`);
  expect(await repair()).toEqual({ sent: 1, repaired: 0, left: [['unique-other-holder', first]] });
  expect((await get(ann()))['id']).toBe(second);
});

test('a repair whose reply is lost is stored once', async () => {
  const before = await version();
  let count = 0;
  around.after = () => {
    if (count++ === 0) throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
  };
  expect(await repair()).toEqual({ sent: 2, repaired: 1, left: [] });
  expect(await version()).toBe(before + 1);
});

test('what another operator repairs just before is not repaired again', async () => {
  let count = 0;
  const other = { client, tableName, system: realSystem };
  const before = await version();
  around.before = async () => {
    if (count++ > 0) return;
    await repairAll(other, async () => ({
      organizations: [await verifyOrganization(other, organization.code)],
      strays: [],
    }));
  };
  expect(await repair()).toEqual({ sent: 1, repaired: 0, left: [] });
  expect(await version()).toBe(before + 1);
});
