import { expect, test } from 'vitest';
import { toE164 } from '../../../../shared/domain/phone/phone-number.ts';

test.each([
  ['0412 345 678', 'AU', '+61412345678'],
  ['(02) 9374 4000', 'AU', '+61293744000'],
  ['021 123 4567', 'NZ', '+64211234567'],
  ['(415) 555-2671', 'US', '+14155552671'],
  ['+44 20 7946 0958', 'AU', '+442079460958'],
  ['0011 44 20 7946 0958', 'AU', '+442079460958'],
  ['0061 412 345 678', 'AU', '+61412345678'],
  ['0011 61 412 345 678', 'NZ', '+61412345678'],
  ['00 61 412 345 678', 'US', '+61412345678'],
  ['0011 65 6212 3456', 'NZ', '+6562123456'],
  ['0011 1 415 555 2671', 'NZ', '+14155552671'],
  ['00 44 20 7946 0958', 'NZ', '+442079460958'],
  ['+61 (0)412 345 678', 'AU', '+61412345678'],
  ['61 412 345 678', 'AU', '+61412345678'],
  ['1300 123 456', 'AU', '+611300123456'],
  ['\u202a+61 412 345 678\u202c', 'AU', '+61412345678'],
])('%s in %s is %s', async (phone, country, expected) => {
  expect(await toE164(phone, country)).toBe(expected);
});

test.each([
  ['', 'AU'],
  ['12', 'AU'],
  ['call 0412 345 678', 'AU'],
  ['12345', 'AU'],
  ['0412 345 67', 'AU'],
  ['0412 345 678 9', 'AU'],
  ['+61 1234 5', 'AU'],
  ['+1 415 555 01', 'AU'],
  ['000', 'AU'],
  ['0412 345 678, 0412 345 679', 'AU'],
  ['0412345678', 'XX'],
  ['+999 123 456 789', 'AU'],
  ['0412 345 678 901 234', 'AU'],
])('"%s" in %s is no phone number', async (phone, country) => {
  const message = 'phone must be a phone number, either national or starting with +';
  await expect(toE164(phone, country)).rejects.toMatchObject({ kind: 'invalid', message });
});

test.each(['0412 345 678 ext. 12', '0412 345 678 x12', '+61 412 345 678;ext=12', '(02) 9374 4000 #12'])(
  '"%s" is refused for its extension',
  async (phone) => {
    const message = 'destination must be a phone number without an extension';
    await expect(toE164(phone, 'AU', 'destination')).rejects.toMatchObject({ kind: 'invalid', message });
  },
);
