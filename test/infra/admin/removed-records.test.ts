import { afterEach, beforeAll, expect, test } from 'vitest';
import { repairAll } from '../../../infra/admin/repair/repair-all.ts';
import { findingsIn } from '../../../infra/admin/verify/report.ts';
import { verifyTable } from '../../../infra/admin/verify/verify-table.ts';
import type { StoredOrganization } from '../../support/organizations.ts';
import type { Damage, Found } from './damages.ts';
import { foundIn } from './found-in.ts';
import { fillJobs, formerTeam, formerTeamOf, removeJobOfGone, withJobs } from './jobs.ts';
import { firstBucket, itemsOf } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';

// What a scan of the table shows of removed records; the rest is among the damages.
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

const ofGone = `${formerTeam}#JOB#2`;
const former = () => items.notesOf(formerTeam, 'STATE');
const formerName = () => items.notes(formerTeam, 'STATE');
const removeLast = () => removeJobOfGone(organization.openLedger().ledger, 7);
const scan = () => verifyTable(table.access, withJobs);
/** What is found, and what is left of it after a repair. */
async function repairScanned(): Promise<{ before: Found; left: Found }> {
  const before = await table.run(scan);
  const { left } = await table.run(() => repairAll(table.access, scan));
  return {
    before: foundIn({ findings: findingsIn(before) }),
    left: foundIn({ findings: findingsIn(left) }),
  };
}

test('nothing is wrong where lists of a removed record have members, and where the last has left', async () => {
  expect(await repairScanned()).toEqual({ before: [], left: [] });
  await table.run(removeLast);
  expect([await items.get(former()), await items.get(items.notesOf(ofGone, firstBucket))]).toEqual([
    undefined,
    undefined,
  ]);
  expect(await repairScanned()).toEqual({ before: [], left: [] });
});

test('nor where an older version of the code removed it, and kept nothing', async () => {
  await items.remove(former());
  for (const { pk, sk, touched, ...event } of await table.items.partition(items.at('EVENT', 1).pk))
    await items.put({ ...event, pk, sk });
  expect(await repairScanned()).toEqual({ before: [], left: [] });
  // Who leaves such a list is not noted.
  const noted = await items.get(items.notesOf(ofGone, firstBucket));
  await items.remove(items.notesOf(ofGone, firstBucket));
  expect(await repairScanned()).toEqual({ before: [], left: [] });
  await items.put(noted);
  await table.run(removeLast);
  // Such a version left behind who had left the list before.
  const left = [['notes-left', items.notes(ofGone)]];
  expect(await repairScanned()).toEqual({ before: left, left: [] });
});

const kept = { lists: { 'JOB#2': '2' }, revision: 1 };
const ofTeam = (number: number, sk = 'STATE') => items.notesOf(formerTeamOf(number), sk);
const nameOf = ({ pk, sk }: { pk: string; sk: string }) => `${pk} ${sk}`;
const scanned: Damage[] = [
  [
    'what is kept though all members have left',
    async () => {
      const item = await items.get(former());
      await table.run(removeLast);
      await items.put({ ...item, lists: { 'JOB#2': '2-2~Aw' } });
      await items.put({ ...items.notesOf(ofGone, firstBucket), 0: 0b11 });
    },
    () => [['former-left', formerName()]],
    () => [],
  ],
  [
    'what is kept though all members have left, and it does not say so',
    async () => {
      const item = await items.get(former());
      await table.run(removeLast);
      await items.put(item);
    },
    () => [
      ['hole-count', items.notes(ofGone)],
      ['hole-window', formerName()],
      ['rank-missing', 'the list JOB#2 of team 3'],
    ],
    () => [],
  ],
  [
    'what is kept of a record that is there',
    () => items.put({ ...ofTeam(2), ...kept }),
    () => [['former-left', nameOf(ofTeam(2))]],
    () => [],
  ],
  [
    'what is kept of a record that never was',
    () => items.put({ ...ofTeam(9), ...kept }),
    () => [['unknown-item', nameOf(ofTeam(9))]],
    'all',
  ],
  [
    'what is kept of a record of a collection that never was',
    () => items.put({ ...items.notesOf('OFFER#000000000001', 'STATE'), ...kept }),
    () => [['unknown-item', nameOf(items.notesOf('OFFER#000000000001', 'STATE'))]],
    'all',
  ],
  [
    'a foreign item beside what is kept of a removed record',
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

test('nothing is wrong with what a newer version of the code keeps', async () => {
  await items.put({ ...items.notesOf('OFFER#000000000001', 'STATE'), ...kept });
  await items.restate(items.head(), 'OFFER', '1-1~AQ');
  await items.put({ ...items.notesOf('OFFER', firstBucket), 0: 1 });
  expect(await repairScanned()).toEqual({ before: [], left: [] });
});
