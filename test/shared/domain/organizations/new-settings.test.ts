import { getCountries } from 'libphonenumber-js/max';
import { expect, test } from 'vitest';
import { newSettings } from '../../../../shared/domain/organizations/new-settings.ts';

test.each([
  ['AU', 'AUD', '12h', 'monday'],
  ['US', 'USD', '12h', 'sunday'],
  // French is not the most usual language of Canada.
  ['CA', 'CAD', '12h', 'sunday'],
  ['GB', 'GBP', '24h', 'monday'],
  ['EG', 'EGP', '12h', 'saturday'],
  ['AC', 'SHP', '24h', 'monday'],
  ['XK', 'EUR', '24h', 'monday'],
])('an organization of %s begins with %s, %s and a week from %s', (country, ...usual) => {
  const { currency, timeFormat, weekStart } = newSettings(country);
  expect([currency, timeFormat, weekStart]).toEqual(usual);
});

test('each country that an organization can be of has a currency that clients may set', () => {
  const known = Intl.supportedValuesOf('currency');
  const countries = getCountries().filter((country) => !known.includes(newSettings(country).currency));
  expect(countries).toEqual([]);
});
