import { describe, expect, test } from 'vitest';
import { noHours } from '../../shared/contract/opening-hours.ts';
import { addNumber } from '../../shared/domain/numbers/numbers.ts';
import { events } from '../../shared/ledger/index.ts';
import { newNumber } from '../support/sms.ts';
import { newOrganization, twoOrganizations } from '../support/test-organization.ts';
import { expectMadeSince } from '../support/expect-made-since.ts';
import { notPhone } from '../support/not-phone.ts';

const { ours, theirs } = await twoOrganizations();
const { api } = ours;

const read = (of = ours) => of.api.call('getOrganization');
const change = (body: object, of = ours) => of.api.call('updateOrganization', { body });
const history = () => ours.openLedger().ledger.page(events, { page: 1, limit: 2 });

const workday = [{ from: '08:00', to: '17:00' }];
const christmas = { date: '2026-12-25', name: 'Christmas Day', hours: [] };

describe('an organization', () => {
  test.each([
    ['AU', 'Australia/Sydney', 'AUD', '12h', 'monday'],
    ['US', 'America/New_York', 'USD', '12h', 'sunday'],
    ['EG', 'Africa/Cairo', 'EGP', '12h', 'saturday'],
  ])('of %s is founded with what is usual there', async (country, ...usual) => {
    const { code, ...founded } = await newOrganization({ country });
    const [timeZone, currency, timeFormat, weekStart] = usual;
    const { name, ...settings } = await read({ code, ...founded });
    expect(name).not.toBe('');
    expect(settings).toEqual({
      id: `org_${code}`,
      country,
      timeZone,
      currency,
      timeFormat,
      weekStart,
      businessPhone: '',
      website: '',
      socials: {},
      openingHours: noHours,
      holidays: [],
      onCallHours: noHours,
      areasServed: [],
    });
  });

  test('is changed in part; hours, holidays and socials each as a whole', async () => {
    const before = await read();
    const all = {
      name: 'Harbour Plumbing',
      website: 'https://harbour.example',
      socials: { x: '@harbour' },
      currency: 'NZD',
      timeFormat: '24h',
      weekStart: 'sunday',
      businessPhone: '+61255501234',
      openingHours: { monday: workday, friday: [...workday, { from: '20:00', to: '02:00' }], sunday: [] },
      holidays: [christmas],
      onCallHours: { saturday: [{ from: '00:00', to: '24:00' }] },
      areasServed: ['Glebe', '2040'],
    } as const;
    const events = (await history()).totalCount;
    const given = { ...all, name: ` ${all.name} `, businessPhone: '(02) 5550 1234' };
    expect(await change(given)).toEqual({ ...before, ...withAllDays(all) });
    expect((await history()).items[0]).toMatchObject({
      event: 'ORGANIZATION_UPDATED',
      data: 'The organization was changed',
      referenceId: before.id,
    });

    const less = { openingHours: { tuesday: workday }, socials: {}, holidays: [], businessPhone: '' };
    const after = { ...before, ...withAllDays({ ...all, ...less }) };
    expect(await change(less)).toEqual(after);
    // A client may send back the settings that it read. Nothing changes, so nothing is stored.
    for (const same of [{}, after, { country: 'AU' }]) expect(await change(same)).toEqual(after);
    expect(await read()).toEqual(after);
    expect((await history()).totalCount).toBe(events + 2);
    expect((await read(theirs)).openingHours).toEqual(noHours);
  });

  test('moves to another time zone, with other changes or without', async () => {
    await change({ timeZone: 'australia/perth' });
    const moved = { event: 'TIME_ZONE_CHANGED', referenceId: `org_${ours.code}` };
    const data = 'The time zone changed from Australia/Sydney to Australia/Perth';
    expect((await history()).items[0]).toMatchObject({ ...moved, data });
    expect(await change({ timeZone: 'Asia/Tokyo', name: 'Tokyo' })).toMatchObject({
      timeZone: 'Asia/Tokyo',
      name: 'Tokyo',
    });
    expect((await history()).items).toMatchObject([moved, { event: 'ORGANIZATION_UPDATED' }]);
    expect((await read()).timeZone).toBe('Asia/Tokyo');
  });

  test('keeps the numbers for SMS to itself, and a change keeps them', async () => {
    const added = await newNumber(ours);
    expect(JSON.stringify(await change({ name: 'With a number' }))).not.toContain(added.number);
    expect(JSON.stringify(await read())).not.toContain(added.number);
    expect(await addNumber(ours.openLedger().ledger, added)).toBe(false);
  });

  const ranges = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ from: `0${at}:00`, to: `0${at}:30` }));
  const dates = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      name: 'Fair',
      hours: [],
      date: new Date(Date.UTC(2027, 0, 1 + at)).toISOString().slice(0, 10),
    }));

  test('takes as much as it may', async () => {
    const largest = {
      name: 'n'.repeat(200),
      website: 'w'.repeat(500),
      openingHours: { monday: ranges(6) },
      holidays: dates(100),
    };
    expect(await change(largest)).toMatchObject(largest);
  });

  test.each<[string, object, ...string[]]>([
    ['another country', { country: 'NZ' }, 'country is AU for good, and cannot be changed'],
    ['a phone number that is none', { businessPhone: '12' }, `businessPhone ${notPhone}`],
    [
      'another link',
      { website: 'javascript:x' },
      'website must be a link that begins with https:// or http://, or a name without a scheme, such as @joe',
    ],
    [
      'an unknown time zone',
      { timeZone: 'Mars' },
      'timeZone must be the name of a time zone, such as Australia/Sydney',
    ],
    [
      'an unknown currency',
      { currency: 'aud' },
      'currency must be the three letters of a currency (ISO 4217), such as AUD',
    ],
    [
      'too many ranges',
      { openingHours: { monday: ranges(7) } },
      'openingHours.monday must be at most 6 long',
    ],
    [
      'an unknown day',
      { openingHours: { funday: [] } },
      'openingHours.funday is not a known field; did you mean openingHours.sunday?',
    ],
    [
      'a range without length',
      { onCallHours: { sunday: [{ from: '09:00', to: '09:00' }] } },
      'onCallHours.sunday.0.to must differ from `from`: a whole day is from 00:00 to 24:00',
    ],
    [
      'times that are none',
      { openingHours: { monday: [{ from: '24:00', to: '8:00' }] } },
      'openingHours.monday.0.from must be a local time such as 08:00',
      'openingHours.monday.0.to must be a local time such as 17:00, or 24:00',
    ],
    [
      'two holidays on a date',
      { holidays: [christmas, christmas] },
      'holidays must have each date at most once',
    ],
    [
      'a date that is none',
      { holidays: [{ ...christmas, date: '2027-02-29' }] },
      'holidays.0.date must be a date such as 2026-12-25',
    ],
    [
      'a holiday without hours',
      { holidays: [{ ...christmas, hours: null }] },
      'holidays.0.hours is required',
    ],
  ])('refuses %s', async (_, body, ...problems) => {
    const before = await read();
    await api.refuses('updateOrganization', { body }, ...problems);
    expect(await read()).toEqual(before);
  });
});

/** Settings with the days that a body may leave out. */
const withAllDays = <S extends Record<'openingHours' | 'onCallHours', object>>(settings: S) => ({
  ...settings,
  openingHours: { ...noHours, ...settings.openingHours },
  onCallHours: { ...noHours, ...settings.onCallHours },
});

describe('whether it is open', () => {
  const at = (moment: string, of = ours) => of.api.call('getOrganizationHours', { query: { at: moment } });

  test('is said for now and for any other time', async () => {
    const settings = {
      timeZone: 'Australia/Sydney',
      timeFormat: '12h',
      onCallHours: { saturday: workday },
      openingHours: { friday: workday, monday: workday },
      holidays: [christmas],
    };
    await change(settings);
    expect(await at('2026-11-28T12:30:00+11:00')).toEqual({
      at: '2026-11-28T01:30:00.000Z',
      timeZone: 'Australia/Sydney',
      isOpen: false,
      isOnCall: true,
      until: '2026-11-29T21:00:00.000Z',
      holiday: null,
      say: 'Closed until 8 am on Monday, 30 November',
    });
    expect(await at('2026-12-25T01:00:00Z')).toMatchObject({
      isOpen: false,
      isOnCall: false,
      holiday: 'Christmas Day',
      say: 'Closed for Christmas Day until 8 am on Monday, 28 December',
    });
    const began = Date.now();
    const now = await api.call('getOrganizationHours');
    expectMadeSince(began, now.at);
    expect(await at(now.at)).toEqual(now);
  });

  test('is yes at all times without opening hours, but for holidays', async () => {
    const always = { isOpen: true, isOnCall: false, until: null, say: 'Open around the clock' };
    expect(await at('2026-12-20T00:00:00Z', theirs)).toMatchObject(always);
    await change({ holidays: [christmas] }, theirs);
    expect(await at('2026-12-20T00:00:00Z', theirs)).toMatchObject({
      isOpen: true,
      until: '2026-12-24T11:00:00.000Z',
      say: 'Open until 12 am on Friday, 25 December',
    });
  });

  test.each([
    [
      'tomorrow',
      'at must be a time with its zone, such as 2026-11-02T13:06:00Z or 2026-11-03T00:06:00+11:00',
    ],
    [
      '2026-12-20T09:00',
      'at has no zone; send a time such as 2026-11-02T13:06:00Z or 2026-11-03T00:06:00+11:00',
    ],
  ])('is not said for %s', async (moment, ...problems) => {
    await api.refuses('getOrganizationHours', { query: { at: moment } }, ...problems);
  });
});
