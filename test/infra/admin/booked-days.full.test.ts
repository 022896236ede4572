import { beforeEach, expect, test } from 'vitest';
import { repairAll } from '../../../infra/admin/repair/repair-all.ts';
import { collections } from '../../../infra/admin/table/collections.ts';
import type { Ledger } from '../../../shared/ledger/index.ts';
import { bookedKey, bookedPartition } from '../../../shared/ledger/internal/keys.ts';
import type { StoredOrganization } from '../../support/stored-organization.ts';
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
const items = itemsOf(() => ({ items: table.items, code: organization.code }));
const day = (sk: string) => bookedKey(organization.code, sk);
const days = () => table.items.partition(bookedPartition(organization.code));

beforeEach(async () => {
  table = new TableInMemory();
  organization = await table.found();
  const { ledger } = organization.openLedger();
  await table.run(() =>
    ledger.write({}, (write) => {
      write.append(visits, ({ number: id }) => ({ id, ...anHour }));
      write.append(visits, ({ number: id }) => ({ id, ...anHour, end: at('09 10:00'), who: [2] }));
      write.event(told);
    }),
  );
});

const verify = async () =>
  foundIn(await table.run(() => verifyOrganization(table.access, organization.code, options)));

test('a repaired day has a new revision, so that a write that read it before is refused', async () => {
  const before = await days();
  await items.edit(day('2026-12-08'), (item) => ({ ...item, booked: '1/540/90/0/0/1' }));
  await table.run(() => repairAll(table.access, organization.code, options));
  const { version } = await items.get(items.head());
  expect(await days()).toEqual(
    before.map((item) => (item['sk'] === '2026-12-08' ? { ...item, revision: version } : item)),
  );
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
