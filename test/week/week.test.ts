import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import type { RecordType } from '../../shared/contract/events.ts';
import { recordAlone } from '../support/record-alone.ts';
import { runLogIn } from '../support/machine/run-log.ts';
import { Business } from './business.ts';
import type { Diary } from './diary.ts';
import type { Person } from './people.ts';
import { PersonView } from './person-view.ts';
import {
  activities,
  appointments,
  everyone,
  freeTimes,
  hours,
  inquiryLines,
  leadCards,
  offeredTimes,
  texts,
  typed,
} from './expected.ts';
import { playWeek } from './story.ts';

/**
 * A week of a small business, played over HTTP by `story.ts`. These tests check the data at its end. The
 * expected data was worked out by hand from the story.
 */
let business: Business;
let view: PersonView;
let mia: Person;
let diary: Diary;

beforeAll(async () => {
  // The engine is not shared: its clock differs from the clock of other tests.
  vi.stubEnv('DYNAMODB_ENDPOINT', '');
  business = await Business.open(runLogIn(inject('runLog')));
  vi.unstubAllEnvs();
  ({ mia, diary } = await playWeek(business));
  view = new PersonView(business, mia);
});
afterAll(async () => {
  await business.close();
});

test('lists all leads except the deleted one, newest first', async () => {
  expect(await view.leads()).toEqual(everyone);
});

test.each([
  // A lead that came back to the status ranks before a lead that stayed.
  ['pending', ['Pat', 'Nia', 'Leo', 'Ike', 'Joe', 'Rex', 'Lena', 'Zoe', 'Vic']],
  ['active', ['Ava']],
  ['quoted', ['Otto']],
  ['won', ['Rae', 'Gus', 'Uma', 'Sofia']],
  ['lost', []],
  ['archived', ['Tom']],
])('%s are %j', async (status, names) => {
  expect(await view.leads({ status })).toEqual(names);
});

test.each([
  [{ q: 'ko' }, ['Lena', 'Otto']], // Koch, Kost
  [{ q: 'özil' }, ['Gus']],
  [{ q: 'ozil &' }, ['Gus']],
  [{ q: 'le' }, ['Lena', 'Leo']], // Lena, Leo, Leonard
  [{ q: 'café' }, ['Lena']],
  [{ q: 'smith' }, ['Joe']],
  [{ q: 'smyth' }, []],
  [{ q: 'robot' }, []],
  [{ q: 'thomas' }, []],
  [{ q: 'stone' }, ['Vic']],
  [{ q: 'wong' }, ['Rae']],
  // An erased lead.
  [{ q: 'reed' }, []],
  [{ email: 'hal@example.com' }, []],
  [{ phone: '0491 573 770' }, []],
  [{ email: 'TOM@EXAMPLE.COM' }, ['Tom']],
  [{ email: 'sofia@example.com' }, ['Sofia']],
  [{ email: 'uma@example.com' }, []],
  [{ email: 'robot@example.com' }, []],
  [{ phone: '0491 571 266' }, ['Uma']],
  [{ phone: '+61 491 570 156' }, ['Sofia']],
  [{ phone: ' 61491570156' }, ['Sofia']], // a plus that nobody encoded
  [{ phone: '0011 49 30 23125012' }, ['Lena']],
  [{ phone: '0491 570 158' }, []],
  [{ phone: '0491 577 426' }, []],
  [{ phone: '0491 571 491' }, ['Zoe']],
  [{ phone: '0491 572 983' }, ['Rex']],
])('%j finds %j', async (query, names) => {
  expect(await view.leads(query)).toEqual(names);
});

test('shows the final fields of every lead', async () => {
  expect(await view.leadCards()).toEqual(leadCards);
});

test('lists all inquiries with their final fields, newest first', async () => {
  expect(await view.inquiryLines()).toEqual(inquiryLines);
});

describe('the inquiries', () => {
  test.each([
    [{ source: 'CALL' }, [...['call of Pat', 'call of Joe', 'call of Lena', 'burst pipe']]],
    [{ source: 'EMAIL' }, ['mail of Sofia', 'second mail of Tom', 'mail of Tom']],
    [{ source: 'CHATBOT' }, ['chat with Leo', 'chat with Ava']],
    [{ source: 'SMS' }, ['texts of Zoe', 'texts of Uma', 'texts with Sofia', 'texts with Vic']],
    [
      { source: 'WEBFORM' },
      [...['form of Nia', 'form of Rex', 'form of Tom'], ...['form of Uma', 'form of Gus', 'booking of Vic']],
    ],
    [
      { isRead: 'false' },
      [
        // Uma's SMS were read on Saturday, and Zoe's on Thursday; then another came in.
        ...['mail of Sofia', 'call of Pat', 'form of Nia', 'texts of Uma', 'texts of Zoe'],
        ...['chat with Leo', 'call of Joe', 'form of Rex', 'form of Tom'],
        // Tom's second mail was read and became unread again on Thursday at 11:10.
        ...['second mail of Tom', 'form of Uma', 'chat with Ava', 'booking of Vic'],
      ],
    ],
    // Lena's call got its tag on Saturday.
    [{ tag: 'Burst pipe' }, ['call of Pat', 'call of Lena', 'burst pipe']],
    [{ tag: 'Quote' }, ['second mail of Tom', 'mail of Tom']],
    [{ tag: 'Complaint', expand: 'lead' }, ['chat with Ava']],
    [{ tag: 'Spam' }, []],
    [{ tag: 'quote' }, []],
  ])('of %j are %j', async (query, names) => {
    expect(await view.inquiries(query)).toEqual(names);
  });

  test.each([
    [
      'Sofia',
      {
        CALL: ['burst pipe'],
        SMS: ['texts with Sofia'],
        EMAIL: ['mail of Sofia'],
      },
      ['mail of Sofia', 'texts with Sofia', 'burst pipe'],
    ],
    [
      'Tom',
      { EMAIL: ['second mail of Tom', 'mail of Tom'], CALL: [], WEBFORM: ['form of Tom'] },
      ['form of Tom', 'second mail of Tom', 'mail of Tom'],
    ],
    ['Vic', { SMS: ['texts with Vic'], WEBFORM: ['booking of Vic'] }, ['texts with Vic', 'booking of Vic']],
    ['Zoe', { SMS: ['texts of Zoe'], CALL: [] }, ['texts of Zoe']],
    ['Uma', { SMS: ['texts of Uma'], WEBFORM: ['form of Uma'] }, ['form of Uma', 'texts of Uma']],
    ['Otto', { CALL: [] }, []],
    ['robot', { WEBFORM: [] }, []],
    ['Hal', { SMS: [], EMAIL: [] }, []],
  ])('of %s, in all and by source', async (name, bySource, all) => {
    const leadId = view.idOf(name);
    expect(await view.inquiries({ leadId })).toEqual(all);
    for (const [source, names] of Object.entries(bySource))
      expect(await view.inquiries({ leadId, source })).toEqual(names);
  });

  test('keep an email or a number that their lead did not have, as given', async () => {
    expect(await view.inquiry('form of Uma')).toMatchObject({ givenEmail: 'uma@example.com' });
    expect(await view.inquiry('form of Tom')).toMatchObject({ givenEmail: '', givenPhone: '0491 577 426' });
    expect(await view.inquiry('second mail of Tom')).toMatchObject({ givenPhone: '+49 30 23125 012' });
    expect(await view.inquiry('burst pipe')).toMatchObject({ givenPhone: '' });
  });

  test.each(Object.entries(texts))(
    '%s contain every message with its final status',
    async (name, expected) => {
      expect(await view.texts(name)).toEqual(expected);
    },
  );

  test.each(Object.entries(typed))(
    '%s contains the typed values that its lead does not have',
    async (name, fields) => {
      const { data } = await view.inquiry(name);
      expect(data).toEqual({
        id: data.id,
        formName: 'Book a visit',
        fields,
        submittedAt: expect.any(String) as string,
      });
    },
  );
});

test.each(everyone)('lists all activities of %s', async (name) => {
  expect(await view.activities(name)).toEqual(activities[name]);
});

const none = { pending: 0, active: 0, quoted: 0, won: 0, lost: 0, archived: 0 };

test('counts leads by status, and events by day in Adelaide', async () => {
  const { days, ...now } = await view.pipeline();
  expect(now).toEqual({
    statuses: { pending: 9, active: 1, quoted: 1, won: 4, lost: 0, archived: 1 },
    total: 16,
  });
  expect(days).toHaveLength(31);
  expect(days.slice(0, 9)).toEqual([
    { date: '2026-10-05', created: 1, moved: none },
    { date: '2026-10-04', created: 2, moved: { ...none, active: 1 } },
    { date: '2026-10-03', created: 6, moved: { ...none, won: 1 } },
    { date: '2026-10-02', created: 0, moved: { ...none, pending: 1, quoted: 1, won: 1, archived: 1 } },
    { date: '2026-10-01', created: 0, moved: { ...none, active: 1, quoted: 1, lost: 1 } },
    { date: '2026-09-30', created: 3, moved: { ...none, quoted: 1, won: 1 } },
    { date: '2026-09-29', created: 1, moved: { ...none, active: 2, quoted: 1 } },
    { date: '2026-09-28', created: 5, moved: { ...none, active: 1 } },
    { date: '2026-09-27', created: 0, moved: none },
  ]);
  expect(days.at(-1)).toEqual({ date: '2026-09-05', created: 0, moved: none });
  for (const { created, moved } of days.slice(8))
    expect({ created, moved }).toEqual({ created: 0, moved: none });
});

test.each(hours)('callers at %s, %s are told: %s', async (day, time, told) => {
  expect(await view.hoursAt(day, time)).toBe(told);
});

test('the appointments are there, newest first and in a range of time, over the change of the clock', async () => {
  expect(await diary.lines()).toEqual(appointments);
  const [gutters, tank, drain] = appointments;
  expect(await diary.lines({ from: '2026-10-03', to: '2026-10-06' })).toEqual([tank, gutters, drain]);
  expect(await diary.lines({ from: '2026-10-04', to: '2026-10-05' })).toEqual([gutters]);
  const longWeekend = { from: '2026-10-03', to: '2026-10-06' };
  expect(await diary.free('Blocked drain', longWeekend)).toEqual(freeTimes);
  expect(await diary.offers('Blocked drain', longWeekend)).toBe(offeredTimes);
});

test('organization verify finds nothing', async () => {
  expect(await business.verify()).toMatchObject({ organizations: [{ findings: [] }] });
});

test('a copy that read the feed each night has what is exported, as its own GETs answer it', async () => {
  const copied = business.copied();
  expect([...copied.keys()].sort()).toEqual((await business.exported()).sort());
  for (const [name, record] of copied) {
    const [type = '', id = ''] = name.split(' ');
    const known = { type: type as RecordType, id, record: record as Record<string, unknown> };
    expect(await recordAlone(mia.api, known)).toMatchObject({ record });
  }
});

test('a copy of the organization verifies without findings and has the same leads and holidays', async () => {
  const copied = business.clientWith(await business.copies(), ['read', 'write']);
  expect((await copied.call('getOrganization')).holidays).toHaveLength(2);
  const { leads } = await copied.call('listLeads', { query: { limit: 100 } });
  const cards: Record<string, { name: string }> = leadCards;
  const names = leads.map(({ firstName, lastName }) => `${firstName} ${lastName}`.trim());
  expect(names).toEqual(everyone.map((name) => cards[name]?.name));
});
