import { expect, test } from 'vitest';
import { newSchedule, type Schedule } from '../../../../shared/contract/member-schedule.ts';
import { noHours } from '../../../../shared/contract/opening-hours.ts';
import type { Transfer } from '../../../../shared/contract/transfers.ts';
import type { Hours } from '../../../../shared/domain/calendar/hours.ts';
import type { MemberRecord } from '../../../../shared/domain/members/members.ts';
import { chooseRoute, routeOf } from '../../../../shared/domain/receptionist/route.ts';

const workday = [{ from: '08:00', to: '17:00' }];
const hours: Hours = {
  timeZone: 'Australia/Adelaide',
  openingHours: { monday: workday, tuesday: workday, friday: workday },
  holidays: [{ date: '2026-12-25', name: 'Christmas Day', hours: [] }],
};
const at = (local: string) => Date.parse(`${local}+10:30`);
const monday = '2026-12-07T09:00';
const sunday = '2026-12-06T09:00';

const rule: Transfer = {
  id: 1,
  label: 'Burst pipes',
  name: 'Burst pipes',
  method: 'WARM',
  conditions: 'Water is running',
  destinationType: 'DEPARTMENT',
  destination: 'Emergencies',
  summaryFormat: '',
  isEnabled: true,
  settings: { ignore_business_hours: false },
  scenarioId: null,
  createdAt: '2026-11-02T08:00:00.000Z',
  updatedAt: '2026-11-02T08:00:00.000Z',
};
const always = { settings: { ignore_business_hours: true } };
const toMia = { destinationType: 'MEMBER', destination: '2' } as const;

const mia = (
  schedule: Partial<Schedule>,
  isDisabled = false,
  phone = '+61491570110',
): ReadonlyMap<number, MemberRecord> => {
  const names = { firstName: 'Mia', lastName: 'Tran', email: 'mia@example.com', userId: 'user_2' };
  const role = { role: 'OWNER', position: '', responsibility: '', phone, avatarImg: '' } as const;
  const member = { id: 2, ...names, ...role, isDisabled, newestAppointment: 0, openAppointments: 0 };
  return new Map([[2, { ...member, schedule: { ...newSchedule, ...schedule } }]]);
};
const late = { workingHours: { ...noHours, monday: [{ from: '10:00', to: '22:00' }] } };
const daysOff = [{ from: '2026-12-07', to: '2026-12-13', reason: '' }];

test.each<[string, Partial<Transfer>, Parameters<typeof mia>, string, true | string | null]>([
  ['a department of an open business', {}, [{}], monday, true],
  ['a closed one when it opens', {}, [{}], sunday, '2026-12-07T08:00'],
  ['a closed one whose rule ignores that', always, [{}], sunday, true],
  ['one on a holiday whose rule ignores that', always, [{}], '2026-12-25T09:00', true],
  ['a business after its holiday', {}, [{}], '2026-12-24T09:00', '2026-12-28T08:00'],
  ['a member who works as the business does', toMia, [{}], monday, true],
  ['a member who begins later', toMia, [late], monday, '2026-12-07T10:00'],
  ['a member who works no longer than the business', toMia, [late], '2026-12-07T18:00', '2026-12-14T10:00'],
  [
    'a member who does, where the rule ignores that',
    { ...toMia, ...always },
    [late],
    '2026-12-07T18:00',
    true,
  ],
  ['a member after the days off', toMia, [{ daysOff }], monday, '2026-12-14T08:00'],
  ['at midnight, where the rule ignores hours', { ...toMia, ...always }, [{ daysOff }], monday, '2026-12-14'],
  ['a disabled member never', toMia, [{}, true], monday, null],
  ['an unknown member never', { ...toMia, destination: '3' }, [{}], monday, null],
])('reaches %s', (_, given, member, time, reached) => {
  const { isReachable, reachableFrom } = routeOf({ ...rule, ...given }, mia(...member), hours, at(time));
  const from = typeof reached === 'string' ? new Date(at(reached.padEnd(16, 'T00:00'))).toISOString() : null;
  expect({ isReachable, reachableFrom }).toEqual({ isReachable: reached === true, reachableFrom: from });
});

const phone = { destinationType: 'PHONE_NUMBER', destination: '+61491570159' } as const;
const rules: Transfer[] = [
  { ...rule, id: 3, label: 'Gas', name: 'Gas', conditions: 'Smell of gas', isEnabled: false, ...always },
  { ...rule, id: 5, label: 'Invoices', name: 'Invoices', conditions: 'A bill is wrong', ...phone, ...always },
  { ...rule, id: 4, label: 'Invoices by mail', name: 'Bills', conditions: '', ...toMia },
  rule,
];

test.each([
  ['no topic, the lowest that can be reached and has a number', '', monday, 4],
  ['no topic, one that can be reached', ' ', sunday, 5],
  ['its label', 'a burst pipe', sunday, 1],
  ['what one with a number also has', 'a burst pipe, and what is wrong', sunday, 5],
  ['its conditions', 'the water is running', sunday, 1],
  ['its member', 'Can I speak to Mia?', monday, 4],
  ['what two have alike, the lowest', 'invoice', monday, 4],
  ['what two have alike, that which can be reached', 'invoice', sunday, 5],
  ['what one has more of', 'invoices, a wrong bill', sunday, 5],
  ['what one has that cannot be reached', 'bills by mail', sunday, 4],
  ['one out of use', 'gas', monday, undefined],
  ['nothing', 'rhubarb', monday, undefined],
])('a topic of %s', (_, topic, time, chosen) => {
  expect(chooseRoute(rules, topic, mia({}), hours, at(time))?.transferId).toBe(chosen);
});
