import * as v from 'valibot';
import { expect, test } from 'vitest';
import {
  newOrganizationCode,
  numberOf,
  OrganizationCode,
  recordId,
  largestNumber,
} from '../../../shared/core/ids.ts';

const code = v.parse(OrganizationCode, '6H8EV880');

test.each([1, 31, 32, 42, 2 ** 32 + 7, largestNumber])('the id of record %d is read back', (number) => {
  const id = recordId('lead', code, number);
  expect(id).toMatch(/^lead_6H8EV880[0-9A-HJKMNP-TV-Z]{8}$/);
  expect(numberOf('lead', code, id)).toBe(number);
});

test('an id says nothing to another organization, another kind, or in another spelling', () => {
  const id = recordId('lead', code, 42);
  expect(numberOf('lead', v.parse(OrganizationCode, '6H8EV881'), id)).toBeUndefined();
  expect(numberOf('user', code, id)).toBeUndefined();
  for (const other of [
    '',
    'lead_',
    id.toLowerCase(),
    `${id}0`,
    id.slice(0, -1),
    ` ${id}`,
    id.replace(/.$/, 'U'),
  ]) {
    expect(numberOf('lead', code, other), other).toBeUndefined();
  }
});

test('zero and numbers beyond what a key can hold are no ids', () => {
  expect(numberOf('lead', code, 'lead_6H8EV88000000000')).toBeUndefined();
  expect(numberOf('lead', code, 'lead_6H8EV880ZZZZZZZZ')).toBeUndefined();
});

test('a new code takes all forty bits of chance', () => {
  expect(newOrganizationCode(() => 0)).toBe('00000000');
  expect(newOrganizationCode(() => 1 - Number.EPSILON)).toBe('ZZZZZZZZ');
});
