import { expect, test } from 'vitest';
import { toE164 } from '../../../shared/leads/phone.ts';

test.each([
  ['0412 345 678', 'AU', '+61412345678'],
  ['(02) 9374 4000', 'AU', '+61293744000'],
  ['021 123 4567', 'NZ', '+64211234567'],
  ['(415) 555-2671', 'US', '+14155552671'],
  ['+44 20 7946 0958', 'AU', '+442079460958'],
  ['0011 44 20 7946 0958', 'AU', '+442079460958'],
])('%s in %s is %s', async (phone, country, expected) => {
  expect(await toE164(phone, country)).toBe(expected);
});

test.each([
  ['', 'AU'],
  ['12', 'AU'],
  ['call 0412 345 678', 'AU'],
  ['0412 345 678 ext 9', 'AU'],
  ['0412345678', 'XX'],
  ['+999 123 456 789', 'AU'],
  ['0412 345 678 901 234', 'AU'],
])('"%s" in %s is none', async (phone, country) => {
  await expect(toE164(phone, country)).rejects.toMatchObject({ kind: 'invalid' });
});
