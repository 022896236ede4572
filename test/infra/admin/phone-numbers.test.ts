import { beforeEach, expect, test } from 'vitest';
import { repairAll } from '../../../infra/admin/repair/repair-all.ts';
import { findingsIn } from '../../../infra/admin/verify/finding.ts';
import { verifyTable } from '../../../infra/admin/verify/verify-table.ts';
import { addNumber, removeNumber } from '../../../shared/domain/numbers/numbers.ts';
import { phoneNumberKey } from '../../../shared/ledger/internal/keys.ts';
import type { StoredOrganization } from '../../support/organizations.ts';
import { foundIn } from './found-in.ts';
import { itemsOf } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';

const phone = '+61480000123';
const stray = ['number-without-organization', 'NUMBER#…0123'];

let table: TableInMemory;
let ours: StoredOrganization;
let theirs: StoredOrganization;
beforeEach(async () => {
  table = new TableInMemory();
  [ours, theirs] = [await table.found(), await table.found()];
  await add(ours);
});

const add = (organization: StoredOrganization, number = phone) =>
  table.run(() => addNumber(organization.openLedger().ledger, { number, arn: 'arn:1' }));
const claim = (organization: string) => table.items.put({ ...phoneNumberKey(phone), organization });
const holder = async () => (await table.items.get(phoneNumberKey(phone))) as object | undefined;
const found = async () => foundIn({ findings: findingsIn(await table.run(() => verifyTable(table.access))) });
const ofOther = () => ['number-not-held', `org_${ours.code}`];

/** Findings before and after a repair of the whole table. */
async function repair(meanwhile: () => Promise<unknown> = () => Promise.resolve()) {
  const before = await found();
  const { remaining: left } = await table.run(async () => {
    await meanwhile();
    return repairAll(table.access, undefined);
  });
  return { before: before.sort(), left: foundIn({ findings: findingsIn(left) }) };
}

test('a table is undamaged if every number is held for its organization', async () => {
  await add(theirs, '+61480000124');
  expect(await found()).toEqual([]);
});

test('a number held for an organization that does not have it is released', async () => {
  await table.items.put({ ...phoneNumberKey('+61480000199'), organization: theirs.code });
  expect(await repair()).toEqual({ before: [['number-without-organization', 'NUMBER#…0199']], left: [] });
  expect(await table.items.get(phoneNumberKey('+61480000199'))).toBeUndefined();
});

test('a number held for the wrong organization is held for the right one again', async () => {
  await claim(theirs.code);
  expect(await repair()).toEqual({ before: [ofOther(), stray].sort(), left: [] });
  expect(await holder()).toMatchObject({ organization: ours.code });
});

test('a number of two organizations is left to a person', async () => {
  await table.items.remove(phoneNumberKey(phone));
  await add(theirs);
  expect(await repair()).toEqual({ before: [ofOther()], left: [ofOther()] });
  await table.run(() => removeNumber(theirs.openLedger().ledger, phone));
  expect((await repair()).left).toEqual([]);
  expect(await holder()).toMatchObject({ organization: ours.code });
});

test('a number stays held for an organization whose own record is invalid or missing', async () => {
  const { at, edit, remove } = itemsOf(
    () => table.items,
    () => ours.code,
  );
  await edit(at('ORGANIZATION', 1), ({ name, ...record }) => record);
  expect((await repair()).left).toEqual([['record-malformed', `org_${ours.code}`], stray]);
  await remove(at('ORGANIZATION', 1));
  expect((await repair()).left).toEqual([['record-missing', `org_${ours.code}`], stray]);
  expect(await holder()).toMatchObject({ organization: ours.code });
});

test('a number held for an invalid code is held for its organization, or left if it has none', async () => {
  await claim('ann@example.com');
  expect(await repair()).toEqual({
    before: [['number-not-held', `org_${ours.code}`], stray].sort(),
    left: [],
  });
  await table.run(() => removeNumber(ours.openLedger().ledger, phone));
  await claim('ann@example.com');
  expect(await repair()).toEqual({ before: [stray], left: [stray] });
});

test('a number that an organization got after the read is not released', async () => {
  await claim(theirs.code);
  const { at, edit } = itemsOf(
    () => table.items,
    () => ours.code,
  );
  await edit(at('ORGANIZATION', 1), (record) => ({ ...record, numbers: [] }));
  expect(await repair(() => addNumber(theirs.openLedger().ledger, { number: phone, arn: 'arn:1' }))).toEqual({
    before: [stray],
    left: [],
  });
  expect(await holder()).toMatchObject({ organization: theirs.code });
});
