import { randomInt } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { addNumber, listNumbers, removeNumber } from '../../../../shared/domain/numbers/numbers.ts';
import type { Ledger } from '../../../../shared/ledger/index.ts';
import {
  limits,
  newStore,
  twoOrganizations,
  type TwoOrganizations,
} from '../../../support/test-organization.ts';

let organizations: TwoOrganizations;
beforeAll(async () => {
  organizations = await twoOrganizations();
});

const ours = () => organizations.ours.openLedger().ledger;
const theirs = () => organizations.theirs.openLedger().ledger;
const ownerOf = (number: string) => newStore().organizationOfPhoneNumber(number, limits());

/** A number that no other test uses. */
const newNumber = () => {
  const digits = `6147${String(randomInt(1e9)).padStart(9, '0')}`;
  return { number: `+${digits}`, arn: `arn:aws:sms-voice:us-east-1:000000000000:phone-number/${digits}` };
};

test('another ARN replaces the first', async () => {
  const one = newNumber();
  await addNumber(ours(), one);
  const moved = { ...one, arn: `${one.arn}-2` };
  expect(await addNumber(ours(), moved)).toBe(true);
  expect((await listNumbers(ours())).filter(({ number }) => number === one.number)).toEqual([moved]);
});

/** Frees a number that a record still names, as a restore of one organization can. */
const loseClaim = (ledger: Ledger, number: string) =>
  ledger.write({}, (write) => {
    write.releasePhoneNumber(number);
    write.event({ event: 'TEST', data: 'A test', referenceId: '1' });
  });

test('a number that only the record names is claimed again by adding it', async () => {
  const one = newNumber();
  await addNumber(ours(), one);
  await loseClaim(ours(), one.number);
  expect(await ownerOf(one.number)).toBeUndefined();
  expect(await addNumber(ours(), one)).toBe(true);
  expect(await ownerOf(one.number)).toBe(organizations.ours.code);
  expect((await listNumbers(ours())).filter(({ number }) => number === one.number)).toEqual([one]);
  expect(await addNumber(ours(), one)).toBe(false);
});

test('a number that another organization has is taken out of the record, and stays theirs', async () => {
  const one = newNumber();
  await addNumber(ours(), one);
  await loseClaim(ours(), one.number);
  await addNumber(theirs(), one);
  await expect(addNumber(ours(), one)).rejects.toMatchObject({ kind: 'conflict' });
  expect(await removeNumber(ours(), one.number)).toBe(true);
  expect((await listNumbers(ours())).map(({ number }) => number)).not.toContain(one.number);
  expect(await ownerOf(one.number)).toBe(organizations.theirs.code);
});
