import { afterEach, beforeAll, expect, test } from 'vitest';
import { repairAll } from '../../../infra/admin/repair/repair-all.ts';
import { findingsIn } from '../../../infra/admin/verify/finding.ts';
import { verifyTable } from '../../../infra/admin/verify/verify-table.ts';
import type { StoredOrganization } from '../../support/organizations.ts';
import type { Damage, Found } from './damages.ts';
import { foundIn } from './found-in.ts';
import { fillJobs, formerTeam, formerTeamOf, removeJobOfRemovedTeam, withJobs } from './jobs.ts';
import { firstBucket, itemsOf } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';

// Findings that take a scan of the table. The other findings about removed records are in `damages`.
const table = new TableInMemory();
let organization: StoredOrganization;
let image: { restore: () => void };
const items = itemsOf(
  () => table.items,
  () => organization.code,
);
beforeAll(async () => {
  organization = await table.found();
  await table.run(() => fillJobs(organization.openLedger().ledger));
  image = table.image();
});
afterEach(() => {
  image.restore();
});

const listOfRemoved = `${formerTeam}#JOB#2`;
const former = () => items.holeItemKey(formerTeam, 'STATE');
const formerName = () => items.holeItemName(formerTeam, 'STATE');
const removeLast = () => removeJobOfRemovedTeam(organization.openLedger().ledger, 7);
const scan = () => verifyTable(table.access, withJobs);
/** Findings before and after a repair. */
async function repairScanned(): Promise<{ before: Found; left: Found }> {
  const before = await table.run(scan);
  const { remaining: left } = await table.run(() => repairAll(table.access, undefined, withJobs));
  return {
    before: foundIn({ findings: findingsIn(before) }),
    left: foundIn({ findings: findingsIn(left) }),
  };
}

test('a removed record is no damage while its lists have members, nor after the last has left', async () => {
  expect(await repairScanned()).toEqual({ before: [], left: [] });
  await table.run(removeLast);
  expect([await items.get(former()), await items.get(items.holeItemKey(listOfRemoved, firstBucket))]).toEqual(
    [undefined, undefined],
  );
  expect(await repairScanned()).toEqual({ before: [], left: [] });
});

test('holes of a list that has ended are removed', async () => {
  const key = items.holeItemKey(listOfRemoved, firstBucket);
  const bucket = await items.get(key);
  await table.run(removeLast);
  await items.put(bucket);
  expect(await repairScanned()).toEqual({
    before: [['list-wrong', 'the list JOB#2 of team 3']],
    left: [],
  });
});

const kept = { lists: { 'JOB#2': '2' }, revision: 1 };
const ofTeam = (number: number, sk = 'STATE') => items.holeItemKey(formerTeamOf(number), sk);
const nameOf = ({ pk, sk }: { pk: string; sk: string }) => `${pk} ${sk}`;
const scanned: Damage[] = [
  [
    'a former item though all members have left',
    async () => {
      const item = await items.get(former());
      await table.run(removeLast);
      await items.put({ ...item, lists: { 'JOB#2': '2-2~Aw' } });
      await items.put({ ...items.holeItemKey(listOfRemoved, firstBucket), 0: 0b11 });
    },
    () => [['former-item-unneeded', formerName()]],
    () => [],
  ],
  [
    'a former item though all members have left, with a state that says otherwise',
    async () => {
      const item = await items.get(former());
      await table.run(removeLast);
      await items.put(item);
    },
    () => [['list-wrong', 'the list JOB#2 of team 3']],
    () => [],
  ],
  [
    'a former item of a record that is not removed',
    () => items.put({ ...ofTeam(2), ...kept }),
    () => [['former-item-unneeded', nameOf(ofTeam(2))]],
    () => [],
  ],
  [
    'a former item of a number that was never given out',
    () => items.put({ ...ofTeam(9), ...kept }),
    () => [['unknown-item', nameOf(ofTeam(9))]],
    'all',
  ],
  [
    'a former item of an unknown collection',
    () => items.put({ ...items.holeItemKey('OFFER#000000000001', 'STATE'), ...kept }),
    () => [['unknown-item', nameOf(items.holeItemKey('OFFER#000000000001', 'STATE'))]],
    'all',
  ],
  [
    'an unknown item beside a former item',
    () => items.put({ ...ofTeam(3, 'ANY') }),
    () => [['unknown-item', nameOf(ofTeam(3, 'ANY'))]],
    'all',
  ],
];
test.each(scanned)('%s', async (_, damage, found, left) => {
  await damage();
  const before = found();
  expect(await repairScanned()).toEqual({ before, left: left === 'all' ? before : left?.() });
});

test('items of a newer version of the code are no damage', async () => {
  await items.put({ ...items.holeItemKey('OFFER#000000000001', 'STATE'), ...kept });
  await items.restate(items.head(), 'OFFER', '1-1~AQ');
  await items.put({ ...items.holeItemKey('OFFER', firstBucket), 0: 1 });
  expect(await repairScanned()).toEqual({ before: [], left: [] });
});
