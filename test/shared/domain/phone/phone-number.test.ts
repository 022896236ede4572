import { expect, test } from 'vitest';
import { firstNumberIn, toE164 } from '../../../../shared/domain/phone/phone-number.ts';

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
  await expect(toE164(phone, country)).rejects.toMatchObject({ kind: 'invalid' });
});

test.each([
  [
    'US',
    'national (United States) with its area code, such as (201) 555-0123, or international with +, such as +1 201 555 0123',
  ],
  [
    'IT',
    'national (Italy) with its area code, such as 055 501234, or international with +, such as +39 055 501234',
  ],
  ['AW', 'national (Aruba) with its area code, or international with +, such as +61 2 5550 1234'],
  ['', 'international with +, such as +61 2 5550 1234'],
])('a refusal in "%s" says how to write a number there', async (country, examples) => {
  const message = `phone must be a phone number: ${examples}`;
  await expect(toE164('12', country)).rejects.toMatchObject({ message });
});

test.each([
  // Reported:
  ['tel:+61491570611', 'AU', '+61491570611'],
  ['whatsapp:+61491570611', 'AU', '+61491570611'],
  ['p:+61491570611', 'AU', '+61491570611'],
  ['0491 570 611 (mobile)', 'AU', '+61491570611'],
  ['M: 0491 570 611', 'AU', '+61491570611'],
  ['M 0491 570 611', 'AU', '+61491570611'],
  ['0491 570 611 / 02 5550 1234', 'AU', '+61491570611'],
  ['sip:+61491570611@sip.example.com', 'AU', '+61491570611'],
  // Made up:
  ['+61 (0)491 570 611 mob.', 'AU', '+61491570611'],
  ['+0491 570 611', 'AU', '+61491570611'],
  ['＋６１ ４９１ ５７０ ６１１ (m)', 'AU', '+61491570611'],
  ['61491570611@s.example.net', 'AU', '+61491570611'],
  ['tel:%2B61491570611', 'AU', '+61491570611'],
  ['sip:0491570611@203.0.113.5:5060', 'AU', '+61491570611'],
  ['M0491570611', 'AU', '+61491570611'],
  ['491570611 (mobile)', 'AU', '+61491570611'],
  ['0491_570_611', 'AU', '+61491570611'],
  ['0491\u202f570\u202f611 – Ann', 'AU', '+61491570611'],
  ['0491 570 611 02 5550 1234', 'AU', '+61491570611'],
  ['0491 570 611 5pm', 'AU', '+61491570611'],
  ['26/11/2026 0491 570 611', 'AU', '+61491570611'],
  ['Unit 5/12, 0491 570 611', 'AU', '+61491570611'],
  ['(02) 5550 1234 ext. 5', 'AU', '+61255501234'],
  ['office 1300 975 707 or 0491 570 611', 'AU', '+611300975707'],
  ['0011 61 491 570 611 (abroad)', 'NZ', '+61491570611'],
  ['11/26/26 (415) 555-2671', 'US', '+14155552671'],
  ['415-555-2671 / 415-555-2672', 'US', '+14155552671'],
  ['T: +44 (0)20 7946 0958 M: 07911 123456', 'GB', '+442079460958'],
  ['Tel. 030/5550123', 'DE', '+49305550123'],
  ['030 5550123 / 0171 1234567', 'DE', '+49305550123'],
  // None:
  ['0412 345 678 9', 'AU', ''],
  ['0412 345 678 901 234', 'AU', ''],
  ['0491 570 61 (mobile)', 'AU', ''],
  ['order 10002000300', 'AU', ''],
  ['on 2026-12-05 at 17:30', 'AU', ''],
  ['sip:alice@203.0.113.5:5060', 'NZ', ''],
])('the first phone number in "%s" in %s is "%s"', async (text, country, expected) => {
  expect(await firstNumberIn(() => Promise.resolve(country), text)).toBe(expected);
});

test.each(['0412 345 678 ext. 12', '0412 345 678 x12', '+61 412 345 678;ext=12', '(02) 9374 4000 #12'])(
  '"%s" is refused for its extension',
  async (phone) => {
    const message = 'destination must be a phone number without an extension';
    await expect(toE164(phone, 'AU', 'destination')).rejects.toMatchObject({ kind: 'invalid', message });
  },
);
