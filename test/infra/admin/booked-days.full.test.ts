import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { exportOrganization } from '../../../infra/admin/copy/export-organization.ts';
import { importOrganization } from '../../../infra/admin/copy/import-organization.ts';
import { repairAll } from '../../../infra/admin/repair/repair-all.ts';
import { collections } from '../../../infra/admin/table/collections.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';
import { bookedKey, bookedPartition } from '../../../shared/ledger/internal/keys.ts';
import type { StoredOrganization } from '../../support/organizations.ts';
import { verifyOrganization } from '../../support/verify-organization.ts';
import { anHour, at, visits, type Visit } from '../../shared/ledger/visits.ts';
import { foundIn } from './found-in.ts';
import { itemsOf } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';

const options = { collections: [visits, ...collections] };
const told = { event: 'VISITS_CHANGED', data: 'Visits were changed.', referenceId: '1' };
const visit = (number: number) => ({ collection: visits, number });
const change = (ledger: Ledger, number: number, changes: Partial<Visit>) =>
  ledger.write({ change: { one: visit(number) } }, (write, { one }) => {
    write.replace(visit(number), { ...one, ...changes });
    write.event(told);
  });

let table: TableInMemory;
let organization: StoredOrganization;
const items = itemsOf(
  () => table.items,
  () => organization.code,
);
const day = (sk: string) => bookedKey(organization.code, sk);
const whereIs = (sk: string) => `ORG#${organization.code}#BOOKED ${sk}`;
const days = (code = organization.code) => table.items.partition(bookedPartition(code));

/** Visit 1 is on the 8th, visit 2 on the 8th and the 9th, visit 3 was on the 10th and is gone. */
beforeEach(async () => {
  table = new TableInMemory();
  organization = await table.found();
  const { ledger } = organization.openLedger();
  await table.run(async () => {
    await ledger.write({}, (write) => {
      write.append(visits, ({ number: id }) => ({ id, ...anHour }));
      write.append(visits, ({ number: id }) => ({ id, ...anHour, end: at('09 10:00'), who: [2] }));
      write.append(visits, ({ number: id }) => ({
        id,
        ...anHour,
        start: at('10 09:00'),
        end: at('10 10:00'),
      }));
      write.event(told);
    });
    await change(ledger, 3, { who: [] });
  });
});

const verify = async () =>
  foundIn(await table.run(() => verifyOrganization(table.access, organization.code, options)));

test.each<[string, () => Promise<unknown>, string]>([
  ['a day is missing', () => items.remove(day('2026-12-08')), '2026-12-08'],
  [
    'a day has another time',
    () => items.edit(day('2026-12-08'), (item) => ({ ...item, booked: '1/540/90/0/0/1' })),
    '2026-12-08',
  ],
  [
    'a day has a visit that is not there',
    () =>
      items.edit(day('2026-12-09'), (item) => ({
        ...item,
        booked: `${item['booked'] as string} 3/0/1/0/0/1`,
      })),
    '2026-12-09',
  ],
  [
    'a day cannot be read',
    () => items.edit(day('2026-12-08'), (item) => ({ ...item, booked: 5 })),
    '2026-12-08',
  ],
  [
    'a day has no revision',
    () => items.edit(day('2026-12-08'), ({ revision, ...item }) => item),
    '2026-12-08',
  ],
  [
    'a day has what nobody booked',
    () => items.put({ ...day('2026-12-10'), booked: '3/540/60/0/0/1', revision: 2 }),
    '2026-12-10',
  ],
  [
    'a day without visits has an item',
    () => items.put({ ...day('2026-12-11'), booked: '', revision: 2 }),
    '2026-12-11',
  ],
])('is found and repaired: %s', async (_, damage, sk) => {
  const before = await days();
  expect(await verify()).toEqual([]);
  await damage();
  expect(await verify()).toEqual([['booked-wrong', whereIs(sk)]]);
  const { repaired, remaining } = await table.run(() => repairAll(table.access, organization.code, options));
  expect([repaired.length, foundIn({ findings: remaining.organizations[0]!.findings })]).toEqual([1, []]);
  const version = (await items.get(items.head()))['version'];
  // A write that read the day before the repair must be refused, so the repaired one has another revision.
  expect(await days()).toEqual(
    before.map((item) => (item['sk'] === sk ? { ...item, revision: version } : item)),
  );
});

test('days are left while a record that may book them is missing', async () => {
  const lost = await items.get(items.at('VISIT', 2));
  await items.remove(items.at('VISIT', 2));
  const { repaired, remaining } = await table.run(() => repairAll(table.access, organization.code, options));
  expect(repaired).toEqual([]);
  expect(foundIn({ findings: remaining.organizations[0]!.findings })).toEqual([
    ['record-missing', 'visit 2'],
    ['booked-wrong', whereIs('2026-12-08')],
    ['booked-wrong', whereIs('2026-12-09')],
  ]);
  await items.put(lost);
  expect(await verify()).toEqual([]);
});

test('an item of no day is unknown', async () => {
  await items.put({ ...day('2026-12'), booked: '', revision: 2 });
  expect(await verify()).toEqual([['unknown-item', whereIs('2026-12')]]);
});

test('a visit that moves while it is verified is no damage', async () => {
  table.beReal();
  const { ledger } = organization.openLedger();
  const [first, hour] = [Date.parse(at('08 00:00')), 3_600_000];
  const time = (hours: number) => new Date(first + hours * hour).toISOString();
  let isOver = false;
  await table.run(async () => {
    const moving = async () => {
      for (let hours = 0; !isOver; hours = (hours + 1) % 48)
        await change(ledger, 1, { start: time(hours), end: time(hours + 1) });
    };
    const verifying = async () => {
      for (let count = 0; count < 5; count++) {
        const { findings } = await verifyOrganization(table.access, organization.code, options);
        expect(findings).toEqual([]);
      }
      isOver = true;
    };
    await Promise.all([moving(), verifying()]);
  });
  expect(await verify()).toEqual([]);
});

test('an imported organization has the days of the copied one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'copy-'));
  await table.run(() => exportOrganization(table.access, organization.code, join(folder, 'copy'), options));
  const { code, version } = await table.run(() =>
    importOrganization(table.access, join(folder, 'copy'), options),
  );
  rmSync(folder, { recursive: true });
  const copied = await days();
  expect(copied).toHaveLength(2);
  expect(await days(code)).toEqual(
    copied.map(({ sk, booked }) => ({ pk: bookedPartition(code), sk, booked, revision: version })),
  );
  const { findings } = await table.run(() => verifyOrganization(table.access, code, options));
  expect(findings).toEqual([]);
});
