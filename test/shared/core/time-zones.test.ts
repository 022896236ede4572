import { getCountries } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { dateIn, isTimeZone, timeZoneNamed, usualTimeZoneOf } from '../../../shared/core/time-zones.ts';

describe('the usual time zone of a country', () => {
  test.each([
    ['AU', 'Australia/Sydney'],
    ['US', 'America/New_York'],
    ['JP', 'Asia/Tokyo'],
    ['XK', 'Europe/Belgrade'],
  ])('%s: %s', (country, timeZone) => {
    expect(usualTimeZoneOf(country)).toBe(timeZone);
  });

  test('is one for each country that an organization can be of', () => {
    const zones = getCountries().map((country) => [country, usualTimeZoneOf(country)] as const);
    expect(zones.filter(([, zone]) => !isTimeZone(zone) || zone === 'UTC')).toEqual([]);
    expect(zones.filter(([, zone]) => timeZoneNamed(zone) !== zone)).toEqual([]);
  });

  test('is UTC where there is no such country', () => {
    expect(['ZZ', '', 'au', 'Australia'].map(usualTimeZoneOf)).toEqual(['UTC', 'UTC', 'UTC', 'UTC']);
  });
});

test.each([
  ['Australia/Perth', 'Australia/Perth'],
  ['australia/perth', 'Australia/Perth'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['asia/calcutta', 'Asia/Kolkata'],
  ['utc', 'UTC'],
  ['+10:00', undefined],
  ['', undefined],
  ['Mars/Olympus', undefined],
])('the time zone %j is stored as %j', (text, name) => {
  expect(timeZoneNamed(text)).toBe(name);
  expect(isTimeZone(text)).toBe(name !== undefined);
});

test('a day in a time zone that is not known is one in UTC', () => {
  expect(dateIn('Mars/Olympus', Date.parse('2026-11-22T23:59:59.999Z'))).toBe('2026-11-22');
  expect(dateIn('', Date.parse('2026-11-23T00:00:00.000Z'))).toBe('2026-11-23');
});

test.each([
  ['2026-11-22T12:59:59.999Z', 'Australia/Sydney', '2026-11-22'],
  ['2026-11-22T13:00:00.000Z', 'Australia/Sydney', '2026-11-23'],
  ['2026-06-22T13:59:59.999Z', 'Australia/Sydney', '2026-06-22'],
  ['2026-06-22T14:00:00.000Z', 'Australia/Sydney', '2026-06-23'],
  ['2026-01-01T04:59:59.999Z', 'America/New_York', '2025-12-31'],
  ['2026-01-01T00:00:00.000Z', 'UTC', '2026-01-01'],
])('at %s it is, in %s, %s', (moment, timeZone, date) => {
  expect(dateIn(timeZone, Date.parse(moment))).toBe(date);
});
